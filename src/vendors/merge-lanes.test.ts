import { expect, test } from 'vitest'
import { fen } from '../kernel/fen.ts'
import type { MachineSlot } from './machine-vendor.ts'
import { mergeLanes } from './merge-lanes.ts'

const slot = (more: Partial<MachineSlot> = {}): MachineSlot => ({
  vendorSku: 'A',
  title: 'Cola',
  priceFen: fen(300),
  stock: 3,
  ...more,
})
const lane = (code: string, stock: number | null, capacity: number | null = null) => ({
  code,
  priceFen: fen(300),
  stock,
  capacity,
})

test('plain slots are returned as they are, the same list', () => {
  const slots = [slot(), slot({ vendorSku: 'B' })]
  expect(mergeLanes(slots)).toBe(slots)
})

test('a product that is listed twice becomes one slot with the sum, at the first price', () => {
  const merged = mergeLanes([slot({ capacity: 8 }), slot({ stock: 4, capacity: 6, priceFen: fen(350) })])
  expect(merged).toMatchObject([{ vendorSku: 'A', priceFen: 300, stock: 7, capacity: 14 }])
  expect(merged[0]?.lanes).toEqual([
    { code: '1', isNumbered: true, priceFen: 300, stock: 3, capacity: 8 },
    { code: '2', isNumbered: true, priceFen: 350, stock: 4, capacity: 6 },
  ])
})

test('one unknown part makes the sum unknown', () => {
  const [merged] = mergeLanes([slot({ capacity: 8 }), slot({ stock: null })])
  expect([merged?.stock, merged?.capacity]).toEqual([null, undefined])
  expect(mergeLanes([slot({ stock: null, lanes: [lane('1', 3), lane('2', null)] })])[0]?.stock).toBeNull()
})

test('the sum of the lanes counts where the platform states nothing for the product', () => {
  const lanes = [lane('1', 3, 8), lane('2', 4, 8)]
  expect(mergeLanes([slot({ stock: null, lanes })])).toMatchObject([{ stock: 7, capacity: 16 }])
  expect(mergeLanes([slot({ stock: 6, capacity: 10, lanes })])).toMatchObject([{ stock: 6, capacity: 10 }])
})

test('of several counts the newest dates the sum, and each lane has its own; without a date it was counted now', () => {
  const [merged] = mergeLanes([slot({ asOf: 20 }), slot({ asOf: 10 })])
  expect([merged?.asOf, merged?.lanes?.map(({ asOf }) => asOf)]).toEqual([20, [20, 10]])
  expect(mergeLanes([slot({ asOf: 20 }), slot()])[0]).not.toHaveProperty('asOf')
  expect(mergeLanes([slot(), slot()])[0]).not.toHaveProperty('asOf')
})
