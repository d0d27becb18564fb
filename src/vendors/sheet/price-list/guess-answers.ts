/** What `vendops connect` takes from a price list itself, and what it asks about it. */
import { basename } from 'node:path'
import { systemClock } from '../../../kernel/clock.ts'
import type { GuessedAnswers, GuessFacts } from '../../adapter-module.ts'
import { isFields } from '../../upstream/read-json.ts'
import { proposeAside } from './examine-aside.ts'
import type { ListAnswers } from './guess-list.ts'
import { findNewest, readSettled } from './list-file.ts'
import { type ListProposal, describeProposal, mergeAnswers } from './propose-list.ts'

export async function guessAnswers(
  settings: unknown,
  { resolvePath, currency, said = {} }: GuessFacts,
): Promise<GuessedAnswers> {
  const catalog = isFields(settings) && isFields(settings['catalog']) ? settings['catalog'] : {}
  const { file } = catalog
  if (typeof file !== 'string') return {}
  const found = await findNewest(resolvePath(file)).catch(() => undefined)
  if (!found) return { found: `${file} is not there yet, so nothing can be guessed from it` }
  const bytes = await readSettled(found).catch(() => undefined)
  if (!bytes) return { found: `${file} cannot be read now, so nothing can be guessed from it` }
  const answers = said as ListAnswers
  const today = new Date(systemClock.now()).toISOString().slice(0, 10)
  const proposal = await proposeAside({ bytes, currency, today, answers })
  if ('problem' in proposal) {
    const text = `${basename(found.path)}: ${proposal.problem}`
    // A file that never can be a list is asked for again; one without a header may be described by hand.
    return /workbook|zip|more than/.test(proposal.problem) ? { problem: text } : { found: text }
  }
  return {
    answers: byPath(proposal.settings),
    found: `${basename(found.path)} ${describeFile(proposal)}`,
    questions: proposal.questions.map(({ text, choices }) => ({
      text,
      choices: choices.map((choice) => ({ label: choice.label, said: mergeAnswers(answers, choice.answers) })),
    })),
  }
}

/** As the prompts name them. */
function byPath({ columns = {}, ...others }: ListProposal['settings']): Readonly<Record<string, string>> {
  const members = [
    ...Object.entries(others).map(([name, value]) => [`catalog.${name}`, String(value)] as const),
    ...Object.entries(columns).map(([name, value]) => [`catalog.columns.${name}`, String(value)] as const),
  ]
  return Object.fromEntries(members)
}

function describeFile({ kind, header, settings, reading }: ListProposal): string {
  if (kind === 'ubl-catalogue') return `is a UBL catalogue: ${describeProposal(reading)}`
  if (kind === 'x12-catalogue') return `is an X12 catalogue (832): ${describeProposal(reading)}`
  const columns = Object.entries(settings.columns ?? {}).map(([column, name]) => `${column} = ${String(name)}`)
  const sheet = settings.sheet === undefined ? '' : ` of the sheet ${settings.sheet}`
  return `has the columns ${header.filter(Boolean).join(', ')}${sheet}. Taken: ${columns.join(', ')}. ${describeProposal(reading)}.`
}
