/**
 * Duration of plans and scores: routes of 1,000, 10,000 and 100,000 slots with 21 days of sales, and a year of daily
 * forecasts for 2,000 slots. Sizes and rates come from a fixed seed, so that runs are comparable.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DAY, HOUR } from '../src/kernel/clock.ts'
import { planInSlices, planRoute, routePlanner } from '../src/acts/replenishment/planner/plan.ts'
import { type SlotSalesHistory, scorer, slotSalesHistories } from '../src/acts/replenishment/forecasts/score.ts'
import { DEFAULT_PLAN_PARAMS } from '../src/kernel/plan-params.ts'
import type { MachineInput, RouteInput, SlotInput } from '../src/acts/replenishment/planner/input.ts'
import { table } from './harness.ts'
import { random } from './random.ts'

/** The plan benchmark as a table. */
export async function planTable(): Promise<void> {
  const ms = (value: number) => `${value.toFixed(0)} ms`
  const rows = (await benchPlan()).map(({ name, ms: wall, cpuMs, longestBlockMs, heapMb }) => [
    name,
    ms(cpuMs),
    ms(wall),
    ms(longestBlockMs),
    `${Math.max(0, heapMb).toFixed(0)} MB`,
  ])
  table('replenishment', ['', 'work', 'wall', 'longest block', 'heap'], rows)
}

export const NOW = Date.UTC(2026, 2, 18, 2, 5)
const SLOTS_PER_MACHINE = 40
const MACHINES_AT_ONCE = 6

function slotAt(location: string, k: number, days: number, next: () => number): SlotInput {
  const rate = 0.1 + 2 * next() ** 2
  const at: number[] = []
  for (let t = NOW - days * DAY - HOUR; t < NOW; t += (-Math.log(1 - next()) / rate) * DAY) at.push(t)
  const stock = Math.floor(next() * 12)
  return {
    slotId: `${location}-p${String(k).padStart(3, '0')}`,
    sku: `p${Math.floor(next() * 400)}`,
    priceFen: 200 + 100 * Math.floor(next() * 10),
    stock,
    capacity: next() < 0.7 ? 12 : null,
    locked: next() < 0.02,
    isInTransit: next() < 0.05,
    firstSeenAt: NOW - 200 * DAY,
    sales: { at: Float64Array.from(at) },
    receipts: [{ at: NOW - Math.floor(2 + 10 * next()) * DAY, units: 6 }],
    readings: next() < 0.3 ? [{ at: NOW - 5 * DAY * next(), stock: 0 }] : [],
  }
}

export function machinesWith(slots: number, days: number, perMachine = SLOTS_PER_MACHINE): MachineInput[] {
  const next = random(slots)
  return Array.from({ length: Math.ceil(slots / perMachine) }, (_, m) => {
    const location = `m${String(m).padStart(5, '0')}`
    return {
      location,
      zone: { timeZone: m % 10 === 0 ? 'America/New_York' : 'Asia/Shanghai' },
      lastVisitAt: NOW - 4 * DAY,
      ledgerFrom: null,
      slots: Array.from({ length: perMachine }, (_, k) => slotAt(location, k, days, next)),
    }
  })
}

export interface Measured {
  readonly name: string
  readonly ms: number
  /** CPU time of this thread: the wall time on an idle machine. */
  readonly cpuMs: number
  readonly longestBlockMs: number
  readonly heapMb: number
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Longest time for which the event loop was blocked. */
async function watching<T>(work: () => Promise<T>) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await nextTurn()
  const start = performance.now()
  const cpu = cpuMs()
  const value = await work()
  const measured = { value, ms: performance.now() - start, cpuMs: cpuMs() - cpu }
  await nextTurn()
  delay.disable()
  return { ...measured, longestBlockMs: delay.max / 1e6 }
}

const heapMb = (): number => process.memoryUsage().heapUsed / 2 ** 20

async function planOf(slots: number): Promise<readonly Measured[]> {
  const state: RouteInput = {
    now: NOW,
    params: DEFAULT_PLAN_PARAMS,
    leadTime: { days: 2.3, source: 'measured', samples: 8 },
    reviewDays: 1,
    machines: machinesWith(slots, 21),
  }
  const before = heapMb()
  const start = performance.now()
  const cpu = cpuMs()
  const plan = planRoute(state)
  const ms = performance.now() - start
  const worked = cpuMs() - cpu
  const used = heapMb() - before
  const sliced = await watching(async () => {
    const planner = routePlanner(state)
    for (const [i, machine] of state.machines.entries()) {
      planner.observe(machine)
      if (i % MACHINES_AT_ONCE === 0) await nextTurn()
    }
    return planInSlices(planner, nextTurn)
  })
  const orders = plan.plans.filter(({ recommendation }) => recommendation.action === 'order').length
  const name = `plan ${slots.toLocaleString('en')} slots (${orders.toLocaleString('en')} orders)`
  return [
    { name, ms, cpuMs: worked, longestBlockMs: ms, heapMb: used },
    {
      name: `${name}, in slices`,
      ms: sliced.ms,
      cpuMs: sliced.cpuMs,
      longestBlockMs: sliced.longestBlockMs,
      heapMb: used,
    },
  ]
}

async function scoreOf(slots: number, days: number): Promise<Measured> {
  const machines = machinesWith(slots, days)
  const before = heapMb()
  const measured = await watching(async () => {
    const histories = new Map<string, SlotSalesHistory>()
    for (const machine of machines) {
      for (const [slotId, history] of slotSalesHistories(machine, NOW, days, NOW)) histories.set(slotId, history)
      await nextTurn()
    }
    const score = scorer(7, NOW, (slotId) => histories.get(slotId))
    let added = 0
    for (const slotId of histories.keys()) {
      for (let day = days - 1; day >= 0; day--) {
        score.add({ slotId, madeAt: NOW - day * DAY, dailyRate: 0.7, naiveDailyRate: 0.6, measured: true })
        if (++added % 10_000 === 0) await nextTurn()
      }
    }
    return score.result()
  })
  const name = `score ${(slots * days).toLocaleString('en')} forecasts (${slots.toLocaleString('en')} slots, ${days} days)`
  return {
    name,
    ms: measured.ms,
    cpuMs: measured.cpuMs,
    longestBlockMs: measured.longestBlockMs,
    heapMb: heapMb() - before,
  }
}

export async function benchPlan(): Promise<readonly Measured[]> {
  await planOf(2_000)
  const results: Measured[] = []
  for (const slots of [1_000, 10_000, 100_000]) results.push(...(await planOf(slots)))
  results.push(await scoreOf(2_000, 365))
  return results
}
