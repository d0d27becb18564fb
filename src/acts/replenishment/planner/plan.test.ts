/** What holds for every plan, whatever the route looks like. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY } from '../../../kernel/clock.ts'
import { dailyRate } from './demand/demand.ts'
import type { PlanEntry } from './machine-plan.ts'
import { planInSlices, planRoute, routePlanner } from './plan.ts'
import { type State, at, localDayNumber, NOW, states } from './states.test-support.ts'
import { readState } from '../planner-cli/read-input.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const plan = (state: State) => planRoute(readState(state))
const ordersOf = (state: State) =>
  plan(state).plans.flatMap(({ slotId, recommendation: { action, quantity } }) =>
    action === 'order' ? [[slotId, quantity] as const] : [],
  )
const holds = (runs: number, check: (state: State) => void) =>
  fc.assert(fc.property(states, check), { numRuns: propertyRuns(runs) })
const shuffled = <T>(list: readonly T[], salt: number): T[] =>
  list
    .map((value, i) => [Math.imul(i + salt, 2654435761) >>> 0, value] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, value]) => value)
/** Every time in the state, rewritten. */
const withTimes = (state: State, write: (ms: number) => string): State =>
  JSON.parse(JSON.stringify(state), (_, value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? write(Date.parse(value)) : value,
  )

describe('2.8 for any route', () => {
  test('each slot appears once, in order, with classes, rates, cover and quantities that fit together', () =>
    holds(1000, (state) => {
      const result = plan(state)
      const { window_days, min_order_qty, max_order_qty, top_up } = result.params
      const inTransit = new Set(
        state.runs.filter((r) => r.status === 'placed').flatMap((r) => r.lines.map((l) => l.slot_id)),
      )
      const today = localDayNumber(NOW)
      expect(result.plans.map(({ slotId }) => slotId)).toEqual(state.slots.map((s) => s.slot_id).toSorted())
      for (const slot of state.slots) {
        const entry: PlanEntry = result.plans.find(({ slotId }) => slotId === slot.slot_id)!
        const { demand, daysOfCover, stockoutAt, recommendation } = entry
        const age = today - localDayNumber(Date.parse(slot.first_seen))
        // 1, 2: classes are complete; naive is sales over the window.
        assert.equal(demand.availableDays + demand.emptyDays + demand.closedDays, Math.min(window_days, age))
        const first = today - Math.min(window_days, age)
        const sold = state.ledger.filter(({ ts, slot_id, status }) => {
          if (status !== 'paid' || slot_id !== slot.slot_id) return false
          const day = localDayNumber(Date.parse(ts))
          return day >= first && day < today
        }).length
        assert.ok(Math.abs(demand.naiveDailyRate - sold / window_days) <= 1e-4)
        // 3, 4
        assert.ok(demand.dailyRate >= 0)
        assert.equal(demand.measured, demand.availableDays >= 1)
        // 5: nothing, or an amount between the limits that fits.
        const { action, quantity } = recommendation
        assert.equal(action === 'order', quantity !== undefined)
        if (quantity !== undefined) {
          assert.ok(quantity >= (top_up ? 1 : min_order_qty) && quantity <= max_order_qty)
          // Units that are sold before arrival make room; without counting on them the order fits now.
          const { leadTime, params } = result
          const sold = Math.floor(params.room_lead_share * demand.dailyRate * leadTime.days + 0.01)
          assert.ok(slot.capacity === null || Math.max(0, entry.stock - sold) + quantity <= slot.capacity)
        }
        // 6: neither locked nor in transit.
        if (slot.locked) assert.equal(action, 'locked')
        else if (inTransit.has(slot.slot_id)) assert.equal(action, 'in_transit')
        // 7: cover is zero exactly when stock is, and the stock-out follows from it.
        assert.equal(entry.stock, Math.max(0, slot.stock))
        assert.equal(daysOfCover === 0, entry.stock === 0)
        assert.equal(daysOfCover === null, stockoutAt === null)
        if (daysOfCover !== null) assert.ok(Math.abs(stockoutAt! - NOW - daysOfCover * DAY) <= 0.0101 * DAY + 1000)
      }
    }))

  test('the lead time is measured exactly from five deliveries on', () =>
    holds(300, (state) => {
      const samples = state.runs.filter(
        ({ status, delivered }) => status === 'delivered' && delivered.some((l) => l.quantity > 0),
      ).length
      const { leadTime } = plan(state)
      expect(leadTime.samples).toBe(samples)
      expect(leadTime.source).toBe(samples >= 5 ? 'measured' : 'stated')
      if (samples < 5) expect(leadTime.days).toBe(state.stated_lead_days)
    }))

  test('slots placed in a run are gone from the next plan', () =>
    holds(300, (state) => {
      const orders = ordersOf(state)
      const lines = orders.map(([slot_id, quantity]) => ({ slot_id, quantity: quantity! }))
      const run = { status: 'placed', placed_at: state.now, delivered_at: null, lines, delivered: [] }
      const next = new Set(ordersOf({ ...state, runs: [...state.runs, run] }).map(([slotId]) => slotId))
      for (const [slotId] of orders) expect(next.has(slotId)).toBe(false)
    }))

  test('the order of slots, ledger lines, runs and readings does not matter', () =>
    holds(2000, (state) => {
      const mixed: State = {
        ...state,
        slots: shuffled(state.slots, 3),
        ledger: shuffled(state.ledger, 5),
        runs: shuffled(state.runs, 7),
        stock_log: shuffled(state.stock_log, 11),
      }
      expect(plan(mixed)).toEqual(plan(state))
    }))

  test('lines that are not paid change nothing', () =>
    holds(300, (state) => {
      expect(plan({ ...state, ledger: state.ledger.filter(({ status }) => status === 'paid') })).toEqual(plan(state))
    }))

  test('multiplying all prices changes no order', () =>
    holds(300, (state) => {
      for (const factor of [2, 7]) {
        const dearer = state.slots.map((slot) => ({ ...slot, price: slot.price * factor }))
        expect(ordersOf({ ...state, slots: dearer })).toEqual(ordersOf(state))
      }
    }))

  test('shifting all times by whole weeks changes no order', () =>
    holds(300, (state) => {
      expect(ordersOf(withTimes(state, (ms) => at(ms + 28 * DAY)))).toEqual(ordersOf(state))
    }))

  test('writing the same instants in another offset changes nothing', () =>
    holds(300, (state) => {
      expect(plan(withTimes(state, (ms) => new Date(ms).toISOString()))).toEqual(plan(state))
    }))

  test('with every slot locked nothing is ordered', () =>
    holds(200, (state) => {
      expect(ordersOf({ ...state, slots: state.slots.map((slot) => ({ ...slot, locked: true })) })).toEqual([])
    }))

  test('planning leaves no trace: the same state gives the same plan, at once or in slices', () =>
    fc.assert(
      fc.asyncProperty(states, async (state) => {
        const read = readState(state)
        const before = structuredClone(read)
        const once = planRoute(read)
        expect(planRoute(read)).toEqual(once)
        const planner = routePlanner(read)
        for (const machine of read.machines) planner.observe(machine)
        expect(await planInSlices(planner, () => Promise.resolve())).toEqual(once)
        expect(read).toEqual(before)
      }),
      { numRuns: propertyRuns(200) },
    ))

  test('changing one machine leaves lead time and day classes of another with other products alone', () =>
    holds(300, (state) => {
      const apart: State = {
        ...state,
        slots: state.slots.map((slot) => ({ ...slot, sku: `${slot.location}${slot.sku}` })),
      }
      const changed: State = { ...apart, ledger: apart.ledger.filter(({ slot_id }) => !slot_id.startsWith('m0-')) }
      const classes = (of: State) => {
        const { leadTime, plans } = plan(of)
        const others = plans.filter(({ location }) => location !== 'm0')
        return [leadTime, others.map(({ demand: d }) => [d.availableDays, d.emptyDays, d.closedDays])]
      }
      expect(classes(changed)).toEqual(classes(apart))
    }))

  test('one more paid sale on an available day never lowers a rate', () =>
    holds(300, (state) => {
      const open = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => ({
        day,
      }))
      const locations = [...new Set(state.slots.map(({ location }) => location))].map((id) => ({ id, hours: open }))
      // Hours are known and receipts left out: both would let one more sale change what other days were.
      const quiet = { ...state, runs: [], stock_log: [], locations }
      const before = plan(quiet)
      const slot = state.slots.find(({ slot_id }) => {
        const { availableDays } = before.plans.find(({ slotId }) => slotId === slot_id)!.demand
        return (
          availableDays > 0 &&
          state.ledger.some((line) => line.slot_id === slot_id && line.status === 'paid' && inWindow(line.ts))
        )
      })
      if (!slot) return
      const inWindowSale = state.ledger.find(
        (l) => l.slot_id === slot.slot_id && l.status === 'paid' && inWindow(l.ts),
      )!
      const after = plan({ ...quiet, ledger: [...quiet.ledger, inWindowSale] })
      const rate = (result: typeof before) =>
        result.plans.find(({ slotId }) => slotId === slot.slot_id)!.demand.dailyRate
      expect(rate(after)).toBeGreaterThanOrEqual(rate(before))
    }))
})

const inWindow = (ts: string) => {
  const daysAgo = localDayNumber(NOW) - localDayNumber(Date.parse(ts))
  return daysAgo >= 1 && daysAgo <= 7
}

test('2.8 a rate lies between what was sold per available day and what peers suggest', () => {
  const amounts = fc.record({ units: fc.nat(500), availableDays: fc.integer({ min: 1, max: 60 }) })
  fc.assert(
    fc.property(amounts, fc.double({ min: 0, max: 50, noNaN: true }), (seen, prior) => {
      const own = seen.units / seen.availableDays
      const rate = dailyRate(seen, prior)
      expect(rate).toBeGreaterThanOrEqual(Math.min(own, prior) - 1e-9)
      expect(rate).toBeLessThanOrEqual(Math.max(own, prior) + 1e-9)
    }),
    { numRuns: propertyRuns(2000) },
  )
})
