/** POST /locations/{id}/service, and the part of every receipt and count that is about the machine: books, and says what happened. */
import type { ServiceRequest } from '../../../contract/shapes/service.ts'
import { SHELF_DAYS_MAX } from '../../../contract/limits.ts'
import { currentCaller } from '../../../kernel/caller.ts'
import { DAY } from '../../../kernel/clock.ts'
import { type Outcome, accept, mapOutcome, refuse, refuseAll } from '../../../kernel/outcome.ts'
import type { Tx } from '../../../store/store.ts'
import type { Context, WriteContext } from '../../../context.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { COST_SCALE, loadKnownCosts, unitCostOf } from '../../sales/index.ts'
import { findLocation, lockLocation } from '../records.ts'
import { listVendorSkus } from '../slot-records.ts'
import { cashCollected, machineNotFound, slotCounted, slotShrinkage, unitsRemoved, unitsReturned } from '../texts.ts'
import { type BookedWork, bookWork } from './book-work.ts'
import { findDoubtfulCounts } from './check-counts.ts'
import { bookReturned, findReturnedSupplies } from './return-units.ts'
import { expiredAgeDays } from './expired-age.ts'
import { type Loss, findServiceOfWrite, insertService, listLoads } from './records.ts'
import { type Cash, type Service, parseOccurredAt, toServicedSlot } from './service.ts'
import { type SlotWork, removedUnits, vendorSkuIn, workOf } from './work.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'fillMachines'>

export async function serviceMachine(ctx: Deps, location: string, request: ServiceRequest): Promise<Outcome<Service>> {
  if (!request.removed?.length && !request.counted?.length && !request.returned?.length && !request.cash)
    return refuse('missing', 'removed, returned, counted or cash is required', '$.counted')
  const writeId = currentCaller()?.writeId
  let isRepeated = false
  const booked = await ctx.store.transaction(async (tx) => {
    // First: an earlier try of this write may not have committed yet.
    await lockLocation(tx, location, ctx.clock.now())
    const earlier = writeId === undefined ? undefined : await findServiceOfWrite(tx, writeId)
    isRepeated = earlier !== undefined
    if (earlier) return accept(earlier)
    if (!(await findLocation(tx, location))) return refuse('not_found', machineNotFound(location))
    const work = await readRequestedWork(ctx, tx, location, request)
    if (!work.ok) return work
    const { at, bySlot } = work.value
    const slotWorks = [...bySlot.values()]
    return accept(
      await bookService(ctx, tx, { location, slotWorks, cash: request.cash, note: request.note, at, writeId }),
    )
  })
  if (booked.ok && !isRepeated) applyToSimulatedMachines(ctx, booked.value)
  return booked
}

export async function readRequestedWork(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  tx: Tx,
  location: string,
  request: Pick<ServiceRequest, 'removed' | 'counted' | 'returned' | 'occurred_at' | 'confirm_count'>,
  /** Units loaded at the same time, by slot id. */
  loaded: ReadonlyMap<string, number> = new Map(),
) {
  const stated = request.occurred_at
  const at = stated === undefined ? undefined : parseOccurredAt(stated, clock.now())
  if (stated !== undefined && at === undefined)
    return refuse('invalid', 'occurred_at must be within the last 48 hours', '$.occurred_at')
  const slots = await listVendorSkus(tx, location)
  // What was taken out and counted, by `vendorSku`.
  const supplies = await findReturnedSupplies(config, tx, location, request.returned ?? [])
  if (!supplies.ok) return supplies
  const work = workOf(location, request, (vendorSku) => slots.has(vendorSku), supplies.value)
  if (work.ok && !request.confirm_count) {
    const counts = (request.counted ?? []).map(({ slot_id, stock, when }, i) => ({
      vendorSku: vendorSkuIn(location, slot_id) ?? slot_id,
      counted: stock,
      loaded: when === 'arrival' ? 0 : loaded.get(slot_id),
      path: `$.counted[${i}].stock`,
    }))
    // Nobody takes out more than was in the slot, and what is taken back would be planned with.
    const takenOut = (['removed', 'returned'] as const).flatMap((member) =>
      (request[member] ?? []).map(({ slot_id, quantity }, i) => ({
        vendorSku: vendorSkuIn(location, slot_id) ?? slot_id,
        counted: quantity,
        isTakenOut: true,
        path: `$.${member}[${i}].quantity`,
      })),
    )
    const doubtful = await findDoubtfulCounts(tx, location, [...counts, ...takenOut])
    if (doubtful.length > 0) return refuseAll(doubtful)
  }
  return mapOutcome(work, (bySlot) => ({ at, bySlot }))
}

export interface ServiceToBook {
  readonly location: string
  readonly slotWorks: readonly SlotWork[]
  readonly cash?: Cash | undefined
  readonly note: string | undefined
  readonly run?: string
  /** When it was done, where that was before now. */
  readonly at?: number | undefined
  /** Which write books it: a repeated request finds it by this id. */
  readonly writeId?: string | undefined
}

export async function bookService(
  ctx: WriteContext & Pick<Context, 'vendors' | 'config'>,
  tx: Tx,
  { location, slotWorks, cash, note, run, at: stated, writeId }: ServiceToBook,
): Promise<Service> {
  const now = ctx.clock.now()
  const at = Math.min(stated ?? now, now)
  const booked = await bookWork(tx, location, slotWorks, { at, now })
  const machine = await findLocation(tx, location)
  for (const each of booked) await recordWork(ctx, tx, each, machine?.name)
  if (cash) await recordEvent(ctx, tx, cashCollected(location, machine?.name, cash))
  const service = await insertService(tx, {
    location,
    at,
    bookedAt: now,
    slots: booked.map(toServicedSlot),
    cash,
    losses: await priceLosses(ctx, tx, booked, at),
    writeId,
    ...(run === undefined ? {} : { run }),
    ...(note === undefined ? {} : { note }),
  })
  await bookReturned(tx, service, now, ctx.config.timeZone)
  return service
}

const LOST: ReadonlySet<string> = new Set(['expired', 'damaged'])

/** What was taken out as expired or damaged, at cost. Nothing else is lost: a count that differs may be sales not read yet. */
async function priceLosses(
  ctx: Pick<Context, 'vendors'>,
  tx: Tx,
  booked: readonly BookedWork[],
  at: number,
): Promise<readonly Loss[]> {
  const lost = booked.flatMap((each) => {
    const units = removedUnits({ removed: each.work.removed?.filter(({ reason }) => LOST.has(reason)) })
    return units > 0 ? [{ ...each, units }] : []
  })
  const costs = await loadKnownCosts(
    ctx,
    tx,
    lost.map(({ slot }) => slot.skuId),
  )
  const losses: Loss[] = []
  for (const each of lost) {
    const { vendorSku, skuId, price } = each.slot
    const { costE4 } = unitCostOf(costs.get(skuId) ?? {}, { priceFen: price })
    losses.push({
      vendorSku,
      skuId,
      units: each.units,
      costFen: Math.round((each.units * costE4) / COST_SCALE),
      expiredAgeDays: await findExpiredAge(tx, each, at),
    })
  }
  return losses
}

async function findExpiredAge(
  tx: Tx,
  { slot, work, isStockKept }: BookedWork,
  at: number,
): Promise<number | undefined> {
  const expired = removedUnits({ removed: work.removed?.filter(({ reason }) => reason === 'expired') })
  if (expired === 0 || slot.stock === null || isStockKept) return undefined
  const loads = await listLoads(tx, slot.location, slot.vendorSku, at - SHELF_DAYS_MAX * DAY)
  return expiredAgeDays(slot.stock, expired, loads, at)
}

async function recordWork(
  ctx: WriteContext,
  tx: Tx,
  { slot, work, difference }: BookedWork,
  name: string | undefined,
): Promise<void> {
  for (const removal of work.removed ?? []) await recordEvent(ctx, tx, unitsRemoved(slot, name, removal))
  for (const { quantity } of work.returned ?? []) await recordEvent(ctx, tx, unitsReturned(slot, name, quantity))
  if (work.counted) await recordCount(ctx, tx, slot, name, work.counted.stock, difference)
}

/** A count that differs from what was expected is also recorded as shrinkage. */
async function recordCount(
  ctx: WriteContext,
  tx: Tx,
  slot: BookedWork['slot'],
  name: string | undefined,
  counted: number,
  difference: number | undefined,
): Promise<void> {
  if (difference !== undefined && difference !== 0)
    await recordEvent(ctx, tx, slotShrinkage(slot, name, counted, difference))
  await recordEvent(ctx, tx, slotCounted(slot, name, counted))
}

/** Staging: the simulated machine gets what was loaded and loses what was taken out; `direction` -1 takes it all back. */
export function applyToSimulatedMachines(
  { fillMachines }: Pick<Context, 'fillMachines'>,
  service: Service,
  direction = 1,
): void {
  const { location, slots } = service
  const loads = slots.flatMap((slot) => {
    const { vendorSku, loaded } = slot
    const taken = removedUnits(slot)
    return [
      ...(taken > 0 ? [{ location, vendorSku, quantity: -direction * taken }] : []),
      ...(loaded && loaded.quantity > 0 ? [{ location, vendorSku, quantity: direction * loaded.quantity }] : []),
    ]
  })
  if (loads.length > 0) fillMachines?.(direction === 1 ? loads : loads.toReversed())
}
