import { describe, expect, test } from 'vitest'
import { dailyRate } from './demand/demand.ts'
import { type ExpectedDemand, assumedCapacity, orderQuantity } from './quantity.ts'
import { type PlanParams, DEFAULT_PLAN_PARAMS } from '../../../kernel/plan-params.ts'
import { type PlannedSlot, slotInput, WORKED_PARAMS } from './inputs.test-support.ts'

const slot = (over: Partial<PlannedSlot> = {}): PlannedSlot => slotInput('a', { stock: 4, ...over })
const PARAMS: PlanParams = { ...DEFAULT_PLAN_PARAMS, ...WORKED_PARAMS }
/** One a day: two days of lead, two of safety, seven of cover. */
const ONE_A_DAY: ExpectedDemand = { leadTime: 2, risk: 4, cover: 9, coverAndSafety: 11 }
const quantity = (
  over: Partial<PlannedSlot> = {},
  params: Partial<PlanParams> = {},
  ahead: ExpectedDemand = ONE_A_DAY,
) => orderQuantity(slot(over), 8, 1, { ...PARAMS, ...params }, ahead)

describe('2.8 quantity', () => {
  test('reaches for the larger of the days and the quantile', () => {
    expect(quantity()).toMatchObject({ target: 19, units: 15, room: 16 })
    expect(quantity({}, {}, { ...ONE_A_DAY, coverAndSafety: 19.2 })).toMatchObject({ target: 19.2, units: 16 })
  })

  test('a slot is at risk up to the demand expected until the next chance, and not beyond', () => {
    expect(quantity({ stock: 4 }).atRisk).toBe(true)
    expect(quantity({ stock: 5 }).atRisk).toBe(false)
    expect(
      orderQuantity(slot({ stock: 0 }), 8, 0, PARAMS, {
        leadTime: 0,
        risk: 0,
        cover: 0,
        coverAndSafety: 0,
      }),
    ).toMatchObject({
      atRisk: false,
      units: 0,
    })
  })

  test('less than the smallest order becomes the smallest order where the slot is at risk and it fits, else nothing', () => {
    const slow: ExpectedDemand = { leadTime: 0.5, risk: 4, cover: 1, coverAndSafety: 1 }
    expect(quantity({ stock: 3, capacity: 6 }, {}, slow).units).toBe(3)
    expect(quantity({ stock: 3, capacity: 5 }, {}, slow).units).toBe(0)
    expect(quantity({ stock: 2, capacity: 12 }, {}, { ...slow, risk: 1 }).units).toBe(0)
  })

  test('a visit that tops up brings any missing unit; a slot at risk gets the smallest order, or what fits of it', () => {
    const topUp = { top_up: true }
    const slow: ExpectedDemand = { leadTime: 0.5, risk: 4, cover: 1, coverAndSafety: 1 }
    expect(quantity({ stock: 18 }).units).toBe(0)
    expect(quantity({ stock: 18 }, topUp).units).toBe(1)
    expect(quantity({ stock: 3, capacity: 6 }, topUp, slow).units).toBe(3)
    expect(quantity({ stock: 3, capacity: 5 }, topUp, slow).units).toBe(2)
    expect(quantity({ stock: 5, capacity: 5 }, topUp, slow).units).toBe(0)
    expect(quantity({ stock: 0, capacity: 2 }, topUp).orderUpTo).toBe(2)
  })

  test('an unknown capacity is half as much again as the highest level, at least the smallest order more, or shown by a short delivery', () => {
    const unknown = slot({ capacity: null })
    expect(assumedCapacity(unknown, 20, 3)).toBe(30)
    expect(assumedCapacity(unknown, 3, 3)).toBe(6)
    expect(assumedCapacity({ ...unknown, deliveredShort: 'full' }, 20, 3)).toBe(20)
    expect(assumedCapacity({ ...unknown, deliveredShort: 'full' }, 0, 3)).toBe(6)
    expect(assumedCapacity(unknown, 0, 3, 9)).toBe(9)
  })

  test('counting on half the lead demand makes room for it, and only for whole units', () => {
    expect(quantity({ stock: 12, capacity: 14 }).units).toBe(0)
    expect(quantity({ stock: 12, capacity: 14 }, { room_lead_share: 0.5 })).toMatchObject({ room: 3, units: 3 })
    expect(quantity({ stock: 12, capacity: 14 }, { room_lead_share: 0.4 }).room).toBe(2)
  })

  test('orders fill a slot to its target, as far as it fits; one order need not bring all of it', () => {
    expect(quantity().orderUpTo).toBe(19)
    expect(quantity({ stock: 0 }).orderUpTo).toBe(19)
    expect(quantity({ capacity: 10 }).orderUpTo).toBe(10)
    expect(quantity({ capacity: 10 }, { room_lead_share: 1 }).orderUpTo).toBe(12)
    expect(quantity({}, { max_order_qty: 7 })).toMatchObject({ units: 7, orderUpTo: 19 })
    expect(quantity({}, {}, { leadTime: 0, risk: 0.1, cover: 0.1, coverAndSafety: 0.2 }).orderUpTo).toBe(3)
    expect(quantity({ capacity: 2 }).orderUpTo).toBe(0)
  })

  test('where capacity is a guess, what the neighbours hold is expected to fit as well', () => {
    const upTo = (over: Partial<PlannedSlot>) => orderQuantity(slot(over), 6, 1, PARAMS, ONE_A_DAY, 15).orderUpTo
    expect(upTo({ capacity: null })).toBe(15)
    expect(upTo({ capacity: null, deliveredShort: 'full' })).toBe(6)
    expect(upTo({ capacity: 8 })).toBe(8)
  })
})

test('2.8 peers count for at most fourteen days', () => {
  expect(dailyRate({ units: 0, availableDays: 14 }, 0.01)).toBeCloseTo(0.005, 12)
  expect(dailyRate({ units: 0, availableDays: 0 }, 0.3)).toBeCloseTo(0.3, 12)
  expect(dailyRate({ units: 10, availableDays: 5 }, 0.5)).toBeCloseTo(11 / 7, 12)
})
