/** Slots of a machine whose units may become one of several products in the store room: a person has to say which. */
import type { TakeBack } from '../../../contract/shapes/replenishment.ts'
import type { Context } from '../../../context.ts'
import { listSlots } from '../../../route/locations/index.ts'
import { findLinked, recallTitles } from '../../../route/skus/index.ts'
import { findLastLoaded } from '../runs/slot-run-records.ts'

export async function loadTakeBacks(
  ctx: Pick<Context, 'store' | 'vendors' | 'config'>,
  location: string,
): Promise<readonly TakeBack[]> {
  const { store, config } = ctx
  if (!config.hasStoreroom) return []
  const slots = await listSlots(store.db, [location])
  const linked = await findLinked(
    store.db,
    slots.map(({ skuId }) => skuId),
    'supply',
  )
  const several = slots.flatMap(({ slotId, skuId }) => {
    const ids = linked.get(skuId) ?? []
    return ids.length > 1 ? [{ slotId, ids }] : []
  })
  if (several.length === 0) return []
  const titles = await recallTitles(
    ctx,
    several.flatMap(({ ids }) => ids),
  )
  const last = await findLastLoaded(store.db, location)
  return several.map(({ slotId, ids }) => {
    const loaded = ids.find((id) => id === last.get(slotId))
    return {
      slot_id: slotId,
      items: ids.toSorted().map((id) => ({ id, title: titles.get(id) ?? id })),
      ...(loaded && { last_loaded: loaded }),
    }
  })
}
