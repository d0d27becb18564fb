import { expect, test } from 'vitest'
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import {
  isFromStoreroom,
  leftOf,
  lineOutcome,
  loadOf,
  loadsOf,
  openPurchases,
  overfullSlots,
  roundedProducts,
  supplyOf,
  unitsFromStoreroom,
  withoutUnbought,
} from './run-line.ts'

const LINE = { status: 'processing', location: 'M1', source: { sku_id: 'a:1', unit: 'EA' } } as const
const open = { ...LINE, quantity: { total: 4, fulfilled: 0 } }
const purchase = (status: 'canceled' | 'completed' | 'ready_for_complete', vendor = 'a') => ({
  id: 'po',
  vendor,
  status,
})

test('before it is ordered, a line has no outcome', () => {
  expect(lineOutcome({ status: 'pending_approval' }, open)).toBeUndefined()
  expect(lineOutcome({ status: 'approved' }, open)).toBeUndefined()
})

test('lines of a closed run, lines left out and lines of a canceled purchase were not ordered', () => {
  expect(lineOutcome({ status: 'rejected' }, open)).toBe('not_ordered')
  expect(lineOutcome({ status: 'placed' }, { ...open, status: 'removed' })).toBe('not_ordered')
  expect(lineOutcome({ status: 'placed', checkouts: [purchase('canceled')] }, open)).toBe('not_ordered')
  expect(lineOutcome({ status: 'delivered', checkouts: [purchase('canceled')] }, open)).toBe('not_ordered')
})

test('a line that the receipt left out was ordered and not received, and still counts as bought', () => {
  const left = {
    ...open,
    status: 'removed' as const,
    quantity: { original: 4, total: 0, fulfilled: 0 },
    totals: [{ type: 'total', amount: 800 }],
    item: { id: 'm:1', title: 'Snickers', price: 200 },
  }
  expect(lineOutcome({ status: 'delivered', checkouts: [purchase('completed')] }, left)).toBe('not_received')
  const line = { ...left, source: { ...left.source, ordered: 24 } } as never
  expect(supplyOf({ status: 'delivered', line_items: [line] })).toEqual({ needed: 4, bought: 24 })
  expect(supplyOf({ status: 'rejected', line_items: [line] })).toEqual({ needed: 0, bought: 0 })
})

test('a placed run waits for the purchases that nobody confirmed yet', () => {
  const checkouts = [purchase('canceled'), purchase('ready_for_complete', 'b'), purchase('completed', 'c')]
  expect(openPurchases({ status: 'placed', checkouts }).map(({ vendor }) => vendor)).toEqual(['b'])
  expect(openPurchases({ status: 'placed' })).toEqual([])
  expect(openPurchases({ status: 'delivered', checkouts })).toEqual([])
})

test('a line is ordered once the purchase of its supplier is', () => {
  expect(lineOutcome({ status: 'placed' }, open)).toBe('ordered')
  expect(lineOutcome({ status: 'placed', checkouts: [purchase('ready_for_complete')] }, open)).toBe('to_order')
  expect(lineOutcome({ status: 'placed', checkouts: [purchase('completed')] }, open)).toBe('ordered')
  const both = [purchase('canceled', 'b'), purchase('completed')]
  expect(lineOutcome({ status: 'placed', checkouts: both }, open)).toBe('ordered')
})

test('3.2 what was received counts, and nothing is received where a visit brought none', () => {
  const visits = [{ location: 'M1', name: 'One', sequence: 1, status: 'received' as const }]
  expect(lineOutcome({ status: 'placed', visits }, open)).toBe('not_received')
  expect(lineOutcome({ status: 'delivered' }, open)).toBe('not_received')
  const part = { ...open, status: 'partial' as const, quantity: { total: 4, fulfilled: 1 } }
  expect(lineOutcome({ status: 'delivered' }, part)).toBe('partly_received')
  const all = { ...open, status: 'fulfilled' as const, quantity: { total: 4, fulfilled: 4 } }
  expect(lineOutcome({ status: 'placed', visits }, all)).toBe('received')
})

test('a line whose product was taken out of its purchase was not ordered, unless some of it came', () => {
  const part = { ...open, status: 'partial', quantity: { total: 4, fulfilled: 1 } }
  const other = { ...open, source: { sku_id: 'a:2', unit: 'EA' } }
  const { source: _, ...unlinked } = open
  const run = { status: 'placed', line_items: [open, part, other, unlinked] } as unknown as ReplenishmentRun
  const bought = (source: string, units: number) => ({ source, bought: units, units }) as never
  const statuses = (of: ReplenishmentRun) => of.line_items.map(({ status }) => status)
  const list = { products: [bought('a:1', 0), bought('a:2', 8)] }
  expect(statuses(withoutUnbought(run, list))).toEqual(['removed', 'partial', 'processing', 'processing'])
  expect(withoutUnbought(run, undefined)).toEqual(run)
  const uncompleted = { products: [{ source: 'a:1', bought: 0, units: 8 } as never] }
  expect(withoutUnbought(run, uncompleted), 'in a purchase that is not completed').toEqual(run)
})

test('a product is rounded where more of it is ordered than its lines need', () => {
  const line = (sku: string, total: number, ordered?: number, status = 'processing') => ({
    status,
    item: { title: `Product ${sku}` },
    source: { sku_id: sku, unit: 'BX', ...(ordered === undefined ? {} : { ordered }) },
    quantity: { total },
  })
  const lines = [line('a:1', 5, 24), line('a:1', 7, 24), line('a:2', 6), line('a:3', 4, 12, 'removed')]
  expect(roundedProducts({ line_items: lines as unknown as ReplenishmentRun['line_items'] })).toEqual([
    { product: 'Product a:1', sku: 'a:1', needed: 12, ordered: 24 },
  ])
})

test('a line that the store room covers is not ordered, whatever becomes of a purchase', () => {
  const stored = { ...open, from_storeroom: 4 }
  expect(lineOutcome({ status: 'placed', checkouts: [] }, stored)).toBe('in_storeroom')
  expect(lineOutcome({ status: 'placed', checkouts: [purchase('canceled')] }, stored)).toBe('in_storeroom')
  expect(lineOutcome({ status: 'delivered' }, stored)).toBe('not_received')
  expect(lineOutcome({ status: 'placed' }, { ...open, from_storeroom: 3 })).toBe('ordered')
})

test('a run from the store room alone buys nothing; of a mixed one the rest is rounded', () => {
  const line = (total: number, from_storeroom?: number, status = 'processing', ordered?: number) => ({
    status,
    item: { title: 'Water' },
    source: { sku_id: 'a:1', unit: 'BX', ...(ordered === undefined ? {} : { ordered }) },
    quantity: { total },
    ...(from_storeroom === undefined ? {} : { from_storeroom }),
  })
  const run = (...lines: readonly ReturnType<typeof line>[]) => ({
    line_items: lines as unknown as ReplenishmentRun['line_items'],
  })
  expect(isFromStoreroom(run(line(4, 4), line(2, undefined, 'removed')))).toBe(true)
  expect(isFromStoreroom({ ...run(line(4, 4)), checkouts: [purchase('completed')] })).toBe(false)
  for (const mixed of [run(), run(line(4)), run(line(4, 3)), run(line(4, 4), line(1))])
    expect(isFromStoreroom(mixed)).toBe(false)
  expect(unitsFromStoreroom(run(line(4, 3), line(4), line(2, 2, 'removed')))).toBe(3)
  expect(roundedProducts(run(line(20, 10, 'processing', 24), line(6, undefined, 'processing', 24)))).toMatchObject([
    { needed: 16, ordered: 24 },
  ])
})

test('needed and bought: whole cases bring more than the machines need, the store room gives some of it', () => {
  const line = (total: number, ordered?: number, from_storeroom = 0, status = 'processing') =>
    ({
      item: { title: 'x' },
      quantity: { total, fulfilled: 0 },
      from_storeroom,
      status,
      source: { sku_id: `a:${ordered}`, unit: 'BX', ...(ordered !== undefined && { ordered }) },
    }) as unknown as ReplenishmentRun['line_items'][number]
  expect(supplyOf({ line_items: [line(5, 24), line(7, 24), line(4), line(9, 48, 2)] })).toEqual({
    needed: 23,
    bought: 24 + 4 + 48,
  })
  expect(supplyOf({ line_items: [line(5, 24, 0, 'removed')] })).toEqual({ needed: 0, bought: 0 })
})

test('what is to be loaded follows from what came: the first lines get it, the store room gives its part', () => {
  const line = (slot_id: string, planned: number, from_storeroom = 0, sku_id = 'a:1') => ({
    slot_id,
    source: { sku_id, unit: 'EA' as const },
    from_storeroom,
    quantity: { original: planned, total: planned, fulfilled: 0 },
  })
  const lines = [line('s1', 5), line('s2', 6, 2), line('s3', 3), line('s4', 4, 0, 'a:2')]
  const units = (came?: Parameters<typeof loadsOf>[1]) => [...loadsOf(lines.map(loadOf), came).values()]
  expect(units()).toEqual([5, 6, 3, 4])
  expect(units([{ item: { id: 'a:1' }, quantity: 7 }])).toEqual([5, 4, 0, 4])
  expect(units([{ item: { id: 'a:1' }, quantity: 0 }])).toEqual([0, 2, 0, 4])
  expect(units([{ item: { id: 'a:1' }, quantity: 99 }])).toEqual([5, 6, 3, 4])
  const short = { ...line('s5', 5), quantity: { original: 5, total: 2, fulfilled: 0 } }
  expect(loadOf(short).units, 'what the supplier confirmed').toBe(2)
  const loaded = lines.slice(0, 2).map(loadOf)
  expect(leftOf([{ item: { id: 'a:1' }, quantity: 10 }], loaded), 'the store room gave 2').toMatchObject([
    { quantity: 10 - 5 - 4 },
  ])
  expect(leftOf([{ item: { id: 'a:1' }, quantity: 3 }], loaded)).toMatchObject([{ quantity: 0 }])
})

test('more loaded than fits is asked about, only where stock and capacity are known', () => {
  const line = (slot_id: string, expected_stock: number | null, capacity: number | null) => ({
    slot_id,
    item: { title: slot_id },
    expected_stock,
    capacity,
  })
  const lines = [line('over', 5, 20), line('fits', 3, 20), line('uncounted', null, 20), line('open', 5, null)]
  const list = { stops: [{ status: 'open', lines }] } as unknown as Parameters<typeof overfullSlots>[0]
  expect(overfullSlots(list, () => 17)).toEqual([
    { slot: 'over', title: 'over', loaded: 17, fits: 15, stock: 5, capacity: 20 },
  ])
  expect(overfullSlots(list, () => 15)).toEqual([])
  expect(overfullSlots(undefined, () => 99)).toEqual([])
})
