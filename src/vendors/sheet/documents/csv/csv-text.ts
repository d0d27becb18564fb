/** Bytes of a spreadsheet export to rows of cells. Strict: a file that cannot be decoded or split for certain is refused. */
import { CsvError, parse } from 'csv-parse/sync'

export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'gb18030',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Undefined when the bytes are not of that encoding. A byte order mark is dropped. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    // windows-1252 decodes everything; a NUL shows that it is in another encoding or no text at all.
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

/** 200,000 rows of ten cells. Counted before the text is split, because that takes the time. */
export const CELLS_MAX = 2_000_000
export const ROWS_MAX = 200_000
/** A longer row is a quotation mark that is missing: everything behind it becomes one cell. */
const ROW_CHARACTERS_MAX = 100_000

function countCells(text: string, delimiter: string): number {
  let cells = 1
  for (let i = 0; i < text.length && cells <= CELLS_MAX; i += 1) {
    const sign = text[i]
    if (sign === delimiter || sign === '\n' || sign === '\r') cells += 1
  }
  return cells
}

class TooManyRows extends Error {}

/**
 * Hands over each row as it is read, so that only one is in memory. Returns why the text cannot be split. Blank lines stay
 * rows, so that the n-th row is row n of the spreadsheet.
 */
export function forEachRow(
  text: string,
  delimiter: string,
  onRow: (cells: readonly string[]) => void,
  { trim = true } = {},
): string | undefined {
  if (countCells(text, delimiter) > CELLS_MAX) return `it has more than ${CELLS_MAX.toLocaleString('en')} cells`
  let rows = 0
  try {
    parse(text.replaceAll(/\r+\n/g, '\n'), {
      delimiter,
      // Both at once: lists pasted together mix them. `\r\r\n`, as some tools write on Windows, is one end.
      record_delimiter: ['\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: false,
      trim,
      max_record_size: ROW_CHARACTERS_MAX,
      on_record: (cells: string[]) => {
        rows += 1
        if (rows > ROWS_MAX) throw new TooManyRows()
        onRow(cells)
        return null
      },
    })
    return undefined
  } catch (error) {
    if (error instanceof TooManyRows) return `it has more than ${ROWS_MAX.toLocaleString('en')} rows`
    if (!(error instanceof CsvError)) throw error
    if (error.code === 'CSV_MAX_RECORD_SIZE')
      return `row ${rows + 1} has more than ${ROW_CHARACTERS_MAX.toLocaleString('en')} characters; a quotation mark may be missing`
    return `not readable as CSV (${error.code.toLowerCase().replaceAll('_', ' ')})`
  }
}

export function parseRows(text: string, delimiter: string, options: { readonly trim?: boolean } = {}): CsvRows {
  const rows: (readonly string[])[] = []
  const problem = forEachRow(text, delimiter, (cells) => void rows.push(cells), options)
  return problem === undefined ? { ok: true, rows } : { ok: false, problem }
}

/** A header as it is compared: `Größe` may be written with one sign or two, and a header may have line breaks. */
export const headerText = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** A row that is nothing but a number, such as `50` below `…,1`: a line end got into the last number of the row above. */
export const isNumberTail = (row: readonly string[] | undefined): boolean =>
  row?.length === 1 && /^[\d.,'’\s]*\d[\d.,'’\s]*$/.test(row[0] ?? '')

export const isBlankRow = (row: readonly string[]): boolean => row.every((cell) => cell.trim() === '')
