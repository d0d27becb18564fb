import { describe, expect, test } from 'vitest'
import { supplyProduct } from '../../../test/support/scripted-vendors.ts'
import { reuseUnchanged } from './share-unchanged.ts'

const products = () => [
  supplyProduct('A', { stock: 1 }),
  supplyProduct('B', { stock: 2 }),
  supplyProduct('C', { stock: 3 }),
]
const sites = () => [{ id: 'S1', name: 'one' }]
const before = { products: products(), sites: sites() }

describe('a catalog read again', () => {
  test('the same products and sites: the same object', async () => {
    expect(await reuseUnchanged(before, { products: products(), sites: sites() })).toBe(before)
  })

  test('one product changed: only that one is new', async () => {
    const [a, , c] = products()
    const now = await reuseUnchanged(before, { products: [a!, supplyProduct('B', { stock: 9 }), c!], sites: sites() })
    expect(now).not.toBe(before)
    expect(now.products.map((product, i) => product === before.products[i])).toEqual([true, false, true])
    expect(now.products[1]?.stock).toBe(9)
    expect(now.sites).toBe(before.sites)
  })

  test('a field that is gone, or new, is a change', async () => {
    const [a, b, c] = products()
    const { brand: _, ...plain } = supplyProduct('B', { stock: 2, brand: 'x' })
    const branded = { products: [a!, supplyProduct('B', { stock: 2, brand: 'x' }), c!], sites: sites() }
    expect((await reuseUnchanged(branded, { products: [a!, plain, c!], sites: sites() })).products[1]).toBe(plain)
    expect(
      (await reuseUnchanged(before, { ...before, products: [a!, { ...b!, imageUrl: 'y' }, c!] })).products[1],
    ).toHaveProperty('imageUrl')
  })

  test('products keep their objects when others move, come or go, and the new order applies', async () => {
    const [a, b, c] = products()
    const now = await reuseUnchanged(before, { products: [c!, supplyProduct('D'), a!, b!], sites: [] })
    expect(now.products.map(({ vendorSku }) => vendorSku)).toEqual(['C', 'D', 'A', 'B'])
    expect(now.products[0]).toBe(before.products[2])
    expect(now.products[3]).toBe(before.products[1])
    expect(now.sites).toEqual([])
    expect((await reuseUnchanged(before, { products: [a!, b!], sites: sites() })).products).toHaveLength(2)
  })

  test('nothing before: what came', async () => {
    expect(await reuseUnchanged(undefined, before)).toBe(before)
  })
})
