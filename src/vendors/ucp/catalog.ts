/**
 * What is bought from a merchant: the ids of the assortment by lookup, its queries and categories by search, or all that a
 * search without conditions lists. Merchants without a catalog have a price list beside them.
 */
import { count } from '../../kernel/text.ts'
import { chunk } from '../../lib/concurrency.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import type { UnreadableRow, Result } from '../contract.ts'
import type { SupplyCatalog, SupplyLine } from '../supply-vendor.ts'
import { fail, failForCertain, succeed } from '../result.ts'
import { listCatalog } from '../sheet/price-list/catalog.ts'
import { type Fields, isFields, optionalText } from '../upstream/read-json.ts'
import { readRow, TOO_MANY_UNREADABLE, hasTooManyUnreadable } from '../upstream/rows.ts'
import type { Merchant } from './merchant.ts'
import { isTooLarge } from './refusals.ts'
import type { WantedLine } from './session-request.ts'
import type { UcpSettings } from './settings.ts'
import { toVariantId } from './variant-id.ts'
import { type ListedVariant, type OrderUnits, toRows, variantReader } from './variants.ts'

const IDS_AT_ONCE = 20
const PAGE_SIZE = 100
const PAGES_MAX = 500
/** Variants: merchants choose the size of their pages, and each row takes memory. */
const PAGE_ROWS_MAX = 5_000
const ROWS_MAX = 50_000
const TOO_MANY = fail('unknown', 'The merchant lists more products than we accept', { raw: `${ROWS_MAX} rows` })

export type MerchantCatalog = ReturnType<typeof merchantCatalog>

type Settings = Pick<UcpSettings, 'assortment' | 'catalog' | 'units'>

export function merchantCatalog(merchant: Merchant, settings: Settings, needs: AdapterNeeds) {
  const { assortment, units: configured = {} } = settings
  const { currency } = needs.connection
  const reader = variantReader(currency, configured)
  const known = new Map<string, OrderUnits>()
  const priceList = settings.catalog && listCatalog(settings.catalog, [], needs)

  async function readAll(): Promise<Result<SupplyCatalog>> {
    const { ids = [], queries = [], categories = [], filters = {} } = assortment ?? {}
    const hasLists = [assortment?.ids, assortment?.queries, assortment?.categories].some((list) => list !== undefined)
    const searches: Fields[] = [
      ...queries.map((query) => ({ query, ...withFilters(filters) })),
      ...categories.map((category) => ({ filters: { ...filters, categories: [category] } })),
      ...(hasLists ? [] : [withFilters(filters)]),
    ]
    const rows: unknown[] = []
    for (const batch of chunk(ids, IDS_AT_ONCE)) {
      const found = await lookUp(batch)
      if (!found.ok) return found
      rows.push(...found.value)
    }
    for (const search of searches) {
      const found = await searchAll(search, ROWS_MAX - rows.length)
      if (!found.ok) return found
      rows.push(...found.value)
    }
    return toCatalog(rows)
  }

  /** A merchant says how many ids are too many only by refusing them. */
  async function lookUp(ids: readonly string[]): Promise<Result<readonly unknown[]>> {
    const found = await merchant.call({ operation: 'lookup', body: { ids } }, (payload) => succeed(toRows(payload)))
    if (found.ok || !isTooLarge(found) || ids.length === 1) return found
    const middle = Math.ceil(ids.length / 2)
    const first = await lookUp(ids.slice(0, middle))
    if (!first.ok) return first
    const second = await lookUp(ids.slice(middle))
    return second.ok ? succeed([...first.value, ...second.value]) : second
  }

  async function searchAll(search: Fields, most: number): Promise<Result<readonly unknown[]>> {
    const rows: unknown[] = []
    const cursors = new Set<string>()
    let cursor: string | undefined
    for (let page = 1; page <= PAGES_MAX; page += 1) {
      const body = { ...search, pagination: { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) } }
      const found = await merchant.call({ operation: 'search', body }, (payload) =>
        succeed({ rows: toRows(payload), next: nextCursor(payload) }),
      )
      if (!found.ok) return found
      const { length } = found.value.rows
      if (length > PAGE_ROWS_MAX || rows.length + length > most) return TOO_MANY
      rows.push(...found.value.rows)
      cursor = found.value.next
      if (cursor === undefined) return succeed(rows)
      if (cursors.has(cursor)) return fail('unknown', 'The merchant lists the same page again', { raw: 'cursor' })
      cursors.add(cursor)
    }
    return fail('unknown', 'The merchant lists more products than we accept', { raw: `${PAGES_MAX} pages` })
  }

  function toCatalog(rows: readonly unknown[]): Result<SupplyCatalog> {
    const listed = new Map<string, ListedVariant>()
    const unreadable = new Map<string, UnreadableRow>()
    let leftOut = 0
    let unnamed = 0
    for (const row of rows) {
      const read = readRow(row, reader)
      if ('unreadable' in read) unreadable.set(read.unreadable.id ?? `unnamed ${(unnamed += 1)}`, read.unreadable)
      else if (read.product) listed.set(read.product.vendorSku, read)
      else leftOut += 1
    }
    const [first] = unreadable.values()
    if (first && hasTooManyUnreadable(unreadable.size, unreadable.size + listed.size + leftOut))
      return fail('unknown', 'The merchant sent a reply that does not match its documentation', {
        raw: `${TOO_MANY_UNREADABLE}: ${unreadable.size}, first ${first.detail}`,
      })
    if (leftOut > 0)
      needs.notice?.(
        `${count(leftOut, 'product')} left out: the unit is unknown. \`units\` of the connection can state it`,
      )
    for (const [vendorSku, { units }] of listed) known.set(vendorSku, units)
    const products = [...listed.values()].flatMap(({ product }) => product ?? [])
    return succeed({ products, sites: [] }, [...unreadable.values()])
  }

  /** A price list states no unit of the merchant, so only one way to order each product is certain. */
  async function readPriceList(list: NonNullable<typeof priceList>): Promise<Result<SupplyCatalog>> {
    const read = await list.read()
    if (!read.ok) return read
    const products = read.value.products.map((product) =>
      product.units === 'pack' ? product : { ...product, units: 'each' as const },
    )
    for (const { vendorSku, units } of products)
      known.set(vendorSku, units === 'pack' ? { pack: null } : { each: null })
    return succeed({ ...read.value, products }, read.unreadable)
  }

  const read = () => (priceList ? readPriceList(priceList) : readAll())

  async function learn(vendorSkus: readonly string[]): Promise<Result<unknown>> {
    if (priceList) return read()
    const profile = await merchant.profile()
    if (!profile.ok) return profile
    if (!profile.value.capabilities.has('dev.ucp.shopping.catalog.lookup')) return read()
    const found = await lookUp(vendorSkus.map(toVariantId))
    return found.ok ? toCatalog(found.value) : found
  }

  return {
    read,
    /** Order lines in the merchant's ids and units; a merchant is asked about those that are not known yet. */
    async toLines(lines: readonly SupplyLine[]): Promise<Result<readonly WantedLine[]>> {
      const missing = lines.map(({ vendorSku }) => vendorSku).filter((vendorSku) => !known.has(vendorSku))
      if (missing.length > 0) {
        const learned = await learn([...new Set(missing)])
        if (!learned.ok) return learned
      }
      const wanted: WantedLine[] = []
      for (const { vendorSku, unit, quantity } of lines) {
        const code = known.get(vendorSku)?.[unit]
        if (code === undefined)
          return failForCertain(`The merchant does not sell ${vendorSku} by the ${unit === 'pack' ? 'pack' : 'piece'}`)
        wanted.push({ itemId: toVariantId(vendorSku), ...(code && { unit: code }), quantity })
      }
      return succeed(wanted)
    },
  }
}

const withFilters = (filters: Fields): Fields => (Object.keys(filters).length > 0 ? { filters } : {})

function nextCursor({ pagination }: Fields): string | undefined {
  if (!isFields(pagination) || pagination['has_next_page'] !== true) return undefined
  return optionalText(pagination, 'cursor')
}
