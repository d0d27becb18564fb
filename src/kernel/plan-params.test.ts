import { expect, test } from 'vitest'
import { planParamsView, readPlanParams } from './plan-params.ts'

const viewOf = (given: object, reviewDays: number) => {
  const result = readPlanParams(given)
  return result.ok ? planParamsView(result.params, reviewDays) : result.problems
}

test('2.8 parameters are answered as they were given, over the defaults', () => {
  const given = { window_days: 14, cover_days: 5, safety_days: 1, min_order_qty: 2, max_order_qty: 9, visit_cost: 1500 }
  const ours = {
    visit_rule: 'cycle',
    room_lead_share: 0.5,
    cover_rule: 'rhythm',
    top_up: true,
    one_visit_at_a_time: true,
    small_machine_slots: 0,
    missed_share: 0.6,
    look_back_days: 180,
  }
  expect(viewOf(given, 3)).toEqual({ ...given, review_days: 3, ...ours })
  const defaults = { window_days: 21, cover_days: 7, safety_days: 2, min_order_qty: 3, max_order_qty: 40 }
  expect(viewOf({}, 1)).toEqual({ ...defaults, review_days: 1, ...ours })
})

test('every problem is named', () => {
  expect(viewOf({ window_days: 0, cover_days: '7', visit_rule: 'x', other: 1 }, 1)).toEqual([
    'window_days must be at least 1',
    'cover_days must be a number',
    'visit_rule must be one of cycle, share',
  ])
  expect(viewOf({ min_order_qty: 9, max_order_qty: 8 }, 1)).toEqual(['min_order_qty must not be above max_order_qty'])
})
