/** The vendor's own examples and description, where they are at hand; they are not ours to keep in the project. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { refusedOf, USD, valueOf } from './fixtures.test-support.ts'
import { readProductMap, slotsOf } from './lanes.ts'
import { ENTITY_FIELDS, planPriceWrites } from './price-writes.ts'
import { readLastSales } from './sales.ts'
import { fen } from '../../kernel/fen.ts'

const SAMPLES = resolve(import.meta.dirname, '../../../../shared/vendors/samples/nayax')

describe.runIf(existsSync(SAMPLES))("the vendor's examples", () => {
  const json = (name: string): unknown => JSON.parse(readFileSync(join(SAMPLES, name), 'utf8'))
  const map = () =>
    readProductMap(json('machine-product-documented.json'), {
      machineId: '5001',
      priceField: 'MachinePrice',
      currency: USD,
      nowMs: Date.UTC(2026, 0, 1),
    })

  test('a product of a machine', () => {
    expect(refusedOf(map())).toEqual([])
    const { slots } = slotsOf(valueOf(map()).lanes, [], new Map())
    expect(slots).toMatchObject([
      // MDB and DEX are of the same moment: MDB counts.
      { vendorSku: '1001', title: 'Cola Drink', priceFen: 170, stock: 10, capacity: 10 },
    ])
  })

  test('a last sale', () => {
    const result = readLastSales(json('last-sales-documented.json'), {
      machineId: '942488501',
      currency: USD,
      lanes: [],
      products: new Map(),
    })
    expect(valueOf(result).records).toMatchObject([
      {
        orderNo: '2-2108816976',
        totalFen: 950,
        createdAt: Date.UTC(2024, 9, 9, 16, 53, 51, 225),
        lines: [
          { vendorSku: 'unmapped', priceFen: 475 },
          { vendorSku: 'unmapped', priceFen: 475 },
        ],
      },
    ])
  })

  test('a PUT holds the fields of the description and no other', () => {
    const yaml = readFileSync(join(SAMPLES, 'lynx.yaml'), 'utf8')
    const [, entity = ''] = yaml.split('\n    MachineProductEntity:\n')
    const own = entity.split(/\n {4}\w+:\n/)[0] ?? ''
    const described = [...own.matchAll(/^ {8}(\w+):$/gm)].map(([, name = '']) => name)
    expect(described.toSorted()).toEqual(Object.keys(ENTITY_FIELDS).toSorted())
    const prices = [{ vendorSku: '1001', priceFen: fen(210) }]
    const writing = { fields: ['MachinePrice'] as const, currency: USD }
    const [write] = planPriceWrites(valueOf(map()).lanes, [], prices, writing).writes
    expect(Object.keys(write?.body ?? {}).toSorted()).toEqual(described.toSorted())
  })
})
