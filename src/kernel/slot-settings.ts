/** What an operator states about many slots at once, as rows of a table: one slot per row. */

/** Undefined leaves a setting as it is; null removes it. */
export interface StatedSettings {
  readonly capacity?: number | null
  readonly par?: number | null
  readonly position?: { readonly row: string; readonly column: number } | null
}

export interface SlotSettingsRow {
  readonly line: number
  readonly slotId: string
  readonly settings: StatedSettings
}

export interface RowProblem {
  readonly line: number
  readonly problem: 'no_slot' | 'unknown_slot' | 'twice' | 'capacity' | 'par' | 'position' | 'nothing'
  readonly value: string
}

const CAPACITY_MAX = 1_000_000
const COLUMN_MAX = 200
const ROW = /^[^\s-].{0,7}$/u

/** The cell that removes a setting. An empty cell leaves it. */
const REMOVES = '-'

/** The headings that are read; all others are left alone, so that the table of `vendops slots --csv` can be sent back. */
export const SLOT_HEADINGS = ['slot', 'capacity', 'par', 'row', 'column'] as const

/** Reads all rows and names every one that is wrong. */
export function parseSlotSettings(
  rows: readonly { readonly line: number; readonly cells: Readonly<Record<string, string>> }[],
  isKnown: (slotId: string) => boolean,
): { readonly settings: readonly SlotSettingsRow[]; readonly problems: readonly RowProblem[] } {
  const settings: SlotSettingsRow[] = []
  const problems: RowProblem[] = []
  const seen = new Set<string>()
  for (const { line, cells } of rows) {
    const slotId = cells['slot'] ?? cells['slot_id'] ?? ''
    const refuse = (problem: RowProblem['problem'], value: string) => void problems.push({ line, problem, value })
    if (slotId === '') refuse('no_slot', '')
    else if (!isKnown(slotId)) refuse('unknown_slot', slotId)
    else if (seen.has(slotId)) refuse('twice', slotId)
    seen.add(slotId)
    const capacity = wholeNumber(cells['capacity'], 1)
    const par = wholeNumber(cells['par'], 0)
    const position = positionOf(cells['row'], cells['column'])
    if (capacity === 'wrong') refuse('capacity', cells['capacity'] ?? '')
    if (par === 'wrong') refuse('par', cells['par'] ?? '')
    if (position === 'wrong') refuse('position', `${cells['row'] ?? ''} ${cells['column'] ?? ''}`.trim())
    if (capacity === 'wrong' || par === 'wrong' || position === 'wrong') continue
    const stated = {
      ...(capacity === undefined ? {} : { capacity }),
      ...(par === undefined ? {} : { par }),
      ...(position === undefined ? {} : { position }),
    }
    if (Object.keys(stated).length > 0) settings.push({ line, slotId, settings: stated })
  }
  if (settings.length === 0 && problems.length === 0) problems.push({ line: 1, problem: 'nothing', value: '' })
  return { settings, problems }
}

function wholeNumber(text: string | undefined, least: number): number | null | undefined | 'wrong' {
  if (text === undefined || text === '') return undefined
  if (text === REMOVES) return null
  const value = /^\d{1,7}$/.test(text) ? Number(text) : NaN
  return value >= least && value <= CAPACITY_MAX ? value : 'wrong'
}

/** Row and column are one setting: both, or neither. */
function positionOf(row = '', column = ''): StatedSettings['position'] | 'wrong' {
  if (row === '' && column === '') return undefined
  if (row === REMOVES && (column === REMOVES || column === '')) return null
  const number = wholeNumber(column, 1)
  if (!ROW.test(row) || typeof number !== 'number' || number > COLUMN_MAX) return 'wrong'
  return { row, column: number }
}
