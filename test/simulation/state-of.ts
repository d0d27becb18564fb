/** The state behind a plan in the form `vendops plan --stdin` reads, from raw rows and not through gather. */
import { DAY, rfc3339 } from '../../src/kernel/clock.ts'
import type { Json, Service } from '../support/service.ts'

/** As far as the service looks back: a window of 21 days and two weeks before it. */
const LOOK_BACK = 35 * DAY

export async function stateOf(service: Service, plan: Json): Promise<object> {
  const { store, clock, config } = service.ctx
  const { db } = store
  const now = clock.now()
  const since = now - LOOK_BACK
  const slots = await db.selectFrom('slot').selectAll().execute()
  const trades = await db.selectFrom('sale_transaction').selectAll().where('created_at', '>=', since).execute()
  const log = await db.selectFrom('stock_log').selectAll().where('at', '>=', since).orderBy('at').execute()
  const runs = await db.selectFrom('replenishment_run').selectAll().execute()
  const lines = await db.selectFrom('run_line').selectAll().execute()
  const roster = await db.selectFrom('location').selectAll().execute()
  const sold = await db.selectFrom('sale_line').selectAll().orderBy('at').execute()
  const takenOver = new Set(roster.filter(({ registered_at }) => registered_at > since).map(({ id }) => id))
  const time = (ms: number) => rfc3339(ms, 'UTC')
  // A platform that says 0 after a receipt cannot say what was sold since: the level follows from our own book.
  const bookedStock = new Map<string, number>(plan.plans.map(({ slot_id, stock }: Json) => [slot_id, stock]))
  return {
    now: time(now),
    timezone: config.timeZone,
    params: plan.params,
    stated_lead_days: config.statedLeadDays,
    review_days: plan.params.review_days,
    slots: slots.map((slot) => ({
      slot_id: slot.slot_id,
      location: slot.location,
      sku: slot.sku_id,
      price: slot.price,
      cost: newestCost(sold, slot.vendor_sku) ?? paidCost(runs, lines, slot, since),
      stock: slot.stock ?? bookedStock.get(slot.slot_id) ?? null,
      capacity: slot.capacity,
      recorded_from: time(slot.first_seen_at),
      neighbour_level: takenOver.has(slot.location) ? typicalLevel(slots, log, slot.location) : null,
    })),
    ledger: trades.flatMap(({ location, created_at, lines: entries }) =>
      (JSON.parse(entries) as Json[]).map(({ vendorSku, status }) => ({
        ts: time(created_at),
        slot_id: `${location}-${vendorSku}`,
        status,
      })),
    ),
    runs: runs.map((run) => {
      // Of a delivery before the readings begin nothing shows whether the slot was full.
      const isOld = run.delivered_at !== null && run.delivered_at < since
      const own = lines.filter((line) => line.run === run.id)
      return {
        status: run.status,
        placed_at: run.placed_at === null ? null : time(run.placed_at),
        delivered_at: run.delivered_at === null ? null : time(run.delivered_at),
        lines: own.map(({ slot_id, quantity }) => ({ slot_id, quantity })),
        delivered: own.map(({ slot_id, quantity, delivered }) => ({
          slot_id,
          quantity: isOld ? quantity : (delivered ?? 0),
        })),
      }
    }),
    stock_log: log.map(({ location, vendor_sku, at, stock, source }) => ({
      slot_id: `${location}-${vendor_sku}`,
      ts: time(at),
      stock,
      receipt: source === 'receipt',
    })),
  }
}

/** A cost that equals the price, or is 0, is unknown. */
const newestCost = (sold: readonly Json[], vendorSku: string): number | null =>
  sold.findLast((line) => line.vendor_sku === vendorSku && line.cost_fen > 0 && line.cost_fen !== line.price_fen)
    ?.cost_fen ?? null

/** What one unit cost in the newest run that ordered it for the slot, where a supplier's price was known. */
function paidCost(
  runs: readonly Json[],
  lines: readonly Json[],
  { slot_id: slotId, price }: Json,
  since: number,
): number | null {
  const counted = runs.filter(
    ({ status, delivered_at }) => status === 'placed' || (status === 'delivered' && delivered_at >= since),
  )
  const orders = new Map(counted.map(({ id, created_at }) => [id, created_at]))
  const paid = lines
    .filter(
      ({ run, slot_id, cost_fen, cost_estimated }) =>
        orders.has(run) && slot_id === slotId && cost_fen > 0 && !cost_estimated,
    )
    .toSorted((a, b) => orders.get(a.run) - orders.get(b.run))
  const cost = paid.at(-1)?.cost_fen ?? null
  return cost === price ? null : cost
}

interface Level {
  readonly location: string
  readonly vendor_sku: string
  readonly stock: number | null
  readonly source?: string
}

function typicalLevel(slots: readonly Level[], log: readonly Level[], location: string): number {
  const highest = slots
    .filter((slot) => slot.location === location)
    .map((slot) => {
      const seen = log.filter((point) => point.location === location && point.vendor_sku === slot.vendor_sku)
      const present = seen.at(-1)?.source === 'receipt' ? [] : [slot]
      const read = [...seen.filter(({ source }) => source !== 'receipt'), ...present]
      const highestOf = (levels: readonly Level[]) => Math.max(0, ...levels.map(({ stock }) => stock ?? 0))
      // What a receipt left was seen by nobody.
      return highestOf(read) || highestOf([slot, ...seen])
    })
    .toSorted((a, b) => a - b)
  return highest[Math.floor((highest.length - 1) * 0.75)] ?? 0
}
