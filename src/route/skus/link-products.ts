/**
 * Creates aliases between supplier and machine products whenever a catalog or an inventory is read. Products are compared
 * outside a transaction; only new or outdated links are written, so an unchanged read writes nothing.
 */
import { SECOND } from '../../kernel/clock.ts'
import { type Namespace, type SkuId, namespaceOf, skuIdOf } from '../../kernel/ids.ts'
import { yieldToEventLoop } from '../../lib/concurrency.ts'
import { type Tx, afterCommit } from '../../store/store.ts'
import type { MachineSlot } from '../../vendors/machine-vendor.ts'
import type { SupplyCatalog } from '../../vendors/supply-vendor.ts'
import { type Pair, type StoredAlias, groupByEnd } from './aliases.ts'
import type { SkuContext } from './context.ts'
import { type Gtin, parseGtin } from './gtin.ts'
import { indexByCode, knownPairs, linksByCode, linksToSupplier } from './link.ts'
import { PRODUCTS_MAX } from './linker-state.ts'
import {
  addLinks,
  findMachineProducts,
  findPairs,
  listLatestMachineProducts,
  listMachineProductsWithCodes,
  listPairsInNamespace,
  removeBarcodeLinks,
  saveMachineProducts,
} from './records.ts'
import type { MachineProduct } from './records.ts'
import type { SupplierIndex } from './supplier-indexes.ts'

type Deps = Pick<SkuContext, 'store' | 'clock' | 'vendors' | 'log' | 'linker' | 'aliasCache'>

/** Products compared before others get a turn of the event loop. */
const BATCH_SIZE = 10
/** A supplier that did not answer is not asked again for linking until then. */
const RETRY_SUPPLIER_MS = 30 * SECOND

/** Found by comparing, not yet written. */
export interface FoundLinks {
  /** New, or with another title or barcode than stored. */
  readonly products: readonly MachineProduct[]
  readonly add: readonly StoredAlias[]
  readonly outdated: readonly Pair[]
  /** Call after they were saved. */
  readonly onWritten: () => void
}

const NO_LINKS: FoundLinks = { products: [], add: [], outdated: [], onWritten: () => {} }

function machineProductsOf(namespace: Namespace, slots: readonly MachineSlot[]): MachineProduct[] {
  const products = new Map<SkuId, MachineProduct>()
  for (const { vendorSku, title, barcode } of slots) {
    const skuId = skuIdOf(namespace, vendorSku)
    if (skuId) products.set(skuId, { skuId, title, barcode, gtin: parseGtin(barcode) })
  }
  return [...products.values()]
}

/** Compares machine products with every supplier loaded so far. Stored links are read first, so none is found twice. */
async function compareProducts({ store, clock, linker }: Deps, all: readonly MachineProduct[]): Promise<FoundLinks> {
  const suppliers = linker.suppliers.all()
  const products = linker.unlinkedProducts(all)
  if (products.length === 0) return NO_LINKS

  const onWritten = linker.comparisonOf(products)
  const ids = products.map(({ skuId }) => skuId)
  const codes = [...new Set(products.flatMap(({ gtin }) => gtin ?? []))]
  const [stored, rows, sameCode] = await Promise.all([
    findMachineProducts(store.db, ids),
    findPairs(store.db, ids),
    listMachineProductsWithCodes(store.db, codes),
  ])
  const rowsOf = groupByEnd(rows)
  const now = clock.now()
  const add = await linksByCode(indexByCode(products), indexByCode(sameCode), knownPairs(rows), now)
  const outdated: Pair[] = []
  for (const [i, product] of products.entries()) {
    for (const supplier of suppliers) {
      const links = linksToSupplier(product, supplier, rowsOf.get(product.skuId) ?? [], now)
      add.push(...links.add)
      outdated.push(...links.outdated)
    }
    if (i % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop()
  }
  const changed = products.filter((product) => !hasSameIdentity(stored.get(product.skuId), product))
  return { products: changed, add, outdated, onWritten }
}

const hasSameIdentity = (stored: MachineProduct | undefined, product: MachineProduct): boolean =>
  stored !== undefined && stored.title === product.title && stored.barcode === product.barcode

/**
 * For a sync: finds the links of a machine's slots before its transaction; `writeLinks` then writes them inside it.
 * A supplier that does not answer is left out and linked when its catalog is read next.
 */
export async function findLinks(ctx: Deps, namespace: Namespace, slots: readonly MachineSlot[]): Promise<FoundLinks> {
  await refreshSuppliers(ctx)
  return compareProducts(ctx, machineProductsOf(namespace, slots))
}

export async function writeLinks(
  { clock, aliasCache }: Pick<SkuContext, 'clock' | 'aliasCache'>,
  tx: Tx,
  found: FoundLinks,
): Promise<void> {
  const now = clock.now()
  if (found.products.length > 0) await saveMachineProducts(tx, found.products, now)
  if (found.outdated.length > 0) await removeBarcodeLinks(tx, found.outdated)
  if (found.add.length > 0) await addLinks(tx, found.add, now)
  if (found.add.length > 0 || found.outdated.length > 0) await aliasCache.invalidate(tx)
  afterCommit(tx, found.onWritten)
}

async function saveLinks(ctx: Deps, found: FoundLinks): Promise<void> {
  if (found.products.length + found.add.length + found.outdated.length === 0) found.onWritten()
  else await ctx.store.transaction((tx) => writeLinks(ctx, tx, found))
}

/**
 * On a read of a machine: its products are stored and linked afterwards. Only suppliers not loaded yet are asked, and the
 * others when there are new products: a machine read every few seconds must not load a catalog each time.
 */
export const linkMachineProducts = (ctx: Deps, namespace: Namespace, slots: readonly MachineSlot[]): Promise<void> =>
  ctx.linker.linkOnce(slots, async () => {
    const products = machineProductsOf(namespace, slots)
    const loaded = new Set(ctx.linker.suppliers.all().map((supplier) => supplier.namespace))
    const hasNew = ctx.linker.unlinkedProducts(products).length > 0
    await refreshSuppliers(ctx, (supplier) => hasNew || !loaded.has(supplier))
    await saveLinks(ctx, await compareProducts(ctx, products))
  })

/** On a read of a supplier: all machine products are linked with its catalog afterwards. */
export const linkCatalog = (ctx: Deps, namespace: Namespace, catalog: SupplyCatalog): Promise<void> =>
  ctx.linker.linkOnce(catalog, async () => {
    const { suppliers, linkedVersions } = ctx.linker
    const supplier = await suppliers.update(namespace, catalog.products)
    if (linkedVersions.get(namespace) === supplier.version) return
    await saveLinks(ctx, await compareProducts(ctx, await listLatestMachineProducts(ctx.store.db, PRODUCTS_MAX)))
    await saveLinks(ctx, await compareSuppliers(ctx, supplier))
    linkedVersions.set(namespace, supplier.version)
  })

/** Suppliers are linked with each other by equal codes only; no order depends on a similar name between them. */
async function compareSuppliers({ store, clock, linker }: Deps, supplier: SupplierIndex): Promise<FoundLinks> {
  const others = linker.suppliers.all().filter(({ namespace }) => namespace !== supplier.namespace)
  if (others.length === 0) return NO_LINKS
  const rows = await listPairsInNamespace(store.db, supplier.namespace)
  const known = knownPairs(rows)
  const add: StoredAlias[] = []
  for (const other of others) add.push(...(await linksByCode(supplier.codes, other.codes, known, clock.now())))
  const codeOf = (id: SkuId): Gtin | undefined =>
    [supplier, ...others].find(({ namespace }) => namespace === namespaceOf(id))?.gtinOf(id)
  const outdated = rows.filter(({ a, b, source }) => {
    const [one, other] = [codeOf(a), codeOf(b)]
    return source === 'barcode' && one !== undefined && other !== undefined && one !== other
  })
  return { ...NO_LINKS, add, outdated }
}

/** Reads the catalogs of the live suppliers that are wanted and links them. */
async function refreshSuppliers(ctx: Deps, isWanted: (supplier: Namespace) => boolean = () => true): Promise<void> {
  const { retryAt } = ctx.linker
  const due = ctx.vendors.registrations.filter(
    ({ namespace, role, status }) =>
      role === 'supply' &&
      status === 'live' &&
      (retryAt.get(namespace) ?? -Infinity) <= ctx.clock.elapsed() &&
      isWanted(namespace),
  )
  await Promise.all(
    due.map(async ({ namespace }) => {
      const vendor = ctx.vendors.supply(namespace)
      if (!vendor.ok) return
      const result = await vendor.value.catalog()
      if (result.ok) return linkCatalog(ctx, namespace, result.value)
      retryAt.set(namespace, ctx.clock.elapsed() + RETRY_SUPPLIER_MS)
      ctx.log.warn(
        { namespace, reason: result.reason },
        'products cannot be linked: the supplier catalog is unavailable',
      )
    }),
  )
}
