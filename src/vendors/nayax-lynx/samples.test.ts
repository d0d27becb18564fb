/** The vendor's own examples and description, where they are at hand; they are not ours to keep in the project. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { laneRow, productRow, unreadableOf, saleRow, USD, valueOf } from './fixtures.test-support.ts'
import { readProductMap, slotsOf } from './lanes.ts'
import { ENTITY_FIELDS, planPriceWrites } from './price-writes.ts'
import { readLastSales } from './sales.ts'
import { fen } from '../../kernel/fen.ts'

const SAMPLES = resolve(import.meta.dirname, '../../../../shared/vendors/samples/nayax')

describe.runIf(existsSync(SAMPLES))("the vendor's examples", () => {
  const json = (name: string): unknown => JSON.parse(readFileSync(join(SAMPLES, name), 'utf8'))
  const description = () => readFileSync(join(SAMPLES, 'lynx.yaml'), 'utf8')
  /** The properties of a schema, by their indentation: there is no YAML parser in the project. */
  const fieldsOf = (schema: string): readonly string[] => {
    const [, rest = ''] = description().split(`\n    ${schema}:\n`)
    const own = rest.split(/\n {4}\w+:\n/)[0] ?? ''
    return [...own.matchAll(/^ {8}(\S+):$/gm)].map(([, name = '']) => name)
  }
  const map = () =>
    readProductMap(json('machine-product-documented.json'), {
      machineId: '5001',
      priceField: 'MachinePrice',
      currency: USD,
      nowMs: Date.UTC(2026, 0, 1),
    })

  test('a product of a machine', () => {
    expect(unreadableOf(map())).toEqual([])
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

  test('every field that is read stands in the description', () => {
    const names = (schema: string) => new Set(fieldsOf(schema))
    const unknown = (schema: string, fields: readonly string[]) => fields.filter((field) => !names(schema).has(field))
    expect(fieldsOf('MachineProduct').toSorted()).toEqual(Object.keys(laneRow(1)).toSorted())
    expect(unknown('MachineLastSales', Object.keys(saleRow(1)))).toEqual([])
    expect(unknown('Product', Object.keys(productRow(1)))).toEqual([])
    expect(unknown('Currency', ['CurrencyID', 'CurrencyCode'])).toEqual([])
    const machine = ['MachineID', 'MachineName', 'MachineNumber', 'MachineStatusBit', 'CurrencyID']
    const place = ['MachineTimeZoneOffset', 'GeoAddress', 'GeoStreetNumber', 'GeoZipCode', 'GeoCity', 'GeoState']
    expect(unknown('MachineInfo', [...machine, ...place])).toEqual([])
    const pick = [
      'NayaxProductID',
      'MachineID',
      'MDBCode',
      'PACode',
      'PAR',
      'OnHandStock',
      'MissingStock',
      'ProductName',
    ]
    expect(unknown('PickListItem', pick)).toEqual([])
    expect(unknown('PickListLynxModelRequest', ['MachineId', 'Products'])).toEqual([])
    expect(unknown('PickListProductLynxModelRequest', ['MachineProductId', 'PickQty'])).toEqual([])
    expect(unknown('PickListLynxModelResponse', ['MachineID', 'Products'])).toEqual([])
    expect(unknown('PickListProductLynxModelResponse', ['MachineProductID'])).toEqual([])
    const times = [
      'LastKeepAliveDateTime',
      'LastTransactionDateTime',
      'LastDEXReadDateTime',
      'PickListGeneratedDateTime',
    ]
    const state = ['MachineID', 'MachineMQTTStatus']
    expect(unknown('MachineStatusInfo', [...times, ...state])).toEqual([])
    const alert = ['MachineID', 'EventLogID', 'EventCode', 'EventDescription', 'EventDateTimeGMT']
    expect(unknown('MachineLastAlerts', alert)).toEqual([])
    expect(unknown('ApiResult', ['Ok', 'Message', 'SystemMessage', 'code'])).toEqual([])
  })

  test('a PUT holds the fields of the description and no other', () => {
    const described = fieldsOf('MachineProductEntity')
    expect(described.toSorted()).toEqual(Object.keys(ENTITY_FIELDS).toSorted())
    const prices = [{ vendorSku: '1001', priceFen: fen(210) }]
    const writing = { fields: ['MachinePrice'] as const, currency: USD }
    const [write] = planPriceWrites(valueOf(map()).lanes, [], prices, writing).writes
    expect(Object.keys(write?.body ?? {}).toSorted()).toEqual(described.toSorted())
  })
})
