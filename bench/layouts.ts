/**
 * What the right lanes are worth. Real sales are replayed day by day, the shipped rule plans all visits: 90 days with the
 * same number of lanes for each product, then the rest of the year once more with these and once with the lanes that
 * `layOut` proposes from what was seen until then. Same machines, same lanes, same demand.
 *
 *   SALES=folder npm run bench -- layouts     folder: CSV files with machine, slot, ts, price_minor and qty
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { layOut } from '../src/acts/replenishment/planner/layout/layout.ts'
import { LAYOUT_WINDOW_DAYS, toLayoutMachine } from '../src/acts/replenishment/planner/layout/machine-layout.ts'
import type { MachineInput, PlanSettings, SlotInput } from '../src/acts/replenishment/planner/input.ts'
import { planRoute } from '../src/acts/replenishment/planner/plan.ts'
import { DAY } from '../src/kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS } from '../src/kernel/plan-params.ts'
import { table, verdict } from './harness.ts'
import { machinesWith, NOW } from './plan.ts'
import { random } from './random.ts'

const LANE = 8
const SEEN_DAYS = 90
const MARGIN = 0.45
const VISIT_SALES = 3.75
/** Of the value of the stock, each day. */
const HOLDING = 0.0008

interface Product {
  readonly sku: string
  readonly category: string
  readonly priceFen: number
  /** Instants. */
  readonly demand: readonly number[]
}
interface Machine {
  readonly name: string
  readonly from: number
  readonly days: number
  readonly products: readonly Product[]
}

/** Rows of a data set as machines; of a large one only each `thin`-th unit, or no lane would hold a day of it. */
function readMachines(file: string, seed: number): Machine[] {
  const rows = parse<Record<string, string>>(readFileSync(file), { columns: true })
  const next = random(seed)
  return [...Map.groupBy(rows, (row) => row['machine'] ?? '')].flatMap(([name, sold]) => {
    const day = (row: Record<string, string>) => Math.floor(Date.parse(`${row['ts']?.slice(0, 10)}T00:00:00Z`) / DAY)
    const from = Math.min(...sold.map(day))
    const days = Math.min(365, Math.max(...sold.map(day)) - from + 1)
    const first = sold.filter((row) => day(row) < from + SEEN_DAYS)
    const perDay = first.reduce((total, row) => total + Number(row['qty']), 0) / SEEN_DAYS
    const kept = Math.min(1, 60 / perDay)
    const products = [...Map.groupBy(first, (row) => row['slot'] ?? '')].flatMap(([sku, seen]): Product[] => {
      if (seen.reduce((total, row) => total + Number(row['qty']), 0) < 10) return []
      const prices = seen.map((row) => Number(row['price_minor'])).filter((price) => price > 0)
      const demand = sold
        .filter((row) => row['slot'] === sku && day(row) < from + days)
        .flatMap((row) => {
          const clock = row['ts_precision'] === 'date' ? undefined : row['ts']?.slice(11, 19)
          return Array.from({ length: Number(row['qty']) }, () => {
            const at = clock
              ? Date.parse(`${row['ts']?.slice(0, 10)}T${clock}Z`)
              : (day(row) + 0.3 + 0.6 * next()) * DAY
            return next() < kept ? [at] : []
          }).flat()
        })
        .toSorted((a, b) => a - b)
      const category = row0(seen)['category'] ?? ''
      return [{ sku, category, priceFen: prices.toSorted((a, b) => a - b)[prices.length >> 1] ?? 100, demand }]
    })
    return products.length >= 4 && days >= SEEN_DAYS + 60 ? [{ name, from: from * DAY, days, products }] : []
  })
}
const row0 = (rows: readonly Record<string, string>[]) => rows[0] ?? {}

interface Slot {
  lanes: number
  stock: number
  inTransit: boolean
  readonly product: Product
  readonly sales: number[]
  readonly receipts: { at: number; units: number }[]
  readonly readings: { at: number; stock: number }[]
}
interface Result {
  profitFen: number
  visits: number
  sold: number
  missed: number
}

/** A machine on one day: replayed until a day, copied, and replayed on with other lanes. */
class Replay {
  readonly result: Result = { profitFen: 0, visits: 0, sold: 0, missed: 0 }
  readonly #machine: Machine
  readonly #visitCostFen: number
  readonly #next: () => number
  slots: Slot[]
  #day = 0
  #due: { readonly day: number; readonly units: ReadonlyMap<Slot, number> } | undefined

  constructor(machine: Machine, seed: number, slots: Slot[], day = 0) {
    this.#machine = machine
    this.#next = random(seed + day)
    this.slots = slots
    this.#day = day
    const units = machine.products.reduce((total, { demand }) => total + demand.length, 0)
    const money = machine.products.reduce((total, { demand, priceFen }) => total + demand.length * priceFen, 0)
    this.#visitCostFen = Math.round((VISIT_SALES * money) / units)
  }

  input(): { readonly machine: MachineInput; readonly settings: PlanSettings } {
    const now = this.#machine.from + this.#day * DAY
    const slots = this.slots.map(({ product, lanes, stock, inTransit, sales, receipts, readings }): SlotInput => ({
      slotId: product.sku,
      sku: product.sku,
      priceFen: product.priceFen,
      costFen: Math.round(product.priceFen * (1 - MARGIN)),
      stock,
      capacity: lanes * LANE,
      locked: lanes === 0,
      isInTransit: inTransit,
      firstSeenAt: this.#machine.from,
      sales: { at: Float64Array.from(sales.slice(-2000)) },
      receipts,
      readings,
    }))
    return {
      machine: { location: this.#machine.name, zone: { offsetMin: 0 }, ledgerFrom: null, slots },
      settings: {
        now,
        params: { ...DEFAULT_PLAN_PARAMS, visit_cost: this.#visitCostFen },
        leadTime: { days: 2, source: 'stated', samples: 0 },
        reviewDays: 1,
      },
    }
  }

  until(day: number): void {
    for (; this.#day < day; this.#day++) {
      this.#plan()
      const start = this.#machine.from + this.#day * DAY
      if (this.#due?.day === this.#day) {
        this.#sell(start, start + 0.375 * DAY)
        this.#deliver(start + 0.375 * DAY)
        this.#sell(start + 0.375 * DAY, start + DAY)
      } else this.#sell(start, start + DAY)
      for (const { stock, product } of this.slots)
        this.result.profitFen -= stock * product.priceFen * (1 - MARGIN) * HOLDING
    }
  }

  #plan(): void {
    if (this.#due) return
    const { machine, settings } = this.input()
    const { plans } = planRoute({ ...settings, machines: [machine] })
    const units = new Map(
      plans.flatMap(({ slotId, recommendation: { action, quantity = 0 } }) =>
        action === 'order' && quantity > 0
          ? [[this.slots.find(({ product }) => product.sku === slotId)!, quantity]]
          : [],
      ),
    )
    if (units.size === 0) return
    for (const slot of units.keys()) slot.inTransit = true
    const chance = this.#next()
    this.#due = { day: this.#day + (chance < 0.25 ? 1 : chance < 0.75 ? 2 : 3), units }
  }

  #deliver(at: number): void {
    for (const [slot, units] of this.#due!.units) {
      const loaded = Math.max(0, Math.min(units, slot.lanes * LANE - slot.stock))
      slot.stock += loaded
      slot.inTransit = false
      slot.receipts.push({ at, units: loaded })
      slot.readings.push({ at: at + 1, stock: slot.stock })
    }
    this.#due = undefined
    this.result.visits += 1
    this.result.profitFen -= this.#visitCostFen
  }

  #sell(from: number, to: number): void {
    for (const slot of this.slots) {
      const { demand, priceFen } = slot.product
      for (const at of demand) {
        if (at < from) continue
        if (at >= to) break
        if (slot.stock === 0) {
          this.result.missed += 1
          continue
        }
        slot.stock -= 1
        slot.sales.push(at)
        if (slot.stock === 0) slot.readings.push({ at: at + 1, stock: 0 })
        this.result.sold += 1
        this.result.profitFen += priceFen * MARGIN
      }
    }
  }
}

/** As many lanes as hold six days of the busiest fortnight, by the first days alone; shared out equally. */
function equalLanes({ products, from }: Machine): Slot[] {
  const busiest = (demand: readonly number[]) => {
    let most = 0
    for (let day = 0; day + 14 <= SEEN_DAYS; day += 7) {
      const begin = from + day * DAY
      most = Math.max(most, demand.filter((at) => at >= begin && at < begin + 14 * DAY).length / 14)
    }
    return most
  }
  const wanted = products.reduce((total, { demand }) => total + Math.max(1, Math.ceil((6 * busiest(demand)) / LANE)), 0)
  return products.map((product, index): Slot => {
    const lanes = Math.floor(wanted / products.length) + (index < wanted % products.length ? 1 : 0)
    return { product, lanes, stock: lanes * LANE, inTransit: false, sales: [], receipts: [], readings: [] }
  })
}

function proposedLanes(replay: Replay): { readonly lanes: ReadonlyMap<string, number>; readonly changes: number } {
  const { machine, settings } = replay.input()
  const params = { ...settings.params, window_days: LAYOUT_WINDOW_DAYS }
  const [area] = planRoute({ ...settings, params, machines: [machine] }).areas
  const rated = area!.machines[0]!.rated
  const bySku = new Map(replay.slots.map(({ product, lanes }) => [product.sku, { product, lanes }]))
  const { changes } = layOut(
    toLayoutMachine(rated, {
      lanesOf: ({ sku }) =>
        Array.from({ length: bySku.get(sku)?.lanes ?? 0 }, (_, lane) => ({ lane: `${sku} ${lane}`, capacity: LANE })),
      categoryOf: (sku) => bySku.get(sku)?.product.category,
      isPinned: () => false,
      visitCostFen: settings.params.visit_cost!,
      leadDays: settings.leadTime.days,
    }),
  )
  const lanes = new Map(replay.slots.map((slot) => [slot.product.sku, slot.lanes]))
  for (const { from, to } of changes) {
    lanes.set(from, lanes.get(from)! - 1)
    lanes.set(to, lanes.get(to)! + 1)
  }
  return { lanes, changes: changes.length }
}

/** The same day with other lanes. What no longer fits is taken back to the store room. */
const withLanes = (slots: readonly Slot[], lanes?: ReadonlyMap<string, number>): Slot[] =>
  slots.map((slot) => {
    const count = lanes?.get(slot.product.sku) ?? slot.lanes
    return {
      ...slot,
      lanes: count,
      stock: Math.min(slot.stock, count * LANE),
      inTransit: false,
      sales: [...slot.sales],
      receipts: [...slot.receipts],
      readings: [...slot.readings],
    }
  })

/** A layout for each of a thousand machines. */
function benchWork(): void {
  const machines = machinesWith(40_000, 21).map((input) => ({
    ...input,
    slots: input.slots.map((slot) => ({ ...slot, isInTransit: false, capacity: slot.capacity ?? LANE })),
  }))
  const params = { ...DEFAULT_PLAN_PARAMS, window_days: LAYOUT_WINDOW_DAYS, visit_cost: 3000 }
  const settings: PlanSettings = {
    now: NOW,
    params,
    leadTime: { days: 2, source: 'stated', samples: 0 },
    reviewDays: 1,
  }
  const rated = planRoute({ ...settings, machines }).areas.flatMap((area) => area.machines.map((each) => each.rated))
  const start = process.threadCpuUsage().user
  let [longest, changes] = [0, 0]
  for (const each of rated) {
    const before = process.threadCpuUsage().user
    const lanesOf = ({ slotId }: { readonly slotId: string }) => [{ lane: slotId, capacity: LANE }]
    const isPinned = () => false
    const of = { lanesOf, categoryOf: () => 'all', isPinned, visitCostFen: 3000, leadDays: 2 }
    changes += layOut(toLayoutMachine(each, of)).changes.length
    longest = Math.max(longest, process.threadCpuUsage().user - before)
  }
  const spent = (process.threadCpuUsage().user - start) / 1000
  console.log(
    `\n${rated.length} machines of 40 lanes: ${spent.toFixed(0)} ms of CPU ${verdict(spent, 2000)}, the longest ${(longest / 1000).toFixed(1)} ms, ${changes} changes`,
  )
}

export function benchLayouts(folder = process.env['SALES'], seeds = [0, 1, 2]): void {
  benchWork()
  if (!folder) return console.log('\nlayouts: left out, SALES names no folder with sales')
  const rows: string[][] = []
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.csv')))
    for (const seed of seeds) {
      const [equal, proposed]: [Result, Result] = [
        { profitFen: 0, visits: 0, sold: 0, missed: 0 },
        { profitFen: 0, visits: 0, sold: 0, missed: 0 },
      ]
      let [changed, all] = [0, 0]
      for (const machine of readMachines(join(folder, file), seed)) {
        const seen = new Replay(machine, seed, equalLanes(machine))
        seen.until(SEEN_DAYS)
        const { lanes, changes } = proposedLanes(seen)
        changed += changes
        all += seen.slots.reduce((total, slot) => total + slot.lanes, 0)
        for (const [sum, slots] of [
          [equal, withLanes(seen.slots)],
          [proposed, withLanes(seen.slots, lanes)],
        ] as const) {
          const replay = new Replay(machine, seed, slots, SEEN_DAYS)
          replay.until(machine.days)
          for (const key of ['profitFen', 'visits', 'sold', 'missed'] as const) sum[key] += replay.result[key]
        }
      }
      rows.push([
        `${file.replace('.csv', '')}, seed ${seed}`,
        `${changed} of ${all}`,
        `${equal.visits} → ${proposed.visits}`,
        `${equal.missed} → ${proposed.missed}`,
        `${equal.sold} → ${proposed.sold}`,
        `${(100 * (proposed.profitFen / equal.profitFen - 1)).toFixed(1)} %`,
      ])
    }
  table('layouts', ['', 'lanes changed', 'visits', 'missed', 'sold', 'profit'], rows)
}

if (import.meta.main) benchLayouts(process.argv[2] ?? process.env['SALES'])
