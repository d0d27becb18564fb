/** An export from its bytes to rows by header, or the reason why it cannot be split for certain. */
import { MINUTE } from '../../kernel/clock.ts'
import { decodeText, endsMidLine, isBlankRow, parseRows } from '../sheet/csv-text.ts'
import { isAtRest, readSettled } from '../sheet/list-file.ts'
import type { FoundFile } from '../sheet/list-file.ts'
import type { FormatSettings } from './settings.ts'
import type { SheetRow, SheetShape } from './sheet-rows.ts'

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
  | { readonly ok: true; readonly rows: readonly SheetRow[]; readonly firstRow: number; readonly shape: SheetShape }
  | { readonly ok: false; readonly problem: string }

/**
 * A row with more cells than the header is a separator inside a cell, `1,50` for example: then no cell of it can be
 * trusted, and probably none of the file.
 */
export function toRows({ bytes, isCut }: ExportFile, settings: FormatSettings): ExportRows {
  const { encoding = 'utf-8', delimiter = ',', skip_rows: skipped = 0 } = settings
  const text = decodeText(bytes, encoding)
  if (text === undefined) return { ok: false, problem: `the file is not ${encoding}` }
  const parsed = parseRows(isCut ? withoutLastLine(text) : text, delimiter)
  if (!parsed.ok) return parsed
  const [header, ...rows] = parsed.rows.slice(skipped)
  if (!header || isBlankRow(header)) return { ok: false, problem: 'the file has no header' }
  const named = header.filter((name) => name !== '')
  const repeated = named.find((name, i) => named.indexOf(name) !== i)
  if (repeated !== undefined) return { ok: false, problem: `the file has two columns "${repeated}"` }
  const firstRow = skipped + 2
  const tooLong = rows.findIndex((row) => !isBlankRow(row.slice(header.length)))
  if (tooLong >= 0) return { ok: false, problem: `row ${firstRow + tooLong} has more cells than the header` }
  const last = rows.findLastIndex((row) => !isBlankRow(row))
  return {
    ok: true,
    firstRow,
    shape: { width: header.findLastIndex((name) => name !== '') + 1, lengths: rows.map(({ length }) => length) },
    rows: rows.slice(0, last + 1).map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? '']))),
  }
}

const withoutLastLine = (text: string): string => /^[\s\S]*[\r\n]/.exec(text)?.[0] ?? ''
