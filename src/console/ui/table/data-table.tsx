/** A table whose first column is the title of the row. On a phone each row is a card, and the other cells have their labels. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CsvValue } from '../../lib/text/csv.ts'
import { count } from '../../lib/text/format.ts'
import { texts } from '../../lib/text/i18n.ts'
import { byName } from '../../lib/text/natural-order.ts'
import { isNarrow } from '../../lib/viewport.ts'
import { cellValue } from './cell-value.ts'
import { ExportButton } from './export-button.tsx'
import { MoreAhead } from './more-button.tsx'
import { isOwnControl } from './own-control.ts'
import { type Sort, SortChoice } from './sort-choice.tsx'

export interface Column<T> {
  readonly title: string
  /** Numbers get their separators, and where there is nothing a dash stands. Without it the column is only in the file. */
  readonly cell?: (row: T) => ComponentChildren
  readonly isNumber?: boolean
  /** In a file, where the cell itself does not show it; false: a button, which says by itself what it does. */
  readonly value?: ((row: T) => CsvValue) | false
  /** The table can be sorted by it; what has no value comes last. */
  readonly sort?: (row: T) => number | string | undefined
}

/** As the rows come. */
const UNSORTED: Sort = { by: '', down: false }
/** Rows before somebody scrolls to their end; a row on a phone is a card. */
const ROWS = { wide: 100, narrow: 15 } as const
/** A phone shows so few cards at once that they need no order. */
const FEW = 5

const valueOf =
  <T,>({ cell, value }: Column<T>) =>
  (row: T): CsvValue =>
    value ? value(row) : cellValue(cell?.(row))

/** What a column is sorted by; in a list that is whole every column can be. */
function sortOf<T>(column: Column<T>, isWhole: boolean): Column<T>['sort'] {
  if (column.sort || !isWhole || column.value === false) return column.sort
  const read = valueOf(column)
  return (row) => {
    const value = read(row) ?? ''
    if (value === '' || typeof value === 'number' || !column.isNumber) return value === '' ? undefined : value
    const number = Number.parseFloat(value.replaceAll(',', ''))
    return Number.isNaN(number) ? undefined : number
  }
}

function sortRows<T>(rows: readonly T[], of: Column<T>['sort'], { down }: Sort): readonly T[] {
  if (!of) return rows
  const sign = down ? -1 : 1
  return rows
    .map((row) => ({ row, by: of(row) }))
    .toSorted(({ by: x }, { by: y }) => {
      if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined)
      return sign * (typeof x === 'string' ? byName(x, String(y)) : x - Number(y))
    })
    .map(({ row }) => row)
}

function shownCell(cell: ComponentChildren): ComponentChildren {
  if (typeof cell === 'number') return count(cell)
  return cell === undefined || cell === null || cell === false || cell === '' ? <span class="faint">–</span> : cell
}

export interface TableProps<T> {
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly columns: readonly (Column<T> | undefined | false)[]
  /** Of the table, beside `data`. */
  readonly class?: string
  /** The last row. */
  readonly foot?: ComponentChildren
  /** In a frame of its own instead of inside a section. */
  readonly framed?: boolean
  /** The rows are all there are: they can be sorted by every column. */
  readonly isWhole?: boolean
  /** The name of the file that the table can be saved as. */
  readonly csv?: string
  /** A press on a row, beside its links and buttons. The keyboard uses the button in the row. */
  readonly onOpen?: ((row: T) => void) | undefined
  /** All rows for the file, where `rows` are only the first. */
  readonly loadAll?: (() => Promise<readonly T[]>) | undefined
}

export function DataTable<T>({
  rows,
  keyOf,
  columns,
  class: own,
  foot,
  framed = false,
  isWhole = false,
  csv,
  loadAll,
  onOpen,
}: TableProps<T>) {
  const all = columns.filter((column) => column !== undefined && column !== false)
  const shown = all.flatMap((column) => (column.cell ? [{ ...column, sort: sortOf(column, isWhole) }] : []))
  const [order, setOrder] = useState(UNSORTED)
  const step = ROWS[isNarrow.value ? 'narrow' : 'wide']
  const [most, setMost] = useState<number>(step)
  useEffect(() => {
    // Paper does not scroll.
    const showAll = () => setMost(Number.POSITIVE_INFINITY)
    addEventListener('beforeprint', showAll)
    return () => removeEventListener('beforeprint', showAll)
  }, [])
  const sorted = sortRows(rows, shown.find(({ title }) => title === order.by)?.sort, order)
  const sortable = rows.length > 1 ? shown.filter(({ sort }) => sort) : []
  const isSortable = sortable.length > 0
  return (
    <div class={['table-box', framed && 'card flush', csv !== undefined && 'saved'].filter(Boolean).join(' ')}>
      <div class={`table-head${isSortable && rows.length > FEW ? '' : ' unsorted'}`}>
        {isSortable ? (
          <SortChoice
            options={[[UNSORTED.by, texts().table.unsorted], ...sortable.map(({ title }) => [title, title] as const)]}
            sort={order}
            onSort={setOrder}
          />
        ) : null}
        {csv === undefined ? null : (
          <ExportButton
            name={csv}
            columns={all.flatMap((column) =>
              column.value === false ? [] : [{ title: column.title, value: valueOf(column) }],
            )}
            load={loadAll ?? (() => rows)}
          />
        )}
      </div>
      <table class={['data', own, isSortable && 'sortable'].filter(Boolean).join(' ')}>
        <thead>
          <tr>
            {shown.map(({ title, isNumber, value, sort }) => (
              <th
                key={title}
                scope="col"
                class={isNumber ? 'number' : undefined}
                aria-sort={order.by === title ? (order.down ? 'descending' : 'ascending') : undefined}
              >
                {sort && isSortable ? (
                  <button
                    type="button"
                    class="sort"
                    onClick={() => setOrder({ by: title, down: order.by === title ? !order.down : isNumber === true })}
                  >
                    {title}
                    <span aria-hidden="true">{order.by === title ? (order.down ? ' ↓' : ' ↑') : ''}</span>
                  </button>
                ) : value === false ? (
                  <span class="hidden">{title}</span>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, most).map((row) => (
            <tr
              key={keyOf(row)}
              class={onOpen ? 'opens' : undefined}
              onClick={
                onOpen &&
                ((event) => {
                  if (!isOwnControl(event.target)) onOpen(row)
                })
              }
            >
              {shown.map(({ title, cell, isNumber, value }, index) => (
                <td
                  key={title}
                  class={isNumber ? 'number' : undefined}
                  data-label={index === 0 || value === false ? undefined : title}
                >
                  {value === false ? cell?.(row) : shownCell(cell?.(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {foot ? <tfoot>{foot}</tfoot> : null}
      </table>
      {rows.length > most ? <MoreAhead shown={most} onMore={() => setMost(most + step)} /> : null}
    </div>
  )
}
