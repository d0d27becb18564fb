import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY, HOUR } from '../../kernel/clock.ts'
import { worldFromJournal } from './journal.ts'
import type { World } from './world.ts'

const NOW = Date.parse('2026-09-10T10:30:00+08:00')
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'))
  file = join(folder, 'data', 'world.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const openAt = (now: number, seed = 1): World => {
  const world = worldFromJournal(file, { seed, takeoverMs: now, machines: 2, historyDays: 5 })
  world.advanceTo(now)
  return world
}
const order = {
  outOrderNo: 'po_1',
  items: [{ goodsNo: 'SP1001', num: 1, unitType: 'PACK' }],
  to: { siteId: 'S01' },
} as const
const shelves = (world: World) => world.machines.map(({ id }) => world.lanes(id))
const numbers = (world: World) => world.allSales().map(({ tradeNo }) => tradeNo)

test('a restarted world has the same orders and the same sales', () => {
  const first = openAt(NOW)
  first.placeOrder(order)
  first.advanceTo(NOW + 3 * HOUR)
  first.deliver(
    'M1001',
    (first.lanes('M1001') ?? []).map(({ goodsCode }) => ({ goodsCode, quantity: 9 })),
  )
  first.advanceTo(NOW + 2 * DAY)

  const again = openAt(NOW + 2 * DAY)
  expect(again.supplier.orders()).toEqual(first.supplier.orders())
  expect(numbers(again)).toEqual(numbers(first))
  expect(shelves(again)).toEqual(shelves(first))
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(3)
})

test('another seed, a clock set back, or a world half a year old starts a new world', () => {
  openAt(NOW).placeOrder(order)
  expect(openAt(NOW, 2).supplier.orders()).toEqual([])
  openAt(NOW).placeOrder(order)
  expect(openAt(NOW - DAY).supplier.orders()).toEqual([])
  openAt(NOW).placeOrder(order)
  expect(openAt(NOW + 200 * DAY).supplier.orders()).toEqual([])
})

test('a line cut by a crash is dropped, the rest stays; the next input starts a new line', () => {
  openAt(NOW).placeOrder(order)
  appendFileSync(file, '{"type":"order","at":1')
  const world = openAt(NOW + HOUR)
  expect(world.supplier.orders()).toHaveLength(1)
  world.placeOrder({ ...order, outOrderNo: 'po_2' })
  expect(openAt(NOW + 2 * HOUR).supplier.orders()).toHaveLength(2)
})
