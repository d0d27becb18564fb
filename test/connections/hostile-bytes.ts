/** Files that would stop a service that reads them as a whole. */
import { archive, xlsxParts } from '../support/workbooks.ts'

export const MB = 1024 * 1024

/** A workbook of a few kilobytes that becomes 70 MB. */
export function zipBomb(): Buffer {
  const rows = [
    ['Item', 'Description'],
    ['1', 'Coke'],
  ]
  const parts = xlsxParts([{ name: 'Prices', rows }])
  const sheet = Object.keys(parts).find((name) => name.includes('sheet1')) ?? ''
  return Buffer.from(archive({ ...parts, [sheet]: `<worksheet><sheetData>${' '.repeat(70 * MB)}` }))
}

/** A price list with one cell of this size. */
export const hugeCell = (megabytes: number): Buffer =>
  Buffer.from(`Item,Description,Pack,Case price\n1,"${'x'.repeat(megabytes * MB)}",24/CS,24.00\n`)
