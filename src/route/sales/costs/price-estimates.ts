/**
 * Prices sales whose cost was estimated once it is known: a catalog was read, a product was linked or bought. A known cost is
 * never changed by it. A few slots at a time, so that no sale waits for long.
 */
import { type Namespace, skuIdOf } from '../../../kernel/ids.ts'
import type { Context } from '../../../context.ts'
import { recountDays } from '../day-records.ts'
import { listEstimatedProducts, listEstimatedSlots, replaceEstimates } from './estimate-records.ts'
import { lockMirror } from '../mirror-records.ts'
import { loadKnownCosts } from './unit-costs.ts'

/** Of one turn; the others follow in the next ones. */
const SLOTS_MAX = 50

/** Returns the number of slots; SLOTS_MAX: there may be more. */
export async function priceEstimates(ctx: Pick<Context, 'store' | 'vendors'>): Promise<number> {
  const { store } = ctx
  const products = (await listEstimatedProducts(store.db)).flatMap(({ namespace, vendorSku }) => {
    const id = skuIdOf(namespace as Namespace, vendorSku)
    return id === undefined ? [] : [{ namespace, vendorSku, id }]
  })
  const costs = await loadKnownCosts(
    ctx,
    store.db,
    products.map(({ id }) => id),
  )
  let done = 0
  for (const { namespace, vendorSku, id } of products) {
    const { paidE4, otherwiseE4 } = costs.get(id) ?? {}
    const costE4 = paidE4 ?? otherwiseE4
    if (costE4 === undefined) continue
    for (const location of await listEstimatedSlots(store.db, namespace, vendorSku, SLOTS_MAX - done)) {
      await store.transaction(async (tx) => {
        await lockMirror(tx, namespace)
        const days = await replaceEstimates(tx, { namespace, location, vendorSku }, costE4)
        await recountDays(
          tx,
          namespace,
          days.map((day) => ({ location, vendorSku, day })),
        )
      })
      done += 1
    }
    if (done >= SLOTS_MAX) break
  }
  return done
}
