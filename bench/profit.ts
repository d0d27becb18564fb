/**
 * Cost of a profit report over 90 days of a long route in SQLite, and how long the event loop was blocked.
 * `node bench/profit.ts [machines] [sales]`
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { createContext } from '../src/assemble.ts'
import { readConfig } from '../src/config.ts'
import type { ProfitQuery } from '../src/contract/shapes/money/sales.ts'
import { addDays, DAY, localDay, manualClock } from '../src/kernel/clock.ts'
import { silentLog } from '../src/kernel/log.ts'
import { rebuildSums } from '../src/route/sales/day-records.ts'
import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { registry } from '../src/vendors/registry.ts'
import { type Report, getProfit } from '../src/views/profit/get-profit.ts'
import { keepReports } from '../src/views/profit/kept-reports.ts'
import { verdict } from './harness.ts'

const WORK_MS_MAX = 300
const BLOCK_MS_MAX = 50

const NOW = Date.parse('2026-09-10T08:00:00+08:00')
const ZONE = 'Asia/Shanghai'
const DAYS = 90
const SLOTS = 40
const PRODUCTS = 300
const NAMESPACE = 'acme-machine'

/** 180 days, so that there is a period before. Sales are spread evenly; one in a hundred was refunded. */
async function fill(store: Store, machines: number, sales: number): Promise<void> {
  const perMachineDay = Math.max(1, Math.round(sales / machines / DAYS))
  const today = localDay(NOW, ZONE)
  const days = Array.from({ length: 2 * DAYS }, (_, i) => addDays(today, -1 - i))
  for (let m = 0; m < machines; m++) {
    const location = `m${String(m).padStart(5, '0')}`
    await store.transaction(async (tx) => {
      await tx
        .insertInto('location')
        .values({
          id: location,
          name: location,
          namespace: NAMESPACE,
          profile: JSON.stringify({ city: `city ${m % 10}`, address: `street ${m >> 1}` }),
          registered_at: NOW - 400 * DAY,
          updated_at: NOW,
          awaits_first_sync: 0,
        })
        .execute()
      await tx
        .insertInto('machine_terms')
        .values({ namespace: NAMESPACE, location, from_day: '2026-01-01', commission_e2: 1000, rent_fen: 30_000 })
        .execute()
      const rows = days.flatMap((day, d) =>
        Array.from({ length: perMachineDay }, (_, n) => {
          const slot = (n * 7 + d * 3 + m) % SLOTS
          return {
            namespace: NAMESPACE,
            location,
            vendor_sku: `p${String((slot + m * 13) % PRODUCTS).padStart(3, '0')}`,
            day,
            units: 1,
            revenue: 300 + 10 * slot,
            last_at: NOW,
            cost: 160 + 5 * slot,
            known_revenue: slot % 9 === 0 ? 0 : 300 + 10 * slot,
            commission: 30 + slot,
          }
        }),
      )
      for (let i = 0; i < rows.length; i += 1000)
        await tx
          .insertInto('sales_daily')
          .values(rows.slice(i, i + 1000))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      const services = days.flatMap((_, d) =>
        d % 3 === m % 3 ? [{ id: `svc-${location}-${d}`, at: NOW - (d + 1) * DAY }] : [],
      )
      await tx
        .insertInto('service')
        .values(
          services.map(({ id, at }) => ({
            id,
            location,
            at,
            booked_at: at,
            // As long as the book of forty slots.
            body: JSON.stringify(Array.from({ length: SLOTS }, (_, slot) => ({ slot, before: 'x'.repeat(200) }))),
            is_visit: 1,
          })),
        )
        .execute()
      await tx
        .insertInto('service_loss')
        .values(
          // One visit in five throws something away.
          services
            .filter((_, i) => i % 5 === 0)
            .map(({ id, at }) => ({
              service: id,
              location,
              vendor_sku: 'p001',
              sku_id: `${NAMESPACE}:p001`,
              at,
              units: 1,
              cost_fen: 150,
            })),
        )
        .execute()
      const refunds = days.flatMap((day, d) =>
        d % 9 === m % 9
          ? [
              {
                namespace: NAMESPACE,
                order_no: `r-${location}-${d}`,
                line: 0,
                location,
                vendor_sku: 'p001',
                at: NOW,
                day,
                price_fen: 300,
              },
            ]
          : [],
      )
      await tx.insertInto('refund_line').values(refunds).execute()
    })
  }
  await store.transaction((tx) => rebuildSums(tx, NAMESPACE))
  await sql`analyze`.execute(store.db)
}

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** CPU time, so that other processes do not count. A block is the time between two turns of the event loop. */
async function measure(name: string, hasTarget: boolean, work: () => Promise<unknown>): Promise<void> {
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
  await work()
  done = true
  await watcher
  const spent = cpuMs() - start
  console.log(
    `${name.padEnd(48)} ${spent.toFixed(0).padStart(7)} ms CPU ${hasTarget ? verdict(spent, WORK_MS_MAX) : ''}  longest block ${longest.toFixed(0).padStart(4)} ms ${verdict(longest, BLOCK_MS_MAX)}`,
  )
}

export async function benchProfit(machines: number, sales: number): Promise<void> {
  const read = readConfig({ TRIP_COST_FEN: '6000', STOP_COST_FEN: '2000' }, () => false)
  if (!read.ok) throw new Error(read.problems.join('; '))
  const store = await openStore('sqlite::memory:')
  const ctx = createContext({
    store,
    clock: manualClock(NOW),
    config: { ...read.config, timeZone: ZONE },
    vendors: registry([]),
    log: silentLog,
  })
  await fill(store, machines, sales)
  const to = addDays(localDay(NOW, ZONE), -1)
  const period = { from: addDays(to, 1 - DAYS), to, limit: 100 }
  const queries: readonly ProfitQuery[] = [
    { by: 'day' },
    { by: 'week' },
    { by: 'location' },
    { by: 'product' },
    { by: 'location', sort: 'margin_percent', compare: 'previous' },
    { by: 'product', compare: 'previous' },
    { by: 'day', sku_id: `${NAMESPACE}:p007` },
    { by: 'location', sku_id: `${NAMESPACE}:p007` },
    { by: 'slot', location: 'm00001', compare: 'previous' },
    { by: 'slot', sku_id: `${NAMESPACE}:p007` },
    { by: 'slot' },
  ]
  // The first compiles.
  await getProfit(ctx, { ...period, by: 'day' })
  for (const query of queries) {
    const name = Object.entries(query)
      .map(([key, value]) => `${key}=${value}`)
      .join('&')
    // Twice the days, and every slot of the route, have no target of their own.
    const hasTarget = !query.compare && !(query.by === 'slot' && !query.location && !query.sku_id)
    await measure(`profit of ${DAYS} days, ${name}`, hasTarget, async () => {
      const answer = await getProfit(ctx, { ...period, ...query })
      if (!answer.ok) throw new Error(answer.refusal.messages[0]?.content)
    })
  }
  const kept = keepReports<Report>()
  const first = await getProfit(ctx, { ...period, by: 'slot' }, kept)
  const cursor = first.ok ? first.value.body.pagination?.cursor : undefined
  await measure(`profit of ${DAYS} days, by=slot, second page`, true, () =>
    getProfit(ctx, { ...period, by: 'slot', ...(cursor !== undefined && { cursor }) }, kept),
  )
  await store.close()
}

if (import.meta.main) await benchProfit(Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 1_000_000))
