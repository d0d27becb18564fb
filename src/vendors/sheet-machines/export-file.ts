/** An export from its bytes to rows by header, or the reason why it cannot be split for certain. */
import { MINUTE } from '../../kernel/clock.ts'
import {
  decodeText,
  endsMidLine,
  headerText,
  isBlankRow,
  isNumberTail,
  parseRows,
} from '../sheet/documents/csv/csv-text.ts'
import { type FoundFile, isAtRest, readSettled } from '../sheet/price-list/list-file.ts'
import { isBlank } from './amount.ts'
import type { FormatSettings, PlanogramSettings, SalesSettings } from './settings.ts'
import type { SheetRow } from './sheet-rows.ts'

/** A last line without an end may still be being written. After this time it counts as cut off. */
const UNFINISHED_MS = MINUTE

export interface ExportFile {
  readonly bytes: Uint8Array
  /** The last line has no end, so it may be incomplete. */
  readonly isCut: boolean
}

/** Undefined while the file is still being written. Throws when it cannot be opened. */
export async function readExport(
  file: FoundFile,
  { encoding = 'utf-8' }: FormatSettings,
): Promise<ExportFile | undefined> {
  const bytes = await readSettled(file)
  if (!bytes) return undefined
  const isCut = endsMidLine(decodeText(bytes, encoding) ?? '')
  return isCut && !isAtRest(file, UNFINISHED_MS) ? undefined : { bytes, isCut }
}

export type ExportRows =
  | { readonly ok: true; readonly rows: readonly SheetRow[]; readonly firstRow: number }
  | { readonly ok: false; readonly problem: string }

type Settings = FormatSettings & {
  readonly columns: Partial<SalesSettings['columns'] & PlanogramSettings['columns']>
}

/**
 * A row with more cells than the header is a separator inside a cell, `1,50` for example; one with fewer may have lost any
 * separator. Then no cell of it can be trusted, and without it a sale or a slot of several rows would have other sums, so
 * nothing of the file is used. Titles and totals may be short: they fill fewer cells than a row of the export needs.
 */
export function toRows({ bytes, isCut }: ExportFile, settings: Settings): ExportRows {
  const { encoding = 'utf-8', delimiter = ',', skip_rows: skipped = 0 } = settings
  const text = decodeText(bytes, encoding)
  if (text === undefined) return { ok: false, problem: `the file is not ${encoding}` }
  const parsed = parseRows(isCut ? withoutLastLine(text) : text, delimiter)
  if (!parsed.ok) return parsed
  const [first, ...rows] = parsed.rows.slice(skipped)
  const header = first?.map(headerText)
  if (!header || isBlankRow(header)) return { ok: false, problem: 'the file has no header' }
  const named = header.filter((name) => name !== '')
  const repeated = named.find((name, i) => named.indexOf(name) !== i)
  if (repeated !== undefined) return { ok: false, problem: `the file has two columns "${repeated}"` }
  const firstRow = skipped + 2
  const needed = neededCells(settings)
  const uneven = rows.findIndex(
    (row) =>
      row.length !== header.length &&
      (!isBlankRow(row.slice(header.length)) ||
        isNumberTail(row) ||
        row.filter((cell) => !isBlank(cell)).length >= needed),
  )
  if (uneven >= 0) {
    const word = (rows[uneven]?.length ?? 0) > header.length ? 'more' : 'fewer'
    return { ok: false, problem: `row ${firstRow + uneven} has ${word} cells than the header` }
  }
  const last = rows.findLastIndex((row) => !isBlankRow(row))
  return {
    ok: true,
    firstRow,
    rows: rows.slice(0, last + 1).map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? '']))),
  }
}

/** A row with fewer filled cells than this is left out, whatever stands in them. One column may be named for two. */
const neededCells = ({ columns: { machine, time, code, title, price } }: Settings): number =>
  new Set([machine, time, code, title, price].flatMap((name) => (name === undefined ? [] : headerText(name)))).size

const withoutLastLine = (text: string): string => /^[\s\S]*[\r\n]/.exec(text)?.[0] ?? ''
