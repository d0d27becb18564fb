/** The odd routes, one by one. */
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../kernel/clock.ts'
import { calendar, closures, dayAt, openWeekdays } from './demand/calendar.ts'
import { summarizeRuns, machineInputs, salesBySlot } from './build-input.ts'
import { planRoute } from './plan.ts'
import { type PlanParams, DEFAULT_PLAN_PARAMS } from '../../../kernel/plan-params.ts'
import type { MachineInput, RouteInput, Sales } from './input.ts'
import { type PlannedSlot, machineInput as machine, slotInput, WORKED_PARAMS } from './inputs.test-support.ts'

/** A Wednesday at five past midnight in Shanghai. */
const NOW = Date.parse('2026-03-18T00:05:00+08:00')
const MIDNIGHT = NOW - 5 * 60_000

/** `perDay` sales at nine, ten … on each of these days before today. */
function sold(perDay: number, from = 30, until = 1, midnight = MIDNIGHT): Sales {
  const at: number[] = []
  for (let d = from; d >= until; d--) for (let k = 0; k < perDay; k++) at.push(midnight - d * DAY + (9 + k) * HOUR)
  return { at: Float64Array.from(at) }
}

const slot = (slotId: string, over: Partial<PlannedSlot> = {}): PlannedSlot =>
  slotInput(slotId, { firstSeenAt: NOW - 200 * DAY, ...over })

const route = (machines: readonly MachineInput[], over: Partial<RouteInput> = {}, params: Partial<PlanParams> = {}) =>
  planRoute({
    now: NOW,
    params: { ...DEFAULT_PLAN_PARAMS, ...params },
    leadTime: { days: 2, source: 'stated', samples: 0 },
    reviewDays: 1,
    machines,
    ...over,
  })

/** The only entry of a one-slot machine. */
const alone = (over: Partial<PlannedSlot>, on: Partial<MachineInput> = {}, params: Partial<PlanParams> = {}) =>
  route([machine([slot('a', over)], on)], {}, params).plans[0]!

describe('2.8 slots', () => {
  test('a slot first seen today has no days yet and gets the rate of its peers', () => {
    const { demand, recommendation } = route([
      machine([slot('new', { firstSeenAt: NOW, stock: 0 }), slot('old', { sales: sold(2) })]),
    ]).plans[0]!
    expect(demand).toMatchObject({ availableDays: 0, emptyDays: 0, closedDays: 0, measured: false, naiveDailyRate: 0 })
    expect(demand.dailyRate).toBeCloseTo(2, 1)
    expect(recommendation.action).toBe('order')
  })

  test('a one-slot machine pays for its visit, unless machines of its size are exempt', () => {
    const exempt = { small_machine_slots: 5 }
    expect(alone({ stock: 4, sales: sold(1) }, {}, exempt).recommendation.action).toBe('order')
    expect(alone({ stock: 5, sales: sold(1) }, {}, exempt).recommendation.action).toBe('none')
    expect(alone({ stock: 4, sales: sold(1) }).recommendation.action).toBe('watch')
    expect(alone({ stock: 0, sales: sold(1) }).recommendation.action).toBe('order')
  })

  test('stock above capacity leaves no room', () => {
    const entry = alone({ stock: 25, capacity: 20, sales: sold(12) }, {}, { room_lead_share: 0 })
    expect(entry.basis.room).toBe(0)
    expect(entry.recommendation).toEqual({ action: 'watch' })
  })

  test('negative stock from the platform counts as none', () => {
    const entry = alone({ stock: -3, sales: sold(1, 30, 2) })
    expect(entry).toMatchObject({ stock: 0, daysOfCover: 0 })
    expect(entry.recommendation).toEqual(alone({ stock: 0, sales: sold(1, 30, 2) }).recommendation)
  })

  test('nothing ever seen of an unknown capacity: what its neighbours hold limits it', () => {
    const entry = route([machine([slot('a', { stock: 0, capacity: null }), slot('b', { sales: sold(9) })])]).plans[0]!
    expect(entry.recommendation).toEqual({ action: 'order', quantity: 20 })
    expect(entry.basis.room).toBe(20)
  })

  test('a price of zero has no weight, and divides nothing by zero; products that are gone are ordered all the same', () => {
    const free = (stock: number) =>
      Array.from({ length: 6 }, (_, i) => slot(`s${i}`, { priceFen: 0, stock, sales: sold(1, 30, 3) }))
    for (const visit_rule of ['cycle', 'share'] as const) {
      const actions = (stock: number) =>
        route([machine(free(stock))], {}, { visit_rule }).plans.map(({ recommendation }) => recommendation.action)
      expect(actions(4)).toEqual(Array(6).fill('watch'))
      expect(actions(0)).toEqual(Array(6).fill('order'))
    }
  })

  test('a product that moved to another machine is still a peer of itself', () => {
    const there = machine([slot('there', { sku: 'tea', stock: 0, firstSeenAt: NOW })], { location: 'n' })
    const busy = machine([slot('here', { sku: 'tea', sales: sold(4) }), slot('x', { sales: sold(1) })])
    const quiet = machine([slot('here', { sku: 'tea', sales: sold(1) }), slot('x', { sales: sold(4) })])
    const rateOf = (m: MachineInput) =>
      route([m, there]).plans.find(({ slotId }) => slotId === 'there')!.demand.dailyRate
    expect(rateOf(busy)).toBeGreaterThan(rateOf(quiet))
  })
})

describe('2.8 days', () => {
  test('a machine without sales for a week is closed on those days and open on the others', () => {
    const slots = Array.from({ length: 5 }, (_, i) => slot(`s${i}`, { sales: sold(1, 30, 8) }))
    const { demand } = route([machine(slots)]).plans[0]!
    expect(demand).toMatchObject({ availableDays: 14, closedDays: 7, emptyDays: 0, dailyRate: 1 })
  })

  test('a machine with few sales has no closed days: a day without sales is plausible there', () => {
    expect(alone({ sales: sold(1, 30, 8) }).demand).toMatchObject({ availableDays: 21, closedDays: 0 })
  })

  test('days before a machine stood there say nothing about closed weekdays', () => {
    const young = { firstSeenAt: MIDNIGHT - 6 * DAY, sales: sold(2, 6, 2) }
    expect(alone(young).demand).toMatchObject({ availableDays: 6, closedDays: 0 })
  })

  test('known hours decide what is closed, and a sale overrules them', () => {
    const hours = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => ({ day }))
    const weekdays = openWeekdays(hours)
    expect(alone({ sales: sold(1, 30, 20) }, { openWeekdays: weekdays }).demand).toMatchObject({ closedDays: 6 })
    expect(alone({ sales: sold(1) }, { openWeekdays: weekdays }).demand).toMatchObject({
      closedDays: 0,
      availableDays: 21,
    })
    expect(openWeekdays([])).toBeUndefined()
    expect(openWeekdays(undefined)).toBeUndefined()
  })

  test('nothing arrives on a weekday on which the machine never sells', () => {
    // What is ordered on this Wednesday arrives on Friday.
    const isFriday = (at: number) => Math.ceil((MIDNIGHT - at) / DAY) % 7 === 5
    const visitOf = (opens: (at: number) => boolean, stock: number) => {
      const sales = { at: sold(3).at.filter(opens) }
      return route([machine([slot('a', { sales, stock }), slot('b', { sales, stock })])]).visits[0]!.visit.why
    }
    expect(visitOf(() => true, 3)).toBe('due')
    expect(visitOf((at) => !isFriday(at), 3)).toBe('closed')
    // Empty slots may be why nothing was sold on Fridays.
    expect(visitOf((at) => !isFriday(at), 0)).not.toBe('closed')
  })

  test('a cut ledger leaves only the days it covers whole, and says so', () => {
    const ledgerFrom = MIDNIGHT - 10 * DAY + HOUR
    const { plans, truncated } = route([machine([slot('a', { sales: sold(2, 10) })], { ledgerFrom })])
    expect(truncated).toEqual([{ location: 'm', windowDays: 9 }])
    expect(plans[0]!.demand).toMatchObject({ availableDays: 9, naiveDailyRate: 2 })
    expect(alone({ sales: sold(2) }, { ledgerFrom: NOW }).demand).toMatchObject({ availableDays: 0, naiveDailyRate: 0 })
  })

  test('local days are those of the location', () => {
    // 23:30 in Shanghai on the 17th is the 17th there, but already belongs to today in Auckland.
    const sales = { at: Float64Array.of(Date.parse('2026-03-17T23:30:00+08:00')) }
    expect(alone({ sales }, { zone: { offsetMin: 480 } }).demand.naiveDailyRate).toBeCloseTo(1 / 21, 4)
    expect(alone({ sales }, { zone: { timeZone: 'Pacific/Auckland' } }).demand.naiveDailyRate).toBe(0)
  })

  test('days of 23 and 25 hours begin and end where the clocks say', () => {
    const spring = calendar({ timeZone: 'America/New_York' }, Date.parse('2026-03-10T12:00:00-04:00'), 4, 3)
    const lengths = Array.from(spring.starts.slice(1), (start, i) => (start - spring.starts[i]!) / HOUR)
    expect(lengths).toEqual([24, 24, 23, 24, 24, 24, 24, 24])
    const change = Date.parse('2026-03-08T23:59:59-04:00')
    expect(dayAt(spring, change)).toBe(spring.today - 2)
    expect(dayAt(spring, change + 1000)).toBe(spring.today - 1)
    const autumn = calendar({ timeZone: 'Europe/Berlin' }, Date.parse('2026-10-24T12:00:00+02:00'), 1, 2)
    expect((autumn.starts[3]! - autumn.starts[2]!) / HOUR).toBe(25)
  })

  test('wherever clocks change, also at midnight, days begin where the zone says', () => {
    for (const timeZone of [
      'America/Havana',
      'Asia/Beirut',
      'Africa/Cairo',
      'Australia/Lord_Howe',
      'America/New_York',
      'Asia/Kolkata',
    ]) {
      const { starts, firstDay } = calendar({ timeZone }, NOW, 200, 300)
      for (const [i, start] of starts.entries()) {
        const date = Temporal.PlainDate.from('1970-01-01').add({ days: firstDay + i })
        expect([timeZone, start]).toEqual([timeZone, date.toZonedDateTime(timeZone).epochMilliseconds])
      }
    }
  })

  test('half of a short day is less than half of a long one', () => {
    // The 8th of March has 23 hours in New York: empty from 12:15 it is empty for 11.75 of them, more than half.
    const now = Date.parse('2026-03-10T00:05:00-04:00')
    const emptied = Date.parse('2026-03-08T12:15:00-04:00')
    const refilled = Date.parse('2026-03-09T00:00:00-04:00')
    const readings = [
      { at: emptied - 40 * DAY, stock: 9 },
      { at: emptied, stock: 0 },
      { at: refilled, stock: 9 },
    ]
    const zone = { timeZone: 'America/New_York' }
    expect(route([machine([slot('a', { readings })], { zone })], { now }).plans[0]!.demand.emptyDays).toBe(1)
    const later = readings.map((r) => ({ ...r, at: r.at === emptied ? emptied + HOUR / 2 : r.at }))
    expect(route([machine([slot('a', { readings: later })], { zone })], { now }).plans[0]!.demand.emptyDays).toBe(0)
  })

  test('stock lasts through a long day as through any other', () => {
    const now = Date.parse('2026-10-24T00:00:00+02:00')
    const zone = { timeZone: 'Europe/Berlin' }
    const sales = sold(1, 30, 1, now)
    const { plans } = route([machine([slot('a', { stock: 3, sales })], { zone })], { now })
    expect(plans[0]!.stockoutAt).toBe(Date.parse('2026-10-27T00:00:00+01:00'))
    expect(plans[0]!.daysOfCover).toBeCloseTo(3 + 1 / 24, 2)
  })

  test('fewer than three selling days give no rate', () => {
    expect([...closures([9, 9, 0, 0], 0, undefined).days]).toEqual([0, 0, 0, 0])
    expect([...closures([9, 9, 9, 0], 0, undefined).days]).toEqual([0, 0, 0, 1])
  })

  test('one day without sales closes no weekday', () => {
    const silentOnce = [9, 9, 9, 9, 9, 9, 0]
    expect(closures(silentOnce, 0, undefined).weekdays).toEqual(Array(7).fill(false))
    expect(closures([...silentOnce, ...silentOnce], 0, undefined).weekdays.filter(Boolean)).toHaveLength(1)
  })

  test('cover beyond the horizon is unknown, and a little stock is never no cover', () => {
    expect(alone({ stock: 19, sales: { at: Float64Array.of(MIDNIGHT - DAY) } })).toMatchObject({
      stockoutAt: expect.any(Number),
    })
    expect(alone({ stock: 20, sales: { at: Float64Array.of(MIDNIGHT - DAY) } })).toMatchObject({
      daysOfCover: null,
      stockoutAt: null,
    })
    const rush = { at: new Float64Array(21 * 400).map((_, i) => MIDNIGHT - (1 + (i % 21)) * DAY + HOUR) }
    expect(alone({ stock: 1, sales: rush }).daysOfCover).toBe(0.01)
  })
})

describe('2.8 sales, receipts and readings of a slot', () => {
  test('a sale after a reading of zero means that the slot was refilled', () => {
    const readings = [{ at: MIDNIGHT - 10 * DAY, stock: 0 }]
    const sales = { at: Float64Array.of(MIDNIGHT - 12 * DAY, MIDNIGHT - 6 * DAY + HOUR) }
    expect(alone({ readings, sales }).demand).toMatchObject({ emptyDays: 5, availableDays: 16 })
  })

  test('two runs delivered in the same minute both count', () => {
    const at = MIDNIGHT - 3 * DAY
    const receipts = [
      { at, units: 4 },
      { at, units: 4 },
    ]
    // 6 left and 2 sold since: both receipts explain the 8, so the slot was bare before them.
    const sales = { at: Float64Array.of(MIDNIGHT - 9 * DAY, MIDNIGHT - 2 * DAY, MIDNIGHT - DAY) }
    expect(alone({ stock: 6, receipts, sales }).demand.emptyDays).toBe(5)
    expect(alone({ stock: 7, receipts, sales }).demand.emptyDays).toBe(0)
  })

  test('the reconstruction stops at an unrecorded loss or refill', () => {
    const early = { at: MIDNIGHT - 15 * DAY, units: 5 }
    const late = { at: MIDNIGHT - 5 * DAY, units: 5 }
    const sales = { at: Float64Array.of(MIDNIGHT - 20 * DAY, MIDNIGHT - 10 * DAY) }
    // 2 of the late 5 are missing: before it the slot was bare, but of older days nothing is known.
    expect(alone({ stock: 3, receipts: [early, late], sales }).demand.emptyDays).toBe(4)
    // 4 sales cannot come out of a slot that holds 3: somebody refilled in between.
    const three = { at: Float64Array.of(...[9, 8].map((d) => MIDNIGHT - d * DAY), MIDNIGHT - 20 * DAY) }
    expect(alone({ stock: 3, capacity: 5, receipts: [early], sales: three }).demand.emptyDays).toBe(4)
    const many = { at: Float64Array.of(...[9, 8, 7, 6].map((d) => MIDNIGHT - d * DAY), MIDNIGHT - 20 * DAY) }
    expect(alone({ stock: 3, capacity: 3, receipts: [early], sales: many }).demand.emptyDays).toBe(0)
  })

  test('one unit more than fits shows an unrecorded refill', () => {
    const receipts = [{ at: MIDNIGHT - 5 * DAY, units: 4 }]
    const sales = { at: Float64Array.of(MIDNIGHT - 15 * DAY, MIDNIGHT - 2 * DAY) }
    expect(alone({ stock: 3, capacity: 4, receipts, sales }).demand.emptyDays).toBe(9)
    expect(alone({ stock: 3, capacity: 3, receipts, sales }).demand.emptyDays).toBe(0)
  })

  test('an event after now is ignored', () => {
    const sales = { at: Float64Array.of(...sold(1).at, NOW + HOUR) }
    const readings = [{ at: NOW + HOUR, stock: 0 }]
    const receipts = [{ at: NOW + HOUR, units: 9 }]
    expect(alone({ sales, readings, receipts })).toEqual(alone({ sales: sold(1) }))
  })

  test('a day given as one instant with units counts like its single sales', () => {
    const last = {
      at: Float64Array.from({ length: 30 }, (_, i) => MIDNIGHT - (30 - i) * DAY + 11 * HOUR),
      units: new Uint32Array(30).fill(3),
    }
    expect(alone({ sales: last, stock: 0 })).toEqual(alone({ sales: sold(3), stock: 0 }))
    const reversed = { at: last.at.toReversed(), units: last.units.toReversed() }
    expect(alone({ sales: reversed, stock: 0 })).toEqual(alone({ sales: last, stock: 0 }))
  })

  test('ledger pages that overlap count once, and lines without a readable time not at all', () => {
    const line = { id: 't1', slotId: 'a', at: NOW - DAY, status: 'paid' }
    const { sales, undated } = salesBySlot([line, { ...line, id: 't2' }, line, { ...line, id: 't3', at: null }])
    expect(sales.get('a')!.at).toHaveLength(2)
    expect(undated).toBe(1)
  })

  test('a slot in a run that waits for approval can still be planned', () => {
    const run = { placedAt: null, deliveredAt: null, lines: [{ slotId: 'a', quantity: 4 }], delivered: [] }
    const { inTransit } = summarizeRuns([
      { ...run, status: 'pending_approval' },
      { ...run, status: 'approved' },
    ])
    expect(inTransit.size).toBe(0)
  })

  test('a line about a slot that no longer exists is left out', () => {
    const [joined] = machineInputs({
      machines: [{ location: 'm', zone: { offsetMin: 0 } }],
      slots: [],
      sales: new Map([['gone', sold(1)]]),
      runs: [
        { status: 'delivered', placedAt: 0, deliveredAt: 1, lines: [], delivered: [{ slotId: 'gone', quantity: 3 }] },
      ],
      readings: () => [{ at: 0, stock: 3 }],
    })
    expect(joined!.slots).toEqual([])
  })
})

describe('2.8 boxes and increments', () => {
  const order = (over: Partial<PlannedSlot>) =>
    alone({ stock: 0, sales: sold(1, 30, 2), ...over }, {}, WORKED_PARAMS).recommendation

  test('boxes round up where they fit, down where that is enough, and else become single units', () => {
    expect(order({})).toEqual({ action: 'order', quantity: 19 })
    expect(order({ boxOf: 6, capacity: 24 })).toEqual({
      action: 'order',
      quantity: 24,
      boxes: { count: 4, contains: 6 },
    })
    expect(order({ boxOf: 6 })).toEqual({ action: 'order', quantity: 18, boxes: { count: 3, contains: 6 } })
    expect(order({ boxOf: 24 })).toEqual({ action: 'order', quantity: 19 })
  })

  test('increments round up inside the room, else down, and never below the least order', () => {
    expect(order({ increment: 7, capacity: 21 })).toEqual({ action: 'order', quantity: 21 })
    expect(order({ increment: 7 })).toEqual({ action: 'order', quantity: 14 })
    expect(order({ increment: 50 })).toEqual({ action: 'watch' })
  })
})
