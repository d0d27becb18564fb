/** What a plan reads of slots is kept joined; it must say what the rows say, whatever was written in which order. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { removeOldStockReadings } from '../../src/capabilities/locations/remove-old-readings.ts'
import { ingest } from '../../src/capabilities/sales/ingest.ts'
import { saveStockReadings } from '../../src/capabilities/locations/sync/replace-slots.ts'
import { blockOf, blockStart } from '../../src/capabilities/sales/slot-series.ts'
import { emptiness, traces } from '../../src/capabilities/replenishment/planner/stockouts.ts'
import { levelsBySlot, salesBySlot } from '../../src/capabilities/replenishment/plan/observations.ts'
import { planSlots } from '../../src/capabilities/replenishment/plan/records.ts'
import type { Reading, SlotInput } from '../../src/capabilities/replenishment/planner/input.ts'
import { shelvesOf } from '../../src/capabilities/replenishment/plan/decode-series.ts'
import { DAY, HOUR, manualClock } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { LocationId, Namespace } from '../../src/kernel/ids.ts'
import { slotIdOf } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import type { Store } from '../../src/store/store.ts'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import type { StockLogTable } from '../../src/store/tables/locations.ts'
import type { LedgerLineStatus, LedgerRecord } from '../../src/vendors/contract.ts'
import { configFor } from '../support/planner-state.ts'
import { randomRoute } from '../support/random-route.ts'
import { freshStore } from '../support/database.ts'

const NOW = Date.parse('2026-09-10T08:00:00+08:00')
const NAMESPACE = 'acme-machine' as Namespace
const MACHINES = ['m1', 'm2'] as LocationId[]
const GOODS = ['cola', '茶']

function random(seed: number): (below: number) => number {
  let a = seed
  return (below) => {
    a = (Math.imul(a, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((a / 2 ** 32) * below)
  }
}

async function filled(): Promise<Store> {
  const store = await freshStore()
  const at = { registered_at: 0, updated_at: 0, last_synced_at: NOW }
  for (const id of MACHINES) {
    await store.db
      .insertInto('location')
      .values({
        id,
        name: id,
        namespace: NAMESPACE,
        profile: '{}',
        venue_name: null,
        ...at,
        online: 1,
        sync_problem: null,
        awaits_first_sync: 0,
      })
      .execute()
    for (const goods of GOODS)
      await store.db
        .insertInto('slot')
        .values({
          location: id,
          vendor_sku: goods,
          slot_id: slotIdOf(id, goods),
          sku_id: `${NAMESPACE}:${goods}`,
          title: goods,
          barcode: null,
          price: 300,
          stock: 3,
          capacity: null,
          capacity_source: null,
          image_url: null,
          first_seen_at: 0,
          updated_at: NOW,
        })
        .execute()
  }
  return store
}

const trade = (
  orderNo: string,
  at: number,
  locationId: string,
  goods: string,
  status: LedgerLineStatus,
): LedgerRecord => ({
  orderNo,
  locationId,
  status,
  settled: status === 'paid',
  totalFen: fen(300),
  createdAt: at,
  createdAtRaw: new Date(at).toISOString(),
  lines: [{ vendorSku: goods, priceFen: fen(300), costFen: null, status }],
})

const config = configFor(randomRoute(0))
const read = (store: Store, records: readonly LedgerRecord[]) =>
  ingest({ store, config, log: silentLog }, records, { namespace: NAMESPACE, now: NOW, announceFrom: NOW, first: true })

const shelves = async (store: Store) => shelvesOf(MACHINES, await planSlots(store.db, MACHINES))

/** Some days on either side of where one block ends and the next begins. */
const EDGE = blockStart(blockOf(NOW))

describe('sales joined by slot', () => {
  test('say what the lines say: after refunds, late trades, moved trades and repeats', async () => {
    const store = await filled()
    const next = random(1)
    const known = new Map<string, LedgerRecord>()
    for (let round = 0; round < 6; round++) {
      const part = Array.from({ length: 150 }, () => {
        const no = `T${next(500)}`
        const at = EDGE + (next(120 * 24) - 60 * 24) * HOUR + next(1000)
        const status = (['paid', 'paid', 'refunded'] as const)[next(3)]!
        return trade(no, at, MACHINES[next(2)]!, GOODS[next(2)]!, status)
      })
      for (const record of part) known.set(record.orderNo, record)
      await read(store, [...new Map(part.map((record) => [record.orderNo, record])).values()])
    }
    for (const since of [EDGE - 100 * DAY, EDGE - DAY, EDGE, EDGE + 20 * DAY + 7]) {
      const sales = await salesBySlot(store.db, await shelves(store), since)
      for (const location of MACHINES)
        for (const goods of GOODS) {
          const paid = [...known.values()].filter(
            (of) => of.locationId === location && of.lines[0]!.vendorSku === goods && of.status === 'paid',
          )
          const at = paid.map(({ createdAt }) => createdAt!).filter((instant) => instant >= since)
          expect([...(sales.get(slotIdOf(location, goods))?.at ?? [])]).toEqual(at.toSorted((a, b) => a - b))
        }
    }
  })

  test('goods named with a space can stand in no slot, and disturb nobody', async () => {
    const store = await filled()
    await read(store, [
      trade('A', NOW - DAY, 'm1', 'cola', 'paid'),
      trade('B', NOW - DAY, 'm1', 'a 20706 3 1,2', 'paid'),
      trade('C', NOW - HOUR, 'm1', '茶', 'paid'),
    ])
    const sales = await salesBySlot(store.db, await shelves(store), NOW - 2 * DAY)
    expect([...sales].map(([slotId, { at }]) => [slotId, ...at])).toEqual([
      ['m1-cola', NOW - DAY],
      ['m1-茶', NOW - HOUR],
    ])
  })
})

const point = (at: number, stock: number, source: StockLogTable['source'] = 'sync', goods = 'cola') => ({
  location: 'm1',
  vendor_sku: goods,
  at,
  stock,
  source,
})

const slotWith = (stock: number, readings: readonly Reading[], receipts: SlotInput['receipts']): SlotInput => ({
  slotId: 'm1-cola',
  sku: 'cola',
  priceFen: 300,
  stock,
  capacity: null,
  locked: false,
  inTransit: false,
  firstSeen: 0,
  sales: { at: new Float64Array(0) },
  receipts,
  readings,
  deliveredShort: false,
})

describe('levels joined by slot', () => {
  test('tell a plan what the whole log since then tells it', async () => {
    const store = await filled()
    for (let seed = 0; seed < 40; seed++) {
      const next = random(seed)
      const points = Array.from({ length: 60 }, () =>
        point(NOW - next(90 * 24) * HOUR, next(6), next(8) === 0 ? 'receipt' : 'sync'),
      ).toSorted((a, b) => a.at - b.at)
      await store.db.deleteFrom('stock_log').execute()
      await store.db.deleteFrom('slot_levels').execute()
      const written = new Map<number, StockLogTable>()
      // In order of time, as machines are read, some of it twice.
      for (let i = 0; i < points.length; i += 1 + next(9)) {
        const part = [...new Map(points.slice(i, i + 9).map((each) => [each.at, each])).values()]
        for (const each of part) written.set(each.at, each)
        await store.transaction((tx) => saveStockReadings(tx, part))
      }
      const log = [...written.values()].toSorted((a, b) => a.at - b.at)
      const { stock } = log.at(-1)!
      await store.db.updateTable('slot').set({ stock }).execute()
      for (const since of [EDGE - 70 * DAY, EDGE - 20 * DAY, EDGE + DAY]) {
        const told = (await levelsBySlot(store.db, await shelves(store), since)).get('m1-cola')
        const own = log.filter(({ at }) => at >= since)
        const before = log.findLast(({ at }) => at < since)
        expect(told?.highest ?? stock).toBe(Math.max(stock, ...own.map((each) => each.stock)))
        const receipts = own.filter(({ source }) => source === 'receipt').map(({ at }) => ({ at, units: 2 }))
        const all = before?.stock === 0 ? [before, ...own] : own
        const of = (readings: readonly Reading[]) => {
          const slot = slotWith(stock, readings, receipts)
          const { intervals, peak } = emptiness(slot, traces(slot, NOW), NOW)
          // The same interval may be found from two signs.
          return { peak, instants: new Set(intervals) }
        }
        expect(of(told?.readings ?? [])).toEqual(of(all))
      }
    }
  })

  test('what was read as empty long before is known to have been empty until somebody filled it', async () => {
    const store = await filled()
    await store.transaction((tx) => saveStockReadings(tx, [point(NOW - 80 * DAY, 5), point(NOW - 75 * DAY, 0)]))
    await store.transaction((tx) => saveStockReadings(tx, [point(NOW - 3 * DAY, 8)]))
    const levels = await levelsBySlot(store.db, await shelves(store), NOW - 35 * DAY)
    expect(levels.get('m1-cola')).toEqual({
      highest: 8,
      readings: [
        { at: NOW - 75 * DAY, stock: 0 },
        { at: NOW - 3 * DAY, stock: 8 },
      ],
    })
  })

  test('go with the log: pruned when they are old, gone with their machine', async () => {
    const store = await filled()
    const old = [point(NOW - 180 * DAY, 5), point(NOW - DAY, 2)]
    await store.transaction((tx) => saveStockReadings(tx, old))
    const blocks = () => store.db.selectFrom('slot_levels').select('block').orderBy('block').execute()
    expect(await blocks()).toEqual(old.map(({ at }) => ({ block: blockOf(at) })))
    await removeOldStockReadings({ store, clock: manualClock(NOW) })
    expect(await blocks()).toEqual([{ block: blockOf(NOW - DAY) }])
    await store.db.deleteFrom('location').where('id', '=', 'm1').execute()
    expect(await blocks()).toEqual([])
  })
})

test('a database from before gets what its own writes would have left', async () => {
  const store = await filled()
  const next = random(5)
  const moment = () => EDGE + (next(100 * 24) - 60 * 24) * HOUR
  const records = Array.from({ length: 300 }, (_, i) =>
    trade(`T${i}`, moment(), MACHINES[next(2)]!, GOODS[next(2)]!, 'paid'),
  )
  await read(store, records)
  const points = Array.from({ length: 200 }, () =>
    point(moment(), next(5), next(6) ? 'sync' : 'receipt', GOODS[next(2)]),
  )
  const unique = [...new Map(points.map((each) => [`${each.vendor_sku} ${each.at}`, each])).values()]
  for (const each of unique.toSorted((a, b) => a.at - b.at))
    await store.transaction((tx) => saveStockReadings(tx, [each]))
  const kept = async () => ({
    sales: (await store.db.selectFrom('slot_sales').selectAll().execute()).map((row) => JSON.stringify(row)).toSorted(),
    levels: (await store.db.selectFrom('slot_levels').selectAll().execute())
      .map((row) => JSON.stringify(row))
      .toSorted(),
  })
  const written = await kept()
  expect(written.levels.length).toBeGreaterThan(6)
  await store.db.deleteFrom('slot_sales').execute()
  await store.db.deleteFrom('slot_levels').execute()
  const statements = MIGRATIONS['0007_slot_traces']!({ int: 'bigint', identity: '', strict: '' })
  for (const statement of statements) if (statement.startsWith('insert')) await sql.raw(statement).execute(store.db)
  expect(await kept()).toEqual(written)
})
