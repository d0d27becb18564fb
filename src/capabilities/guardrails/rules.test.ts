import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import { priceVerdict, spendVerdict, describeEvidence } from './rules.ts'
import type { Rules } from './rules.ts'

const NOW = Date.parse('2026-09-10T00:00:00Z')

const rules = (more: Partial<Rules> = {}): Rules => ({
  spendingLimitPerRun: fen(50_000),
  priceCapPerItem: fen(100),
  hardNoGos: [],
  killSwitchEngaged: false,
  probationUntil: undefined,
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
  ])('probation until %i asks the owner whatever the sum, while it lasts', (probationUntil, allowed) => {
    expect(spendVerdict(rules({ probationUntil }), fen(1), NOW).allowed).toBe(allowed)
  })

  test('the verdict carries rule, number and limit, and tells them in sentences', () => {
    const { evidence } = spendVerdict(rules({ probationUntil: NOW + 1000 }), fen(61_200), NOW)
    expect(evidence).toEqual([
      { rule: 'rules.spendingLimitPerRun', number: 61_200, limit: 50_000, broken: true },
      {
        rule: 'probationUntil',
        number: '2026-09-10T00:00:00.000+00:00',
        limit: '2026-09-10T00:00:01.000+00:00',
        broken: true,
      },
    ])
    expect(describeEvidence(evidence)).toContain('¥612.00 against ¥500.00')
    expect(describeEvidence(evidence)).toContain('probationUntil')
  })
})

describe('4.6 price cap', () => {
  test('the absolute difference decides, in both directions, strictly above', () => {
    const price = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(price, price, fc.integer({ min: 0, max: 10_000 }), (previous, next, cap) => {
        const verdict = priceVerdict(rules({ priceCapPerItem: fen(cap) }), fen(previous), fen(next))
        expect(verdict.allowed).toBe(Math.abs(next - previous) <= cap)
        expect(verdict.evidence[0]).toMatchObject({ number: Math.abs(next - previous), limit: cap })
      }),
    )
  })
})
