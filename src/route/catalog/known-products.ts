/** Every product known now: what live suppliers list and what machines hold or have held. */
import { type Namespace, skuIdOf } from '../../kernel/ids.ts'
import { yieldToEventLoop } from '../../lib/concurrency.ts'
import type { SupplyCatalog } from '../../vendors/supply-vendor.ts'
import type { Context } from '../../context.ts'
import type { ProductDescription } from '../../rules/guardrails/index.ts'
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
  const machineProducts = await listLatestMachineProducts(ctx.store.db, MACHINE_PRODUCTS_MAX)
  return yieldInBatches(listProducts(catalogs, machineProducts))
}

/** One after the other: a list of all of them would take long to build. */
function* listProducts(
  catalogs: ReadonlyMap<Namespace, SupplyCatalog>,
  machineProducts: readonly ProductDescription[],
): Generator<ProductDescription> {
  for (const [namespace, { products }] of catalogs)
    for (const { vendorSku, title, brand, category, barcode } of products) {
      const skuId = skuIdOf(namespace, vendorSku)
      if (skuId) yield { skuId, title, brand, category, barcode }
    }
  yield* machineProducts
}

async function* yieldInBatches(products: Iterable<ProductDescription>): AsyncGenerator<ProductDescription> {
  let count = 0
  for (const product of products) {
    count += 1
    if (count % BATCH_SIZE === 0) await yieldToEventLoop()
    yield product
  }
}
