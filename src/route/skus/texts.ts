/** The sentences of events and messages about aliases. */
import type { OwnEvent } from '../../record/events/index.ts'
import { type SkuId, namespaceOf } from '../../kernel/ids.ts'
import { type ErrorMessage, type NoteMessage, error, warning } from '../../kernel/message.ts'
import { count, withId } from '../../kernel/text.ts'
import type { Pair, StoredSource } from './aliases.ts'
import type { PhaseOutChange } from './phase-out-records.ts'

export function aliasEvent(
  { a, b }: Pair,
  isRejected: boolean,
  before: StoredSource | undefined,
  titleOf: (id: SkuId) => string | undefined,
): OwnEvent {
  const [one, other] = [withId(titleOf(a), a), withId(titleOf(b), b)]
  return {
    kind: 'replenishment',
    code: isRejected ? 'alias_rejected' : 'alias_confirmed',
    params: { product: one, other_product: other },
    summary: isRejected ? `Not the same product: ${one} and ${other}` : `Same product: ${one} and ${other}`,
    reasoning: `${isRejected ? 'Rejected' : 'Confirmed'} by the operator. Before that: ${before ?? 'not linked'}.`,
  }
}

export function shelfLifeStated(skuId: SkuId, title: string | undefined, days: number | null): OwnEvent {
  const product = withId(title, skuId)
  return {
    kind: 'replenishment',
    ...(days === null
      ? { code: 'shelf_life_removed', params: { product }, summary: `${product}: no shelf life` }
      : {
          code: 'shelf_life_stated',
          params: { product, days },
          summary: `${product}: shelf life ${count(days, 'day')}`,
        }),
    reasoning: 'Stated by an operator. A plan orders no more than is likely to be sold in that time.',
  }
}

export function phaseOutChanged({ skuId, location, isPhasedOut }: PhaseOutChange, title?: string): OwnEvent {
  const product = withId(title, skuId)
  const where = location === undefined ? '' : ` ${isPhasedOut ? 'in' : 'for'} ${location}`
  return {
    kind: 'replenishment',
    code: isPhasedOut ? 'phase_out_started' : 'phase_out_ended',
    params: { product, ...(location === undefined ? {} : { machine: location }) },
    summary: `${product} is ${isPhasedOut ? 'phased out' : 'ordered again'}${where}`,
    reasoning: isPhasedOut
      ? 'Nothing more is ordered; what is in the machines sells off.'
      : 'The plan orders it where it is needed.',
    ...(location === undefined ? {} : { location }),
  }
}

/** Equal barcodes stay linked while both products carry them; a manual match is preferred over them. */
export const forbidsProduct = (path: string): ErrorMessage =>
  error(
    'invalid',
    'The no-go list forbids one of these products through this match, so it cannot be rejected. Change the list in the rules file first.',
    path,
  )

export const linkedByBarcode = (path: string): ErrorMessage =>
  error(
    'invalid',
    'Both products have the same barcode, so this match cannot be rejected. Confirm the right product instead; it is preferred.',
    path,
  )

export const confirmedAndRejected = (id: SkuId, path: string): ErrorMessage =>
  error('invalid', `${id} is both confirmed and rejected`, path, { sku: id })

export const tooManyAliases = (max: number): ErrorMessage =>
  error('invalid', `A product can have at most ${max} aliases`, '$.aliases', { max })

export const sameNamespace = (id: SkuId, other: SkuId): NoteMessage =>
  warning('same_namespace', `${id} is in the same namespace as ${other}, so nothing was recorded`, undefined, {
    sku: id,
    other_sku: other,
  })

export const stillCountsWarning = ({ a, b }: Pair): NoteMessage =>
  warning(
    'match_still_counts',
    `The match of ${a} and ${b} is no longer used for orders. The no-go list and the minimum margin still apply it until an owner rejects it as well.`,
    undefined,
    { sku: a, other_sku: b },
  )

export const notListedWarning = (id: SkuId): NoteMessage =>
  warning('unresolved_sku', `${namespaceOf(id)} does not list ${id}. It can be ordered once it is listed.`, undefined, {
    sku: id,
    namespace: namespaceOf(id),
  })
