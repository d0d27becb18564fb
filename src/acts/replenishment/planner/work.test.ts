/**
 * 13 How much work the trips of a route are, counted in the sums over the demand of a slot, which nearly all time goes
 * into. The time itself is measured by `npm run bench -- trips`.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { DAY, HOUR } from '../../../kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS } from '../../../kernel/plan-params.ts'
import type { MachineInput, PlanSettings } from './input.ts'
import { machineInput, slotInput } from './inputs.test-support.ts'
import * as distribution from './demand/negative-binomial.ts'
import { routePlanner } from './plan.ts'
import { planTrips } from './trips/coming-trips.ts'

afterEach(() => void vi.restoreAllMocks())

const NOW = Date.parse('2026-03-18T08:00:00+08:00')
const SLOTS = 10
const DAYS = 7
const SETTINGS: PlanSettings = {
  now: NOW,
  params: { ...DEFAULT_PLAN_PARAMS, trip_cost: 6000, stop_cost: 2000 },
  leadTime: { days: 2, source: 'stated', samples: 0 },
  reviewDays: 1,
}

/** Every machine sells something else, and has another stock. */
const machinesOf = (machines: number, areas: number): readonly MachineInput[] =>
  Array.from({ length: machines }, (_, m) => {
    const location = `m${String(m).padStart(4, '0')}`
    const slots = Array.from({ length: SLOTS }, (_slot, k) => {
      const gap = (0.3 + ((m * 7 + k * 3) % 10) / 5) * DAY
      const at = Float64Array.from({ length: 20 }, (_sale, i) => NOW - 9 * HOUR - (20 - i) * gap)
      return slotInput(`${location}-${k}`, { stock: (m + k) % 12, firstSeenAt: NOW - 100 * DAY, sales: { at } })
    })
    return machineInput(slots, { location, place: { area: `a${m % areas}`, site: location } })
  })

/** The sums of a whole plan with its trips, and the most of them between two turns of the event loop. */
function workOf(machines: readonly MachineInput[]): { readonly all: number; readonly longest: number } {
  const sums = vi.spyOn(distribution, 'expectedLoss')
  let longest = 0
  let before = 0
  const finish = <T>(steps: Generator<undefined, T>): T => {
    for (;;) {
      const step = steps.next()
      longest = Math.max(longest, sums.mock.calls.length - before)
      before = sums.mock.calls.length
      if (step.done) return step.value
    }
  }
  const planner = routePlanner(SETTINGS)
  for (const machine of machines) planner.observe(machine)
  finish(planTrips(SETTINGS, finish(planner.steps()), DAYS))
  const all = sums.mock.calls.length
  sums.mockRestore()
  return { all, longest }
}

test('twice the machines are twice the work, and the work on a slot is limited', () => {
  const few = workOf(machinesOf(60, 3))
  const many = workOf(machinesOf(120, 6))
  expect(few.all).toBeGreaterThan(60 * SLOTS)
  expect(many.all / few.all).toBeLessThan(2.2)
  // Each number of days between trips once, not once per multiple; and seven days ahead.
  expect(many.all / (120 * SLOTS)).toBeLessThan(200)
})

test('between two turns of the event loop the work is the same for any route, also for one without areas', () => {
  const few = workOf(machinesOf(40, 1))
  const many = workOf(machinesOf(160, 1))
  expect(many.longest).toBeLessThan(1.2 * few.longest)
  expect(many.longest).toBeLessThan(8000)
})
