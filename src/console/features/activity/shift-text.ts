/** The journal of the operator in the reader's language. */
import type { ShiftEntry, ShiftStep } from '../../../contract/shapes/operator/operator.ts'
import { fillFirst } from '../../../texts/fill-sentence.ts'
import type { Sentences } from '../../../texts/sentences.ts'
import { SHIFT_BECAUSE, SHIFT_DID, SHIFT_SAW, SHIFT_SUMMARY } from '../../../texts/shift/index.ts'
import { money } from '../../lib/text/format.ts'
import { isEnglish, textsOf } from '../../lib/text/i18n.ts'
import { grouped } from '../../lib/text/plural.ts'

const say = (table: Sentences, code: string, params: ShiftStep['params']): string | undefined =>
  fillFirst(Object.hasOwn(table, code) ? table[code] : undefined, params, (_name, value) => {
    if (typeof value === 'number') return grouped(value)
    return typeof value === 'object' ? money(value.amount, value.currency) : String(value)
  })

/** A code that this console does not know yet: the service's own English. */
export const stepWords = ({ code, params, saw, did, because }: ShiftStep) => ({
  saw: say(textsOf(SHIFT_SAW), code, params) ?? saw,
  did: say(textsOf(SHIFT_DID), code, params) ?? did,
  because: say(textsOf(SHIFT_BECAUSE), code, params) ?? because,
})

export function shiftSummary({ status, dry_run: isDryRun, figures, summary }: ShiftEntry): string {
  if (!figures || isEnglish()) return summary
  const table: Sentences = textsOf(SHIFT_SUMMARY)
  const { ordered, bought, spent, asked, waiting, refused, currency } = figures
  const part = (isSaid: boolean, name: keyof (typeof SHIFT_SUMMARY)['en']) =>
    isSaid
      ? (say(table, name, { ordered, bought, asked, waiting, refused, spent: { amount: spent, currency } }) ?? [])
      : []
  const parts = [
    part(status === 'stopped', 'stopped'),
    part(status === 'failed', 'failed'),
    part(isDryRun, 'would'),
    part(ordered > 0, 'ordered'),
    part(bought > 0, 'bought'),
    part(asked > 0, 'asked'),
    part(waiting > 0, 'waiting'),
    part(refused > 0, 'refused'),
  ].flat()
  return `${(parts.length === 0 ? [part(true, 'nothing')].flat() : parts).join('；')}。`
}
