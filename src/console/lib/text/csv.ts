/** Tables as CSV files that spreadsheets open: UTF-8 with a byte order mark, so that Excel shows Chinese. */

export type CsvValue = string | number | null | undefined

/** A text that begins like this is a formula for a spreadsheet, whoever wrote it: a product's name may run a command. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NUMBER = /^-?\d+(\.\d+)?$/

function csvCell(value: CsvValue): string {
  const text = value === null || value === undefined ? '' : String(value)
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const BYTE_ORDER_MARK = '\u{FEFF}'

/** Lines end as RFC 4180 says. */
export const csvText = (rows: readonly (readonly CsvValue[])[]): string =>
  `${BYTE_ORDER_MARK}${rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')}`

/** `plan 2026-09-10.csv` */
export const csvName = (table: string, day: string): string =>
  `${table.replaceAll(/[\\/:*?"<>|\s]+/g, ' ').trim()} ${day}.csv`

export const downloadCsv = (name: string, rows: readonly (readonly CsvValue[])[]): void =>
  downloadText(name, csvText(rows), 'text/csv;charset=utf-8')

export function downloadText(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the text by then; at once would be too early for some.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
