/** A planogram export from its bytes to slots by machine. Pure and synchronous, so that a large one is read in a thread of its own. */
import type { Result } from '../contract.ts'
import { fail } from '../result.ts'
import { type ExportFile, toRows } from './export-file.ts'
import { type Planogram, type PlanogramSheet, readPlanogram } from './planogram.ts'
import type { PlanogramSettings } from './settings.ts'

export interface ExportToRead {
  readonly file: ExportFile
  readonly settings: PlanogramSettings
  readonly sheet: Omit<PlanogramSheet, 'firstRow'>
}

export function readPlanogramFile({ file, settings, sheet }: ExportToRead): Result<Planogram> {
  const rows = toRows(file, settings)
  return rows.ok
    ? readPlanogram(rows.rows, { ...sheet, firstRow: rows.firstRow })
    : fail('unknown', rows.problem, { raw: 'unreadable file' })
}
