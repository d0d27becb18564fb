import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { compileNoGos } from './no-gos.ts'
import { priceVerdict } from './price-rules.ts'
import { type Rules, AUTONOMY_OFF, approvalReason, describeEvidence } from './rules.ts'
import { type Purchase, type SpendingTotals, spendVerdict, spendingLimits, usedOf } from './spending.ts'

const NOW = Date.parse('2026-09-10T00:00:00Z')

const rules = (more: Partial<Rules> = {}): Rules => ({
  currency: 'CNY',
  timeZone: 'Asia/Shanghai',
  spendingLimitPerRun: fen(50_000),
  priceCapPerItem: fen(100),
  hardNoGos: [],
  noGos: compileNoGos([]),
  killSwitchEngaged: false,
  probationUntil: undefined,
  autonomy: AUTONOMY_OFF,
  newProducts: false,
  layoutChangesPerVisit: 3,
  revision: 0,
  administrators: [],
  administratorChats: [],
  ...more,
})

const verdictOf = (given: Rules, total: number, more: Partial<Purchase> = {}, spent: readonly SpendingTotals[] = []) =>
  spendVerdict(given, { totalFen: fen(total), supplier: 'acme', key: 'ann', ...more }, NOW, spent)

describe('3.1 spending', () => {
  test.each([
    [49_999, true],
    [50_000, true],
    [50_001, false],
    [0, true],
  ])('%i fen against a limit of 50,000: allowed %s', (total, allowed) => {
    expect(verdictOf(rules(), total).allowed).toBe(allowed)
  })

  test.each([
    [NOW + 1, false],
    [NOW, true],
    [NOW - 1, true],
  ])('probation until %i: any total needs approval while it lasts', (probationUntil, allowed) => {
    expect(verdictOf(rules({ probationUntil }), 1).allowed).toBe(allowed)
  })

  test('the evidence has code, values and a sentence for each rule', () => {
    const verdict = verdictOf(rules({ probationUntil: NOW + 1000 }), 61_200)
    const limit = {
      code: 'spending_limit',
      params: { total: { amount: 61_200, currency: 'CNY' }, limit: { amount: 50_000, currency: 'CNY' } },
    }
    expect(verdict.evidence).toMatchObject([
      { ...limit, needsApproval: true },
      { code: 'probation', params: { until: '2026-09-10T08:00:01.000+08:00' }, needsApproval: true },
    ])
    expect(describeEvidence(verdict.evidence)).toContain(
      '¥612.00 exceeds the ¥500.00 limit per purchase, so it needs approval.',
    )
    expect(approvalReason(verdict)).toMatchObject({ ...limit, evidence: [limit, { code: 'probation' }] })
    expect(describeEvidence(verdictOf(rules(), 100).evidence)).toBe('¥1.00 is within the ¥500.00 limit per purchase.')
  })
})

describe('4.6 price cap', () => {
  test('the absolute difference decides, in both directions, strictly above', () => {
    const price = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(price, price, fc.integer({ min: 0, max: 10_000 }), (previous, next, cap) => {
        const verdict = priceVerdict(rules({ priceCapPerItem: fen(cap) }), {
          previousFen: fen(previous),
          priceFen: fen(next),
          weekAgoFen: fen(previous),
        })
        expect(verdict.allowed).toBe(Math.abs(next - previous) <= cap)
        expect(verdict.evidence[0]?.params).toMatchObject({
          change: { amount: Math.abs(next - previous) },
          cap: { amount: cap },
        })
      }),
    )
  })
})

const spentBy = (supplier: string, key: string, day: number, week: number): SpendingTotals => ({
  supplier,
  key,
  day: { totalFen: fen(day), oldestAt: day > 0 ? NOW - 1000 : undefined },
  week: { totalFen: fen(week), oldestAt: week > 0 ? NOW - 2000 : undefined },
})

describe('limits that add up', () => {
  const SPENT = [spentBy('acme', 'ann', 300, 700), spentBy('acme', 'bot', 200, 200), spentBy('metro', 'ann', 50, 60)]
  test.each([
    ['a day, all purchases', { spendingLimitPerDay: fen(600) }, 50, 51],
    ['a week, all purchases', { spendingLimitPerWeek: fen(1000) }, 40, 41],
    ['a purchase from the supplier', { spendingLimitBySupplier: { acme: { perRun: fen(90) } } }, 90, 91],
    ['a day of the supplier', { spendingLimitBySupplier: { acme: { perDay: fen(600) } } }, 100, 101],
    ['a week of the supplier', { spendingLimitBySupplier: { acme: { perWeek: fen(1000) } } }, 100, 101],
    ['a purchase of the key', { spendingLimitByKey: { ann: { perRun: fen(90) } } }, 90, 91],
    ['a day of the key', { spendingLimitByKey: { ann: { perDay: fen(400) } } }, 50, 51],
    ['a week of the key', { spendingLimitByKey: { ann: { perWeek: fen(1000) } } }, 240, 241],
  ] as const)('%s: the purchase counts together with those before it, strictly above', (_, more, fits, exceeds) => {
    expect(verdictOf(rules(more), fits, {}, SPENT).allowed).toBe(true)
    expect(verdictOf(rules(more), exceeds, {}, SPENT).allowed).toBe(false)
  })

  test('a limit of another supplier or key does not apply', () => {
    const more = {
      spendingLimitBySupplier: { metro: { perRun: fen(0) } },
      spendingLimitByKey: { bot: { perRun: fen(0) } },
    }
    expect(verdictOf(rules(more), 100, {}, SPENT)).toMatchObject({
      allowed: true,
      evidence: [{ rule: 'spendingLimitPerRun' }],
    })
  })

  test('a limit of 0 for a key means: always ask', () => {
    expect(verdictOf(rules({ spendingLimitByKey: { ann: { perRun: fen(0) } } }), 1).allowed).toBe(false)
  })

  test('a price per unit or a quantity above its limit asks, and says for which product', () => {
    const line = { skuId: 'acme-supply:C1' as SkuId, unit: 'EA', title: 'Cola', quantity: 12, priceFen: fen(300) }
    const more = { maxUnitPrice: fen(299), maxQuantityPerLine: 11 }
    expect(describeEvidence(verdictOf(rules(more), 3600, { lines: [line] }).evidence)).toBe(
      '¥36.00 is within the ¥500.00 limit per purchase. Cola at ¥3.00 exceeds the ¥2.99 limit per unit, so it needs approval. ' +
        '12 of Cola exceeds the limit of 11 per line, so it needs approval.',
    )
    expect(verdictOf(rules({ maxUnitPrice: fen(300), maxQuantityPerLine: 12 }), 3600, { lines: [line] }).allowed).toBe(
      true,
    )
  })

  test('a quantity is not smaller for being split over several lines; a box is another unit than a piece', () => {
    const line = { skuId: 'acme-supply:C1' as SkuId, unit: 'EA', title: 'Cola', quantity: 6, priceFen: fen(300) }
    const allows = (...lines: (typeof line)[]) => verdictOf(rules({ maxQuantityPerLine: 11 }), 3600, { lines }).allowed
    expect(allows(line, line)).toBe(false)
    expect(allows(line, { ...line, unit: 'BX' })).toBe(true)
    expect(allows(line, { ...line, skuId: 'acme-supply:C2' as SkuId })).toBe(true)
  })

  test('the evidence says what was spent before', () => {
    const { evidence } = verdictOf(rules({ spendingLimitPerDay: fen(100) }), 80, {}, [spentBy('acme', 'ann', 30, 30)])
    expect(evidence[1]?.text).toBe('¥0.80 after ¥0.30 in the last 24 hours exceeds the ¥1.00 limit per day')
  })

  test('splitting a purchase never helps: what single purchases pass, their sum passes too', () => {
    const total = fc.integer({ min: 1, max: 500 })
    fc.assert(
      fc.property(fc.array(total, { minLength: 1, maxLength: 20 }), total, (totals, limit) => {
        const given = rules({ spendingLimitPerDay: fen(limit) })
        let bought = 0
        for (const one of totals)
          if (verdictOf(given, one, {}, [spentBy('acme', 'ann', bought, bought)]).allowed) bought += one
        expect(bought).toBeLessThanOrEqual(limit)
      }),
    )
  })

  test('what is used of each limit, and when the oldest part is free again', () => {
    const more = { spendingLimitPerDay: fen(600), spendingLimitByKey: { bot: { perWeek: fen(900) } } }
    const used = spendingLimits(rules(more)).map((limit) => usedOf(limit, SPENT))
    const day = 24 * 3600 * 1000
    expect(used).toEqual([
      { usedFen: 0, freesAt: undefined },
      { usedFen: 550, freesAt: NOW - 1000 + day },
      { usedFen: 200, freesAt: NOW - 2000 + 7 * day },
    ])
  })
})

describe('price drift and margin', () => {
  const step = (more: object) => ({ previousFen: fen(340), priceFen: fen(350), weekAgoFen: fen(250), ...more })
  test.each([
    [100, 350, true],
    [99, 350, false],
    [100, 150, true],
    [100, 149, false],
  ])('a drift of at most %i from 250 within a week: %i allowed %s', (limit, price, allowed) => {
    const given = rules({ priceCapPerItem: fen(1000), priceDriftPerWeek: fen(limit) })
    expect(priceVerdict(given, step({ priceFen: fen(price) })).allowed).toBe(allowed)
  })

  test.each([
    [280, 25, true],
    [281, 25, false],
    [350, 0, true],
    [351, 0, false],
  ])('350 for a cost of %i with a margin of %i percent: allowed %s', (cost, percent, allowed) => {
    expect(priceVerdict(rules({ minimumMarginPercent: percent }), step({ costFen: fen(cost) })).allowed).toBe(allowed)
  })

  test('without a known cost the margin is not checked, and the evidence says so', () => {
    const verdict = priceVerdict(rules({ minimumMarginPercent: 25 }), step({}))
    expect(verdict.allowed).toBe(true)
    expect(verdict.evidence.at(-1)?.text).toBe('The margin of at least 25% is not checked: the cost is not known')
  })

  test('a price that is in effect already needs no approval', () => {
    const given = rules({ priceDriftPerWeek: fen(1), minimumMarginPercent: 900 })
    expect(priceVerdict(given, step({ previousFen: fen(350), costFen: fen(340) })).allowed).toBe(true)
  })
})
