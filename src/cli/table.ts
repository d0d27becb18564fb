/** Tables and field lists. Widths are terminal columns: a Chinese character takes two. */
import { stringify } from 'csv-stringify/sync'
import { type Money, digitsOf, formatAmount } from '../kernel/currency.ts'
import { decimalOf } from '../kernel/minor-units.ts'
import { groupThousands } from '../kernel/text.ts'
import { type Style, paintState } from './style.ts'
import { truncate, displayWidth, padEnd, padStart, plainText, wrap } from './width.ts'

/** Amounts are shown with their sign and in groups of thousands; in CSV they are plain decimals. */
export type Cell = string | number | Money | undefined

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => Cell
  /** Numbers are right-aligned, states are colored. */
  readonly as?: 'number' | 'state'
  /** Shortened when the terminal is too narrow. */
  readonly flexible?: true
  /** Left out when the terminal is too narrow, the last one first, before names are shortened. */
  readonly optional?: true
  /** Left out where no row has a value; in CSV it stays. */
  readonly ifFilled?: true
}

const GAP = '  '
const FLEXIBLE_MIN = 8

function textOf(value: Cell): string {
  if (value === undefined) return '–'
  if (typeof value === 'number') return groupThousands(String(value))
  return plainText(typeof value === 'object' ? formatAmount(value.amount, value.currency) : value)
}

/** The columns for which there is room while every name is shown in full; the others are less important. */
function columnsThatFit<T>(rows: readonly T[], columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  const neededWidth = (column: Column<T>) =>
    Math.max(displayWidth(column.title), ...rows.map((row) => displayWidth(textOf(column.cell(row)))))
  let kept = [...columns]
  const total = () => kept.reduce((sum, column) => sum + neededWidth(column), 0) + GAP.length * (kept.length - 1)
  while (total() > width) {
    const last = kept.findLast(({ optional }) => optional)
    if (!last) break
    kept = kept.filter((column) => column !== last)
  }
  return kept
}

/** Every column in full, also those a terminal would leave out. Text that a spreadsheet would take for a formula is marked. */
export const csvTable = <T>(rows: readonly T[], columns: readonly Column<T>[]): string =>
  stringify([columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => csvCell(cell(row))))], {
    escape_formulas: true,
  })

const csvCell = (value: Cell): string | number =>
  value === undefined ? '' : typeof value === 'object' ? decimalOf(value.amount, digitsOf(value.currency)) : value

/** The lines of the table, heading first. `width` is the maximum width of a line. */
export function table<T>(
  rows: readonly T[],
  all: readonly Column<T>[],
  { style, width }: { readonly style: Style; readonly width?: number | undefined },
): string[] {
  const filled = all.filter(({ ifFilled, cell }) => !ifFilled || rows.some((row) => cell(row) !== undefined))
  const columns = width === undefined ? filled : columnsThatFit(rows, filled, width)
  const cells = rows.map((row) => columns.map((column) => textOf(column.cell(row))))
  const widths = columns.map((column, i) =>
    Math.max(displayWidth(column.title), ...cells.map((line) => displayWidth(line[i] ?? ''))),
  )
  if (width !== undefined) shrink(columns, widths, width)

  const line = (texts: readonly string[], paint: (text: string, column: Column<T>) => string) =>
    columns
      .map((column, i) => {
        const text = truncate(texts[i] ?? '', widths[i] ?? 0)
        const last = i === columns.length - 1 && column.as !== 'number'
        const padding = last ? '' : padEnd('', (widths[i] ?? 0) - displayWidth(text))
        return column.as === 'number'
          ? padStart('', (widths[i] ?? 0) - displayWidth(text)) + text
          : paint(text, column) + padding
      })
      .join(GAP)
      .trimEnd()

  const heading = line(
    columns.map(({ title }) => title),
    (text) => text,
  )
  return [
    style.dim(heading),
    ...cells.map((texts) => line(texts, (text, column) => (column.as === 'state' ? paintState(style, text) : text))),
  ]
}

/** Shortens the flexible columns, the widest first, until the table fits. */
function shrink<T>(columns: readonly Column<T>[], widths: number[], width: number): void {
  const total = () => widths.reduce((sum, n) => sum + n, 0) + GAP.length * (columns.length - 1)
  for (let over = total() - width; over > 0; over = total() - width) {
    const widest = columns
      .map((column, i) => ({ i, width: column.flexible ? (widths[i] ?? 0) : 0 }))
      .toSorted((a, b) => b.width - a.width)[0]
    if (!widest || widest.width <= FLEXIBLE_MIN) return
    widths[widest.i] = Math.max(FLEXIBLE_MIN, widest.width - over)
  }
}

const READABLE_MIN = 30

/** Name and value pairs with aligned names and wrapped values. Undefined values are left out. */
export function fields(
  pairs: readonly (readonly [string, string | number | undefined])[],
  { style, width }: { readonly style: Style; readonly width?: number | undefined },
): string[] {
  const known = pairs.filter(([, value]) => value !== undefined)
  const names = Math.max(0, ...known.map(([name]) => displayWidth(name)))
  const room = width === undefined ? Infinity : Math.max(READABLE_MIN, width - names - GAP.length)
  return known.flatMap(([name, value]) =>
    wrap(typeof value === 'number' ? groupThousands(String(value)) : plainText(String(value)), room).map(
      (line, i) => `${style.dim(padEnd(i === 0 ? name : '', names))}${GAP}${line}`,
    ),
  )
}
