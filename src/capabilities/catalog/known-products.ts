/** Every product known now: what live suppliers list and what machines hold or have held. */
import { type Namespace, skuIdOf } from '../../kernel/ids.ts'
import { yieldToEventLoop } from '../../lib/concurrency.ts'
import type { SupplyCatalog } from '../../vendors/supply-vendor.ts'
import type { Context } from '../context.ts'
import type { ProductDescription } from '../guardrails/index.ts'
import { listLatestMachineProducts } from '../skus/index.ts'

const MACHINE_PRODUCTS_MAX = 20_000
/** Products yielded before others get a turn of the event loop. */
const BATCH_SIZE = 200

/** Undefined while a supplier's catalog cannot be read. */
export async function listKnownProducts(ctx: Context): Promise<AsyncIterable<ProductDescription> | undefined> {
  const catalogs = new Map<Namespace, SupplyCatalog>()
  for (const { namespace, role, status } of ctx.vendors.registrations) {
    if (role !== 'supply' || status !== 'live') continue
    const vendor = ctx.vendors.supply(namespace)
    const catalog = vendor.ok ? await vendor.value.catalog() : undefined
    if (!catalog?.ok) return undefined
    catalogs.set(namespace, catalog.value)
  }
  return yieldInBatches(await listProducts(ctx, catalogs))
}

async function listProducts(
  { store }: Context,
  catalogs: ReadonlyMap<Namespace, SupplyCatalog>,
): Promise<ProductDescription[]> {
  const supplied = [...catalogs].flatMap(([namespace, { products }]) =>
    products.flatMap(({ vendorSku, title, brand, category, barcode }) => {
      const skuId = skuIdOf(namespace, vendorSku)
      return skuId ? [{ skuId, title, brand, category, barcode }] : []
    }),
  )
  return [...supplied, ...(await listLatestMachineProducts(store.db, MACHINE_PRODUCTS_MAX))]
}

async function* yieldInBatches(products: readonly ProductDescription[]): AsyncGenerator<ProductDescription> {
  for (const [i, product] of products.entries()) {
    if (i % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop()
    yield product
  }
}
