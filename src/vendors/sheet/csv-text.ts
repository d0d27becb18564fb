/** Bytes of a spreadsheet export to rows of cells. Strict: a file that cannot be decoded or split for certain is refused. */
import { CsvError, parse } from 'csv-parse/sync'

export const ENCODINGS = ['utf-8', 'windows-1252', 'gb18030'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Undefined when the bytes are not of that encoding. A byte order mark is dropped. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    // windows-1252 decodes everything; a NUL shows that it is UTF-16 or no text at all.
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** The last line has no end although others have one: the file is probably still being written. */
export const endsMidLine = (text: string): boolean => /[\r\n]/.test(text) && !/[\r\n]$/.test(text)

/** Lines of one file end the same way. Where they do not, a line end is damaged, or the file was put together by hand. */
export const hasMixedLineEnds = (text: string): boolean => new Set(text.match(/\r\n|\n|\r/g)).size > 1

export type CsvRows =
  | { readonly ok: true; readonly rows: readonly (readonly string[])[] }
  | { readonly ok: false; readonly problem: string }

/** 100,000 rows of 20 cells. Checked before the text is split, because that takes the memory. */
const CELLS_MAX = 2_000_000

function countCells(text: string, delimiter: string): number {
  let cells = 1
  for (let i = 0; i < text.length && cells <= CELLS_MAX; i += 1) {
    const sign = text[i]
    if (sign === delimiter || sign === '\n' || sign === '\r') cells += 1
  }
  return cells
}

/** Blank lines stay rows, so that the n-th row is row n of the spreadsheet. */
export function parseRows(text: string, delimiter: string, { trim = true } = {}): CsvRows {
  if (countCells(text, delimiter) > CELLS_MAX)
    return { ok: false, problem: `it has more than ${CELLS_MAX.toLocaleString('en')} cells` }
  try {
    const rows = parse(text.replaceAll(/\r+\n/g, '\n'), {
      delimiter,
      // Both at once: lists pasted together mix them. `\r\r\n`, as some tools write on Windows, is one end.
      record_delimiter: ['\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: false,
      trim,
    })
    return { ok: true, rows }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { ok: false, problem: `not readable as CSV (${error.code.toLowerCase().replaceAll('_', ' ')})` }
  }
}

/** A header as it is compared: `Größe` may be written with one sign or two, and a header may have line breaks. */
export const headerText = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** A row that is nothing but a number, such as `50` below `…,1`: a line end got into the last number of the row above. */
export const isNumberTail = (row: readonly string[] | undefined): boolean =>
  row?.length === 1 && /^[\d.,'’\s]*\d[\d.,'’\s]*$/.test(row[0] ?? '')

export const isBlankRow = (row: readonly string[]): boolean => row.every((cell) => cell.trim() === '')
