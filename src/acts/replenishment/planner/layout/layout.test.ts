import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'
import { DISPERSION } from '../demand/cycle.ts'
import { expectedLoss, lossByLevel } from '../demand/negative-binomial.ts'
import { type LayoutLane, type LayoutMachine, type LayoutProduct, layOut, levelOnDelivery } from './layout.ts'

const product = (sku: string, rate: number, rest: Partial<LayoutProduct> = {}): LayoutProduct => ({
  sku,
  rate,
  missedFen: 100,
  category: 'drinks',
  isPinned: false,
  mayGrow: true,
  ...rest,
})
const lane = (name: string, rest: Partial<LayoutLane> = {}): LayoutLane => ({
  lane: name,
  sku: name[0]!,
  capacity: 8,
  isFixed: false,
  ...rest,
})
const machine = (products: readonly LayoutProduct[], lanes: readonly LayoutLane[]): LayoutMachine => ({
  lanes,
  products,
  visitCostFen: 1500,
  openShare: 1,
  leadDays: 2,
})
const SNACK = { category: 'snacks' }
const LANES = ['A1', 'A2', 'B1', 'B2'].map((name) => lane(name))
const changes = (of: LayoutMachine) => layOut(of).changes.map(({ lane: name, from, to }) => `${name}: ${from} to ${to}`)

describe('which lane goes to which product', () => {
  test('a product that sells ten times as much gets more room', () => {
    const layout = layOut(machine([product('A', 4), product('B', 0.2, SNACK)], LANES))
    expect(layout.changes.map(({ from, to }) => [from, to])).toEqual([['B', 'A']])
    expect(layout.weeklyGainFen).toBeGreaterThan(0)
  })

  test('where one product alone kept the visits short, its second lane makes them rarer', () => {
    const lanes = ['A1', 'B1', 'B2', 'C1', 'C2'].map((name) => lane(name))
    const products = [product('A', 1.5), product('B', 0.2), product('C', 0.2)]
    const { visitDays } = layOut({ ...machine(products, lanes), visitCostFen: 500 })
    expect(visitDays.after).toBeGreaterThan(visitDays.now)
  })

  test('products that sell alike keep their lanes', () => {
    expect(changes(machine([product('A', 1), product('B', 1)], LANES))).toEqual([])
  })

  test('the last lane of a product is only taken while its category has another product', () => {
    const lanes = [lane('A1'), lane('B1'), lane('C1')]
    const of = (category: string | undefined) =>
      changes(machine([product('A', 2), product('B', 1), product('C', 0.01, { category })], lanes))
    expect(of('drinks')).toEqual(['C1: C to A'])
    expect(of('snacks')).toEqual([])
    expect(of(undefined)).toEqual([])
  })

  test.each([
    ['pinned', { isPinned: true }, {}],
    ['in a lane that stays', {}, { isFixed: true }],
  ])('a product that is %s keeps its last lane', (_name, ofProduct, ofLane) => {
    const lanes = [lane('A1'), lane('B1'), lane('C1', ofLane)]
    expect(changes(machine([product('A', 2), product('B', 1), product('C', 0.01, ofProduct)], lanes))).not.toContain(
      'C1: C to A',
    )
  })

  test('what may not grow gets no lane', () => {
    expect(changes(machine([product('A', 4, { mayGrow: false }), product('B', 0.2)], LANES))).toEqual([])
  })

  test('a product that would be too old before it sold gets no lane for it', () => {
    const [fresh, stale] = [undefined, 12].map((levelMax) =>
      changes(machine([product('A', 4, { levelMax }), product('B', 0.2, SNACK)], LANES)),
    )
    expect([fresh, stale]).toEqual([['B1: B to A'], []])
  })

  test('a gain that does not pay for the work within eight weeks is left', () => {
    const products = [product('A', 0.9, { missedFen: 1 }), product('B', 0.3, { missedFen: 1 })]
    expect(changes({ ...machine(products, LANES), visitCostFen: 100_000 })).toEqual([])
  })

  test('a best seller whose lane never lasts until the next visit keeps it', () => {
    const lanes = [lane('A1'), lane('B1'), lane('C1')]
    const lay = changes(machine([product('A', 6), product('B', 1, SNACK), product('C', 0.01)], lanes))
    expect(lay).toEqual(['C1: C to A'])
  })

  test('a machine without products or lanes stays as it is', () => {
    expect(layOut(machine([], []))).toMatchObject({ changes: [], weeklyGainFen: 0 })
  })
})

const anyMachine = fc
  .record({
    rates: fc.array(fc.double({ min: 0, max: 6, noNaN: true }), { minLength: 2, maxLength: 6 }),
    lanesEach: fc.integer({ min: 1, max: 3 }),
    visitCostFen: fc.integer({ min: 100, max: 5000 }),
    leadDays: fc.constantFrom(0, 2, 5, 9),
  })
  .map(({ rates, lanesEach, visitCostFen, leadDays }): LayoutMachine => {
    const products = rates.map((rate, index) => product(String.fromCodePoint(65 + index), rate))
    const lanes = products.flatMap(({ sku }) => Array.from({ length: lanesEach }, (_, k) => lane(`${sku}${k}`)))
    return { ...machine(products, lanes), visitCostFen, leadDays }
  })

/** What visits and missed sales cost each day, at the best rhythm, with these lanes for each product. */
function costPerDay({ products, visitCostFen, openShare, leadDays }: LayoutMachine, counts: readonly number[]): number {
  const days = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 26, 32, 40].filter((each) => each >= leadDays)
  return Math.min(
    ...days.map((each) => {
      const missed = products.map(({ rate, missedFen }, index) => {
        const level = levelOnDelivery(8 * counts[index]!, rate * openShare, each, leadDays)
        return missedFen * expectedLoss(rate * openShare * each, level, DISPERSION)
      })
      return (visitCostFen + missed.reduce((total, fen) => total + fen, 0)) / each
    }),
  )
}

/** All ways to give `lanes` lanes to `products` products. */
function* shares(products: number, lanes: number): Generator<readonly number[]> {
  if (products === 1) return yield [lanes]
  for (let own = 0; own <= lanes; own++) for (const rest of shares(products - 1, lanes - own)) yield [own, ...rest]
}

test('the result comes near the best of all ways to share out the lanes, and is never worse than before', () => {
  fc.assert(
    fc.property(anyMachine, (of) => {
      const skus = of.products.map(({ sku }) => sku)
      const counts = skus.map((sku) => of.lanes.filter((each) => each.sku === sku).length)
      const before = costPerDay(of, counts)
      const layout = layOut(of)
      for (const { from, to } of layout.changes) {
        counts[skus.indexOf(from)]! -= 1
        counts[skus.indexOf(to)]! += 1
      }
      const after = costPerDay(of, counts)
      expect(7 * (before - after)).toBeCloseTo(layout.weeklyGainFen, -1)
      expect(layout.changes.every(({ weeklyGainFen }) => weeklyGainFen > 0)).toBe(true)
      let best = Infinity
      for (const share of shares(skus.length, of.lanes.length))
        if (share.some((lanes) => lanes > 0)) best = Math.min(best, costPerDay(of, share))
      // What is left does not pay for the work of the lanes that it would change.
      expect(after - best).toBeLessThan(0.02 * best + (0.1 * of.visitCostFen * of.lanes.length) / 8 / 7)
    }),
    { numRuns: propertyRuns(100) },
  )
})

test('the missed units of every level at once are those of each level', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 200, noNaN: true }), (mean) => {
      lossByLevel(mean, DISPERSION).forEach((loss, stock) => {
        expect(loss).toBeCloseTo(expectedLoss(mean, stock, DISPERSION), 6)
      })
    }),
    { numRuns: propertyRuns(100) },
  )
})
