/** A sales export from its bytes to sales. Pure and synchronous, so that a large one is read in a thread of its own. */
import type { Result } from '../contract.ts'
import { fail } from '../result.ts'
import { type ExportFile, toRows } from './export-file.ts'
import { type SalesFile, type SalesSheet, readSalesFile } from './sales.ts'
import type { SalesSettings } from './settings.ts'

export interface SalesToRead {
  readonly file: ExportFile
  readonly settings: SalesSettings
  readonly sheet: SalesSheet
}

export function readSalesExport({ file, settings, sheet }: SalesToRead): Result<SalesFile> {
  const rows = toRows(file, settings)
  return rows.ok
    ? readSalesFile(rows.rows, { ...sheet, firstRow: rows.firstRow })
    : fail('unknown', rows.problem, { raw: 'unreadable file' })
}
