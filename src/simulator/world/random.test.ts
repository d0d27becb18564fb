import { describe, expect, test } from 'vitest'
import { drawGamma, negativeBinomial, poisson, stream } from './random.ts'

const draws = (count: number, draw: () => number) => Array.from({ length: count }, draw)
const mean = (values: readonly number[]) => values.reduce((sum, n) => sum + n, 0) / values.length
const variance = (values: readonly number[]) => {
  const centre = mean(values)
  return mean(values.map((n) => (n - centre) ** 2))
}

describe('named streams', () => {
  test('the same name gives the same numbers, another name others', () => {
    const take = (...parts: (string | number)[]) => {
      const random = stream(...parts)
      return draws(5, () => random.next())
    }
    expect(take(1, 'shoppers', 'M1001', 7)).toEqual(take(1, 'shoppers', 'M1001', 7))
    const first = take(1, 'shoppers', 'M1001', 7)
    for (const other of [take(2, 'shoppers', 'M1001', 7), take(1, 'mood', 'M1001', 7), take(1, 'shoppers', 'M10017')])
      expect(other).not.toEqual(first)
  })

  test('numbers are spread evenly over [0, 1), also the first ones of neighbouring names', () => {
    const firsts = Array.from({ length: 20_000 }, (_, key) => stream(1, 'even', key).next())
    const buckets = Array.from({ length: 10 }, (_, i) => firsts.filter((n) => Math.floor(n * 10) === i).length)
    for (const count of buckets) expect(Math.abs(count - 2000)).toBeLessThan(200)
  })
})

describe('counts', () => {
  test.each([0.3, 4, 75])('poisson of %d has that mean and that variance', (expected) => {
    const random = stream(1, 'poisson', expected)
    const values = draws(20_000, () => poisson(random, expected))
    expect(mean(values) / expected).toBeCloseTo(1, 1)
    expect(variance(values) / expected).toBeCloseTo(1, 1)
  })

  test('the negative binomial keeps the mean and spreads wider', () => {
    const random = stream(1, 'negative binomial')
    const values = draws(20_000, () => negativeBinomial(random, 6, 4))
    expect(mean(values) / 6).toBeCloseTo(1, 1)
    expect(variance(values) / (6 + 36 / 4)).toBeCloseTo(1, 0)
    expect(negativeBinomial(random, 0, 4)).toBe(0)
  })

  test.each([0.5, 3, 20])('a gamma mood of shape %d averages 1', (shape) => {
    const random = stream(1, 'gamma', shape)
    const values = draws(20_000, () => drawGamma(random, shape))
    expect(mean(values)).toBeCloseTo(1, 1)
    expect(variance(values) * shape).toBeCloseTo(1, 0)
  })
})
