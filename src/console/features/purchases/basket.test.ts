import { describe, expect, test } from 'vitest'
import type { SaleUnit } from '../../../contract/shapes/catalog.ts'
import { basket, lineFor, setBasket, withLine, withQuantity, withUnit } from './basket.ts'
import { person } from '../../lib/service/identity.ts'

const unit = (name: 'EA' | 'BX', more: object = {}) =>
  ({ unit: name, price: { amount: 100, currency: 'CNY' }, ...more }) as SaleUnit
const WATER = { sku: 'acme-supply:SP1', title: 'Water', units: [unit('EA'), unit('BX', { contains: 24 })] }
const TEA = { sku: 'acme-supply:SP2', title: 'Tea', units: [unit('EA', { minimum: 5, increment: 3 })] }

describe('a basket', () => {
  test('covers the items needed in whole boxes, and never less than the supplier sells', () => {
    expect([1, 24, 25].map((items) => lineFor(WATER, items)?.quantity)).toEqual([1, 1, 2])
    expect([1, 7, 10].map((items) => lineFor(TEA, items)?.quantity)).toEqual([6, 9, 12])
    expect(lineFor({ ...TEA, units: [] }, 1)).toBeUndefined()
  })

  test('adds up the same product, removes a line with zero, and changes units without two lines of one unit', () => {
    const line = lineFor(WATER, 24)!
    const two = withLine([line], line)
    expect(two).toMatchObject([{ quantity: 2, unit: 'BX' }])
    expect(withQuantity(two, two[0]!, 0)).toEqual([])
    const singles = withUnit(two, two[0]!, 'EA')
    expect(singles).toMatchObject([{ quantity: 1, unit: 'EA' }])
    const both = withLine(singles, line)
    expect(withUnit(both, both[1]!, 'EA')).toBe(both)
  })

  test('what was collected before the service said who signed in stays theirs, and is nobody else’s', () => {
    person.value = ''
    setBasket([lineFor(WATER, 1)!])
    person.value = 'operator Li'
    expect(basket.value).toHaveLength(1)
    person.value = 'operator Wang'
    expect(basket.value).toEqual([])
  })
})
