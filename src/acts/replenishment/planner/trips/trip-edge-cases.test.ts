/** The odd trips, one by one. */
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../../kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS } from '../../../../kernel/plan-params.ts'
import type { MachineInput, PlanSettings, SlotInput, Zone } from '../input.ts'
import { type PlannedSlot, machineInput, slotInput } from '../inputs.test-support.ts'
import { planRoute } from '../plan.ts'
import { type TripPlan, planTrips } from './coming-trips.ts'

const NOW = Date.parse('2026-03-18T08:00:00Z')
const SHANGHAI: Zone = { timeZone: 'Asia/Shanghai' }

interface Machine {
  readonly over?: Partial<PlannedSlot>
  readonly geo?: { readonly latitude: number; readonly longitude: number } | undefined
  readonly zone?: Zone
  readonly site?: string
}

function soldBefore(now: number, perDay: number): SlotInput['sales'] {
  const at = Array.from({ length: 25 * perDay }, (_, i) => now - (1 + i / perDay) * DAY)
  return { at: Float64Array.from(at.toReversed()) }
}

/** Four empty slots that sold two a day each. */
const machineOf = (location: string, { over, geo, zone, site }: Machine, now: number): MachineInput =>
  machineInput(
    [0, 1, 2, 3].map((k) =>
      slotInput(`${location}-${k}`, {
        stock: 0,
        priceFen: 500,
        firstSeenAt: now - 100 * DAY,
        sales: soldBefore(now, 2),
        ...over,
      }),
    ),
    { location, zone: zone ?? SHANGHAI, place: { area: 'a', site: site ?? location, geo } },
  )

function tripsOf(machines: Readonly<Record<string, Machine>>, over: Partial<PlanSettings> = {}, days = 1): TripPlan {
  const { now = NOW } = over
  const settings: PlanSettings = {
    now,
    params: { ...DEFAULT_PLAN_PARAMS, trip_cost: 2000, stop_cost: 500 },
    leadTime: { days: 2, source: 'stated', samples: 0 },
    reviewDays: 1,
    ...over,
  }
  const input = Object.entries(machines).map(([id, machine]) => machineOf(id, machine, now))
  const steps = planTrips(settings, planRoute({ ...settings, machines: input }), days)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
const reasonsOf = ({ waiting }: TripPlan) => waiting.map(({ location, visit }) => [location, visit.why])
const sitesOf = ({ trips }: TripPlan) => trips.flatMap(({ stops }) => stops.map(({ site }) => site))
const dateOf = ({ trips }: TripPlan) => new Date(trips[0]!.date * DAY).toISOString().slice(0, 10)

describe('4.7 trips', () => {
  test('of no machine, or of machines with stock that sell nothing: none, and each machine says that it waits', () => {
    expect(tripsOf({})).toEqual({ trips: [], waiting: [] })
    const still = { over: { stock: 5, sales: { at: new Float64Array(0) } } }
    const plan = tripsOf({ A: still, B: still }, {}, 7)
    expect([plan.trips, reasonsOf(plan)]).toEqual([
      [],
      [
        ['A', 'not_due'],
        ['B', 'not_due'],
      ],
    ])
  })

  test('of one machine: one stop', () => {
    const plan = tripsOf({ A: {} })
    expect([sitesOf(plan), plan.waiting]).toEqual([['A'], []])
  })

  test('with everything in transit: none, and that is the reason', () => {
    const plan = tripsOf({ A: { over: { isInTransit: true } }, B: { over: { isInTransit: true } } })
    expect([plan.trips, reasonsOf(plan)]).toEqual([
      [],
      [
        ['A', 'in_transit'],
        ['B', 'in_transit'],
      ],
    ])
  })

  test('a machine without coordinates comes last, and the length of the trip is then unknown', () => {
    const at = (longitude: number) => ({ geo: { latitude: 31, longitude } })
    const driving = { kmCostFen: 0, stopMinutes: 10, depot: { latitude: 31, longitude: 121 } }
    const plan = tripsOf({ A: {}, B: at(121.2), C: at(121.1) }, { driving })
    expect(sitesOf(plan).at(-1)).toBe('A')
    expect(plan.trips[0]!.distanceM).toBeUndefined()
    expect(plan.trips[0]!.stops.map(({ legM }) => legM === undefined)).toEqual([false, false, true])
    const known = tripsOf({ B: at(121.2), C: at(121.1) }, { driving })
    expect(known.trips[0]!.distanceM).toBeGreaterThan(0)
  })

  test.each([
    ['west of the date line', 'Pacific/Pago_Pago', '2026-03-18T10:30:00Z', '2026-03-17'],
    ['east of it', 'Pacific/Kiritimati', '2026-03-18T10:30:00Z', '2026-03-19'],
    ['in the hour that summer time skips', 'Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29'],
    ['just before midnight of a day of 23 hours', 'Europe/Berlin', '2026-03-29T21:59:00Z', '2026-03-29'],
    ['just before midnight of a day of 25 hours', 'Europe/Berlin', '2026-10-25T22:59:00Z', '2026-10-25'],
  ])('the date is the local one: %s', (_, timeZone, now, date) => {
    expect(dateOf(tripsOf({ A: { zone: { timeZone } } }, { now: Date.parse(now) }))).toBe(date)
  })

  test('of three hundred machines of an area: within the limits, each machine once, the rest named', () => {
    const machines = Object.fromEntries(
      Array.from({ length: 300 }, (_, i): [string, Machine] => [
        `M${1000 + i}`,
        { geo: { latitude: 31 + (i % 17) / 100, longitude: 121 + (i % 23) / 100 }, site: `S${i >> 1}` },
      ]),
    )
    const driving = { kmCostFen: 50, stopMinutes: 10, depot: { latitude: 31.1, longitude: 121.1 }, maxStops: 40 }
    const plan = tripsOf(machines, { driving, reviewDays: 7 })
    const visited = plan.trips.flatMap(({ stops }) => stops.flatMap((stop) => stop.machines))
    expect(plan.trips.map(({ stops }) => stops.length)).toEqual([40])
    expect(visited).toHaveLength(80)
    expect(new Set(reasonsOf(plan).map(([, why]) => why))).toEqual(new Set(['limit']))
    expect(new Set([...visited, ...plan.waiting].map(({ location }) => location)).size).toBe(300)
    expect(plan.trips[0]!.minutes).toBeGreaterThan(40 * 10)
  })

  test('today, at any hour of a day, is the day of the first trip', () => {
    for (let hour = 0; hour < 24; hour++) {
      const now = Date.parse('2026-03-18T00:00:00+08:00') + hour * HOUR
      expect(dateOf(tripsOf({ A: {} }, { now }))).toBe('2026-03-18')
    }
  })
})
