/** Every product that is known now: what live suppliers list and what machines were seen to hold. */
import { setImmediate } from 'node:timers/promises'
import { skuIdOf } from '../../kernel/ids.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { SupplyCatalog } from '../../vendors/contract.ts'
import type { Context } from '../context.ts'
import type { ProductDescription } from '../guardrails/index.ts'
import { allMachineProducts } from '../skus/index.ts'

const SEEN_MAX = 20_000
/** Products handed out before others get a turn of the event loop. */
const BATCH_SIZE = 200

/** Undefined while a supplier's catalog cannot be read: what it lists is then not known. */
export async function knownProducts(ctx: Context): Promise<AsyncIterable<ProductDescription> | undefined> {
  const catalogs = new Map<Namespace, SupplyCatalog>()
  for (const { namespace, role, status } of ctx.vendors.registrations) {
    if (role !== 'supply' || status !== 'live') continue
    const vendor = ctx.vendors.supply(namespace)
    const catalog = vendor.ok ? await vendor.value.catalog() : undefined
    if (!catalog?.ok) return undefined
    catalogs.set(namespace, catalog.value)
  }
  return inBatches(await listProducts(ctx, catalogs))
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
  return [...supplied, ...(await allMachineProducts(store.db, SEEN_MAX))]
}

async function* inBatches(products: readonly ProductDescription[]): AsyncGenerator<ProductDescription> {
  for (const [i, product] of products.entries()) {
    if (i % BATCH_SIZE === BATCH_SIZE - 1) await setImmediate()
    yield product
  }
}
