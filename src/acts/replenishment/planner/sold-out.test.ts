/** A machine whose products are gone gets them, and waiting longer never makes a visit less likely. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../kernel/clock.ts'
import { calendarCache } from './demand/calendar.ts'
import { horizonCache, HORIZON_DAYS } from './demand/horizon.ts'
import { rateMachine, rhythmOf, sizeMachine } from './machine-plan.ts'
import { planRoute } from './plan.ts'
import { type PlanParams, DEFAULT_PLAN_PARAMS } from '../../../kernel/plan-params.ts'
import type { MachineInput, PlanSettings, Sales, SlotInput } from './input.ts'
import { type PlannedSlot, machineInput, slotInput } from './inputs.test-support.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

/** A Wednesday in the middle of a local day. */
const NOW = Date.parse('2026-03-18T10:30:00+08:00')
const MIDNIGHT = NOW - 10.5 * HOUR
const ZONE = { offsetMin: 480 }

/** `units` sales spread over every `everyDays`-th day from `from` to `until` days ago. */
function sold(units: number, everyDays: number, from: number, until: number): Sales {
  const at: number[] = []
  for (let day = from; day >= Math.max(1, until); day--)
    if (day % everyDays === 0)
      for (let k = 0; k < units; k++) at.push(MIDNIGHT - day * DAY + (9 + (k * 12) / units) * HOUR)
  return { at: Float64Array.from(at) }
}

const slot = (slotId: string, over: Partial<PlannedSlot> = {}): PlannedSlot =>
  slotInput(slotId, { stock: 0, capacity: null, firstSeenAt: NOW - 200 * DAY, ...over })

const machine = (slots: readonly SlotInput[], over: Partial<MachineInput> = {}): MachineInput =>
  machineInput(slots, { zone: ZONE, ...over })

const settings = (leadDays: number, params: Partial<PlanParams> = {}, reviewDays = 1): PlanSettings => ({
  now: NOW,
  params: { ...DEFAULT_PLAN_PARAMS, ...params },
  leadTime: { days: leadDays, source: 'stated', samples: 0 },
  reviewDays,
})

const emptySlot = fc.record({
  units: fc.integer({ min: 1, max: 8 }),
  everyDays: fc.constantFrom(1, 1, 1, 2, 3, 7),
  priceFen: fc.constantFrom(0, 1, 150, 300, 500, 1500, 90_000),
  capacity: fc.constantFrom(null, null, 1, 2, 3, 5, 8, 12, 40),
  deliveredShort: fc.constantFrom(undefined, 'full' as const, 'full_before' as const),
  emptyForDays: fc.integer({ min: 0, max: 17 }),
})

const route = {
  leadDays: fc.integer({ min: 0, max: 14 }),
  reviewDays: fc.integer({ min: 1, max: 7 }),
  params: fc.record({
    min_order_qty: fc.integer({ min: 1, max: 6 }),
    max_order_qty: fc.integer({ min: 6, max: 60 }),
    cover_days: fc.integer({ min: 1, max: 14 }),
    safety_days: fc.integer({ min: 0, max: 4 }),
    visit_rule: fc.constantFrom('cycle' as const, 'cycle' as const, 'share' as const),
    visit_cost: fc.constantFrom(null, null, null, 0, 100, 3_000, 1_000_000),
    cover_rule: fc.constantFrom('rhythm' as const, 'rhythm' as const, 'days' as const),
    room_lead_share: fc.constantFrom(0, 0.5, 1),
    top_up: fc.boolean(),
    small_machine_slots: fc.constantFrom(0, 0, 5),
  }),
}

describe('2.8 a machine whose products are gone gets them', () => {
  test('of any size, rate, price, capacity, lead time and review, for any visit cost and rule', () => {
    fc.assert(
      fc.property(
        fc.record({ slots: fc.array(emptySlot, { minLength: 1, maxLength: 24 }), ...route }),
        ({ slots, leadDays, reviewDays, params }) => {
          const empty = machine(
            slots.map(({ units, everyDays, emptyForDays, ...over }, i) =>
              slot(`s${i}`, { ...over, sales: sold(units, everyDays, 40, emptyForDays + 1) }),
            ),
          )
          const plan = planRoute({ ...settings(leadDays, params, reviewDays), machines: [empty] })
          let due = false
          for (const { demand, recommendation, basis } of plan.plans) {
            if (demand.dailyRate === 0) continue
            // The one limit that may forbid it: the slot has no room for the smallest order, and the entry says so.
            if (basis.room !== null && basis.room < (params.top_up ? 1 : params.min_order_qty)) {
              assert.deepEqual([recommendation.action, basis.unitsIfVisited], ['watch', 0])
              continue
            }
            due = true
            assert.equal(recommendation.action, 'order')
            assert.ok(recommendation.quantity! >= Math.min(params.min_order_qty, basis.room ?? Infinity))
          }
          if (due) assert.equal(plan.visits[0]!.visit.go, true)
        },
      ),
      { numRuns: propertyRuns(4000) },
    )
  }, 120_000)

  test('eight empty slots that sold three a day each are ordered for at a lead time of five days', () => {
    for (const capacity of [null, 8, 12]) {
      const slots = Array.from({ length: 8 }, (_, i) => slot(`s${i}`, { capacity, sales: sold(3, 1, 40, 2) }))
      const { plans, visits } = planRoute({ ...settings(5), machines: [machine(slots)] })
      expect(plans.map(({ recommendation }) => recommendation.action)).toEqual(Array(8).fill('order'))
      const { lossByWaitingFen, visitThresholdFen } = visits[0]!.visit
      expect(lossByWaitingFen).toBeGreaterThan(visitThresholdFen!)
    }
  })

  test('one slot empty and one with a day left, four fifths of the revenue at risk: ordered, though capacity is unknown', () => {
    const seen = { recordedFrom: NOW - DAY, firstSeenAt: NOW - 60 * DAY }
    const slots = [
      slot('a', { ...seen, readings: [{ at: NOW - DAY, stock: 2 }], sales: sold(3, 1, 40, 2) }),
      slot('b', { ...seen, stock: 3, sales: sold(3, 1, 40, 1) }),
      ...Array.from({ length: 5 }, (_, i) => slot(`c${i}`, { ...seen, stock: 5, sales: sold(1, 4, 40, 1) })),
    ]
    const { plans, visits } = planRoute({ ...settings(2), machines: [machine(slots)] })
    expect(visits[0]!.visit.riskShare).toBeGreaterThan(0.8)
    expect(plans.slice(0, 2).map(({ recommendation }) => recommendation.action)).toEqual(['order', 'order'])
  })

  test('a machine that was empty for weeks does not count as closed', () => {
    for (let days = 1; days <= 18; days++) {
      const slots = Array.from({ length: 6 }, (_, i) => slot(`s${i}`, { sales: sold(4, 1, 40, days + 1) }))
      const { plans } = planRoute({ ...settings(2), machines: [machine(slots)] })
      for (const { demand, recommendation } of plans) {
        expect(demand).toMatchObject({ closedDays: 0, availableDays: 21 - days, emptyDays: days })
        expect(recommendation).toMatchObject({ action: 'order', quantity: 40 })
      }
    }
  })

  test('slots in transit count as filled, and slots that cannot be filled do not delay the others', () => {
    const slots = Array.from({ length: 8 }, (_, i) => slot(`s${i}`, { capacity: 10, sales: sold(3, 1, 40, 2) }))
    const actions = (change: (slot: SlotInput, i: number) => SlotInput) =>
      planRoute({ ...settings(2), machines: [machine(slots.map(change))] }).plans.map(
        ({ recommendation }) => recommendation.action,
      )
    expect(actions((s, i) => ({ ...s, isInTransit: i > 0 })).filter((action) => action === 'order')).toEqual([])
    expect(actions((s, i) => ({ ...s, locked: i > 2 })).filter((action) => action === 'order')).toHaveLength(3)
  })
})

describe('2.8 waiting longer never makes a visit less likely', () => {
  const stocked = fc.record({
    rate: fc.double({ min: 0, max: 8, noNaN: true }),
    stock: fc.integer({ min: 0, max: 20 }),
    fewer: fc.integer({ min: 0, max: 6 }),
    priceFen: fc.constantFrom(0, 150, 300, 500, 1500),
    capacity: fc.constantFrom(null, 2, 5, 8, 12, 20, 40),
    highestLevel: fc.integer({ min: 0, max: 20 }),
    flags: fc.constantFrom('', '', '', '', 'locked', 'in transit', 'short'),
  })

  test('as stock falls the loss of waiting grows, what it is held against stays, and a due visit stays due', () => {
    const calendar = calendarCache(NOW, 1, HORIZON_DAYS)(ZONE)
    const horizon = horizonCache(NOW)(calendar, [false, false, false, false, false, false, true])
    fc.assert(
      fc.property(
        fc.record({ slots: fc.array(stocked, { minLength: 1, maxLength: 16 }), ...route }),
        ({ slots, leadDays, reviewDays, params }) => {
          const visitAt = (stockOf: (of: (typeof slots)[number]) => number) => {
            const plan = settings(leadDays, params, reviewDays)
            const rated = rateMachine(
              plan,
              {
                location: 'm',
                place: { area: '', site: 'm' },
                today: 0,
                arrivalDay: 0,
                openWeekdays: undefined,
                totals: { units: 0, availableDays: 0 },
                windowDays: 21,
                horizon,
                usualHorizon: horizon,
                slots: slots.map((of, i) =>
                  slot(`s${i}`, {
                    priceFen: of.priceFen,
                    capacity: of.capacity,
                    stock: stockOf(of),
                    locked: of.flags === 'locked',
                    isInTransit: of.flags === 'in transit',
                    deliveredShort: of.flags === 'short' ? ('full' as const) : undefined,
                  }),
                ),
                observed: slots.map(({ rate, stock, highestLevel }) => ({
                  units: rate * 1e6,
                  availableDays: 1e6,
                  rateUnits: rate * 1e6,
                  rateDays: 1e6,
                  emptyDays: 0,
                  closedDays: 0,
                  earlierDays: 0,
                  unsoldDays: 0,
                  highestLevel: Math.max(highestLevel, stock),
                  emptySince: null,
                })),
              },
              () => 0,
            )
            const costFen = params.visit_cost
            const rhythmDays = rhythmOf(rated, costFen ?? rated.assumedCostFen, leadDays)
            return sizeMachine(plan, rated, { rhythmDays, costShare: 1, costFen }).visit
          }
          const before = visitAt(({ stock }) => stock)
          const after = visitAt(({ stock, fewer }) => Math.max(0, stock - fewer))
          assert.ok(after.go || !before.go)
          assert.ok(after.load >= before.load && after.riskShare >= before.riskShare - 1e-9)
          if (before.lossByWaitingFen === null) return
          assert.ok(after.lossByWaitingFen! >= before.lossByWaitingFen - 1e-6)
          assert.equal(after.visitThresholdFen, before.visitThresholdFen)
        },
      ),
      { numRuns: propertyRuns(4000) },
    )
  }, 120_000)

  test('day after day without a visit, once due it stays due', () => {
    const selling = fc.record({
      units: fc.integer({ min: 1, max: 6 }),
      stock: fc.integer({ min: 0, max: 25 }),
      capacity: fc.constantFrom(null, 6, 10, 30),
    })
    fc.assert(
      fc.property(
        fc.array(selling, { minLength: 5, maxLength: 12 }),
        fc.integer({ min: 0, max: 14 }),
        (slots, leadDays) => {
          let wasDue = false
          for (let day = 0; day <= 18; day++) {
            const now = NOW + day * DAY
            const later = slots.map(({ units, stock, capacity }, i) => {
              const at = [...sold(units, 1, 40, 1).at]
              for (let k = 0; k < Math.min(stock, units * day); k++)
                at.push(MIDNIGHT + Math.floor(k / units) * DAY + (11 + (k % units)) * HOUR)
              return slot(`s${i}`, {
                capacity: capacity === null ? null : Math.max(capacity, stock),
                stock: Math.max(0, stock - units * day),
                sales: { at: Float64Array.from(at) },
              })
            })
            const { go } = planRoute({ ...settings(leadDays), now, machines: [machine(later)] }).visits[0]!.visit
            assert.ok(go || !wasDue, `due before day ${day}, and no longer`)
            wasDue ||= go
          }
        },
      ),
      { numRuns: propertyRuns(120) },
    )
  }, 120_000)
})

const otherSlot = fc.record({
  units: fc.integer({ min: 0, max: 5 }),
  stock: fc.integer({ min: 0, max: 12 }),
  flag: fc.constantFrom('', '', '', '', 'locked', 'in transit'),
})

test('2.8 a slot that was empty for the cover days and sells is ordered, or its entry says what forbids it', () => {
  const reasons = new Set<string>()
  fc.assert(
    fc.property(
      fc.record({
        empty: emptySlot,
        flag: fc.constantFrom('', '', '', 'locked', 'in transit'),
        others: fc.array(otherSlot, { maxLength: 8 }),
        open: fc.constantFrom(undefined, undefined, [0, 2]),
        tripCost: fc.constantFrom(null, null, 2000, 100_000),
        maxUnits: fc.constantFrom(undefined, undefined, 4),
        ...route,
      }),
      ({ empty, flag, others, open, tripCost, maxUnits, leadDays, reviewDays, params }) => {
        const { units, everyDays, ...over } = empty
        const since = params.cover_days + 1
        const gone = slot('gone', {
          ...over,
          sales: sold(units, everyDays, 40, since + 1),
          readings: Array.from({ length: since }, (_, day) => ({ at: NOW - day * DAY, stock: 0 })),
          locked: flag === 'locked',
          isInTransit: flag === 'in transit',
        })
        const full = others.map((each, i) =>
          slot(`other${i}`, {
            sales: sold(each.units, 1, 40, 1),
            stock: each.stock,
            capacity: 12,
            locked: each.flag === 'locked',
            isInTransit: each.flag === 'in transit',
          }),
        )
        const plan = planRoute({
          ...settings(
            leadDays,
            { ...params, trip_cost: tripCost, stop_cost: tripCost === null ? null : 500 },
            reviewDays,
          ),
          driving: { kmCostFen: 0, stopMinutes: 10, maxUnits },
          machines: [machine([gone, ...full], { openWeekdays: open })],
        })
        const entry = plan.plans.find(({ slotId }) => slotId === 'gone')!
        if (entry.demand.dailyRate === 0) return
        const { action } = entry.recommendation
        const { visit, unitsIfVisited } = entry.basis
        reasons.add(action === 'order' ? action : visit.why)
        if (action === 'order' || action === 'locked' || action === 'in_transit') return
        // No amount that may be ordered fits into the slot.
        if (unitsIfVisited === 0) return
        if (['in_transit', 'closed', 'limit'].includes(visit.why)) return
        assert.equal(visit.why, 'not_due')
        if (visit.lossByWaitingFen !== null) {
          const isDueAlone = visit.lossByWaitingFen >= visit.visitThresholdFen!
          // Where a trip is shared, the trip itself may not be worth it yet.
          assert.ok(!isDueAlone || tripCost !== null, `${visit.lossByWaitingFen} >= ${visit.visitThresholdFen}`)
        } else assert.ok(visit.riskShare < 0.5)
      },
    ),
    { numRuns: propertyRuns(1500) },
  )
  // It is a statement about something only if all of these occur.
  for (const reason of ['order', 'not_due', 'in_transit', 'closed', 'limit']) expect(reasons).toContain(reason)
})
