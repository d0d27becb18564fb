/** The store room: what is there, what of it runs will take, what it is worth; counting, and what came and went. */
import type { ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import type { Price } from '../../../contract/common.ts'
import type { StoreroomProduct } from '../../../contract/shapes/storeroom.ts'
import { client } from '../../lib/service/api.ts'
import { count, fullDay, money, shortTime, today } from '../../lib/text/format.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { hasStoreroom, may } from '../../lib/service/me.ts'
import { useResource } from '../../lib/service/resource.ts'
import { query } from '../../lib/router.ts'
import { type StoreroomRow, storeroomRows } from './storeroom.ts'
import { STOREROOM } from '../../locales/storeroom.ts'
import { Button } from '../../ui/button.tsx'
import { List } from '../../ui/table/list.tsx'
import { Empty } from '../../ui/loaded.tsx'
import { QueryChoice, SearchField } from '../../ui/table/query-filters.tsx'
import { PageHeader } from '../../ui/section.tsx'
import { SkuLink } from '../catalog/sku-link.tsx'
import { StoreroomCount } from './storeroom-count.tsx'
import { StoreroomFile } from './storeroom-file.tsx'
import { StoreroomMovements } from './storeroom-movements.tsx'
import { Money } from '../../ui/value.tsx'

const PAGE = 100
const PRODUCTS_MAX = 5000

async function readStoreroom(inStock: boolean, signal: AbortSignal) {
  const products: StoreroomProduct[] = []
  const first = { limit: PAGE, ...(inStock ? { in_stock: true } : {}) }
  let last
  for await (const page of client.pages.getStoreroom({ query: first, signal })) {
    products.push(...page.products)
    last = page
    if (products.length >= PRODUCTS_MAX) break
  }
  return { rows: storeroomRows(products, last?.messages), value: last?.value }
}

export function Storeroom() {
  const t = textsOf(STOREROOM)
  const title = texts().pages.storeroom
  if (hasStoreroom()) return <StoreroomView />
  return (
    <>
      <PageHeader title={title} />
      <Empty icon="storeroom" title={t.off}>
        {t.offText}
      </Empty>
    </>
  )
}

function StoreroomView() {
  const t = textsOf(STOREROOM)
  const showsAll = query('show') === 'all'
  const isMovements = query('view') === 'movements'
  const isFile = query('view') === 'file' && may('countStoreroom')
  // A count of what is gone needs the products of which nothing is there, too.
  const readsAll = showsAll || isFile
  const stock = useResource(`storeroom ${readsAll}`, (signal) => readStoreroom(!readsAll, signal), [
    'replenishment',
    'location',
  ])
  /** `other`: the product is still to be found. */
  const [counting, setCounting] = useState<StoreroomRow | 'other' | undefined>(
    query('count') === 'now' ? 'other' : undefined,
  )
  const { data } = stock
  const there = data?.rows.filter(({ units }) => units > 0) ?? []
  const mayCount = may('countStoreroom')
  return (
    <>
      <PageHeader
        title={texts().pages.storeroom}
        lead={data ? leadText(there, data.value) : ' '}
        actions={
          <Button needs="countStoreroom" icon="plus" onClick={() => setCounting('other')}>
            {t.count.other}
          </Button>
        }
      />
      <div class="filters">
        <QueryChoice
          of="view"
          label={t.view}
          value={isMovements ? 'movements' : isFile ? 'file' : 'stock'}
          tabs={mayCount ? t.views : { stock: t.views.stock, movements: t.views.movements }}
        />
        {isMovements || isFile ? null : (
          <>
            <SearchField label={t.search} />
            <QueryChoice of="show" label={t.show} value={showsAll ? 'all' : 'stock'} tabs={t.shows} />
          </>
        )}
      </div>
      {isMovements ? (
        <StoreroomMovements />
      ) : isFile ? (
        <StoreroomFile book={data?.rows} onCounted={stock.reload} />
      ) : (
        <List
          rows={{ ...stock, data: data?.rows }}
          searched={({ item }) => `${item.title} ${item.id}`}
          icon="storeroom"
          none={t.none}
          next={
            <>
              <p>{t.noneText}</p>
              <ul class="plain-list">
                {t.ways.map((way) => (
                  <li key={way}>{way}</li>
                ))}
              </ul>
            </>
          }
          class="storeroom"
          csv={texts().pages.storeroom}
          keyOf={({ item }) => item.id}
          onOpen={mayCount ? setCounting : undefined}
          columns={stockColumns(data?.value !== undefined, mayCount ? setCounting : undefined)}
        />
      )}
      {counting ? (
        <StoreroomCount
          product={counting === 'other' ? undefined : counting}
          onClose={() => setCounting(undefined)}
          onCounted={() => void stock.reload()}
        />
      ) : null}
    </>
  )
}

/** How much there is, and what it is worth for those who may know. */
function leadText(there: readonly StoreroomRow[], value: Price | undefined): string {
  const t = textsOf(STOREROOM)
  const units = there.reduce((sum, row) => sum + row.units, 0)
  const unknown = there.filter((row) => row.value === null).length
  const worth = value ? [t.worth(money(value.amount, value.currency), unknown)] : []
  return [t.lead(there.length, units), ...worth].join(' · ')
}

function stockColumns(
  hasValue: boolean,
  onCount: ((row: StoreroomRow) => void) | undefined,
): ComponentProps<typeof List<StoreroomRow>>['columns'] {
  const t = textsOf(STOREROOM)
  return [
    {
      title: words().product,
      value: ({ item }) => item.title,
      cell: (row) => (
        <>
          {onCount ? (
            <button type="button" class="row-open" aria-label={t.count.of(row.item.title)} onClick={() => onCount(row)}>
              {row.item.title}
            </button>
          ) : (
            <SkuLink id={row.item.id}>{row.item.title}</SkuLink>
          )}
          <span class="faint mono one-line">{row.item.id}</span>
          {row.unsold.map(({ units, date }) => (
            <span key={date} class="toned warn one-line">
              {t.unsold(units, fullDay(date))}
            </span>
          ))}
        </>
      ),
    },
    { title: 'ID', value: ({ item }) => item.id },
    {
      title: words().units,
      isNumber: true,
      value: ({ units }) => units,
      cell: ({ units }) => <strong>{count(units)}</strong>,
    },
    { title: t.columns.reserved, isNumber: true, cell: ({ reserved }) => reserved },
    { title: t.columns.free, isNumber: true, cell: ({ free }) => free },
    hasValue && { title: t.columns.value, isNumber: true, cell: ({ value }) => value && <Money {...value} /> },
    { title: t.columns.bestBefore, value: ({ bestBefore }) => bestBefore, cell: bestBeforeCell },
    {
      title: t.columns.counted,
      value: ({ counted_at: at }) => at,
      cell: ({ counted_at: at }) => <span class="faint">{at === null ? words().never : shortTime(at)}</span>,
    },
  ]
}

function bestBeforeCell({ bestBefore, unsold }: StoreroomRow) {
  if (bestBefore === undefined) return undefined
  const isPast = bestBefore < today()
  return (
    <span class={isPast ? 'toned bad' : unsold.length > 0 ? 'toned warn' : ''}>
      {fullDay(bestBefore)}
      {isPast ? <span class="one-line">{textsOf(STOREROOM).isPast}</span> : null}
    </span>
  )
}
