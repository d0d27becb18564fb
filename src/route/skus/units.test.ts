import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eachOf, fen } from '../../kernel/fen.ts'
import { saleUnits, unitPrice } from './units.ts'

const product = (packSize: number, packFen: number, eachFen: number, derived: boolean) => ({
  packSize,
  packPriceFen: fen(packFen),
  eachPriceFen: fen(eachFen),
  eachPriceDerived: derived,
})

describe('2.4 sale units', () => {
  test('each and box, the each price marked where it is computed', () => {
    expect(saleUnits(product(24, 2880, 120, true), 'CNY')).toEqual([
      { unit: 'EA', display_text: 'each', increment: 1, price: { amount: 120, currency: 'CNY' }, price_derived: true },
      { unit: 'BX', display_text: 'box', increment: 1, contains: 24, price: { amount: 2880, currency: 'CNY' } },
    ])
  })

  test('a price the supplier states is not marked', () => {
    expect(saleUnits(product(24, 2880, 130, false), 'CNY')[0]).not.toHaveProperty('price_derived')
  })

  test('pack size 1: no box exists', () => {
    expect(saleUnits(product(1, 310, 310, false), 'CNY').map(({ unit }) => unit)).toEqual(['EA'])
    expect(unitPrice(product(1, 310, 310, false), 'BX')).toBeUndefined()
  })

  test('a derived each price is off by less than half a fen for each of the box', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 500 }), fc.integer({ min: 1, max: 10_000_000 }), (size, box) => {
        // One that rounds to 0 is not offered.
        fc.pre(2 * box >= size)
        const each = unitPrice(product(size, box, eachOf(fen(box), size), true), 'EA')
        expect(each?.derived).toBe(true)
        expect(Math.abs((each?.priceFen ?? 0) * size - box)).toBeLessThanOrEqual(size / 2)
      }),
    )
  })
})

describe('units that a supplier does not sell', () => {
  const product = { packSize: 24, packPriceFen: fen(2880), eachPriceFen: fen(120), eachPriceDerived: true }

  test.each([
    ['both', ['EA', 'BX']],
    ['pack', ['BX']],
    ['each', ['EA']],
  ] as const)('%s', (units, expected) =>
    expect(saleUnits({ ...product, units }, 'CNY').map(({ unit }) => unit)).toEqual(expected),
  )

  test('single items at a derived price that rounds to 0', () =>
    expect(saleUnits({ ...product, eachPriceFen: fen(0) }, 'CNY').map(({ unit }) => unit)).toEqual(['BX']))

  test('step and smallest quantity are shown only where there are any', () => {
    expect(saleUnits({ ...product, minOrder: 1, increment: 1 }, 'CNY')).toEqual(saleUnits(product, 'CNY'))
    expect(saleUnits({ ...product, minOrder: 6, increment: 3 }, 'CNY')[0]).toMatchObject({ increment: 3, minimum: 6 })
  })
})
