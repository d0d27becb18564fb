/**
 * Workbooks of spreadsheet programs (.xlsx and .ods) to rows of texts, one at a time. Formulas count by the value that was saved
 * with them. What is damaged, too large, protected or no workbook is refused with the reason, and nothing else can happen.
 */
import type { DecimalSign } from '../../../kernel/minor-units.ts'
import { readOds } from './ods.ts'
import { RowCollector, type WorkbookFormat, chooseSheet } from './sheet-rows.ts'
import { readXlsx } from './xlsx.ts'
import { type Archive, UnreadableWorkbook, openArchive } from './zip-archive.ts'

/** The cells of a row up to its last one that is filled; blank rows are left out. `row` counts as spreadsheets do, from 1. */
type OnRow = (cells: readonly string[], row: number) => void

interface WorkbookOptions {
  /** The name of the sheet; absent: the first one that is visible. */
  readonly sheet?: string | undefined
  /** How numbers are written into the texts. */
  readonly decimal: DecimalSign
}

interface WorkbookReport {
  readonly kind: 'xlsx' | 'ods'
  /** Those that are visible. */
  readonly sheets: readonly string[]
  readonly sheet: string
  /** Formulas without a saved value, which are blank. */
  readonly unsavedFormulas: number
}

/** A zip archive. */
export const isWorkbook = (bytes: Uint8Array): boolean => startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])

/** An OLE document: Excel until 2003, and any workbook with a password. */
export const oldWorkbookProblem = (bytes: Uint8Array): string | undefined =>
  startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])
    ? 'the file is a workbook in the format of before 2007 (.xls), or one with a password; save it as .xlsx without a password'
    : undefined

const startsWith = (bytes: Uint8Array, start: readonly number[]): boolean => start.every((byte, i) => bytes[i] === byte)

/** Thrown by `onRow` to end the reading early. */
export class EnoughRows extends Error {}

export function readWorkbook(
  bytes: Uint8Array,
  { sheet: wanted, decimal }: WorkbookOptions,
  onRow: OnRow,
): WorkbookReport | { readonly problem: string } {
  try {
    const archive = openArchive(bytes)
    const { kind, format } = openFormat(archive, decimal)
    const sheet = chooseSheet(format.sheets, wanted)
    const collector = new RowCollector(onRow)
    try {
      format.readRows(sheet, collector)
    } catch (error) {
      if (!(error instanceof EnoughRows)) throw error
    }
    return {
      kind,
      sheets: format.sheets.filter(({ isVisible }) => isVisible).map(({ name }) => name),
      sheet: sheet.name,
      unsavedFormulas: collector.unsavedFormulas,
    }
  } catch (error) {
    if (!(error instanceof UnreadableWorkbook)) throw error
    return { problem: error.message }
  }
}

function openFormat(
  archive: Archive,
  decimal: DecimalSign,
): { readonly kind: WorkbookReport['kind']; readonly format: WorkbookFormat } {
  if (archive.has('[Content_Types].xml') && archive.has('_rels/.rels'))
    return { kind: 'xlsx', format: readXlsx(archive, decimal) }
  if (archive.has('content.xml') && archive.has('META-INF/manifest.xml'))
    return { kind: 'ods', format: readOds(archive, decimal) }
  throw new UnreadableWorkbook('the file is a zip archive and no workbook; unpack it and name the list in it')
}
