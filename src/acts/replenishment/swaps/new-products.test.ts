/** Products that no machine holds: their price, and where they are tried. */
import { describe, expect, test } from 'vitest'
import { type NewProduct, type SwapMachine, proposeSwaps } from './choose.ts'
import { priceNewProducts } from './new-products.ts'

const DAYS = 21
const slot = (
  location: string,
  sku: string,
  perDay: number,
  priceFen = 500,
  category: string | undefined = 'drinks',
) => ({
  slotId: `${location}-${sku}`,
  sku,
  category,
  priceFen,
  rate: perDay,
  marginFen: priceFen / 2,
  units: Math.round(perDay * DAYS),
  days: DAYS,
  isFixed: false,
})
const product = (sku: string, costFen: number, category = 'drinks') => ({
  sku: `a-supply:${sku}`,
  machineIds: [],
  category,
  costFen,
  smallestOrder: 12,
})

describe('4.7 the price of a product that no machine holds', () => {
  const sold = [slot('m1', 'a', 2, 400), slot('m1', 'b', 2, 500), slot('m2', 'c', 2, 800)]
  const half = new Map([
    ['a', 200],
    ['b', 250],
    ['c', 400],
  ])
  const costOf = (sku: string) => half.get(sku)

  test.each([
    ['at the usual margin, a price that the category has', 240, sold, costOf, 0, 500],
    ['nearest to it', 210, sold, costOf, 0, 400],
    ['not where it costs more than its category', 700, sold, costOf, 0, undefined],
    ['not where it costs far less', 100, sold, costOf, 0, undefined],
    ['not with fewer than three products to compare', 240, sold.slice(1), costOf, 0, undefined],
    ['not where the costs of the others are unknown', 240, sold, () => undefined, 0, undefined],
    ['not below the margin of the rules', 240, sold, costOf, 120, undefined],
  ])('%s', (_, cost, slots, costs, percent, expected) => {
    expect(priceNewProducts([product('x', cost)], slots, costs, percent).map(({ priceFen }) => priceFen)).toEqual(
      expected === undefined ? [] : [expected],
    )
  })

  test('of another category there is none, and of a long list only those that fit best', () => {
    expect(priceNewProducts([product('x', 240, 'toys')], sold, costOf)).toEqual([])
    const many = Array.from({ length: 40 }, (_, i) => product(`p${i}`, 240 + i))
    const priced = priceNewProducts(many, sold, costOf)
    expect(priced).toHaveLength(10)
    expect(priced[0]!.sku).toBe('a-supply:p10')
  })
})

describe('4.7 trying a product that no machine holds', () => {
  const machine = (location: string, slots: SwapMachine['slots']): SwapMachine => ({
    location,
    namespace: 'acme-machine',
    venueType: 'office',
    slots,
    heldSkus: new Set(slots.map(({ sku }) => sku)),
    trials: 0,
  })
  /** Both machines hold the same, and one slot that sells nothing; the second sells more. */
  const route = (busy = 4) => [
    machine('m1', [slot('m1', 'tea', 2), slot('m1', 'cola', 2), slot('m1', 'cake', 0, 500, 'cakes')]),
    machine('m2', [slot('m2', 'tea', busy), slot('m2', 'cola', busy), slot('m2', 'cake', 0, 500, 'cakes')]),
  ]
  const fresh = (over: Partial<NewProduct> = {}): NewProduct => ({ ...product('new', 250), priceFen: 500, ...over })
  const propose = (products: readonly NewProduct[] | undefined, machines = route(), share = 0) =>
    proposeSwaps(
      machines,
      () => true,
      () => ({ mean: share, error: 0.25 }),
      products && { products, elasticityOf: () => ({ mean: 1.3, error: 0.6 }) },
    )

  test('in the machine where it brings most, and no other; with what its category sold', () => {
    expect(propose(undefined)).toEqual([])
    const found = propose([fresh()])
    expect(found).toMatchObject([
      {
        location: 'm2',
        slotId: 'm2-cake',
        in: { sku: 'a-supply:new', newSku: 'a-supply:new', priceFen: 500, marginFen: 250 },
        evidence: { category: 'drinks', machines: 2, units: 252 },
      },
    ])
    // Nobody sold it, so little is certain.
    expect(found[0]!.gainErrorFen).toBeGreaterThan(found[0]!.in.weeklyFen / 3)
    expect(propose([fresh()], route(4).toReversed())).toEqual(found)
    expect(propose([fresh()], route(1))).toMatchObject([{ location: 'm1' }])
  })

  test('another one goes to the other machine', () => {
    const found = propose([fresh(), fresh({ sku: 'a-supply:other' })])
    expect(found.map(({ location }) => location).toSorted()).toEqual(['m1', 'm2'])
    expect(new Set(found.map((swap) => swap.in.newSku)).size).toBe(2)
  })

  test('what a machine held before keeps its name on that platform', () => {
    expect(propose([fresh({ machineIds: ['b-machine:9', 'acme-machine:7'] })])).toMatchObject([
      { in: { sku: 'acme-machine:7', newSku: 'a-supply:new' } },
    ])
  })

  test('it sells as much less as it costs more, and what trials taught counts', () => {
    const rate = (found: ReturnType<typeof propose>) => found[0]!.in.rate
    const usual = rate(propose([fresh()]))
    expect(rate(propose([fresh({ priceFen: 600 })]))).toBeCloseTo(usual * 1.2 ** -1.3)
    expect(rate(propose([fresh()], route(), Math.log(0.5)))).toBeCloseTo(usual / 2)
  })

  test.each([
    ['a category that nobody sells', { category: 'toys' }],
    ['a pack that would not sell in eight weeks', { smallestOrder: 1000 }],
    ['a margin of nothing', { priceFen: 250 }],
  ])('not %s', (_, over) => expect(propose([fresh(over)])).toEqual([]))
})
