import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import { compileNoGos } from './no-gos.ts'
import { approvalReason, describeEvidence, priceVerdict, spendVerdict } from './rules.ts'
import type { Rules } from './rules.ts'

const NOW = Date.parse('2026-09-10T00:00:00Z')

const rules = (more: Partial<Rules> = {}): Rules => ({
  currency: 'CNY',
  spendingLimitPerRun: fen(50_000),
  priceCapPerItem: fen(100),
  hardNoGos: [],
  noGos: compileNoGos([]),
  killSwitchEngaged: false,
  probationUntil: undefined,
  ownersMayApproveTheirOwn: undefined,
  administrators: [],
  administratorChats: [],
  ...more,
})

describe('3.1 spending', () => {
  test.each([
    [49_999, true],
    [50_000, true],
    [50_001, false],
    [0, true],
  ])('%i fen against a limit of 50,000: allowed %s', (total, allowed) => {
    expect(spendVerdict(rules(), fen(total), NOW).allowed).toBe(allowed)
  })

  test.each([
    [NOW + 1, false],
    [NOW, true],
    [NOW - 1, true],
  ])('probation until %i: any total needs approval while it lasts', (probationUntil, allowed) => {
    expect(spendVerdict(rules({ probationUntil }), fen(1), NOW).allowed).toBe(allowed)
  })

  test('the evidence has code, values and a sentence for each rule', () => {
    const verdict = spendVerdict(rules({ probationUntil: NOW + 1000 }), fen(61_200), NOW)
    const limit = {
      code: 'spending_limit',
      params: { total: { amount: 61_200, currency: 'CNY' }, limit: { amount: 50_000, currency: 'CNY' } },
    }
    expect(verdict.evidence).toMatchObject([
      { ...limit, needsApproval: true },
      { code: 'probation', params: { until: '2026-09-10T00:00:01.000+00:00' }, needsApproval: true },
    ])
    expect(describeEvidence(verdict.evidence)).toContain(
      '¥612.00 exceeds the ¥500.00 limit per purchase, so it needs approval.',
    )
    expect(approvalReason(verdict)).toEqual(limit)
    expect(describeEvidence(spendVerdict(rules(), fen(100), NOW).evidence)).toBe(
      '¥1.00 is within the ¥500.00 limit per purchase.',
    )
  })
})

describe('4.6 price cap', () => {
  test('the absolute difference decides, in both directions, strictly above', () => {
    const price = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(price, price, fc.integer({ min: 0, max: 10_000 }), (previous, next, cap) => {
        const verdict = priceVerdict(rules({ priceCapPerItem: fen(cap) }), fen(previous), fen(next))
        expect(verdict.allowed).toBe(Math.abs(next - previous) <= cap)
        expect(verdict.evidence[0]?.params).toMatchObject({
          change: { amount: Math.abs(next - previous) },
          cap: { amount: cap },
        })
      }),
    )
  })
})
