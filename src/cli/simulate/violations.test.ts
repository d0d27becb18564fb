import { expect, test } from 'vitest'
import type { GuardrailRules } from '../../contract/shapes/guardrails.ts'
import { DAY, HOUR } from '../../kernel/clock.ts'
import { type SeenOrder, type SeenPrice, countViolations } from './violations.ts'

const RULES = {
  spendingLimitPerRun: 100,
  spendingLimitPerDay: 150,
  spendingLimitPerWeek: 400,
  spendingLimitBySupplier: { acme: { perRun: 90 } },
  spendingLimitByKey: { vendops: { perDay: 140 } },
  priceCapPerItem: 50,
  priceDriftPerWeek: 80,
  minimumMarginPercent: 20,
  hardNoGos: ['Tobacco'],
} as unknown as GuardrailRules

const order = (over: Partial<SeenOrder>): SeenOrder => ({
  at: 0,
  totalFen: 80,
  supplier: 'other',
  key: 'ann',
  titles: ['Water'],
  approved: undefined,
  ...over,
})
const price = (over: Partial<SeenPrice>): SeenPrice => ({
  at: 0,
  machine: 'M1',
  product: 'P1',
  fromFen: 300,
  toFen: 350,
  costFen: 100,
  isApproved: false,
  ...over,
})

test.each<[string, readonly SeenOrder[], object]>([
  ['within everything', [order({ totalFen: 100 })], {}],
  ['above one purchase', [order({ totalFen: 101 })], { 'spending run': 1 }],
  ['above one purchase, its run approved', [order({ totalFen: 101, approved: 'run' })], {}],
  ['two in a day', [order({}), order({ at: 23 * HOUR })], { 'spending day': 1 }],
  ['two a day apart', [order({}), order({ at: DAY })], {}],
  ['the run approved, the day not', [order({}), order({ at: HOUR, approved: 'run' })], { 'spending day': 1 }],
  ['the purchase approved', [order({}), order({ at: HOUR, approved: 'purchase' })], {}],
  ['a week', Array.from({ length: 6 }, (_, day) => order({ at: day * DAY })), { 'spending week': 1 }],
  ['a supplier', [order({ totalFen: 95, supplier: 'acme' })], { 'supplier run': 1 }],
  [
    'a key, beside another',
    [order({ totalFen: 70, key: 'vendops' }), order({ at: HOUR, totalFen: 75, key: 'vendops' })],
    { 'key day': 1 },
  ],
  ['a no-go, whatever was approved', [order({ titles: ['Chewing tobacco'], approved: 'purchase' })], { 'no-go': 1 }],
])('%s', (_what, orders, expected) => expect(countViolations(RULES, orders, [])).toEqual(expected))

test.each<[string, readonly SeenPrice[], object]>([
  ['within the cap', [price({})], {}],
  ['above the cap', [price({ toFen: 351 })], { 'price cap': 1 }],
  ['approved', [price({ toFen: 500, isApproved: true })], {}],
  ['two steps of a week', [price({}), price({ at: DAY, fromFen: 350, toFen: 400 })], { 'price drift': 1 }],
  ['two steps, a week apart', [price({}), price({ at: 7 * DAY, fromFen: 350, toFen: 400 })], {}],
  ['another machine', [price({}), price({ at: DAY, machine: 'M2', fromFen: 350, toFen: 400 })], {}],
  ['below the margin', [price({ fromFen: 150, toFen: 119 })], { margin: 1 }],
])('%s', (_what, prices, expected) => expect(countViolations(RULES, [], prices)).toEqual(expected))
