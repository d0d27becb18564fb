/**
 * How accurate were the forecasts? Each is compared with what was sold in its horizon. Empty slots sell nothing, so the
 * forecast is its rate times the days in stock, weighted by the calendar as it is known now. Forecasts are added one by one and only totals are kept, so that a year
 * of them needs no more memory than its slots.
 */
import { DAY } from '../../../kernel/clock.ts'
import { firstIndexWhere } from '../../../lib/binary-search.ts'
import { type Calendar, calendar, dayAt } from '../planner/demand/calendar.ts'
import { AVAILABLE, classifyDays, EMPTY, machineDays } from '../planner/demand/demand.ts'
import { sortHistory } from '../planner/demand/stockouts.ts'
import { quantile } from '../planner/demand/negative-binomial.ts'
import { DISPERSION } from '../planner/demand/cycle.ts'
import { SERVICE_LEVEL } from '../planner/quantity.ts'
import type { MachineInput, Sales } from '../planner/input.ts'

/** Rates, not totals, so that any horizon can be scored. */
export interface Forecast {
  readonly slotId: string
  readonly madeAt: number
  readonly dailyRate: number
  readonly naiveDailyRate: number
  readonly measured: boolean
}

/** What a slot sold, and how many days up to each day it was available or empty. */
export interface SlotSalesHistory {
  readonly location: string
  readonly calendar: Calendar
  readonly sales: Sales
  /** Running counts, one entry more than days. */
  readonly available: Uint32Array
  readonly empty: Uint32Array
  /** The available days as usual days: one with a known factor counts as that many. */
  readonly usual: Float64Array
  /** The ledger is complete between these instants. */
  readonly coveredFrom: number
  readonly coveredUntil: number
}

/** Histories of one machine's slots over the last `days`, with the classes of days as known now. */
export function slotSalesHistories(machine: MachineInput, now: number, days: number, coveredUntil: number) {
  const localCalendar = calendar(machine.zone, now, days, 0)
  const counted = machineDays(machine, localCalendar, days)
  const { from, today } = counted.window
  const classes = new Uint8Array(today - from)
  const histories = new Map<string, SlotSalesHistory>()
  for (const [row, slot] of machine.slots.entries()) {
    classifyDays(slot, row, counted, localCalendar, now, classes)
    const available = new Uint32Array(days + 1)
    const empty = new Uint32Array(days + 1)
    const usual = new Float64Array(days + 1)
    for (let i = 0; i < days; i++) {
      const windowDay = i - (from - localCalendar.firstDay)
      const dayClass = classes[windowDay]
      available[i + 1] = available[i]! + (dayClass === AVAILABLE ? 1 : 0)
      empty[i + 1] = empty[i]! + (dayClass === EMPTY ? 1 : 0)
      usual[i + 1] = usual[i]! + (dayClass === AVAILABLE ? (counted.factors?.[windowDay] ?? 1) : 0)
    }
    histories.set(slot.slotId, {
      location: machine.location,
      calendar: localCalendar,
      sales: sortHistory(slot, now).sales,
      available,
      empty,
      usual,
      coveredFrom: Math.max(machine.ledgerFrom ?? -Infinity, localCalendar.starts[0]!),
      coveredUntil: Math.min(coveredUntil, machine.ledgerTo ?? Infinity),
    })
  }
  return histories
}

/** Ratios are null where nothing was scored: that is not the same as no error. */
export interface Report {
  readonly scored: number
  readonly excluded: number
  readonly partlyEmpty: number
  readonly units: number
  readonly mae: number | null
  readonly wape: number | null
  readonly bias: number | null
  /** Our mean absolute error over that of the naive forecast: below 1 is better. */
  readonly relMae: number | null
  readonly naiveWape: number | null
  /** How often sales stayed within the quantile that quantities are based on; the target is 0.95. */
  readonly coverageP95: number | null
  readonly firstMadeAt: number | null
  readonly lastMadeAt: number | null
}

export interface SlotReport {
  readonly slotId: string
  readonly location: string
  readonly scored: number
  readonly mae: number | null
  readonly bias: number | null
  readonly last: {
    readonly madeAt: number
    readonly forecast: number
    readonly actual: number
    readonly availableDays: number
  } | null
}

export const SPEEDS = ['slow', 'mid', 'fast'] as const
export type Speed = (typeof SPEEDS)[number]

/** By the forecast, never by the outcome: groups chosen by the outcome would look better than they are. */
export const speedOf = (dailyRate: number): Speed => (dailyRate < 0.2 ? 'slow' : dailyRate < 1 ? 'mid' : 'fast')

export interface Score {
  readonly horizonDays: number
  readonly totalForecasts: number
  readonly scored: number
  readonly pending: number
  readonly excluded: number
  readonly overall: Report
  readonly byLocation: Readonly<Record<string, Report>>
  readonly bySpeed: Readonly<Record<Speed, Report>>
  readonly byMeasured: Readonly<Record<'measured' | 'inferred', Report>>
  readonly slots: readonly SlotReport[]
}

export function scorer(horizonDays: number, now: number, historyOf: (slotId: string) => SlotSalesHistory | undefined) {
  const overall = newTotals()
  const byLocation = new Map<string, Totals>()
  const bySpeed = { slow: newTotals(), mid: newTotals(), fast: newTotals() }
  const byMeasured = { measured: newTotals(), inferred: newTotals() }
  const bySlot = new Map<string, { location: string; totals: Totals; last: SlotReport['last'] }>()
  let total = 0
  let pending = 0

  return {
    add(forecast: Forecast): void {
      total++
      const history = historyOf(forecast.slotId)
      const end = forecast.madeAt + horizonDays * DAY
      if (end > now || (history && (end > history.coveredUntil || forecast.madeAt < history.coveredFrom))) {
        pending++
        return
      }
      const groups = [
        overall,
        bySpeed[speedOf(forecast.dailyRate)],
        byMeasured[forecast.measured ? 'measured' : 'inferred'],
      ]
      const exposure = history
        ? exposureOf(history, forecast.madeAt, horizonDays)
        : { available: 0, empty: 0, usual: 0 }
      if (history) groups.push(findOrAddGroup(byLocation, history.location))
      if (!history || exposure.available === 0) {
        for (const group of groups) group.excluded++
        return
      }
      const actual = unitsSoldWithin(history.sales, forecast.madeAt, end)
      // The naive forecast knows no calendar.
      const expected = forecast.dailyRate * exposure.usual
      const outcome: ScoredForecast = {
        madeAt: forecast.madeAt,
        expected,
        naive: forecast.naiveDailyRate * exposure.available,
        actual,
        isPartlyEmpty: exposure.empty > 0,
        isWithin: actual <= quantile(expected, SERVICE_LEVEL, DISPERSION, actual + 1),
      }
      const slot = bySlot.get(forecast.slotId) ?? { location: history.location, totals: newTotals(), last: null }
      bySlot.set(forecast.slotId, slot)
      if (!slot.last || slot.last.madeAt <= forecast.madeAt) {
        slot.last = { madeAt: forecast.madeAt, forecast: round4(expected), actual, availableDays: exposure.available }
      }
      for (const group of groups) addOutcome(group, outcome)
      addOutcome(slot.totals, outcome)
    },
    result: (): Score => ({
      horizonDays,
      totalForecasts: total,
      scored: overall.scored,
      pending,
      excluded: overall.excluded,
      overall: toReport(overall),
      byLocation: Object.fromEntries(
        [...byLocation].toSorted(byKey).map(([location, group]) => [location, toReport(group)]),
      ),
      bySpeed: { slow: toReport(bySpeed.slow), mid: toReport(bySpeed.mid), fast: toReport(bySpeed.fast) },
      byMeasured: { measured: toReport(byMeasured.measured), inferred: toReport(byMeasured.inferred) },
      slots: [...bySlot].toSorted(byKey).map(([slotId, { location, totals, last }]) => {
        const { scored, mae, bias } = toReport(totals)
        return { slotId, location, scored, mae, bias, last }
      }),
    }),
  }
}

/** Available and empty days of a horizon, from the day of the forecast on. All of them are over when it is scored. */
function exposureOf({ calendar, available, empty, usual }: SlotSalesHistory, madeAt: number, horizonDays: number) {
  const from = Math.max(0, dayAt(calendar, madeAt) - calendar.firstDay)
  const to = Math.min(available.length - 1, from + horizonDays)
  return {
    available: available[to]! - available[from]!,
    empty: empty[to]! - empty[from]!,
    usual: usual[to]! - usual[from]!,
  }
}

function unitsSoldWithin({ at, units }: Sales, from: number, to: number): number {
  const first = indexFrom(at, from)
  const end = indexFrom(at, to)
  if (!units) return end - first
  let total = 0
  for (let i = first; i < end; i++) total += units[i]!
  return total
}

const indexFrom = (at: Float64Array, t: number): number => firstIndexWhere(at.length, (i) => at[i]! >= t)

interface ScoredForecast {
  readonly madeAt: number
  readonly expected: number
  readonly naive: number
  readonly actual: number
  readonly isPartlyEmpty: boolean
  readonly isWithin: boolean
}

interface Totals {
  scored: number
  excluded: number
  partlyEmpty: number
  units: number
  error: number
  absolute: number
  naiveAbsolute: number
  withinQuantile: number
  first: number
  last: number
}

const newTotals = (): Totals => ({
  scored: 0,
  excluded: 0,
  partlyEmpty: 0,
  units: 0,
  error: 0,
  absolute: 0,
  naiveAbsolute: 0,
  withinQuantile: 0,
  first: Infinity,
  last: -Infinity,
})

function findOrAddGroup(groups: Map<string, Totals>, key: string): Totals {
  const group = groups.get(key) ?? newTotals()
  groups.set(key, group)
  return group
}

function addOutcome(group: Totals, { madeAt, expected, naive, actual, isPartlyEmpty, isWithin }: ScoredForecast): void {
  group.scored++
  if (isPartlyEmpty) group.partlyEmpty++
  if (isWithin) group.withinQuantile++
  group.units += actual
  group.error += expected - actual
  group.absolute += Math.abs(expected - actual)
  group.naiveAbsolute += Math.abs(naive - actual)
  group.first = Math.min(group.first, madeAt)
  group.last = Math.max(group.last, madeAt)
}

function toReport(group: Totals): Report {
  const { scored, excluded, partlyEmpty, units } = group
  return {
    scored,
    excluded,
    partlyEmpty,
    units,
    mae: ratio(group.absolute, scored),
    wape: ratio(group.absolute, units),
    bias: ratio(group.error, units),
    relMae: ratio(group.absolute, group.naiveAbsolute),
    naiveWape: ratio(group.naiveAbsolute, units),
    coverageP95: ratio(group.withinQuantile, scored),
    firstMadeAt: scored > 0 ? group.first : null,
    lastMadeAt: scored > 0 ? group.last : null,
  }
}

const round4 = (value: number): number => Math.round(value * 10_000) / 10_000
const ratio = (part: number, whole: number): number | null => (whole > 0 ? round4(part / whole) : null)
const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0)
