/** Prices every stored sale by what is known now, and counts all days again. Sales keep their cost otherwise. */
import { type Namespace, skuIdOf } from '../../../kernel/ids.ts'
import { ESTIMATED_COST_SHARE } from '../../../kernel/plan-params.ts'
import type { Context } from '../../../context.ts'
import { rebuildSums, recountMachine } from '../day-records.ts'
import { lockMirror } from '../mirror-records.ts'
import { listSellingSlots, setLineCosts } from './rebuild-records.ts'
import { COST_SCALE, loadKnownCosts } from './unit-costs.ts'

export interface Rebuilt {
  readonly machines: number
  readonly sales: number
}

export async function rebuildCosts(
  ctx: Pick<Context, 'store' | 'vendors'>,
  onMachine: (done: number, of: number) => void = () => {},
): Promise<Rebuilt> {
  const { store } = ctx
  const machines = [
    ...Map.groupBy(await listSellingSlots(store.db), (row) => `${row.namespace} ${row.location}`).values(),
  ]
  let sales = 0
  for (const [done, slots] of machines.entries()) {
    const [{ namespace, location }] = slots as [(typeof slots)[number]]
    const ids = slots.flatMap(({ vendorSku }) => skuIdOf(namespace as Namespace, vendorSku) ?? [])
    const costs = await loadKnownCosts(ctx, store.db, ids)
    // A machine at a time: no sale waits for long.
    sales += await store.transaction(async (tx) => {
      await lockMirror(tx, namespace)
      let lines = 0
      for (const { vendorSku } of slots) {
        const id = skuIdOf(namespace as Namespace, vendorSku)
        const known = (id && costs.get(id)) ?? {}
        lines += await setLineCosts(tx, { namespace, location, vendorSku }, known, ESTIMATED_COST_SHARE * COST_SCALE)
      }
      await recountMachine(tx, namespace, location)
      return lines
    })
    onMachine(done + 1, machines.length)
  }
  for (const namespace of new Set(machines.map(([slot]) => slot!.namespace)))
    await store.transaction(async (tx) => {
      await lockMirror(tx, namespace)
      await rebuildSums(tx, namespace)
    })
  return { machines: machines.length, sales }
}
