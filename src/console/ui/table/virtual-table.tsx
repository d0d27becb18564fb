/**
 * A table of any length that renders only the visible rows. It scrolls with the page, so native scrolling and scroll
 * restoration work; `aria-rowcount` gives screen readers the full number of rows.
 */
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isTableNarrow } from '../../lib/viewport.ts'
import { isOwnControl } from './own-control.ts'
import { type Sort, SortChoice } from './sort-choice.tsx'

export interface Column<T> {
  readonly name: string
  readonly title: string
  readonly cell: (row: T) => ComponentChildren
  readonly number?: boolean
  readonly sortable?: boolean
  /** Not used on a phone, where `card` renders the row. */
  readonly width: string
}

/** A line over the rows below it. */
export interface Heading {
  readonly heading: () => ComponentChildren
}

export type { Sort } from './sort-choice.tsx'

interface Props<T extends object> {
  readonly label: string
  /** Rows are rendered again when this list, the columns or `card` change. */
  readonly rows: readonly (T | Heading)[]
  readonly columns: readonly Column<T>[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  /** Renders the whole row on a narrow screen. */
  readonly card: (row: T) => ComponentChildren
  /** A press anywhere in a row, except on its own buttons and links. */
  readonly onOpen: (row: T) => void
  readonly heights: { readonly wide: number; readonly narrow: number }
}

const HEADING_HEIGHT = 44
const MARGIN_ROWS = 6
/** The window moves in steps, so that most scroll events render nothing. */
const STEP_ROWS = 4
/** Until the first measurement. */
const FIRST_ROWS = 16
const REST_MS = 120

const isHeading = (row: object): row is Heading => 'heading' in row

/** Where each row begins, and at last where the table ends. */
function topsOf(rows: readonly object[], height: number): Float64Array {
  const tops = new Float64Array(rows.length + 1)
  for (const [index, row] of rows.entries())
    tops[index + 1] = (tops[index] ?? 0) + (isHeading(row) ? HEADING_HEIGHT : height)
  return tops
}

/** The last row that begins at or above this place. */
function rowAt(tops: Float64Array, place: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((tops[middle] ?? 0) <= place) low = middle
    else high = middle - 1
  }
  return low
}

/** The visible rows and a few around them. */
function useVisibleRows(tops: Float64Array) {
  const rows = tops.length - 1
  const body = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [end, setEnd] = useState(FIRST_ROWS)
  useEffect(() => {
    let frame = 0
    let resting: ReturnType<typeof setTimeout>
    const measure = () => {
      frame = 0
      const top = -(body.current?.getBoundingClientRect().top ?? 0)
      const at = Math.floor(rowAt(tops, top) / STEP_ROWS) * STEP_ROWS
      setFirst(Math.max(0, at - MARGIN_ROWS))
      setEnd(Math.ceil(rowAt(tops, top + innerHeight) / STEP_ROWS) * STEP_ROWS + MARGIN_ROWS)
    }
    const scheduleMeasure = () => (frame ||= requestAnimationFrame(measure))
    // No hover style while scrolling: highlighting each row under the pointer would repaint every frame.
    const setMoving = (is: boolean) => body.current?.classList.toggle('moving', is)
    const onScroll = () => {
      setMoving(true)
      clearTimeout(resting)
      resting = setTimeout(() => setMoving(false), REST_MS)
      scheduleMeasure()
    }
    // Paper does not scroll.
    const showAll = () => {
      setFirst(0)
      setEnd(rows)
    }
    measure()
    addEventListener('beforeprint', showAll)
    addEventListener('afterprint', measure)
    addEventListener('scroll', onScroll, { passive: true })
    addEventListener('resize', scheduleMeasure)
    return () => {
      clearTimeout(resting)
      cancelAnimationFrame(frame)
      removeEventListener('beforeprint', showAll)
      removeEventListener('afterprint', measure)
      removeEventListener('scroll', onScroll)
      removeEventListener('resize', scheduleMeasure)
    }
  }, [tops])
  return { body, first, end }
}

export function VirtualTable<T extends object>({
  label,
  rows,
  columns,
  sort,
  onSort,
  card,
  heights,
  onOpen,
}: Props<T>) {
  const narrow = isTableNarrow.value
  const height = narrow ? heights.narrow : heights.wide
  const tops = useMemo(() => topsOf(rows, height), [rows, height])
  const { body, first, end } = useVisibleRows(tops)
  const template = narrow ? '1fr' : columns.map(({ width }) => width).join(' ')
  const visible = rows.slice(first, end)
  // A rendered row is reused as the same object, which Preact does not compare again.
  const renderRow = useMemo(() => {
    const known = new Map<number, VNode>()
    return (row: T | Heading, index: number): VNode => {
      const old = known.get(index)
      if (old) return old
      const entry = isHeading(row) ? (
        <div key={index} role="row" aria-rowindex={index + 2} class="virtual-heading">
          <div role="cell">{row.heading()}</div>
        </div>
      ) : (
        <div
          key={index}
          role="row"
          aria-rowindex={index + 2}
          class="virtual-row"
          // The keyboard uses the button in the row.
          onClick={(event) => {
            if (!isOwnControl(event.target)) onOpen(row)
          }}
        >
          {narrow ? (
            <div role="cell" class="virtual-card">
              {card(row)}
            </div>
          ) : (
            columns.map(({ name, cell, number }) => (
              <div key={name} role="cell" class={number ? 'number' : ''}>
                {cell(row)}
              </div>
            ))
          )}
        </div>
      )
      known.set(index, entry)
      return entry
    }
  }, [rows, columns, narrow, height])

  return (
    <div
      class={`virtual${narrow ? ' narrow' : ''}`}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      style={{ '--template': template, '--row': `${height}px`, '--heading': `${HEADING_HEIGHT}px` }}
    >
      <div role="rowgroup" class="virtual-head">
        <div role="row" aria-rowindex={1}>
          {narrow ? (
            <div role="columnheader">
              <SortChoice
                options={columns.filter(({ sortable = true }) => sortable).map(({ name, title }) => [name, title])}
                sort={sort}
                onSort={onSort}
              />
            </div>
          ) : null}
          {(narrow ? [] : columns).map(({ name, title, number, sortable = true }) => (
            <div
              key={name}
              role="columnheader"
              class={number ? 'number' : ''}
              aria-sort={sort.by === name ? (sort.down ? 'descending' : 'ascending') : undefined}
            >
              {sortable ? (
                <button type="button" onClick={() => onSort({ by: name, down: sort.by === name ? !sort.down : false })}>
                  {title}
                  <span class="arrow" aria-hidden="true">
                    {sort.by === name ? (sort.down ? '↓' : '↑') : ''}
                  </span>
                </button>
              ) : (
                title
              )}
            </div>
          ))}
        </div>
      </div>
      {/* The padding takes the place of the rows above, so that a row that stays keeps its position and is not repainted. */}
      <div
        role="rowgroup"
        class="virtual-body"
        ref={body}
        style={{ height: `${tops.at(-1) ?? 0}px`, paddingTop: `${tops[Math.min(first, rows.length)] ?? 0}px` }}
      >
        {visible.map((row, index) => renderRow(row, first + index))}
      </div>
    </div>
  )
}
