/** GET /locations/{id}/history: when a machine ran out, who filled it, which prices changed, and what it lost. */
import type { Reply } from '../../contract/handlers.ts'
import { HISTORY_DAYS_DEFAULT, HISTORY_POINTS } from '../../contract/limits.ts'
import type { LocationHistoryQuery } from '../../contract/shapes/location-history.ts'
import { DAY, HOUR, rfc3339 } from '../../kernel/clock.ts'
import type { LocationId } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import {
  findLocation,
  listServices,
  listSlotStocks,
  listStockLog,
  machineNotFound,
  serviceView,
} from '../../route/locations/index.ts'
import type { SlotStock } from '../../route/locations/index.ts'
import { listAppliedPricesSince } from '../../acts/pricing/index.ts'
import { loadSalesSince } from '../../route/sales/index.ts'
import { type SlotLog, type Window, levelsAt, lossOf, refillsOf } from './stock-history.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

/** Receipts of one visit are booked within this time of each other. */
const VISIT_MS = 30 * 60_000
const SERVICES_MAX = 100

interface LoggedSlot extends SlotLog {
  readonly slot: SlotStock
}

export async function getLocationHistory(
  { store, clock, config }: Deps,
  id: LocationId,
  { days = HISTORY_DAYS_DEFAULT, slot_id: slotId }: LocationHistoryQuery,
): Promise<Outcome<Reply<'getLocationHistory'>>> {
  const { db } = store
  if (!(await findLocation(db, id))) return refuse('not_found', machineNotFound(id))
  const to = clock.now()
  const window = { from: to - days * DAY, to }
  const all = await listSlotStocks(db, [id])
  const slots = slotId === undefined ? all : all.filter((slot) => slot.slotId === slotId)
  if (slotId !== undefined && slots.length === 0)
    return refuse('not_found', `Slot "${slotId}" not found in machine ${id}`, '$.slot_id')
  const readings = await listStockLog(db, id, window.from)
  // The level at the start of the window follows from the last reading before it and the sales since that one.
  const firstAt = Math.min(window.from, ...[...readings.values()].map((log) => log[0]?.at ?? window.from))
  const [sales, prices, services] = await Promise.all([
    loadSalesSince(db, slots, firstAt),
    listAppliedPricesSince(db, id, window.from),
    listServices(db, id, window.from, SERVICES_MAX),
  ])
  const logged = slots.map((slot): LoggedSlot => ({
    slot,
    readings: readings.get(slot.vendorSku) ?? [],
    sales: sales.get(slot.slotId)?.at ?? [],
    loads: services.flatMap(({ at, undoneAt, slots: own }) => {
      const units = own.find(({ slotId: each }) => each === slot.slotId)?.loaded?.quantity ?? 0
      return units > 0 && undoneAt === undefined ? [{ at, units }] : []
    }),
    stock: slot.stock,
  }))
  const time = (at: number) => rfc3339(at, config.timeZone)
  const shown = new Set(slots.map(({ skuId }) => skuId))
  const views = logged.map((each) => slotView(each, window, time))
  return accept({
    body: {
      location: id,
      from: time(window.from),
      to: time(window.to),
      currency: config.currency,
      stock: stockPoints(logged, window, time),
      visits: visitsOf(logged, window).map((visit) => ({ ...visit, at: time(visit.at) })),
      services: services
        .filter((service) => slotId === undefined || service.slots.some((slot) => slot.slotId === slotId))
        .map((service) => serviceView(service, config.timeZone)),
      price_changes: prices.flatMap(({ at, lines }) =>
        lines
          .filter(({ skuId }) => shown.has(skuId))
          .map(({ skuId, title, previousFen, priceFen }) => ({
            at: time(at),
            item: { id: skuId, title },
            previous: previousFen,
            price: priceFen,
          })),
      ),
      slots: views,
      lost_units: roundTenth(views.reduce((sum, { lost_units: units }) => sum + units, 0)),
      lost_revenue: views.reduce((sum, { lost_revenue: revenue }) => sum + revenue, 0),
    },
  })
}

const roundTenth = (n: number): number => Math.round(n * 10) / 10

/** The units of all slots together, at equal distances of whole hours. Before the first reading only empty slots are known. */
function stockPoints(slots: readonly LoggedSlot[], window: Window, time: (at: number) => string) {
  const step = Math.max(HOUR, Math.ceil((window.to - window.from) / HISTORY_POINTS / HOUR) * HOUR)
  const count = Math.floor((window.to - window.from) / step) + 1
  const instants = Array.from({ length: count }, (_, i) => window.to - (count - 1 - i) * step)
  const levels = slots.map((slot) => levelsAt(slot, instants, window))
  const firstReadAt = Math.min(window.to, ...slots.flatMap(({ readings }) => readings[0]?.at ?? []))
  return instants.map((at, i) => {
    const known = levels.flatMap((ofSlot) => ofSlot[i] ?? [])
    return {
      at: time(at),
      stock: known.length === 0 || at < firstReadAt ? null : known.reduce((sum, level) => sum + level, 0),
      empty_slots: known.filter((level) => level === 0).length,
    }
  })
}

/** Refills of several slots within half an hour are one visit. */
function visitsOf(slots: readonly LoggedSlot[], window: Window) {
  const refills = slots.flatMap((slot) => refillsOf(slot, window)).toSorted((a, b) => a.at - b.at)
  const visits: { at: number; units: number; slots: number; booked: boolean }[] = []
  for (const { at, units, isBooked } of refills) {
    const last = visits.at(-1)
    if (last && at - last.at <= VISIT_MS) {
      last.units += units
      last.slots++
      last.booked ||= isBooked
    } else visits.push({ at, units, slots: 1, booked: isBooked })
  }
  return visits
}

function slotView({ slot, ...log }: LoggedSlot, window: Window, time: (at: number) => string) {
  const { sold, emptyMs, emptySince, lostUnits } = lossOf(log, window)
  const lastRefill = refillsOf(log, window).at(-1)
  return {
    slot_id: slot.slotId,
    item: { id: slot.skuId, title: slot.title },
    stock: slot.stock,
    sold,
    empty_hours: roundTenth(emptyMs / HOUR),
    ...(emptySince === undefined ? {} : { empty_since: time(emptySince) }),
    ...(lastRefill ? { last_visit_at: time(lastRefill.at) } : {}),
    lost_units: roundTenth(lostUnits),
    lost_revenue: Math.round(lostUnits * slot.price),
  }
}
