/** Where a product is: in machines and in the store room, and what of it came in lately. */
import type { SkuRecord } from '../../../contract/shapes/catalog.ts'
import { client } from '../../lib/service/api.ts'
import { count } from '../../lib/text/format.ts'
import { textsOf, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useNames, useProductPlan } from '../../lib/service/queries.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href } from '../../lib/router.ts'
import { PRODUCT } from '../../locales/money/product.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { RelativeTime } from '../../ui/value.tsx'

const MOVEMENTS = 50
const SHOWN = 5
const LINKED_MAX = 10

export function StockEverywhere({ record }: { readonly record: SkuRecord }) {
  const t = textsOf(PRODUCT)
  const plan = useProductPlan(record.sku_id)
  const { name } = useNames((plan.data ?? []).map(({ location }) => location))
  const supply = linkedOf(record)
  return (
    <>
      <Section title={t.stock} flush>
        {supply.length > 0 && may('getStoreroom') ? <InStoreroom ids={supply} /> : null}
        <Loaded resource={plan} lines={4}>
          {(rows) =>
            rows.length === 0 ? (
              <p class="note inset">{t.noMachine}</p>
            ) : (
              <DataTable
                csv={t.stock}
                rows={rows}
                keyOf={({ slot_id }) => slot_id}
                columns={[
                  {
                    title: words().machine,
                    sort: ({ location }) => name(location),
                    cell: ({ location }) => <a href={href.machine(location)}>{name(location)}</a>,
                  },
                  {
                    title: words().stock,
                    isNumber: true,
                    sort: ({ stock }) => stock ?? undefined,
                    cell: ({ stock }) => (stock === null ? t.unknown : count(stock)),
                  },
                  {
                    title: t.capacity,
                    isNumber: true,
                    cell: ({ capacity }) => capacity,
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Section>
      {supply.length > 0 && may('listStoreroomMovements') ? <Purchases ids={supply} /> : null}
    </>
  )
}

/** The supplier's products that are this one. */
function linkedOf({ sku_id: id, namespace, aliases = [] }: SkuRecord): readonly string[] {
  if (!namespace.endsWith('-machine')) return [id]
  return aliases.flatMap(({ sku_id, source }) => (source === 'suggested' ? [] : [sku_id])).slice(0, LINKED_MAX)
}

function InStoreroom({ ids }: { readonly ids: readonly string[] }) {
  const t = textsOf(PRODUCT)
  const stored = useResource(`stored ${ids.join()}`, async (signal) => {
    const found = await Promise.all(ids.map((id) => client.getStoreroom({ query: { query: id }, signal })))
    return found.flatMap(({ products }, i) => products.filter(({ item }) => item.id === ids[i]))
  })
  const products = stored.data ?? []
  if (!stored.data) return null
  const sum = (of: (product: (typeof products)[number]) => number) =>
    products.reduce((total, product) => total + of(product), 0)
  return (
    <p class="note inset">
      <a href="/storeroom">{t.storeroom}</a>:{' '}
      {t.inStoreroom(
        sum(({ units }) => units),
        sum(({ free }) => free),
      )}
    </p>
  )
}

function Purchases({ ids }: { readonly ids: readonly string[] }) {
  const t = textsOf(PRODUCT)
  const bought = useResource(`bought ${ids.join()}`, async (signal) => {
    const found = await Promise.all(
      ids.map((id) => client.listStoreroomMovements({ query: { sku_id: id, limit: MOVEMENTS }, signal })),
    )
    return found
      .flatMap(({ movements }) => movements.filter(({ kind }) => kind === 'bought'))
      .toSorted((a, b) => (a.at < b.at ? 1 : -1))
      .slice(0, SHOWN)
  })
  return (
    <Section title={t.purchases} flush>
      <Loaded resource={bought} lines={3}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="note inset">{t.noPurchase}</p>
          ) : (
            <DataTable
              rows={rows}
              keyOf={({ at, item, units }) => `${at} ${item.id} ${units}`}
              columns={[
                {
                  title: t.arrived,
                  cell: ({ at, reference }) => {
                    const to = reference?.type === 'order' ? href.order(reference.id) : undefined
                    return to === undefined ? (
                      <RelativeTime at={at} />
                    ) : (
                      <a href={to}>
                        <RelativeTime at={at} />
                      </a>
                    )
                  },
                },
                { title: t.product, cell: ({ item }) => item.title },
                { title: t.units, isNumber: true, cell: ({ units }) => count(units) },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
