import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { warning } from '../../../../kernel/message.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import { type PlacedLine, type Purchase, isAsRequested, purchasedUnits, unboughtLines } from './purchased-units.ts'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'

const sold = (product: string): SkuId => `acme-supply:${product}` as SkuId
const held = (product: string): SkuId => `acme-machine:${product}` as SkuId

const lineOf = (n: number, product: string, quantity: number, checkout = 'po_1'): PlacedLine => ({
  n,
  skuId: held(product),
  source: sold(product),
  checkout,
  quantity,
})

type State = Pick<Purchase, 'status' | 'orderMayExist'>
const COMPLETED: State = { status: 'completed', orderMayExist: true }
const READY: State = { status: 'ready_for_complete', orderMayExist: false }

/** `contents`: product, quantity, and how many are in a box. */
const purchaseOf = (
  contents: readonly (readonly [product: string, quantity: number, contains?: number])[],
  state: State = COMPLETED,
  id = 'po_1',
): Purchase =>
  ({
    id,
    ...state,
    findings: [],
    lines: contents.map(([product, quantity, contains]) => ({
      skuId: sold(product),
      unit: contains === undefined ? 'EA' : 'BX',
      quantity,
      ...(contains === undefined ? {} : { contains }),
    })),
  }) as unknown as Purchase

const isSame = (machineSku: SkuId, supplierSku: SkuId) => machineSku === held('cola') && supplierSku === sold('COLA-2')
const unboughtOf = (lines: readonly PlacedLine[], purchases: readonly Purchase[]) =>
  unboughtLines(lines, purchases, isSame).map(({ n }) => n)

/** Cola for two machines, tea for one. */
const LINES = [lineOf(1, 'cola', 5), lineOf(2, 'tea', 4), lineOf(3, 'cola', 5)]

describe('3.2 a line for which nothing was bought', () => {
  test.each<[string, Purchase[], number[]]>([
    [
      'all was bought',
      [
        purchaseOf([
          ['cola', 10],
          ['tea', 4],
        ]),
      ],
      [],
    ],
    ['a product was taken out', [purchaseOf([['tea', 4]])], [1, 3]],
    [
      'fewer: the first lines get them',
      [
        purchaseOf([
          ['cola', 5],
          ['tea', 4],
        ]),
      ],
      [3],
    ],
    [
      'fewer: a line that gets a part counts as bought',
      [
        purchaseOf([
          ['cola', 6],
          ['tea', 4],
        ]),
      ],
      [],
    ],
    [
      'more, in whole boxes',
      [
        purchaseOf([
          ['cola', 1, 12],
          ['tea', 4],
        ]),
      ],
      [],
    ],
    [
      'one box for two: it covers the first',
      [
        purchaseOf([
          ['cola', 1, 5],
          ['tea', 4],
        ]),
      ],
      [3],
    ],
    [
      'single items beside a box',
      [
        purchaseOf([
          ['cola', 1, 6],
          ['cola', 4],
          ['tea', 4],
        ]),
      ],
      [],
    ],
    [
      'the same product under another id of the supplier',
      [
        purchaseOf([
          ['COLA-2', 10],
          ['tea', 4],
        ]),
      ],
      [],
    ],
    [
      'a part of it under another id',
      [
        purchaseOf([
          ['COLA-2', 5],
          ['cola', 1],
          ['tea', 4],
        ]),
      ],
      [],
    ],
    [
      'another product instead',
      [
        purchaseOf([
          ['napkins', 99],
          ['tea', 4],
        ]),
      ],
      [1, 3],
    ],
    ['a purchase that is not on record', [], []],
  ])('%s', (_, purchases, expected) => expect(unboughtOf(LINES, purchases)).toEqual(expected))

  test.each<[string, State, number[]]>([
    ['incomplete', { status: 'incomplete', orderMayExist: false }, []],
    ['waiting for approval', { status: 'requires_escalation', orderMayExist: false }, []],
    ['ready', READY, []],
    ['ready, and an order may exist', { status: 'ready_for_complete', orderMayExist: true }, []],
    ['being sent', { status: 'complete_in_progress', orderMayExist: false }, []],
    ['with an unknown outcome', { status: 'complete_in_progress', orderMayExist: true }, []],
    ['completed', COMPLETED, [1, 3]],
    ['canceled or expired, and an order may exist', { status: 'canceled', orderMayExist: true }, [1, 3]],
    ['canceled or expired before it was sent', { status: 'canceled', orderMayExist: false }, [1, 2, 3]],
  ])('cola was taken out of a purchase that is %s', (_, state, expected) => {
    expect(unboughtOf(LINES, [purchaseOf([['tea', 4]], state)])).toEqual(expected)
  })

  test('an order that was booked from the records of its supplier may contain anything', () => {
    const restored = { ...purchaseOf([['tea', 4]]), findings: [warning('order_restored', 'Restored')] }
    expect(unboughtOf(LINES, [restored])).toEqual([])
  })

  test('with two purchases: nothing is known while one of them can change, and what moved to the other was bought', () => {
    const lines = [lineOf(1, 'cola', 5), lineOf(2, 'tea', 4, 'po_2')]
    const without = purchaseOf([['juice', 1]])
    expect(unboughtOf(lines, [without, purchaseOf([['tea', 4]], READY, 'po_2')])).toEqual([])
    expect(unboughtOf(lines, [without, purchaseOf([['tea', 4]], COMPLETED, 'po_2')])).toEqual([1])
    const moved = purchaseOf(
      [
        ['tea', 4],
        ['COLA-2', 5],
      ],
      COMPLETED,
      'po_2',
    )
    expect(unboughtOf(lines, [without, moved])).toEqual([])
    const canceled = purchaseOf([['cola', 5]], { status: 'canceled', orderMayExist: false })
    expect(unboughtOf(lines, [canceled, moved])).toEqual([])
  })

  test('a line without a purchase, such as of a simulated run, counts as bought', () => {
    const { checkout: _, ...line } = lineOf(1, 'cola', 5)
    expect(unboughtOf([line], [])).toEqual([])
  })
})

const requestOf = (contents: readonly (readonly [product: string, quantity: number, unit?: 'BX'])[]) =>
  contents.map(([product, quantity, unit]) => ({
    item: { id: sold(product) },
    quantity,
    ...(unit && { quantity_unit: { unit } }),
  }))

test.each<[string, Purchase, boolean]>([
  [
    'as it was',
    purchaseOf([
      ['cola', 1, 12],
      ['tea', 4],
    ]),
    true,
  ],
  [
    'with more',
    purchaseOf([
      ['cola', 2, 12],
      ['tea', 9],
    ]),
    true,
  ],
  ['canceled', purchaseOf([['tea', 4]], { status: 'canceled', orderMayExist: false }), true],
  [
    'with fewer',
    purchaseOf([
      ['cola', 1, 12],
      ['tea', 3],
    ]),
    false,
  ],
  [
    'in another unit',
    purchaseOf([
      ['cola', 1],
      ['tea', 4],
    ]),
    false,
  ],
  ['without a product', purchaseOf([['tea', 4]]), false],
  [
    'with another product',
    purchaseOf([
      ['cola', 1, 12],
      ['tea', 4],
      ['napkins', 1],
    ]),
    false,
  ],
])('4.4 a purchase %s is what placing asked for, or not', (_, purchase, expected) => {
  expect(
    isAsRequested(
      purchase,
      requestOf([
        ['cola', 1, 'BX'],
        ['tea', 4],
      ]),
    ),
  ).toBe(expected)
})

interface Edit {
  readonly at: 0 | 1
  readonly step: 'edit' | 'claim' | 'accept' | 'refuse' | 'lose' | 'close'
  readonly contents: readonly (readonly [string, number])[]
}

/** As the states of a session allow it; a step that the state refuses changes nothing. */
function stepOf(purchase: Purchase, { step, contents }: Edit): Purchase {
  const { status, orderMayExist } = purchase
  if (status === 'completed' || status === 'canceled') return purchase
  if (status === 'complete_in_progress') {
    if (step === 'accept') return { ...purchase, ...COMPLETED }
    if (step === 'refuse') return { ...purchase, status: 'ready_for_complete' }
    return step === 'lose' ? { ...purchase, orderMayExist: true } : purchase
  }
  if (step === 'edit') return orderMayExist ? purchase : purchaseOf(contents, purchase, purchase.id)
  if (step === 'claim') return { ...purchase, status: 'complete_in_progress' }
  return step === 'close' ? { ...purchase, status: 'canceled' } : purchase
}

const PRODUCTS = ['cola', 'tea', 'COLA-2', 'napkins'] as const
const contents = fc.uniqueArray(fc.tuple(fc.constantFrom(...PRODUCTS), fc.integer({ min: 1, max: 25 })), {
  selector: ([product]) => product,
  minLength: 1,
})
const edit = fc.record({
  at: fc.constantFrom(0 as const, 1 as const),
  step: fc.constantFrom('edit', 'claim', 'accept', 'refuse', 'lose', 'close'),
  contents,
}) as fc.Arbitrary<Edit>
const quantities = fc.array(
  fc.record({ product: fc.constantFrom('cola', 'tea'), quantity: fc.integer({ min: 1, max: 9 }) }),
  { minLength: 1, maxLength: 8 },
)

test('3.2 whatever happens to its purchases, a slot is ordered again once at most, and never more than is missing', () => {
  let released = 0
  fc.assert(
    fc.property(quantities, fc.array(edit, { maxLength: 25 }), (given, edits) => {
      // Tea comes from a second purchase.
      const lines = given.map(({ product, quantity }, i) =>
        lineOf(i + 1, product, quantity, product === 'tea' ? 'po_2' : 'po_1'),
      )
      const needed = (product: string) =>
        lines.reduce((sum, { source, quantity }) => sum + (source === sold(product) ? quantity : 0), 0)
      let purchases = ['cola', 'tea'].flatMap((product, i) =>
        needed(product) === 0 ? [] : [purchaseOf([[product, needed(product)]], READY, `po_${i + 1}`)],
      )
      /** What a second run has ordered: it orders for a slot as soon as nothing was bought for it. */
      const again = new Set<number>()
      for (const change of edits) {
        purchases = purchases.map((purchase, i) => (i === change.at ? stepOf(purchase, change) : purchase))
        const unbought = unboughtOf(lines, purchases)
        for (const n of again) expect(unbought).toContain(n)
        for (const n of unbought) again.add(n)
        const asked = ({ id }: Purchase) => (id === 'po_1' ? 'cola' : 'tea')
        if (
          purchases.every(
            (each) =>
              isAsRequested(each, requestOf([[asked(each), needed(asked(each))]])) && each.status !== 'canceled',
          )
        )
          expect(unbought).toEqual([])
      }
      released += again.size
      const bought = purchasedUnits(lines, purchases, isSame)
      for (const product of ['cola', 'tea']) {
        const reordered = lines.filter(({ n, source }) => again.has(n) && source === sold(product))
        const units = reordered.reduce((sum, { quantity }) => sum + quantity, 0)
        const missing = Math.max(0, needed(product) - (bought.get(sold(product)) ?? 0))
        expect(units).toBeLessThanOrEqual(missing)
      }
    }),
    { numRuns: propertyRuns(1000) },
  )
  expect(released).toBeGreaterThan(propertyRuns(1000) / 20)
})
