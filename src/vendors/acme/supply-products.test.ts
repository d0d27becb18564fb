import { expect, test } from 'vitest'
import { readCatalogPage, entryReuser } from './supply-products.ts'

const page = (...stocks: readonly number[]) =>
  readCatalogPage({
    list: stocks.map((stockNum, i) => ({
      goodsNo: `SP${i}`,
      goodsName: `good ${i}`,
      packNum: 12,
      packPrice: '24.00',
      unitPrice: '2.50',
      stockNum,
      status: 1,
    })),
    total: stocks.length,
    pageSize: 100,
  })

test('an unchanged product keeps its object, a changed one is new', () => {
  const recognised = entryReuser()
  const [first, second] = [recognised(page(1, 2)), recognised(page(1, 3))]
  expect(second.entries[0]).toBe(first.entries[0])
  expect(second.entries[1]).not.toBe(first.entries[1])
  expect(second.entries[1]).toMatchObject({ product: { stock: 3 } })
  expect(recognised(page(1, 3)).entries[1]).toBe(second.entries[1])
  expect(second.total).toBe(2)
})
