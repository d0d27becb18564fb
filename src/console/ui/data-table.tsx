/** A table whose first column is the title of the row. On a phone each row is a card, and the other cells have their labels. */
import type { ComponentChildren } from 'preact'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ComponentChildren
  readonly isNumber?: boolean
}

interface Props<T> {
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly columns: readonly (Column<T> | undefined)[]
  /** Of the table, beside `data`. */
  readonly class?: string
  /** In a frame of its own instead of inside a section. */
  readonly framed?: boolean
}

export function DataTable<T>({ rows, keyOf, columns, class: own, framed = false }: Props<T>) {
  const shown = columns.filter((column) => column !== undefined)
  return (
    <div class={framed ? 'table-box card flush' : 'table-box'}>
      <table class={own ? `data ${own}` : 'data'}>
        <thead>
          <tr>
            {shown.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {shown.map(({ title, cell, isNumber }, index) => (
                <td key={title} class={isNumber ? 'number' : undefined} data-label={index === 0 ? undefined : title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
