import { expect, test } from 'vitest'
import type { PlanEntry } from '../planner/machine-plan.ts'
import { machineStocks, summarizePlan } from './summary.ts'

type Action = PlanEntry['recommendation']['action']

const entry = (slotId: string, stock: number, daysOfCover: number | null, action: Action = 'none', quantity?: number) =>
  ({
    slotId,
    location: slotId.slice(0, 2),
    stock,
    daysOfCover,
    demand: { dailyRate: 1 },
    recommendation: { action, ...(quantity === undefined ? {} : { quantity }) },
  }) as PlanEntry

const slotsWith = (prices: Readonly<Record<string, number>>) =>
  new Map(Object.entries(prices).map(([id, price]) => [id, { skuId: `m:${id}`, title: id, price }])) as never

const PRICES = {
  'M1-cheap': 200,
  'M1-dear': 900,
  'M1-lock': 990,
  'M1-come': 500,
  'M1-draft': 100,
  'M1-watch': 0,
  'M2-soon': 300,
}

const summary = (plans: readonly PlanEntry[]) =>
  summarizePlan({
    plan: { plans, unknown: [{ location: 'M2' }, { location: 'M3' }, { location: 'M3' }] as never },
    input: {
      slots: slotsWith(PRICES),
      pendingRuns: new Map([['M1-dear', ['run-1']]]),
      locations: new Map([['M1', { name: 'Hall' }]]) as never,
    },
    fromStoreroom: new Map([['M1-cheap', 2]]),
    bringing: new Map([
      ['M1-come', { id: 'run-2', isOrdered: true }],
      ['M1-draft', { id: 'run-3', isOrdered: false }],
    ]),
    currency: 'CNY',
  })

const PLANS = [
  entry('M1-cheap', 0, 0, 'order', 5),
  entry('M1-dear', 0, 0, 'order', 4),
  entry('M1-lock', 0, 0, 'locked'),
  entry('M1-come', 0, 0, 'in_transit'),
  entry('M1-draft', 1, 0.5, 'in_transit'),
  entry('M1-watch', 0, 0, 'watch'),
  entry('M2-soon', 3, 0.5),
  entry('M2-fine', 9, 4),
]

test('a slot is counted once: empty, low, or coming; locked ones need nothing', () => {
  expect(summary(PLANS)).toMatchObject({
    slots: 8,
    empty: 3,
    low: 1,
    coming: 2,
    to_confirm: 1,
    // What a run covers that is not ordered yet is not ordered again.
    to_order: { slots: 1, machines: 1 },
    unknown: { slots: 3, machines: 2 },
    uncounted: [
      { location: 'M2', slots: 1 },
      { location: 'M3', slots: 2 },
    ],
  })
})

test('the largest loss comes first, with the run that covers or brings it', () => {
  const { first } = summary(PLANS)
  expect(first.map(({ kind, slot_id: slot, run }) => [kind, slot, run])).toEqual([
    ['empty', 'M1-dear', 'run-1'],
    ['empty', 'M1-cheap', undefined],
    ['empty', 'M1-watch', undefined],
    ['low', 'M2-soon', undefined],
    ['coming', 'M1-come', 'run-2'],
    ['coming', 'M1-draft', 'run-3'],
  ])
  expect(first.map(({ to_confirm: open }) => open === true)).toEqual([false, false, false, false, false, true])
  expect(first[1]).toEqual({
    kind: 'empty',
    slot_id: 'M1-cheap',
    location: 'M1',
    location_name: 'Hall',
    item: { id: 'm:M1-cheap', title: 'M1-cheap' },
    stock: 0,
    lost_per_day: { amount: 200, currency: 'CNY' },
    quantity: 5,
    from_storeroom: 2,
  })
  expect(first[2]).not.toHaveProperty('lost_per_day')
})

test('at most four of each kind are listed, all are counted', () => {
  const plans = Array.from({ length: 9 }, () => entry('M1-cheap', 0, 0))
  const { empty, first } = summary(plans)
  expect([empty, first.length]).toEqual([9, 4])
})

test('a machine is as full as its slots of known capacity, and no fuller than they hold', () => {
  const plans = [entry('M1-a', 3, 1, 'order', 5), entry('M1-b', 9, 0.5), entry('M1-c', 7, 1), entry('M2-d', 7, 1)]
  const slots = new Map([
    ['M1-a', { capacity: 4 }],
    ['M1-b', { capacity: 6 }],
    ['M1-c', { capacity: null }],
  ])
  const stocks = machineStocks(plans, { slots }, new Map([['M1-a', 2]]))
  expect(stocks.get('M1')).toEqual({ slots: 3, low: 1, units: 5, from_storeroom: 2, filled: 9, capacity: 10 })
  expect(stocks.get('M2')).toEqual({ slots: 1, low: 0, units: 0, from_storeroom: 0, filled: 0, capacity: 0 })
})
