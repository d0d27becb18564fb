/** What `vendops connect` proposes about a price list, from the file itself. */
import { basename } from 'node:path'
import type { GuessedAnswers } from '../../adapter-module.ts'
import { isFields } from '../../upstream/read-json.ts'
import { guessList } from './guess-list.ts'
import { findNewest, readSettled } from './list-file.ts'

export async function guessAnswers(settings: unknown, resolvePath: (path: string) => string): Promise<GuessedAnswers> {
  const catalog = isFields(settings) && isFields(settings['catalog']) ? settings['catalog'] : {}
  const { file, format } = catalog
  if (typeof file !== 'string' || format === 'ubl-catalogue') return { answers: {} }
  const found = await findNewest(resolvePath(file)).catch(() => undefined)
  if (!found) return { answers: {}, found: `${file} is not there yet, so nothing can be guessed from it` }
  const bytes = await readSettled(found).catch(() => undefined)
  if (!bytes) return { answers: {}, found: `${file} cannot be read now, so nothing can be guessed from it` }
  const list = guessList(bytes)
  if ('problem' in list) {
    const isWorkbook = list.problem.includes('workbook')
    const text = `${basename(found.path)}: ${list.problem}`
    return isWorkbook ? { answers: {}, problem: text } : { answers: {}, found: text }
  }
  const { encoding, delimiter, decimal, skipRows, header, columns } = list
  const written = { encoding, delimiter, decimal, skip_rows: String(skipRows) }
  return {
    answers: {
      ...Object.fromEntries(Object.entries(written).map(([name, value]) => [`catalog.${name}`, value])),
      ...Object.fromEntries(Object.entries(columns).map(([name, value]) => [`catalog.columns.${name}`, value])),
    },
    found: `${basename(found.path)} has the columns ${header.filter(Boolean).join(', ')}. Empty answers take what is proposed, - leaves a column out.`,
  }
}
