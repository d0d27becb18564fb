import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fen } from '../../../../kernel/fen.ts'
import type { LocationId, Namespace, SkuId, SlotId } from '../../../../kernel/ids.ts'
import type { StoredSlot } from '../../../../route/locations/index.ts'
import type { SupplyDetails } from '../../../../route/skus/index.ts'
import { type PickFacts, type SlotOutlook, pickList } from './pick-list.ts'
import type { Run, RunLine } from '../run.ts'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'

const MACHINES = ['M1', 'M2', 'M3'] as const
const PRODUCTS = ['A', 'B', 'C'] as const

interface Cell {
  readonly machine: (typeof MACHINES)[number]
  readonly product: (typeof PRODUCTS)[number]
  readonly quantity: number
  readonly delivered: number
  readonly stock: number | null
  readonly capacity: number | null
  readonly demand: number
  readonly isGone: boolean
}

const cell = fc.record({
  machine: fc.constantFrom(...MACHINES),
  product: fc.constantFrom(...PRODUCTS),
  quantity: fc.integer({ min: 1, max: 30 }),
  delivered: fc.nat({ max: 30 }),
  stock: fc.option(fc.nat({ max: 20 })),
  capacity: fc.option(fc.integer({ min: 1, max: 25 })),
  demand: fc.double({ min: 0, max: 20, noNaN: true }),
  isGone: fc.boolean(),
})
const cells = fc.uniqueArray(cell, { selector: ({ machine, product }) => `${machine}${product}`, maxLength: 9 })

const source = (product: string): SkuId => `acme-supply:${product}` as SkuId

function build(given: readonly Cell[], received: ReadonlySet<string>, boxes: ReadonlyMap<string, number>) {
  const lines = given.map((each, i): RunLine => ({
    n: i + 1,
    location: each.machine as LocationId,
    vendorSku: each.product,
    slotId: `${each.machine}-${each.product}`,
    skuId: `acme-machine:${each.product}` as SkuId,
    title: `Product ${each.product}`,
    quantity: each.quantity,
    costFen: fen(100),
    costEstimated: false,
    source: source(each.product),
    ...(received.has(each.machine) ? { delivered: Math.min(each.delivered, each.quantity), deliveredAt: 5 } : {}),
  }))
  const slots = new Map(
    given
      .filter(({ isGone }) => !isGone)
      .map(({ machine, product, stock, capacity }) => [
        `${machine}-${product}`,
        {
          location: machine as LocationId,
          slotId: `${machine}-${product}` as SlotId,
          stock,
          capacity,
          price: 300,
          locked: false,
          position: null,
          par: null,
          updatedAt: 1,
        } as unknown as StoredSlot,
      ]),
  )
  const outlook = new Map(
    given
      .filter(({ isGone, stock }) => !isGone && stock !== null)
      .map(({ machine, product, stock, capacity, demand }): [string, SlotOutlook] => [
        `${machine}-${product}`,
        { demand, room: capacity === null ? Infinity : Math.max(0, capacity - stock!) },
      ]),
  )
  const details = new Map<SkuId, SupplyDetails>(
    [...boxes].map(([product, contains]) => [
      source(product),
      { boxOf: contains, orderedIn: { unit: 'BX', contains, priceFen: fen(100 * contains) } },
    ]),
  )
  // Whole boxes where the product is sold by the box.
  const purchased = new Map<SkuId, number>()
  for (const [product, own] of Map.groupBy(given, (each) => each.product)) {
    const contains = boxes.get(product) ?? 1
    const needed = own.reduce((total, { quantity }) => total + quantity, 0)
    purchased.set(source(product), Math.ceil(needed / contains) * contains)
  }
  const run = {
    id: 'run-1',
    status: 'placed',
    stops: MACHINES.map((location) => ({ location: location as LocationId, name: location, address: {} })),
    checkouts: [{ id: 'po_1', vendor: 'acme-supply' as Namespace }],
    boxed: [...details.keys()],
    lines,
  } as unknown as Run
  const facts = {
    slots,
    details,
    purchased,
    outlook: undefined,
    isPhasedOut: () => false,
    hasStoreroom: false,
    timeZone: 'UTC',
    shelfLives: new Map(),
    laneChanges: [],
    moves: [],
    now: 0,
  } satisfies PickFacts
  return { run, lines, facts, outlook }
}

test('per product the units of all stops and the spare units are what was bought; nothing is filled above a known capacity', () => {
  const received = fc.subarray([...MACHINES]).map((machines) => new Set<string>(machines))
  const boxes = fc
    .subarray([...PRODUCTS])
    .map((products) => new Map(products.map((each, i) => [each as string, 6 + 6 * i])))
  fc.assert(
    fc.property(cells, received, boxes, fc.boolean(), (given, done, contains, isFresh) => {
      const { run, lines, facts, outlook } = build(given, done, contains)
      const list = pickList(run, lines, isFresh ? { ...facts, outlook } : facts)
      for (const { item, bought, units, boxes: whole, singles, spare } of list.products) {
        const perStop = list.stops.flatMap((stop) =>
          stop.lines.filter((line) => line.item.id === item.id).map(({ quantity }) => ({ quantity, ...stop })),
        )
        const sum = (of: readonly { readonly quantity: number }[]) =>
          of.reduce((total, each) => total + each.quantity, 0)
        expect(sum(perStop) + spare).toBe(bought)
        expect(sum(perStop.filter(({ status }) => status === 'open')) + spare).toBe(units)
        expect((whole ? whole.count * whole.contains : 0) + singles).toBe(units)
        if (whole) expect(singles).toBeLessThan(whole.contains)
        expect(bought).toBeGreaterThanOrEqual(
          lines.filter(({ skuId }) => skuId === item.id).reduce((total, { quantity }) => total + quantity, 0),
        )
      }
      expect(list.units).toBe(list.products.reduce((total, { units }) => total + units, 0))
      for (const { lines: own } of list.stops)
        for (const { fill_to, capacity } of own)
          if (fill_to !== null && capacity !== null) expect(fill_to).toBeLessThanOrEqual(capacity)
    }),
    { numRuns: propertyRuns(2000) },
  )
})

test('a product bought for two machines of which one is gone goes to the other, and the rest is spare', () => {
  const base = { product: 'A', quantity: 8, delivered: 0, stock: 2, capacity: 12, demand: 9 } as const
  const { run, lines, facts, outlook } = build(
    [
      { ...base, machine: 'M1', isGone: true },
      { ...base, machine: 'M2', isGone: false },
    ],
    new Set(),
    new Map(),
  )
  const list = pickList(run, lines, { ...facts, outlook })
  expect(list.stops.map(({ units }) => units)).toEqual([0, 10])
  expect(list.products).toMatchObject([{ bought: 16, spare: 6, units: 16, locations: ['M2'] }])
})

test('a machine that phases the product out gets none while another wants it, and what was bought is used up otherwise', () => {
  const base = { product: 'A', quantity: 8, delivered: 0, stock: 2, capacity: 12, demand: 9, isGone: false } as const
  const { run, lines, facts, outlook } = build(
    [
      { ...base, machine: 'M1' },
      { ...base, machine: 'M2' },
    ],
    new Set(),
    new Map(),
  )
  const unitsWith = (isPhasedOut: (skuId: string, location: string) => boolean) =>
    pickList(run, lines, { ...facts, outlook, isPhasedOut }).stops.map(({ units }) => units)
  expect(unitsWith((_, location) => location === 'M1')).toEqual([0, 10])
  expect(unitsWith(() => true)).toEqual([8, 8])
})

test('what was taken out of the purchase after placing is not picked', () => {
  const base = { quantity: 8, delivered: 0, stock: 2, capacity: 12, demand: 9, isGone: false } as const
  const cells = [
    { ...base, machine: 'M1', product: 'A' },
    { ...base, machine: 'M1', product: 'B' },
  ] as const
  const { run, lines, facts } = build(cells, new Set(), new Map())
  const list = pickList(run, lines, { ...facts, purchased: new Map([[source('A'), 8]]) })
  expect(list.products).toMatchObject([
    { bought: 8, units: 8 },
    { bought: 0, units: 0, spare: 0 },
  ])
})
