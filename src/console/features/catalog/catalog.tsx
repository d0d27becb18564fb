/** Supplier and machine products, linked to their SKU pages. */
import { useEffect, useState } from 'preact/hooks'
import type { Product, Variant } from '../../../contract/shapes/catalog.ts'
import { client } from '../../lib/service/api.ts'
import { addToBasket } from '../purchases/basket.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { href, query } from '../../lib/router.ts'
import { useLocations, useNamespaces } from '../../lib/service/queries.ts'
import { BASKET } from '../../locales/basket.ts'
import { BasketBar } from '../purchases/basket-bar.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { List, usePages } from '../../ui/table/list.tsx'
import { Empty, Failure, Skeleton } from '../../ui/loaded.tsx'
import { Badge, Money } from '../../ui/value.tsx'
import { PageHeader } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'
import { QueryChoice, QuerySelect, SearchField } from '../../ui/table/query-filters.tsx'

const TYPING_MS = 250

/** The text, once typing has paused. */
function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

export function Catalog() {
  const t = texts().catalog
  const namespaces = useNamespaces()
  const locations = useLocations()
  const side = query('side') === 'machine' ? 'machine' : 'supply'
  const suppliers = (namespaces.data?.namespaces ?? []).filter(
    ({ role, status }) => role === 'supply' && status === 'live',
  )
  const location = query('location') || locations.data?.[0]?.id
  const platform = locations.data?.find(({ id }) => id === location)?.namespace
  const namespace =
    side === 'machine'
      ? (platform ?? namespaces.data?.defaults.machine)
      : query('namespace') || namespaces.data?.defaults.supply
  return (
    <>
      <PageHeader title={texts().pages.catalog} lead={t.lead} />
      {namespaces.error === undefined ? null : (
        <Failure error={namespaces.error} retry={() => void namespaces.reload()} />
      )}
      <div class="filters">
        <QueryChoice of="side" label={words().source} value={side} tabs={{ supply: t.supply, machine: t.machine }} />
        <SearchField label={t.search} />
        {side === 'machine' ? (
          <QuerySelect
            of="location"
            label={words().machine}
            value={location ?? ''}
            options={(locations.data ?? []).map(({ id, name }) => [id, name] as const)}
          />
        ) : suppliers.length > 1 ? (
          <QuerySelect
            of="namespace"
            label={words().supplier}
            value={namespace ?? ''}
            options={suppliers.map((one) => [one.namespace, one.namespace] as const)}
          />
        ) : null}
      </div>
      {namespace === undefined ? (
        namespaces.data ? (
          <Empty icon="catalog" title={words().noSupplier}>
            <a href="/connections">{texts().pages.connections}</a>
          </Empty>
        ) : namespaces.busy ? (
          <Skeleton lines={8} height={44} />
        ) : null
      ) : side === 'machine' && (location === undefined || !locations.data) ? (
        locations.data ? (
          <Empty icon="machines" title={texts().machines.none}>
            <a href="/machines">{texts().pages.machines}</a>
          </Empty>
        ) : locations.busy ? (
          <Skeleton lines={8} height={44} />
        ) : (
          <Failure error={locations.error} retry={() => void locations.reload()} />
        )
      ) : (
        <Products namespace={namespace} location={side === 'machine' ? location : undefined} search={query('q')} />
      )}
    </>
  )
}

interface ProductsProps {
  readonly namespace: string
  readonly location: string | undefined
  readonly search: string
}

function Products({ namespace, location, search }: ProductsProps) {
  const text = useDebounced(search)
  const filters = { namespace, ...(location === undefined ? {} : { location }) }
  const products = usePages(
    `catalog ${namespace} ${location ?? ''} ${text}`,
    (limit, signal) => client.pages.searchCatalog({ body: { query: text, filters, pagination: { limit } }, signal }),
    (page) => page.products.flatMap((product) => product.variants.map((variant): ProductRow => ({ product, variant }))),
  )
  return (
    <>
      <List
        rows={products}
        icon="catalog"
        none={texts().catalog.none}
        class="products"
        csv={`${texts().pages.catalog} ${location ?? namespace}`}
        keyOf={({ variant }) => `${variant.id} ${variant.inventory?.slot_id ?? ''}`}
        columns={productColumns(location)}
      />
      {location === undefined ? <BasketBar /> : null}
    </>
  )
}

interface ProductRow {
  readonly product: Product
  readonly variant: Variant
}

const unitOf = ({ sale_units: units }: Variant, unit: 'EA' | 'BX') => units?.find((one) => one.unit === unit)

/** Of the slot, or of the supplier. */
const stockOf = ({ inventory, metadata }: Variant) => (inventory ? inventory.stock : metadata?.supplier_stock)

function productColumns(location: string | undefined): readonly (Column<ProductRow> | false)[] {
  const t = texts().catalog
  return [
    {
      title: words().item,
      cell: ({ product, variant }) => (
        <>
          <a href={href.sku(variant.id, location)}>{variant.title}</a>
          <p class="faint">
            {[...(product.categories ?? []).map(({ value }) => value), variant.metadata?.spec]
              .filter(Boolean)
              .map((fact) => `${fact} · `)}
            <span class="one-piece">{variant.id}</span>
          </p>
        </>
      ),
    },
    {
      title: t.each,
      isNumber: true,
      cell: ({ variant }) => <Money {...variant.price} isEstimated={unitOf(variant, 'EA')?.price_derived} />,
    },
    location === undefined && { title: t.box, isNumber: true, cell: ({ variant }) => boxCell(variant) },
    {
      title: words().stock,
      isNumber: true,
      cell: ({ variant }) => stockCell(variant),
      value: ({ variant }) => stockOf(variant),
    },
    { title: words().link, cell: ({ variant }) => aliasBadge(variant.aliases ?? []) },
    location === undefined &&
      may('createCheckout') && {
        title: textsOf(BASKET).add,
        value: false,
        cell: ({ variant }) => <AddButton variant={variant} />,
      },
  ]
}

function boxCell(variant: Variant) {
  const box = unitOf(variant, 'BX')
  if (!box) return undefined
  return (
    <>
      <Money {...box.price} /> <span class="faint">{texts().catalog.of(box.contains ?? 1)}</span>
    </>
  )
}

/** One box more with each press. */
function AddButton({ variant: { id, title, sale_units: units = [] } }: { readonly variant: Variant }) {
  const t = textsOf(BASKET)
  return (
    <Button
      small
      aria-label={t.addOf(title)}
      disabled={units.length === 0}
      onClick={() => {
        addToBasket({ sku: id, title, units })
        toast(t.added(title))
      }}
    >
      {t.add}
    </Button>
  )
}

function stockCell(variant: Variant) {
  const stock = stockOf(variant)
  return stock === 0 ? <Badge tone="bad">{texts().catalog.soldOut}</Badge> : stock
}

function aliasBadge(aliases: NonNullable<Variant['aliases']>) {
  const t = texts().catalog
  if (aliases.some(({ source }) => source !== 'suggested')) return <Badge tone="ok">{words().linked}</Badge>
  if (aliases.length > 0) return <Badge tone="warn">{t.isSuggested}</Badge>
  return <Badge>{t.notLinked}</Badge>
}
