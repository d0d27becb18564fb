/** The moves between machines that would pay now. Writes nothing. */
import { DAY } from '../../../kernel/clock.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { Context } from '../../../context.ts'
import { listLoads, loadKnownShelfLives } from '../../../route/locations/index.ts'
import { findSources } from '../../../route/skus/index.ts'
import { type CurrentPlan, computePlan } from '../plan/get-plan.ts'
import { listOpenRuns } from '../runs/records.ts'
import { missingUnits } from '../runs/run.ts'
import { type Move, type MoveSlot, chooseMoves } from './choose.ts'

/** Out of these machines, or of all. Without a store room or a known shelf life there are none. */
export async function loadMoves(
  ctx: Context,
  locations?: ReadonlySet<string>,
  current?: CurrentPlan,
): Promise<readonly Move[]> {
  if (!ctx.config.hasStoreroom) return []
  const lives = await loadKnownShelfLives(ctx.store.db)
  if (lives.size === 0) return []
  const { input, plan } = current ?? (await computePlan(ctx))
  const sources = await findSources(ctx, [...lives.keys()])
  const { params } = plan
  const missing = await loadMissingUnits(ctx)
  const now = ctx.clock.now()
  const slots: MoveSlot[] = []
  for (const { rated } of plan.areas.flatMap(({ machines }) => machines)) {
    const { location } = rated.machine
    for (const { slot, rate } of rated.slots) {
      const { shelfDays } = slot
      const vendorSku = input.slots.get(slot.slotId)?.vendorSku
      if (shelfDays === undefined || vendorSku === undefined) continue
      const wanted = missing.get(slot.slotId) ?? 0
      const isAsked = locations === undefined || locations.has(location)
      slots.push({
        location,
        slotId: slot.slotId,
        sku: slot.sku,
        // Where a run brings more, it will be full, but for what it was planned with and nothing brings yet.
        stock: slot.isInTransit && wanted === 0 ? Math.max(slot.stock, slot.capacity ?? 0) : slot.stock,
        rate: rate * rated.openShare,
        capacity: slot.isInTransit && wanted > 0 ? wanted : (slot.capacity ?? undefined),
        costFen: slot.costFen ?? sources.get(slot.sku as SkuId)?.priceFen,
        shelfDays,
        // Units older than this are too old, so when they came does not matter.
        loads:
          isAsked && slot.stock > 0 ? await listLoads(ctx.store.db, location, vendorSku, now - shelfDays * DAY) : [],
        isClosed:
          slot.locked ||
          slot.isPhasedOut === true ||
          slot.blocked !== undefined ||
          (slot.isInTransit && wanted === 0 && slot.capacity === null),
        visitCostFen: params.stop_cost ?? params.visit_cost ?? rated.assumedCostFen,
      })
    }
  }
  return chooseMoves(slots, now, plan.leadTime.days + input.settings.reviewDays)
}

/** By slot: units of open lines that another machine may bring. */
async function loadMissingUnits({ store }: Pick<Context, 'store'>): Promise<ReadonlyMap<string, number>> {
  const missing = new Map<string, number>()
  for (const { lines } of await listOpenRuns(store.db))
    for (const line of lines)
      if (line.removed === undefined && line.deliveredAt === undefined && missingUnits(line) > 0)
        missing.set(line.slotId, missingUnits(line))
  return missing
}
