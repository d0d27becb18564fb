/**
 * GET /replenishment/runs/{id}/pick-list. Writes nothing. With `refresh`, the units bought are split again by present
 * stock; their number does not change.
 */
import type { Reply } from '../../../../contract/handlers.ts'
import type { PickList, PickListQuery } from '../../../../contract/shapes/pick-list.ts'
import { DAY, addDays, localDay } from '../../../../kernel/clock.ts'
import type { LocationId, SkuId } from '../../../../kernel/ids.ts'
import { type Outcome, accept } from '../../../../kernel/outcome.ts'
import type { Context } from '../../../../context.ts'
import {
  type StoredSlot,
  findLocations,
  laneNameOf,
  listSlots,
  loadKnownShelfLives,
} from '../../../../route/locations/index.ts'
import { findMachineProducts, loadPhaseOuts, findSupplyDetails } from '../../../../route/skus/index.ts'
import { computePlan } from '../../plan/get-plan.ts'
import { findDeliverableNumbers } from '../slot-run-records.ts'
import { placesOf } from '../../layouts/lanes.ts'
import { listLaneChanges } from '../../layouts/records.ts'
import { loadMoves } from '../../moves/load-moves.ts'
import { listSwaps } from '../../swaps/records.ts'
import { type PickFacts, type SlotOutlook, pickList } from './pick-list.ts'
import { findRun } from '../records.ts'
import { type Run, activeLines } from '../run.ts'
import { countPurchasedUnits, findCame } from '../purchases/sessions.ts'
import { findPurchases } from '../../../orders/index.ts'
import { confirmedProducts } from '../../storeroom/arrival.ts'
import { refuseUnknownRun } from '../texts.ts'

export async function getPickList(
  ctx: Context,
  id: string,
  { refresh = false, location }: PickListQuery,
): Promise<Outcome<Reply<'getPickList'>>> {
  const { db } = ctx.store
  const run = await findRun(db, id)
  if (!run) return refuseUnknownRun(id)
  const deliverable = await findDeliverableNumbers(db, id)
  const lines = activeLines(run.lines).filter(({ n }) => deliverable.has(n))
  const found = await listSlots(db, [...new Set(lines.map(({ location }) => location))])
  const slots = new Map<string, StoredSlot>(found.map((slot) => [slot.slotId, slot]))
  const details = await findSupplyDetails(
    ctx,
    lines.flatMap(({ source }) => source ?? []),
  )
  const outlook = refresh ? await computeOutlooks(ctx, run, slots) : undefined
  const facts = {
    slots,
    details,
    ...(run.checkouts.length === 0 ? { purchased: undefined } : await countPurchasedUnits(db, run, lines)),
    outlook,
    isPhasedOut: await loadPhaseOuts(db),
    hasStoreroom: ctx.config.hasStoreroom,
    timeZone: ctx.config.timeZone,
    shelfLives: await loadKnownShelfLives(db),
    now: ctx.clock.now(),
    laneChanges: await findLaneChanges(ctx, found),
    moves: run.status === 'placed' ? await findMoves(ctx, found) : [],
  }
  const delivery = await findDelivery(ctx, run)
  const body = { ...pickList(run, lines, facts), ...(delivery.length > 0 && { delivery }) }
  if (location === undefined) return accept({ body })
  return accept({ body: { ...body, stops: body.stops.filter((stop) => stop.location === location) } })
}

/** What is on its way into the store room: nothing of it was booked in yet. */
async function findDelivery(
  { store, config }: Context,
  { status, checkouts }: Run,
): Promise<NonNullable<PickList['delivery']>> {
  if (!config.hasStoreroom || status !== 'placed') return []
  const purchases = await findPurchases(
    store.db,
    checkouts.map(({ id }) => id),
  )
  const came = await findCame(store.db, purchases)
  return purchases
    .filter(({ id }) => !came.has(id))
    .flatMap(confirmedProducts)
    .filter(({ units }) => units > 0)
    .map(({ skuId, title, units, contains }) => ({ item: { id: skuId, title }, units, contains }))
}

/** Lanes that the next visit gives to another product of the machine, or to one that is new there. */
async function findLaneChanges({ store }: Context, slots: readonly StoredSlot[]): Promise<PickFacts['laneChanges']> {
  const titles = new Map<string, string>(slots.map(({ skuId, title }) => [skuId, title]))
  const placeOf = placesOf(slots)
  const item = (id: SkuId) => ({ id, title: titles.get(id) ?? id })
  const changes = await listLaneChanges(store.db, [...new Set(slots.map(({ location }) => location))])
  const locations = new Set<string>(slots.map(({ location }) => location))
  const swaps = (await listSwaps(store.db)).filter((swap) => swap.status === 'approved' && locations.has(swap.location))
  for (const { toSku, toTitle } of swaps) titles.set(toSku, toTitle)
  for (const [id, { title }] of await findMachineProducts(
    store.db,
    swaps.map(({ toSku }) => toSku),
  ))
    titles.set(id, title)
  return [
    ...changes.filter(({ status }) => status === 'accepted'),
    ...swaps.map((swap) => ({ location: swap.location, lane: swap.slotId, from: swap.fromSku, to: swap.toSku })),
  ].map(({ location, lane, from, to }) => ({ location, lane, ...placeOf(lane), now: item(from), proposed: item(to) }))
}

/** Units that another machine sells before their date. */
async function findMoves(ctx: Context, slots: readonly StoredSlot[]): Promise<PickFacts['moves']> {
  const moves = await loadMoves(ctx, new Set(slots.map(({ location }) => location)))
  const bySlot = new Map<string, StoredSlot>(slots.map((slot) => [slot.slotId, slot]))
  const machines = await findLocations(ctx.store.db, [...new Set(moves.map(({ to }) => to.location as LocationId))])
  const names = new Map<string, string>(machines.map(({ id, name }) => [id, name ?? id]))
  const today = localDay(ctx.clock.now(), ctx.config.timeZone)
  return moves.flatMap(({ from, to, units, daysLeft }) => {
    const slot = bySlot.get(from.slotId)
    if (!slot) return []
    const lane = laneNameOf(slot)
    return [
      {
        location: from.location,
        slot_id: from.slotId,
        item: { id: slot.skuId, title: slot.title },
        ...(slot.position ? { position: slot.position } : {}),
        ...(lane === undefined ? {} : { lane }),
        quantity: units,
        to: { location: to.location, name: names.get(to.location) ?? to.location },
        sell_before: addDays(today, daysLeft),
      },
    ]
  })
}

/** By slot id, for the slots whose stock is known and that are not locked. */
async function computeOutlooks(
  ctx: Context,
  { stops }: Run,
  slots: ReadonlyMap<string, StoredSlot>,
): Promise<ReadonlyMap<string, SlotOutlook>> {
  const { plan } = await computePlan(ctx)
  const now = ctx.clock.now()
  const arrivals = new Map<string, number>(stops.map(({ location, expectedAt = now }) => [location, expectedAt]))
  const outlook = new Map<string, SlotOutlook>()
  for (const { slotId, location, nextWeekDemand, basis } of plan.plans) {
    const slot = slots.get(slotId)
    if (!slot || slot.locked) continue
    const untilArrival = Math.max(0, ((arrivals.get(location) ?? now) - now) / DAY)
    const untilNextVisit = basis.visit.rhythmDays ?? plan.params.cover_days
    const holds = slot.par === null ? slot.capacity : Math.min(slot.par, slot.capacity ?? Infinity)
    // Fewer loaded than planned would show a capacity that the slot does not have.
    if (holds === null) continue
    const levelMax = Math.min(holds, basis.levelMax ?? Infinity)
    outlook.set(slotId, {
      demand: (nextWeekDemand / 7) * (untilArrival + untilNextVisit),
      room: Math.max(0, levelMax - (slot.stock ?? 0)),
    })
  }
  return outlook
}
