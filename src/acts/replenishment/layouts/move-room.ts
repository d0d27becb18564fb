/** What it means for the products of a machine that lanes go from one to another. */
import type { WriteContext } from '../../../context.ts'
import { listSlots, stateCapacity } from '../../../route/locations/index.ts'
import { savePhaseOut } from '../../../route/skus/index.ts'
import type { Tx } from '../../../store/store.ts'
import { hasKnownRoom, lanesAfterChanges } from './lanes.ts'
import { type StoredLaneChange, listLaneChanges } from './records.ts'

type Move = Pick<StoredLaneChange, 'lane' | 'capacity' | 'from' | 'to'>

/**
 * States the capacity that each product has from now on: no sync replaces it, and the next visit brings what fits. Nothing
 * more is bought of a product that has no lane left. For changes that are not stored yet, or no longer open.
 */
export async function moveRoom(ctx: WriteContext, tx: Tx, location: string, moves: readonly Move[]): Promise<void> {
  const now = ctx.clock.now()
  const slots = await listSlots(tx, [location])
  const lanes = lanesAfterChanges(slots, await listLaneChanges(tx, [location]), now)
  for (const slot of slots.filter(hasKnownRoom)) {
    const { skuId, slotId } = slot
    if (!moves.some(({ from, to }) => from === skuId || to === skuId)) continue
    const room = new Map((lanes.get(slotId) ?? []).map(({ lane, capacity }) => [lane, capacity]))
    const before = room.size
    for (const { lane, capacity, from, to } of moves) {
      if (from === skuId) room.delete(lane)
      if (to === skuId) room.set(lane, capacity)
    }
    const capacity = [...room.values()].reduce((sum, units) => sum + units, 0)
    if (room.size > 0) await stateCapacity(tx, slot, capacity, now)
    if (room.size === 0 || before === 0) await savePhaseOut(ctx, tx, { skuId, location, isPhasedOut: room.size === 0 })
  }
}
