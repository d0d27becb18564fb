/** Replies that are not as documented. Nothing is thrown, the rows around are read, and no price is made up. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import type { Result } from '../contract.ts'
import type { Fields } from '../upstream/read-json.ts'
import { minorOfNumber } from '../../kernel/minor-units.ts'
import {
  LANE_READING,
  laneRow,
  lanesOf,
  MACHINE,
  NOW,
  productRow,
  productsOf,
  unreadableOf,
  saleRow,
  USD,
} from './fixtures.test-support.ts'
import { readAlerts, readStatus } from './health.ts'
import { readProductMap, slotsOf } from './lanes.ts'
import { readCurrencies, readMachines } from './machines.ts'
import { readPickList } from './pick-list.ts'
import { ENTITY_FIELDS, planPriceWrites } from './price-writes.ts'
import { readOperatorProducts } from './products.ts'
import { readAccessToken } from './reply.ts'
import { readLastSales } from './sales.ts'
import { propertyRuns } from '../../../test/support/property-runs.ts'

/** Also what mock servers send for numbers and texts. */
const GARBLE: readonly unknown[] = [
  null,
  undefined,
  'string',
  '',
  '1.5',
  true,
  {},
  [],
  [1],
  0,
  -1,
  1.005,
  1e-9,
  1e21,
  -1.79e308,
  1.79e308,
  -9_007_199_254_740_991,
  9_007_199_254_740_991,
  2 ** 60,
  Number.NaN,
]
const garble = fc.oneof(fc.constantFrom(...GARBLE), fc.jsonValue())

const COUNT = 12
const laneRows = [...Array(COUNT).keys()].map((n) =>
  laneRow(n, { NayaxProductID: 500 + (n % 8), MachinePrice: 1 + n / 4 }),
)
const saleRows = [...Array(COUNT).keys()].map((n) => saleRow(n, { SettlementValue: 1 + n / 4 }))
const PRODUCTS = productsOf([productRow(501)])
const SALES = { machineId: MACHINE, currency: USD, lanes: lanesOf(laneRows), products: PRODUCTS }

const withField = (rows: readonly object[], at: number, key: string, value: unknown): readonly object[] =>
  rows.map((row, i) => (i === at ? { ...row, [key]: value } : row))
const anyField = (row: object) => fc.constantFrom(...Object.keys(row))
const at = fc.nat(COUNT - 1)

const READERS: Readonly<Record<string, (json: unknown) => Result<unknown>>> = {
  machines: readMachines,
  currencies: readCurrencies,
  products: (json) => readOperatorProducts(json, USD),
  lanes: (json) => readProductMap(json, LANE_READING),
  'pick list': (json) => readPickList(json, MACHINE),
  sales: (json) => readLastSales(json, SALES),
  status: (json) => readStatus(json, MACHINE, NOW),
  alerts: (json) => readAlerts(json, MACHINE),
  token: readAccessToken,
}

describe('whatever the platform answers', () => {
  test.each(Object.entries(READERS))('%s: a value or a failure, never an exception', (_, read) => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), garble), (json) => {
        expect(typeof read(json).ok).toBe('boolean')
      }),
      { numRuns: propertyRuns(300) },
    )
    for (const value of GARBLE) {
      expect(typeof read(value).ok).toBe('boolean')
      expect(typeof read([value]).ok).toBe('boolean')
    }
  })

  /** Every field with every value once, then any JSON in any place. The check is called often: it expects once. */
  const forEachGarbled = (row: object, check: (n: number, key: string, value: unknown) => void) => {
    for (const key of Object.keys(row)) for (const value of GARBLE) check(1, key, value)
    fc.assert(fc.property(at, anyField(row), garble, check), { numRuns: propertyRuns(300) })
  }

  test('one field of one lane: no price but those that were sent', () => {
    forEachGarbled(laneRow(1), (n, key, value) => {
      const result = readProductMap(withField(laneRows, n, key, value), LANE_READING)
      if (!result.ok) return expect.fail(result.message)
      const { slots } = slotsOf(result.value.lanes, unreadableOf(result), PRODUCTS)
      const read = key === 'MachinePrice' ? minorOfNumber(value, 2) : undefined
      const wrong = slots.filter(({ vendorSku, priceFen, stock, capacity, lanes }) => {
        // A garbled product code may name another product; the prices are still those that were sent.
        const rows = laneRows.filter((row) => key === 'NayaxProductID' || String(row.NayaxProductID) === vendorSku)
        const sent: readonly unknown[] = [...rows.map((row) => minorOfNumber(row.MachinePrice, 2)), read, null]
        const isPossible = stock === null || (capacity !== null && stock >= 0 && stock <= capacity)
        return !isPossible || !sent.includes(priceFen) || lanes.some((lane) => !sent.includes(lane.priceFen))
      })
      const lost = COUNT - unreadableOf(result).length - result.value.lanes.length
      expect({ key, value, wrong, lost }).toEqual({ key, value, wrong: [], lost: lost > 0 ? 1 : 0 })
    })
  })

  test('one field of one sale: the others are read, and no amount but those that were sent', () => {
    const whole = readLastSales(saleRows, SALES)
    const expected = new Map(whole.ok ? whole.value.records.map((record) => [record.orderNo, record]) : [])
    forEachGarbled(saleRow(1), (n, key, value) => {
      const result = readLastSales(withField(saleRows, n, key, value), SALES)
      if (!result.ok) return expect.fail(result.message)
      const other = key === 'SettlementValue' ? minorOfNumber(value, 2) : undefined
      const wrong = result.value.records.filter((record) => {
        const original = expected.get(record.orderNo)
        if (!original) return !['SiteID', 'TransactionID'].includes(key)
        if (record.orderNo !== `4-${saleRows[n]?.TransactionID}` && key !== 'TransactionID')
          return !isDeepStrictEqual(record, original)
        const sum = record.lines.reduce((total, { priceFen }) => total + priceFen, 0)
        const isSent = key === 'TransactionID' || record.totalFen === original.totalFen || record.totalFen === other
        // Printed prices, or the total split over the units; another text may print another price.
        return (
          !isSent || record.lines.length > 100 || !(key === 'ProductName' || sum === 150 || sum === record.totalFen)
        )
      })
      expect({ key, value, wrong }).toEqual({ key, value, wrong: [] })
    })
  })

  test('one field of one lane: a body holds the new price and what was read, or is not sent', () => {
    const prices = [...Array(8).keys()].map((i) => ({ vendorSku: String(500 + i), priceFen: fen(777) }))
    const writing = { fields: ['MachinePrice'] as const, currency: USD }
    forEachGarbled(laneRow(1), (n, key, value) => {
      const rows = withField(laneRows, n, key, value) as readonly Fields[]
      const result = readProductMap(rows, LANE_READING)
      if (!result.ok) return expect.fail(result.message)
      const { writes } = planPriceWrites(result.value.lanes, unreadableOf(result), prices, writing)
      const wrong = writes.filter(({ machineProductId, body }) => {
        const row = rows.find((candidate) => String(candidate['MachineProductID']) === machineProductId) ?? {}
        const fields = Object.keys(ENTITY_FIELDS).map((name) => [name, name === 'MachinePrice' ? 7.77 : row[name]])
        const sent: unknown = JSON.parse(JSON.stringify(body))
        return !isDeepStrictEqual(sent, JSON.parse(JSON.stringify(Object.fromEntries(fields))))
      })
      expect({ key, value, wrong }).toEqual({ key, value, wrong: [] })
      expect(writes.length).toBeGreaterThan(COUNT / 2)
    })
  })
})
