/** Everything that is a list: its head and filters, its rows as a table or as cards, what to do when there are none. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Message } from '../../../contract/common.ts'
import { type Resource, useResource } from '../../lib/service/resource.ts'
import { texts } from '../../lib/text/i18n.ts'
import { query } from '../../lib/router.ts'
import type { IconName } from '../icon.tsx'
import { Empty, Loaded } from '../loaded.tsx'
import { Messages } from '../messages.tsx'
import { type HeaderProps, PageHeader } from '../section.tsx'
import { ClearFilters } from './clear-filters.tsx'
import { DataTable, type TableProps } from './data-table.tsx'
import { MoreButton } from './more-button.tsx'
import { SearchField } from './query-filters.tsx'

/** All rows of a list, or the first pages of it. */
export interface Rows<T> extends Omit<Resource<readonly T[]>, 'put'> {
  /** Of a list that comes in pages. */
  readonly pages?: {
    readonly messages: readonly Message[] | undefined
    readonly busy: boolean
    readonly more: (() => void) | undefined
    readonly all: () => Promise<readonly T[]>
  }
}

const PAGE = 50
const EXPORT_PAGE = 100
const EXPORT_MAX = 10_000

interface Page {
  readonly messages?: readonly Message[]
  readonly pagination?: { readonly has_next_page: boolean }
}

/** A list of the service that is read a page at a time; a file of it has all rows. */
export function usePages<P extends Page, T>(
  key: string,
  pages: (limit: number, signal?: AbortSignal) => AsyncIterable<P>,
  rowsOf: (page: P) => readonly T[],
  refreshOn: readonly string[] = [],
): Rows<T> {
  const [shown, setShown] = useState(1)
  useEffect(() => setShown(1), [key])
  const read = async (most: number, limit: number, signal?: AbortSignal) => {
    const rows: T[] = []
    let last: P | undefined
    let pagesRead = 0
    for await (const page of pages(limit, signal)) {
      rows.push(...rowsOf(page))
      last = page
      if (++pagesRead * limit >= most) break
    }
    return { rows, messages: last?.messages, hasMore: last?.pagination?.has_next_page ?? false }
  }
  const resource = useResource(`${key} ${shown}`, (signal) => read(shown * PAGE, PAGE, signal), refreshOn)
  // The rows stay while more are read.
  const kept = useRef<{ key: string; data: typeof resource.data }>({ key, data: undefined })
  if (resource.data !== undefined || kept.current.key !== key) kept.current = { key, data: resource.data }
  const { data } = kept.current
  return {
    ...resource,
    data: data?.rows,
    pages: {
      messages: data?.messages,
      busy: resource.busy,
      more: data?.hasMore ? () => setShown(shown + 1) : undefined,
      all: async () => (await read(EXPORT_MAX, EXPORT_PAGE)).rows,
    },
  }
}

interface ListProps<T> extends Omit<TableProps<T>, 'rows' | 'framed' | 'isWhole' | 'loadAll'> {
  readonly rows: Rows<T>
  /** What of it the choices of the page show. */
  readonly only?: (row: T) => boolean
  /** The words of a row that are searched. */
  readonly searched?: (row: T) => string
  /** The filters, by their names in the query. */
  readonly filterNames?: readonly string[]
  readonly icon: IconName
  /** Said where there are no rows. */
  readonly none?: string | ((all: readonly T[]) => string)
  /** What to do then. */
  readonly next?: ComponentChildren
  /** Instead of a table. */
  readonly draw?: ((rows: readonly T[]) => ComponentChildren) | undefined
}

export function List<T>({ rows, only, searched, filterNames = ['q'], icon, ...of }: ListProps<T>) {
  const { none = texts().noMatch, next, draw, ...table } = of
  return (
    <Loaded resource={rows} lines={8} height={44}>
      {(all) => {
        const search = searched ? query('q').toLowerCase() : ''
        const list = all.filter(
          (row) => (only?.(row) ?? true) && (search === '' || searched?.(row).toLowerCase().includes(search)),
        )
        const isFiltered = filterNames.some((name) => query(name) !== '')
        return (
          <>
            <Messages messages={rows.pages?.messages} />
            {list.length === 0 ? (
              <Empty icon={icon} title={isFiltered ? texts().noMatch : typeof none === 'string' ? none : none(all)}>
                {isFiltered ? <ClearFilters names={filterNames} /> : next}
              </Empty>
            ) : (
              (draw?.(list) ?? (
                <DataTable framed isWhole={rows.pages === undefined} loadAll={rows.pages?.all} rows={list} {...table} />
              ))
            )}
            {rows.pages?.more ? <MoreButton busy={rows.pages.busy} onClick={rows.pages.more} /> : null}
          </>
        )
      }}
    </Loaded>
  )
}

interface ListPageProps<T> extends ListProps<T>, Omit<HeaderProps, 'badge' | 'id'> {
  /** The label of the search field. */
  readonly search?: string
  /** Beside the search field. */
  readonly filters?: ComponentChildren
  /** Between the head and the filters. */
  readonly above?: ComponentChildren
  /** Below the list. */
  readonly children?: ComponentChildren
}

export const ListPage = <T,>(props: ListPageProps<T>) => {
  const { title, lead, actions, back, search, filters, above, children, ...list } = props
  return (
    <>
      <PageHeader title={title} lead={lead} actions={actions} {...(back ? { back } : {})} />
      {above}
      {search !== undefined || filters ? (
        <div class="filters">
          {search === undefined ? null : <SearchField label={search} />}
          {filters}
        </div>
      ) : null}
      <List {...list} />
      {children}
    </>
  )
}
