/** The packed history of slots must equal the rows behind it, in whatever order they were written. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { removeOldStockReadings } from '../../src/route/locations/remove-old-readings.ts'
import { listSlotStocks } from '../../src/route/locations/slot-records.ts'
import { ingest } from '../../src/route/sales/ingest.ts'
import { saveStockReadings } from '../../src/route/locations/sync/replace-slots.ts'
import { blockOf, blockStart } from '../../src/route/sales/slot-series.ts'
import {
  forEachLevelLog,
  rebuildLevelSeries,
  rebuildSalesSeries,
  loadSalesSince,
} from '../../src/route/sales/slot-series-records.ts'
import { findStockouts, sortHistory } from '../../src/acts/replenishment/planner/demand/stockouts.ts'
import { loadStockLevelsSince } from '../../src/acts/replenishment/plan/stock-levels.ts'
import type { Reading, SlotInput } from '../../src/acts/replenishment/planner/input.ts'
import { DAY, HOUR, manualClock } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { LocationId, Namespace } from '../../src/kernel/ids.ts'
import { slotIdOf } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import type { Store } from '../../src/store/store.ts'
import type { Columns } from '../../src/store/schema.ts'
import { registry } from '../../src/vendors/registry.ts'
import type { LedgerLineStatus, LedgerRecord } from '../../src/vendors/machine-vendor.ts'
import { configFor } from '../support/planner-state.ts'
import { randomRoute } from '../support/random-route.ts'
import { freshStore } from '../support/database.ts'
import { propertyRuns } from '../support/property-runs.ts'

const NOW = Date.parse('2026-09-10T08:00:00+08:00')
const NAMESPACE = 'acme-machine' as Namespace
const MACHINES = ['m1', 'm2'] as LocationId[]
const SKUS = ['cola', '茶']

function random(seed: number): (below: number) => number {
  let a = seed
  return (below) => {
    a = (Math.imul(a, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((a / 2 ** 32) * below)
  }
}

async function storeWithSlots(): Promise<Store> {
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
    for (const sku of SKUS)
      await store.db
        .insertInto('slot')
        .values({
          location: id,
          vendor_sku: sku,
          slot_id: slotIdOf(id, sku),
          sku_id: `${NAMESPACE}:${sku}`,
          title: sku,
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

const sale = (
  orderNo: string,
  at: number,
  locationId: string,
  sku: string,
  status: LedgerLineStatus,
): LedgerRecord => ({
  orderNo,
  locationId,
  status,
  settled: status === 'paid',
  totalFen: fen(300),
  createdAt: at,
  createdAtRaw: new Date(at).toISOString(),
  lines: [{ vendorSku: sku, priceFen: fen(300), costFen: null, status }],
})

const config = configFor(randomRoute(0))
const ingestSales = (store: Store, records: readonly LedgerRecord[]) =>
  ingest({ store, config, log: silentLog, vendors: registry([]) }, records, {
    namespace: NAMESPACE,
    now: NOW,
    announceFrom: NOW,
    isFirst: true,
  })

const slotsIn = (store: Store) => listSlotStocks(store.db, MACHINES)

/** Some days on either side of where one block ends and the next begins. */
const EDGE = blockStart(blockOf(NOW))

describe('packed sales', () => {
  test('equal the sale lines after refunds, late sales, moved sales and repeats', async () => {
    const store = await storeWithSlots()
    const next = random(1)
    const known = new Map<string, LedgerRecord>()
    for (let round = 0; round < 6; round++) {
      const part = Array.from({ length: 150 }, () => {
        const no = `T${next(500)}`
        const at = EDGE + (next(120 * 24) - 60 * 24) * HOUR + next(1000)
        const status = (['paid', 'paid', 'refunded'] as const)[next(3)]!
        return sale(no, at, MACHINES[next(2)]!, SKUS[next(2)]!, status)
      })
      for (const record of part) known.set(record.orderNo, record)
      await ingestSales(store, [...new Map(part.map((record) => [record.orderNo, record])).values()])
    }
    for (const since of [EDGE - 100 * DAY, EDGE - DAY, EDGE, EDGE + 20 * DAY + 7]) {
      const sales = await loadSalesSince(store.db, await slotsIn(store), since)
      for (const location of MACHINES)
        for (const sku of SKUS) {
          const paid = [...known.values()].filter(
            (of) => of.locationId === location && of.lines[0]!.vendorSku === sku && of.status === 'paid',
          )
          const at = paid.map(({ createdAt }) => createdAt!).filter((instant) => instant >= since)
          expect([...(sales.get(slotIdOf(location, sku))?.at ?? [])]).toEqual(at.toSorted((a, b) => a - b))
        }
    }
  })

  test('a SKU with a space is not packed, and the others are unaffected', async () => {
    const store = await storeWithSlots()
    await ingestSales(store, [
      sale('A', NOW - DAY, 'm1', 'cola', 'paid'),
      sale('B', NOW - DAY, 'm1', 'a 20706 3 1,2', 'paid'),
      sale('C', NOW - HOUR, 'm1', '茶', 'paid'),
    ])
    const sales = await loadSalesSince(store.db, await slotsIn(store), NOW - 2 * DAY)
    expect([...sales].map(([slotId, { at }]) => [slotId, ...at])).toEqual([
      ['m1-cola', NOW - DAY],
      ['m1-茶', NOW - HOUR],
    ])
  })
})

const point = (at: number, stock: number, source: Columns<'stock_log'>['source'] = 'sync', sku = 'cola') => ({
  location: 'm1',
  vendor_sku: sku,
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
  isInTransit: false,
  firstSeenAt: 0,
  sales: { at: new Float64Array(0) },
  receipts,
  readings,
})

describe('packed stock levels', () => {
  test('lead a plan to the same conclusions as the whole log', async () => {
    const store = await storeWithSlots()
    for (let seed = 0; seed < 40; seed++) {
      const next = random(seed)
      const points = Array.from({ length: 60 }, () =>
        point(NOW - next(90 * 24) * HOUR, next(6), next(8) === 0 ? 'receipt' : 'sync'),
      ).toSorted((a, b) => a.at - b.at)
      await store.db.deleteFrom('stock_log').execute()
      await store.db.deleteFrom('slot_levels').execute()
      const written = new Map<number, Columns<'stock_log'>>()
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
        const levels = (await loadStockLevelsSince(store.db, await slotsIn(store), since)).get('m1-cola')
        const own = log.filter(({ at }) => at >= since)
        const before = log.findLast(({ at }) => at < since)
        const isReceipt = ({ source }: Columns<'stock_log'>) => source === 'receipt'
        const read = own.filter((each) => !isReceipt(each)).map((each) => each.stock)
        const highestRead = Math.max(isReceipt(log.at(-1)!) ? 0 : stock, ...read)
        expect(levels?.highestRead ?? stock).toBe(highestRead || Math.max(stock, ...own.map((each) => each.stock)))
        const receipts = own.filter(({ source }) => source === 'receipt').map(({ at }) => ({ at, units: 2 }))
        const all = (before?.stock === 0 ? [before, ...own] : own).map((each) => ({
          at: each.at,
          stock: each.stock,
          isReceipt: isReceipt(each),
        }))
        const of = (readings: readonly Reading[]) => {
          const slot = slotWith(stock, readings, receipts)
          const { intervals, highestLevel } = findStockouts(slot, sortHistory(slot, NOW), NOW)
          // Two signs may show the same interval.
          return { peak: highestLevel, instants: new Set(intervals) }
        }
        expect(of(levels?.readings ?? [])).toEqual(of(all))
      }
    }
  })

  test('a slot that was empty before the window counts as empty until it is filled', async () => {
    const store = await storeWithSlots()
    await store.transaction((tx) => saveStockReadings(tx, [point(NOW - 80 * DAY, 5), point(NOW - 75 * DAY, 0)]))
    await store.transaction((tx) => saveStockReadings(tx, [point(NOW - 3 * DAY, 8)]))
    const levels = await loadStockLevelsSince(store.db, await slotsIn(store), NOW - 35 * DAY)
    expect(levels.get('m1-cola')).toEqual({
      highestRead: 8,
      readings: [
        { at: NOW - 75 * DAY, stock: 0 },
        { at: NOW - 3 * DAY, stock: 8 },
      ],
    })
  })

  test('are deleted with the old log and with their machine', async () => {
    const store = await storeWithSlots()
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

describe('whatever is packed is unpacked', () => {
  const BLOCKS_FROM = blockStart(blockOf(NOW) - 1)
  const instant = fc.nat({ max: 3 * 32 * DAY - 1 }).map((ms) => BLOCKS_FROM + ms)
  const slot = { location: 'm1', vendorSku: '茶' }

  test('sales', async () => {
    const store = await storeWithSlots()
    await fc.assert(
      fc.asyncProperty(fc.array(instant, { minLength: 1, maxLength: 40 }), async (instants) => {
        await store.transaction(async (tx) => {
          await tx.deleteFrom('sale_line').execute()
          const rows = instants.map((at, line) => ({
            namespace: NAMESPACE,
            order_no: 'T',
            line,
            location: slot.location,
            vendor_sku: slot.vendorSku,
            at,
            day: new Date(at).toISOString().slice(0, 10),
            price_fen: 300,
            cost_fen: null,
            unit_cost_e4: 1_650_000,
            cost_estimated: 1,
          }))
          await tx.insertInto('sale_line').values(rows).execute()
          await tx.deleteFrom('slot_sales').execute()
          await rebuildSalesSeries(
            tx,
            NAMESPACE,
            instants.map((at) => ({ ...slot, at })),
          )
        })
        const sales = await loadSalesSince(store.db, await slotsIn(store), 0)
        expect([...sales.get('m1-茶')!.at]).toEqual(instants.toSorted((a, b) => a - b))
      }),
      { numRuns: propertyRuns(60) },
    )
  })

  test('levels, where each one is a key point', async () => {
    const store = await storeWithSlots()
    const level = fc.record({ at: instant, stock: fc.integer({ min: -9, max: 1e6 }), isReceipt: fc.boolean() })
    const levels = fc.uniqueArray(level, { selector: ({ at }) => at, minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(levels, async (points) => {
        const marks = points
          .map(({ stock, ...rest }) => ({ ...rest, stock: rest.isReceipt ? stock : Math.min(0, stock) }))
          .toSorted((a, b) => a.at - b.at)
        await store.transaction(async (tx) => {
          await tx.deleteFrom('stock_log').execute()
          const rows = marks.map(({ at, stock, isReceipt }) => point(at, stock, isReceipt ? 'receipt' : 'sync', '茶'))
          await tx.insertInto('stock_log').values(rows).execute()
          await tx.deleteFrom('slot_levels').execute()
          await rebuildLevelSeries(
            tx,
            marks.map(({ at }) => ({ ...slot, at })),
          )
        })
        const unpacked: typeof marks = []
        await forEachLevelLog(store.db, await slotsIn(store), 0, (_, { length, at, stock, isReceipt }) => {
          for (let i = 0; i < length; i++) unpacked.push({ at: at[i]!, stock: stock[i]!, isReceipt: isReceipt[i]! })
        })
        expect(unpacked).toEqual(marks)
      }),
      { numRuns: propertyRuns(60) },
    )
  })
})
