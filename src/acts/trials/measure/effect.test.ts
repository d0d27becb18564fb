import { describe, expect, test } from 'vitest'
import { type Counts, measureEffect } from './effect.ts'
import { combine, elasticityOf, spreadOf, spreadThrough } from './elasticity.ts'

/** Days that all sell the same. */
const steady = (perDay: number, days: number): Counts => ({ units: perDay * days, days, squares: perDay ** 2 * days })
const slot = (before: number, after: number, days = 14) => ({ before: steady(before, 28), after: steady(after, days) })

describe('the effect of a trial', () => {
  test.each([
    ['nothing changed', [slot(2, 2)], [slot(2, 2)], 1],
    ['fell by half', [slot(4, 2)], [slot(2, 2)], 0.5],
    ['fell by half, in a season that doubles', [slot(4, 4)], [slot(2, 4)], 0.5],
    ['only the controls fell', [slot(4, 4)], [slot(4, 2)], 2],
    ['a fast slot with few days in stock afterwards', [slot(8, 8, 1), slot(1, 1)], [slot(3, 3)], 1],
  ])('%s', (_what, treated, controls, ratio) => {
    expect(Math.exp(measureEffect(treated, controls)!.log.mean)).toBeCloseTo(ratio, 1)
  })

  test('one side without days in stock: nothing to compare', () => {
    const empty = { before: steady(2, 28), after: steady(0, 0) }
    expect(measureEffect([slot(2, 2)], [empty])).toBeUndefined()
    expect(measureEffect([empty], [slot(2, 2)])).toBeUndefined()
    expect(measureEffect([slot(2, 2)], [])).toBeUndefined()
  })

  test('the error is that of the counts, and wider where days differ more than chance', () => {
    const { log } = measureEffect([slot(1, 1)], [slot(1, 1)])!
    expect(log.error).toBeCloseTo(Math.sqrt(2 / 14 + 2 / 28), 1)
    const uneven = { before: { units: 28, days: 28, squares: 28 * 4 }, after: { units: 14, days: 14, squares: 14 * 4 } }
    expect(measureEffect([uneven], [uneven])!.log.error).toBeGreaterThan(1.5 * log.error)
    // Nothing sold is no certainty.
    expect(measureEffect([slot(0, 0)], [slot(1, 1)])!.log.error).toBeGreaterThan(1)
  })
})

describe('elasticity', () => {
  const one = (sku: string, category: string, mean: number, error = 0.1) => ({
    sku,
    category,
    venueType: 'office',
    mean,
    error,
  })
  const about = (sku: string, category?: string) => ({ sku, category, venueType: 'office' })

  test('unknown: wide; known: near what was measured, never wider than before', () => {
    const unknown = elasticityOf([], about('a', 'x'))
    const known = elasticityOf([one('a', 'x', 2)], about('a', 'x'))
    expect(unknown.error).toBeGreaterThan(0.6)
    expect(known.mean).toBeCloseTo(2, 1)
    expect(known.error).toBeLessThan(0.1)
  })

  test('a product leans on its category, and on the route less', () => {
    const measured = [one('a', 'x', 2.4), one('b', 'x', 2.4), one('c', 'y', 0.4), one('d', 'y', 0.4)]
    const [akin, other, stranger] = [about('e', 'x'), about('e', 'y'), about('e', 'z')].map((each) =>
      elasticityOf(measured, each),
    )
    expect(akin!.mean).toBeGreaterThan(stranger!.mean + 0.3)
    expect(other!.mean).toBeLessThan(stranger!.mean - 0.3)
    expect(akin!.error).toBeLessThan(stranger!.error)
  })

  test('two halves of the same evidence are worth the whole', () => {
    expect(combine({ mean: 1, error: Math.SQRT2 }, { mean: 1, error: Math.SQRT2 })).toEqual({
      mean: expect.closeTo(1),
      error: expect.closeTo(1),
    })
  })

  test('what lies apart is seen, what is only measured badly is not', () => {
    const values = [0.2, 0.8, 1.4, 2, 2.6, 3.2]
    expect(spreadOf(values.map((mean) => ({ mean, error: 0.1 })))).toBe(0.8)
    expect(spreadOf(values.map((mean) => ({ mean, error: 3 })))).toBe(0.2)
  })

  test('through a straight line mean and error stay what they are', () => {
    const through = spreadThrough({ mean: 2, error: 3 }, (x) => 10 * x + 1)
    expect(through.mean).toBeCloseTo(21, 3)
    expect(through.error).toBeCloseTo(30, 1)
  })
})
