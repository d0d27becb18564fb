/**
 * A planner's state, as `vendops plan --stdin` reads it, put where the service keeps the same facts: what was traded,
 * read and delivered. The service must then plan the same.
 */
import type { Insertable } from 'kysely'
import { ingest } from '../../src/route/sales/ingest.ts'
import { saveStockReadings } from '../../src/route/locations/sync/replace-slots.ts'
import { findStockouts, sortHistory } from '../../src/acts/replenishment/planner/demand/stockouts.ts'
import { STRATEGY_VERSION } from '../../src/acts/replenishment/planner/plan.ts'
import { readState } from '../../src/acts/replenishment/planner-cli/read-input.ts'
import type { Config } from '../../src/config.ts'
import { DAY } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import type { Store, Tx } from '../../src/store/store.ts'
import type { Columns } from '../../src/store/schema.ts'
import { registry } from '../../src/vendors/registry.ts'
import type { LedgerLineStatus, LedgerRecord } from '../../src/vendors/machine-vendor.ts'
import { nowOf } from './planner-state.ts'
import type { PlannerSlot, PlannerState } from './planner-state.ts'

const NAMESPACE = 'acme-machine' as Namespace

/** The store must be empty. */
export async function stateIntoStore(store: Store, state: PlannerState, config: Config): Promise<void> {
  const places = new Map(state.slots.map((slot) => [slot.slot_id, placeOf(slot)]))
  await store.transaction(async (tx) => {
    await writeMirror(tx, nowOf(state))
    await writeMachines(tx, state)
    await writeSlots(tx, state, places)
    await writeReadings(tx, state, places)
    await writeRuns(tx, state, places)
  })
  await ingest({ store, config, log: silentLog, vendors: registry([]) }, trades(state, places), {
    namespace: NAMESPACE,
    now: nowOf(state),
    announceFrom: nowOf(state),
    isFirst: true,
  })
}

interface Place {
  readonly location: string
  readonly vendor_sku: string
}
type Places = ReadonlyMap<string, Place>

function placeOf({ slot_id, location }: PlannerSlot): Place {
  const prefix = `${location}-`
  return { location, vendor_sku: slot_id.startsWith(prefix) ? slot_id.slice(prefix.length) : slot_id }
}

/** Read whole, and just now. */
const writeMirror = (tx: Tx, now: number) =>
  tx
    .insertInto('ledger_mirror')
    .values({
      namespace: NAMESPACE,
      covered_from: 0,
      covered_to: now,
      gap_from: null,
      gap_to: null,
      swept_to: null,
      announce_from: now,
      read_at: now,
      writes: 0,
    })
    .execute()

const firstSeen = ({ first_seen }: PlannerSlot): number => (first_seen === undefined ? 0 : Date.parse(first_seen))

/** Registered well before any slot was seen: then each slot is as old as it says, and none as old as its machine. */
async function writeMachines(tx: Tx, state: PlannerState): Promise<void> {
  for (const [id, slots] of Map.groupBy(state.slots, ({ location }) => location)) {
    const registered = Math.min(...slots.map(firstSeen)) - 2 * DAY
    await tx
      .insertInto('location')
      .values({
        id,
        name: id,
        namespace: NAMESPACE,
        profile: '{}',
        venue_name: null,
        registered_at: registered,
        updated_at: registered,
        last_synced_at: nowOf(state),
        online: 1,
        sync_problem: null,
        awaits_first_sync: 0,
      })
      .execute()
  }
}

async function writeSlots(tx: Tx, state: PlannerState, places: Places): Promise<void> {
  const inferred = capacitiesShown(state)
  for (const slot of state.slots) {
    const place = places.get(slot.slot_id)!
    const counted = slot.capacity ?? null
    const capacity = counted ?? inferred.get(slot.slot_id) ?? null
    await tx
      .insertInto('slot')
      .values({
        ...place,
        slot_id: slot.slot_id,
        // Peers are found by product, which in a state may stand in several slots of one machine.
        sku_id: skuId(slot.sku),
        title: slot.sku,
        barcode: null,
        price: slot.price,
        stock: Math.max(0, slot.stock),
        capacity,
        capacity_source: capacity === null ? null : counted === null ? 'inferred' : 'counted',
        image_url: null,
        first_seen_at: firstSeen(slot),
        updated_at: nowOf(state),
      })
      .execute()
    if (slot.locked)
      await tx
        .insertInto('slot_lock')
        .values({ ...place, locked_at: nowOf(state) })
        .execute()
  }
}

/**
 * A delivery that came short shows what a slot holds. The service notes that when goods are received and keeps it, where
 * a state has only the runs to tell it from, however old they are.
 */
function capacitiesShown(state: PlannerState): ReadonlyMap<string, number> {
  const short = new Set(
    state.runs.flatMap(({ lines, delivered = [] }) => {
      const ordered = new Map(lines.map(({ slot_id, quantity }) => [slot_id, quantity]))
      return delivered
        .filter(({ slot_id, quantity }) => quantity > 0 && quantity < (ordered.get(slot_id) ?? 0))
        .map(({ slot_id }) => slot_id)
    }),
  )
  const { now, machines } = readState(state)
  const slots = machines.flatMap((machine) => machine.slots).filter(({ slotId }) => short.has(slotId))
  return new Map(slots.map((slot) => [slot.slotId, findStockouts(slot, sortHistory(slot, now), now).highestLevel]))
}

const skuId = (sku: string): string => `${NAMESPACE}:${encodeURIComponent(sku)}`

/** The level after a delivery is what the service books itself when goods come in; all others it reads. */
export function withReceipts(state: PlannerState): PlannerState {
  const deliveries = deliveriesBySlot(state)
  const stockLog = [...Map.groupBy(state.stock_log, ({ slot_id }) => slot_id)].flatMap(([slotId, readings]) => {
    const points = readings.toSorted((a, b) => Date.parse(a.ts) - Date.parse(b.ts))
    const booked = new Set((deliveries.get(slotId) ?? []).map((at) => points.find(({ ts }) => Date.parse(ts) >= at)))
    return points.map((point) => ({ ...point, receipt: booked.has(point) }))
  })
  return { ...state, stock_log: stockLog }
}

async function writeReadings(tx: Tx, state: PlannerState, places: Places): Promise<void> {
  for (const [slotId, readings] of Map.groupBy(withReceipts(state).stock_log, ({ slot_id }) => slot_id)) {
    const place = places.get(slotId)
    if (!place) continue
    await saveStockReadings(
      tx,
      readings.map(({ ts, stock, receipt }) => ({
        ...place,
        at: Date.parse(ts),
        stock,
        source: receipt ? ('receipt' as const) : ('sync' as const),
      })),
    )
  }
}

function deliveriesBySlot({ runs }: PlannerState): Map<string, number[]> {
  const bySlot = new Map<string, number[]>()
  for (const { delivered_at, delivered = [] } of runs)
    if (delivered_at)
      for (const { slot_id } of delivered)
        bySlot.set(slot_id, [...(bySlot.get(slot_id) ?? []), Date.parse(delivered_at)])
  return bySlot
}

/** Calls the rhythm is measured from. */
const CALLS = 6

/** Somebody asked daily, lately for nothing; what the state knows of was asked for before that. */
async function writeRuns(tx: Tx, state: PlannerState, places: Places): Promise<void> {
  const now = nowOf(state)
  for (let k = 1; k <= CALLS; k++)
    await tx
      .insertInto('replenishment_run')
      .values(runRow({ id: `call-${k}`, created_at: now - k * DAY, status: 'nothing_to_do' }))
      .execute()
  for (const [i, run] of state.runs.entries()) {
    const id = `run-${i}`
    const placedAt = Date.parse(run.placed_at)
    const deliveredAt = run.delivered_at ? Date.parse(run.delivered_at) : null
    const delivered = new Map((run.delivered ?? []).map(({ slot_id, quantity }) => [slot_id, quantity]))
    await tx
      .insertInto('replenishment_run')
      .values(
        runRow({
          id,
          created_at: Math.min(placedAt, now - (CALLS + 1) * DAY),
          status: run.status as 'placed' | 'delivered',
          placed_at: placedAt,
          delivered_at: deliveredAt,
          line_count: run.lines.length,
          delivered_units: run.delivered_at ? [...delivered.values()].reduce((sum, units) => sum + units, 0) : null,
        }),
      )
      .execute()
    for (const [n, { slot_id, quantity }] of run.lines.entries())
      await tx
        .insertInto('run_line')
        .values({
          run: id,
          n,
          // Slots that are gone since stood in machines we no longer know.
          ...(places.get(slot_id) ?? { location: 'gone', vendor_sku: slot_id }),
          slot_id,
          sku_id: skuId(slot_id),
          title: slot_id,
          quantity,
          cost_fen: 0,
          cost_estimated: 1,
          source: null,
          checkout: null,
          removed: null,
          delivered: delivered.get(slot_id) ?? null,
          delivered_at: deliveredAt,
        })
        .execute()
  }
}

type RunRow = Insertable<Columns<'replenishment_run'>>

const runRow = (known: Pick<RunRow, 'id' | 'created_at' | 'status'> & Partial<RunRow>): RunRow => ({
  placed_at: null,
  delivered_at: null,
  supplier: 'simulated',
  decision: null,
  strategy_version: STRATEGY_VERSION,
  line_count: 0,
  delivered_units: null,
  note: null,
  placement_intent: null,
  body: JSON.stringify({ stops: [], checkouts: [], messages: [] }),
  ...known,
})

/** One trade per line, through the mirror's own function; lines of slots that are gone stay out. */
const trades = (state: PlannerState, places: Places): LedgerRecord[] =>
  state.ledger.flatMap(({ ts, slot_id, status }, i) => {
    const place = places.get(slot_id)
    if (!place) return []
    const line = status as LedgerLineStatus
    return [
      {
        orderNo: `T${i}`,
        status: line,
        settled: line === 'paid',
        locationId: place.location,
        totalFen: fen(100),
        createdAt: Date.parse(ts),
        createdAtRaw: ts,
        lines: [{ vendorSku: place.vendor_sku, priceFen: fen(100), costFen: null, status: line }],
      },
    ]
  })
