/**
 * Cost of a plan and a score in the service with its store: rows of a large route in SQLite, read, planned and written as
 * JSON, and how long the event loop was blocked. `node bench/plan-service.ts [slots] [days of forecasts]`
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { rebuildLevelSeries, rebuildSalesSeries } from '../src/route/sales/slot-series-records.ts'
import { getPlan } from '../src/acts/replenishment/plan/get-plan.ts'
import { scoreForecasts } from '../src/acts/replenishment/forecasts/get-score.ts'
import { readConfig } from '../src/config.ts'
import { DAY, HOUR, localDay, manualClock } from '../src/kernel/clock.ts'
import { silentLog } from '../src/kernel/log.ts'
import { createContext } from '../src/assemble.ts'
import { registry } from '../src/vendors/registry.ts'
import { openStore } from '../src/store/open.ts'
import type { Store, Tx } from '../src/store/store.ts'
import type { Columns } from '../src/store/schema.ts'
import { verdict } from './harness.ts'

/** Targets for a plan of 100,000 slots; smaller ones must meet them too. */
const WORK_MS_MAX = 1500
const BLOCK_MS_MAX = 50

const NOW = Date.parse('2026-09-10T08:00:00+08:00')
const ZONE = 'Asia/Shanghai'
const SLOTS_PER_MACHINE = 40

function random(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const PER_INSERT = 1000

export async function fill(store: Store, machines: number, days: number, forecastDays: number): Promise<void> {
  const next = random(7)
  await store.db
    .insertInto('ledger_mirror')
    .values({
      namespace: 'acme-machine',
      covered_from: NOW - (days + 10) * DAY,
      covered_to: NOW,
      gap_from: null,
      gap_to: null,
      swept_to: null,
      announce_from: NOW,
      read_at: NOW,
      writes: 0,
    })
    .execute()
  for (let m = 0; m < machines; m++)
    await store.transaction((tx) => machine(tx, `m${String(m).padStart(5, '0')}`, days, forecastDays, next))
}

async function machine(tx: Tx, id: string, days: number, forecastDays: number, next: () => number): Promise<void> {
  const registered = NOW - 400 * DAY
  await tx
    .insertInto('location')
    .values({
      id,
      name: id,
      namespace: 'acme-machine',
      profile: '{}',
      venue_name: null,
      registered_at: registered,
      updated_at: registered,
      last_synced_at: NOW,
      online: 1,
      sync_problem: null,
      awaits_first_sync: 0,
    })
    .execute()
  const slots = Array.from({ length: SLOTS_PER_MACHINE }, (_, k) => {
    const vendorSku = `p${String(k).padStart(3, '0')}`
    return {
      location: id,
      vendor_sku: vendorSku,
      slot_id: `${id}-${vendorSku}`,
      sku_id: `acme-machine:${vendorSku}`,
      title: `product ${vendorSku}`,
      barcode: null,
      price: 200 + 100 * Math.floor(next() * 10),
      stock: Math.floor(next() * 12),
      capacity: next() < 0.7 ? 12 : null,
      capacity_source: null,
      image_url: null,
      first_seen_at: registered,
      updated_at: NOW,
    }
  })
  await tx.insertInto('slot').values(slots).execute()
  const sales = slots.flatMap(({ vendor_sku, price }) => {
    const rate = 0.1 + 2 * next() ** 2
    const rows = []
    for (let t = NOW - days * DAY; t < NOW; t += (-Math.log(1 - next()) / rate) * DAY) {
      const at = Math.floor(t)
      rows.push({
        namespace: 'acme-machine',
        order_no: `${id}-${vendor_sku}-${at}-${rows.length}`,
        line: 0,
        location: id,
        vendor_sku,
        at,
        day: localDay(at, ZONE),
        price_fen: price,
        cost_fen: null,
        unit_cost_e4: 5500 * price,
        cost_estimated: 1,
      })
    }
    return rows
  })
  for (let i = 0; i < sales.length; i += PER_INSERT)
    await tx
      .insertInto('sale_line')
      .values(sales.slice(i, i + PER_INSERT))
      .execute()
  const points = sales
    .filter(({ at }) => at > NOW - 35 * DAY)
    .map(({ vendor_sku, at }) => ({
      location: id,
      vendor_sku,
      at: Math.ceil(at / HOUR) * HOUR,
      stock: Math.floor(next() * 12),
      source: 'sync' as const,
    }))
  for (let i = 0; i < points.length; i += PER_INSERT)
    await tx
      .insertInto('stock_log')
      .values(points.slice(i, i + PER_INSERT))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await rebuildSalesSeries(tx, 'acme-machine', sales.map(moment))
  await rebuildLevelSeries(tx, points.map(moment))
  const forecasts = slots.flatMap(({ vendor_sku }) =>
    Array.from({ length: forecastDays }, (_, day) => ({
      location: id,
      vendor_sku,
      day: localDay(NOW - day * DAY, ZONE),
      made_at: NOW - day * DAY,
      daily_rate_e4: 7000,
      naive_rate_e4: 6000,
      measured: 1,
    })),
  )
  for (let i = 0; i < forecasts.length; i += PER_INSERT)
    await tx
      .insertInto('forecast')
      .values(forecasts.slice(i, i + PER_INSERT))
      .execute()
}

/** Builds the packed series like the service does. */
const moment = ({ location, vendor_sku, at }: Pick<Columns<'stock_log'>, 'location' | 'vendor_sku' | 'at'>) => ({
  location,
  vendorSku: vendor_sku,
  at,
})

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** CPU time, so that other processes do not count. A block is the time between two turns of the event loop. */
async function watching<T>(name: string, work: () => Promise<T>): Promise<T> {
  let longest = 0
  let done = false
  const watch = async () => {
    for (let last = cpuMs(); !done;) {
      await nextTurn()
      const now = cpuMs()
      longest = Math.max(longest, now - last)
      last = now
    }
  }
  const start = cpuMs()
  const watcher = watch()
  const value = await work()
  done = true
  await watcher
  const spent = cpuMs() - start
  const heap = Math.round(process.memoryUsage().heapUsed / 2 ** 20)
  console.log(
    `${name.padEnd(48)} ${spent.toFixed(0).padStart(7)} ms CPU ${verdict(spent, WORK_MS_MAX)}  longest block ${longest.toFixed(0).padStart(4)} ms ${verdict(longest, BLOCK_MS_MAX)}  heap ${heap} MB`,
  )
  return value
}

/** Collects the garbage of filling the store, which is not part of a plan. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
}

export async function benchReplenishmentService(slots: number, forecastDays: number): Promise<void> {
  const read = readConfig({}, () => false)
  if (!read.ok) throw new Error(read.problems.join('; '))
  const store = await openStore('sqlite::memory:')
  const ctx = createContext({
    store,
    clock: manualClock(NOW),
    config: { ...read.config, timeZone: ZONE },
    vendors: registry([]),
    log: silentLog,
  })
  const machines = Math.ceil(slots / SLOTS_PER_MACHINE)
  await fill(store, machines, Math.max(28, forecastDays), forecastDays)
  collect()
  const size = `${(machines * SLOTS_PER_MACHINE).toLocaleString('en')} slots`
  for (let i = 0; i < 2; i++) {
    const plan = await watching(`plan of ${size} from the store`, () => getPlan(ctx, {}))
    const chunks = (plan.ok && plan.value.chunks) || []
    const bytes = chunks.reduce((sum, piece) => sum + piece.length, 0)
    if (i === 1) console.log(`${' '.repeat(48)} ${(bytes / 2 ** 20).toFixed(1)} MB of JSON`)
  }
  if (forecastDays > 0) {
    const score = await watching(`score of ${forecastDays} days of ${size}`, () => scoreForecasts(ctx, 7))
    console.log(`${' '.repeat(48)} ${score.totalForecasts.toLocaleString('en')} forecasts`)
  }
  await store.close()
}

if (import.meta.main) await benchReplenishmentService(Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 0))
