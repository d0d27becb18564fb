/** A table whose first column is the title of the row. On a phone each row is a card, and the other cells have their labels. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { CsvValue } from '../../lib/text/csv.ts'
import { cellValue } from './cell-value.ts'
import { ExportButton } from './export-button.tsx'
import { isOwnControl } from './own-control.ts'
import { type Sort, SortChoice } from './sort-choice.tsx'

export interface Column<T> {
  readonly title: string
  /** Without it the column is only in the file. */
  readonly cell?: (row: T) => ComponentChildren
  readonly isNumber?: boolean
  /** In a file, where the cell itself does not show it; false: a button, which says by itself what it does. */
  readonly value?: ((row: T) => CsvValue) | false
  /** The table can be sorted by it; what has no value comes last. */
  readonly sort?: (row: T) => number | string | undefined
}

/** As the rows come. */
const UNSORTED: Sort = { by: '', down: false }

function sortRows<T>(rows: readonly T[], of: Column<T>['sort'], { down }: Sort): readonly T[] {
  if (!of) return rows
  const sign = down ? -1 : 1
  return rows.toSorted((a, b) => {
    const [x, y] = [of(a), of(b)]
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined)
    return sign * (typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y))
  })
}

interface Props<T> {
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly columns: readonly (Column<T> | undefined)[]
  /** Of the table, beside `data`. */
  readonly class?: string
  /** The last row. */
  readonly foot?: ComponentChildren
  /** In a frame of its own instead of inside a section. */
  readonly framed?: boolean
  /** The name of the file that the table can be saved as. */
  readonly csv?: string
  /** A press on a row, beside its links and buttons. The keyboard uses the button in the row. */
  readonly onOpen?: (row: T) => void
  /** All rows for the file, where `rows` are only the first. */
  readonly loadAll?: () => Promise<readonly T[]>
}

export function DataTable<T>({
  rows,
  keyOf,
  columns,
  class: own,
  foot,
  framed = false,
  csv,
  loadAll,
  onOpen,
}: Props<T>) {
  const all = columns.filter((column) => column !== undefined)
  const shown = all.filter(({ cell }) => cell)
  const [order, setOrder] = useState(UNSORTED)
  const sorted = sortRows(rows, all.find(({ title }) => title === order.by)?.sort, order)
  const sortable = shown.filter(({ sort }) => sort)
  return (
    <div class={framed ? 'table-box card flush' : 'table-box'}>
      {sortable.length > 0 ? (
        <div class="narrow-sort">
          <SortChoice
            options={[[UNSORTED.by, '–'], ...sortable.map(({ title }) => [title, title] as const)]}
            sort={order}
            onSort={setOrder}
          />
        </div>
      ) : null}
      <table class={['data', own, sortable.length > 0 && 'sortable'].filter(Boolean).join(' ')}>
        <thead>
          <tr>
            {shown.map(({ title, isNumber, value, sort }) => (
              <th
                key={title}
                scope="col"
                class={isNumber ? 'number' : undefined}
                aria-sort={order.by === title ? (order.down ? 'descending' : 'ascending') : undefined}
              >
                {sort ? (
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
          {sorted.map((row) => (
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
                  {cell?.(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {foot ? <tfoot>{foot}</tfoot> : null}
      </table>
      {csv === undefined ? null : (
        <p class="table-foot">
          <ExportButton
            name={csv}
            columns={all.flatMap(({ title, cell, value }) =>
              value === false ? [] : [{ title, value: value ?? ((row: T) => cellValue(cell?.(row))) }],
            )}
            load={loadAll ?? (() => rows)}
          />
        </p>
      )}
    </div>
  )
}
