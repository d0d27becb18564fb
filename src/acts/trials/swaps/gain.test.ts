/** What another product in a slot brings. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../../../test/support/property-runs.ts'
import type { Counts } from '../measure/effect.ts'
import { judgeSwap, shareOf } from './gain.ts'

const counts = (units: number, days: number): Counts => ({ units, days, squares: units + (units * units) / days })
const member = (oldUnits: number) => ({ marginFen: 200, oldMarginFen: 200, rate: 2, before: counts(oldUnits, 56) })
const EXPECTED = { mean: 1000, error: 1500 }
const steady = [{ before: counts(112, 56), after: counts(42, 21) }]

describe('4.7 a product on trial', () => {
  test.each([
    ['sells as expected', 42, 14, true],
    ['sells nothing', 0, 56, false],
    ['sells as little as the one before', 5, 14, true],
    ['sells less than the one before', 10, 112, false],
  ])('%s', (_, units, oldUnits, isKept) => {
    expect(judgeSwap(member(oldUnits), counts(units, 21), steady, EXPECTED)?.isKept).toBe(isKept)
  })

  test('the old product is compared as it would have sold in the season of the controls', () => {
    const twice = [{ before: counts(112, 56), after: counts(84, 21) }]
    const [usual, summer] = [steady, twice].map((controls) => judgeSwap(member(56), counts(42, 21), controls, EXPECTED))
    // 42 units in 21 days against one a day, or two in the season.
    expect(usual?.measured.mean).toBeCloseTo(7 * 200, -1)
    expect(summer?.measured.mean).toBeCloseTo(0, -2)
    expect(summer!.share.mean).toBeLessThan(usual!.share.mean)
  })

  test('without controls, or with few days, the error is wider; without any day nothing is said', () => {
    const long = judgeSwap(member(56), counts(42, 21), [], EXPECTED)!
    const short = judgeSwap(member(56), counts(14, 7), [], EXPECTED)!
    expect(short.measured.error).toBeGreaterThan(long.measured.error)
    expect(judgeSwap(member(56), counts(0, 0), steady, EXPECTED)).toBeUndefined()
  })

  test('always finite, and between what was expected and what was measured', () => {
    const some = fc.record({ units: fc.nat(500), days: fc.integer({ min: 1, max: 60 }) })
    fc.assert(
      fc.property(some, some, fc.array(fc.tuple(some, some), { maxLength: 4 }), (before, after, others) => {
        const controls = others.map(([a, b]) => ({ before: counts(a.units, a.days), after: counts(b.units, b.days) }))
        const old = { ...member(0), before: counts(before.units, before.days) }
        const { measured, judged, share } = judgeSwap(old, counts(after.units, after.days), controls, EXPECTED)!
        for (const { mean, error } of [measured, judged, share]) {
          expect(Number.isFinite(mean)).toBe(true)
          expect(error).toBeGreaterThan(0)
        }
        const [low, high] = [measured.mean, EXPECTED.mean].toSorted((a, b) => a - b) as [number, number]
        expect(judged.mean).toBeGreaterThanOrEqual(low - 1e-6)
        expect(judged.mean).toBeLessThanOrEqual(high + 1e-6)
      }),
      { numRuns: propertyRuns(200) },
    )
  })

  test('what trials showed lowers what is expected next, of the product most', () => {
    const half = { mean: Math.log(0.5), error: 0.2, sku: 'a', category: 'drinks', venueType: 'office' }
    const subject = (sku: string, category: string) => ({ sku, category, venueType: 'office' })
    const untried = shareOf([], subject('a', 'drinks')).mean
    const [own, akin, other] = [subject('a', 'drinks'), subject('b', 'drinks'), subject('c', 'snacks')].map(
      (each) => shareOf([half], each).mean,
    )
    expect([own! < akin!, akin! < other!, other! < untried]).toEqual([true, true, true])
  })
})
