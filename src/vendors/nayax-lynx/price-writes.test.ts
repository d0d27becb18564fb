import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import { LANE_READING, laneRow, lanesOf, unreadableOf, USD, valueOf } from './fixtures.test-support.ts'
import { readProductMap } from './lanes.ts'
import { type PriceWriting, countApplied, ENTITY_FIELDS, planPriceWrites } from './price-writes.ts'

const WRITING: PriceWriting = { fields: ['MachinePrice', 'CashPrice'], currency: USD }
const price = (vendorSku: string, amount: number) => ({ vendorSku, priceFen: fen(amount) })
const plan = (rows: readonly object[], prices: readonly ReturnType<typeof price>[], writing = WRITING) =>
  planPriceWrites(lanesOf(rows), [], prices, writing)
const standing = (rows: readonly object[], prices: readonly ReturnType<typeof price>[], writing = WRITING) =>
  countApplied(lanesOf(rows), [], prices, writing)
const NOT_ACCEPTED = ['DexPrice', 'ProductRef', 'MachineProductRef', 'ProductGroupRef', 'MachineRef']

describe('price writes', () => {
  test('send the whole lane back with only the configured prices changed', () => {
    const row = laneRow(1)
    const { writes, refused } = plan([row, laneRow(2)], [price('501', 199)])
    expect(refused).toEqual([])
    const expected = Object.fromEntries(Object.entries(row).filter(([name]) => !NOT_ACCEPTED.includes(name)))
    expect(writes).toEqual([
      { vendorSku: '501', machineProductId: '9001', body: { ...expected, MachinePrice: 1.99, CashPrice: 1.99 } },
    ])
  })

  test('go to every lane of the product that has another price', () => {
    const same = { NayaxProductID: 501, MachinePrice: 1.99, CashPrice: 1.99 }
    const half = { NayaxProductID: 501, MachinePrice: 1.99 }
    const { writes } = plan([laneRow(1), laneRow(2, same), laneRow(3, half)], [price('501', 199)])
    expect(writes.map(({ machineProductId }) => machineProductId)).toEqual(['9001', '9003'])
  })

  test('a lane that cannot go back as it came keeps the whole product unchanged', () => {
    const problem = (more: object) =>
      plan([laneRow(1), laneRow(2, { NayaxProductID: 501, ...more })], [price('501', 199)])
    expect(problem({ ProductGroupID: 2 ** 60 })).toMatchObject({
      writes: [],
      refused: [{ vendorSku: '501', problem: 'one of its lanes has a value that cannot be sent back as it was read' }],
    })
    for (const more of [
      { RetailPrice: 1.79e308 },
      { PCCode: 7 },
      { slow_mover: 'string' },
      { CommissionValue: {} },
      { MachineProductID: null },
    ])
      expect(problem(more)).toMatchObject({ writes: [], refused: [{ vendorSku: '501' }] })
  })

  test('a large id that came as text goes back as text', () => {
    const [write] = plan([laneRow(1, { MachineProductID: '9223372036854775807' })], [price('501', 199)]).writes
    expect(write).toMatchObject({
      machineProductId: '9223372036854775807',
      body: { MachineProductID: '9223372036854775807' },
    })
  })

  test('fields that were not sent stay left out', () => {
    const { PCCode: _, ...row } = laneRow(1)
    expect(plan([row], [price('501', 199)]).writes[0]?.body).not.toHaveProperty('PCCode')
  })

  test('products that are not there, or not whole, are refused', () => {
    expect(plan([laneRow(1)], [price('777', 199)]).refused).toEqual([
      { vendorSku: '777', problem: 'the machine has no lane with this product' },
    ])
    const rows = [...Array(9).keys()].map((n) => laneRow(n + 1))
    const result = readProductMap([...rows, laneRow(10, { NayaxProductID: 501, PAR: 'x' })], LANE_READING)
    const read = [valueOf(result).lanes, unreadableOf(result)] as const
    expect(planPriceWrites(...read, [price('501', 199)], WRITING)).toMatchObject({
      writes: [],
      refused: [{ problem: 'one of its lanes cannot be read' }],
    })
    const afterwards = [price('501', 150), price('502', 150)]
    expect(countApplied(...read, afterwards, WRITING)).toEqual({ count: 1, missing: ['501'] })
  })

  test('a price that no JSON number holds is refused', () => {
    for (const amount of [Number.MAX_SAFE_INTEGER, -5])
      expect(plan([laneRow(1)], [price('501', amount)])).toMatchObject({ writes: [], refused: [{ vendorSku: '501' }] })
  })

  test('a price stands when every lane of the product has it in every configured field', () => {
    const now = { MachinePrice: 1.99, CashPrice: 1.99 }
    expect(standing([laneRow(1, now), laneRow(2)], [price('501', 199)])).toEqual({ count: 1, missing: [] })
    expect(standing([laneRow(1, { MachinePrice: 1.99 })], [price('501', 199)])).toEqual({ count: 0, missing: ['501'] })
    const other = laneRow(2, { NayaxProductID: 501 })
    expect(standing([laneRow(1, now), other], [price('501', 199)]).count).toBe(0)
    expect(standing([laneRow(2)], [price('501', 199)]).count).toBe(0)
    expect(standing([laneRow(1, now)], [price('501', 199)], { ...WRITING, fields: [] }).count).toBe(0)
  })

  test('written to the platform, every price stands and nothing else moved', () => {
    const lane = fc.record({
      n: fc.integer({ min: 1, max: 40 }),
      product: fc.integer({ min: 1, max: 6 }),
      cash: fc.option(fc.integer({ min: 0, max: 900 })),
      par: fc.option(fc.integer({ min: 0, max: 30 })),
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(lane, { selector: ({ n }) => n, minLength: 1 }),
        fc.dictionary(fc.constantFrom('1', '2', '3', '4', '5', '6'), fc.integer({ min: 0, max: 99_999 })),
        (lanes, wanted) => {
          const before = lanes.map(({ n, product, cash, par }) =>
            laneRow(n, { NayaxProductID: product, CashPrice: cash === null ? null : cash / 4, PAR: par }),
          )
          const prices = Object.entries(wanted).map(([sku, amount]) => price(sku, amount))
          const { writes, refused } = plan(before, prices)
          const after = before.map((row) => {
            const body = writes.find(({ machineProductId }) => machineProductId === String(row.MachineProductID))?.body
            return body ? { ...row, ...(JSON.parse(JSON.stringify(body)) as typeof row) } : row
          })
          expect(standing(after, prices).count).toBe(prices.length - refused.length)
          const withoutPrices = (row: (typeof before)[number]) => ({ ...row, MachinePrice: 0, CashPrice: 0 })
          expect(after.map(withoutPrices)).toEqual(before.map(withoutPrices))
          for (const { body } of writes)
            for (const name of Object.keys(body)) expect(ENTITY_FIELDS).toHaveProperty(name)
        },
      ),
    )
  })
})
