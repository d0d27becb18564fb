import { describe, expect, test } from 'vitest'
import { measureLayout } from './result.ts'

const sold = (sku: string, units: number) => ({ sku, units, marginFen: units * 100 })
const changed = new Set(['cola', 'tea'])
const measure = (before: readonly [number, number, number], after: readonly [number, number, number]) =>
  measureLayout({
    before: { days: 28, sums: [sold('cola', before[0]), sold('tea', before[1]), sold('water', before[2])] },
    after: { days: 14, sums: [sold('cola', after[0]), sold('tea', after[1]), sold('water', after[2])] },
    changed,
  })

describe('what changed lanes have brought', () => {
  test('more of the one, less of the other, while nothing else changed', () => {
    expect(measure([280, 28, 280], [168, 7, 140])).toEqual({ gainFen: 7 * (1250 - 1100), errorFen: expect.any(Number) })
  })
  test('what all products of the machine gained is no result of the lanes', () => {
    const { gainFen, errorFen } = measure([280, 28, 280], [280, 28, 280])
    expect(gainFen).toBe(0)
    expect(errorFen).toBeGreaterThan(700)
  })
  test('too few other sales to compare with: its own days alone', () => {
    expect(measure([28, 28, 2], [28, 14, 20]).gainFen).toBe(7 * 100)
  })
  test('a product that left the machine counts as what it no longer brings', () => {
    expect(measure([0, 28, 280], [0, 0, 140]).gainFen).toBe(-700)
  })
})
