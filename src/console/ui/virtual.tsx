/**
 * A table of any length that draws only the rows in sight. It scrolls with the page, so a phone's own scrolling and
 * the browser's "find where I was" work as ever; screen readers are told how many rows there really are.
 */
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { w } from '../lib/i18n.ts'
import { Select } from './field.tsx'

export interface Column<T> {
  readonly name: string
  readonly title: string
  readonly cell: (row: T) => ComponentChildren
  readonly number?: boolean
  readonly sortable?: boolean
  /** Left out on a phone, where `card` tells the row. */
  readonly width: string
}

export interface Sort {
  readonly by: string
  readonly down: boolean
}

interface Props<T> {
  readonly label: string
  /** A new list means new rows to draw; so do new columns and another `card`. */
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string
  readonly columns: readonly Column<T>[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  /** The whole row on a narrow screen. */
  readonly card: (row: T) => ComponentChildren
  readonly heights: { readonly wide: number; readonly narrow: number }
}

const MARGIN_ROWS = 12
/** The window moves in steps, so that most of scrolling draws nothing at all. */
const STEP_ROWS = 6
const NARROW = '(max-width: 760px)'

export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const media = matchMedia(NARROW)
    const change = () => setNarrow(media.matches)
    media.addEventListener('change', change)
    return () => media.removeEventListener('change', change)
  }, [])
  return narrow
}

export function VirtualTable<T>({ label, rows, rowKey, columns, sort, onSort, card, heights }: Props<T>) {
  const narrow = useNarrow()
  const height = narrow ? heights.narrow : heights.wide
  const body = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [shown, setShown] = useState(30)

  useEffect(() => {
    let frame = 0
    const look = () => {
      frame = 0
      const top = -(body.current?.getBoundingClientRect().top ?? 0)
      const from = Math.max(0, Math.floor((top / height - MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS)
      setFirst(Math.min(from, Math.max(0, rows.length - 1)))
      setShown(Math.ceil(innerHeight / height) + 2 * MARGIN_ROWS + STEP_ROWS)
    }
    const soon = () => (frame ||= requestAnimationFrame(look))
    look()
    addEventListener('scroll', soon, { passive: true })
    addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', soon)
      removeEventListener('resize', soon)
    }
  }, [height, rows.length])

  const template = narrow ? '1fr' : columns.map(({ width }) => width).join(' ')
  const visible = rows.slice(first, first + shown)
  // A row drawn once is handed out again as it is, and then costs nothing to compare.
  const drawn = useMemo(() => {
    const known = new Map<T, VNode>()
    return (row: T, index: number): VNode => {
      const old = known.get(row)
      if (old) return old
      const made = (
        <div
          key={rowKey(row)}
          role="row"
          aria-rowindex={index + 2}
          class="virtual-row"
          style={{ height: `${height}px`, gridTemplateColumns: template }}
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
      known.set(row, made)
      return made
    }
  }, [rows, columns, narrow, height])
  return (
    <div class={`virtual${narrow ? ' narrow' : ''}`} role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div role="rowgroup" class="virtual-head">
        <div role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {narrow ? (
            <div role="columnheader">
              <SortChoice columns={columns} sort={sort} onSort={onSort} />
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
      <div role="rowgroup" ref={body} style={{ height: `${rows.length * height}px` }}>
        <div class="virtual-window" style={{ transform: `translateY(${first * height}px)` }} role="presentation">
          {visible.map((row, index) => drawn(row, first + index))}
        </div>
      </div>
    </div>
  )
}

/** A card has no column heads to press, so the order is chosen from a list. */
function SortChoice<T>({ columns, sort, onSort }: Pick<Props<T>, 'columns' | 'sort' | 'onSort'>) {
  const words = w().table
  return (
    <span class="sort-choice">
      <Select
        label={words.sortBy}
        value={sort.by}
        onChange={(by) => onSort({ by, down: sort.down })}
        options={columns.filter(({ sortable = true }) => sortable).map(({ name, title }) => [name, title] as const)}
      />
      <button
        type="button"
        aria-label={sort.down ? words.descending : words.ascending}
        onClick={() => onSort({ by: sort.by, down: !sort.down })}
      >
        {sort.down ? '↓' : '↑'}
      </button>
    </span>
  )
}
