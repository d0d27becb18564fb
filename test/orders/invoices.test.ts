/** Invoices of a supplier beside the order and the receipt. */
import { expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { SupplyInvoice } from '../../src/vendors/supply-vendor.ts'
import { complete, line, ready, start, TEA, WATER } from '../checkout/support.ts'
import type { Json, Service } from '../support/service.ts'

const BOX = 2880
const TEA_PRICE = 550

const bought = async (service: Service): Promise<string> => {
  const id = await ready(service, { line_items: [line(WATER, 10, 'BX'), line(TEA, 4)] })
  await complete(service, id)
  return id
}

const water = (quantity: number, price = BOX) => ({
  vendorSku: 'SP1001',
  quantity,
  contains: 24,
  unitPriceFen: fen(price),
})
const tea = (quantity: number, price = TEA_PRICE) => ({
  vendorSku: 'SP3003',
  quantity,
  contains: 1,
  unitPriceFen: fen(price),
})
const invoice = (number: string, lines: SupplyInvoice['lines'], more: { charges?: number; tax?: number } = {}) => {
  const { charges = 0, tax = 0 } = more
  const net = lines.reduce((sum, { quantity, unitPriceFen }) => sum + quantity * unitPriceFen, 0)
  return { number, lines, chargesFen: fen(charges), taxFen: fen(tax), totalFen: fen(net + charges + tax) }
}

async function report(service: Service, id: string, ...invoices: readonly SupplyInvoice[]): Promise<Json> {
  Object.assign(service.supply.orders.get(id)!, { invoices })
  service.clock.advance(MINUTE)
  return (await service.get(`/orders/${id}`)).body
}

const told = ({ messages = [] }: Json) =>
  messages.map(({ code, path, params }: Json) => [code, path, params.difference.amount])
const events = async (service: Service) =>
  (await service.events('order')).filter(({ code }) => code === 'invoice_differs')
const onToday = async (service: Service) => (await service.get('/overview')).body.differing_invoices

test('an invoice that is as ordered is no news, in one part or in two', async () => {
  const service = await start()
  const id = await bought(service)
  expect(told(await report(service, id, invoice('I1', [water(4)])))).toEqual([])
  expect(told(await report(service, id, invoice('I1', [water(4)]), invoice('I2', [water(6), tea(4)])))).toEqual([])
  expect([await events(service), await onToday(service)]).toEqual([[], []])
})

test.each<[string, readonly SupplyInvoice[], readonly unknown[]]>([
  ['more than was ordered', [invoice('I1', [water(12), tea(4)])], [['$.line_items[0]', 2 * BOX]]],
  [
    'more in two parts than was ordered',
    [invoice('I1', [water(6)]), invoice('I2', [water(5)])],
    [['$.line_items[0]', BOX]],
  ],
  ['a higher price beside a lower one', [invoice('I1', [water(10, 3000), tea(4, 500)])], [['$.line_items[0]', 1200]]],
  [
    'something that was not ordered, and a charge',
    [
      invoice('I1', [water(10), { unordered: 'Deposit', quantity: 10, contains: 1, unitPriceFen: fen(50) }], {
        charges: 900,
      }),
    ],
    [
      ['$.totals', 500],
      ['$.totals', 900],
    ],
  ],
  ['tax that nobody quoted', [invoice('I1', [water(10), tea(4)], { tax: 77 })], [['$.totals', 77]]],
])('%s: on the order, one event, a row on Today', async (_, invoices, expected) => {
  const service = await start()
  const id = await bought(service)
  const differences = (expected as readonly (readonly [string, number])[]).map((each) => ['invoice_differs', ...each])
  for (let n = 0; n < 2; n++) expect(told(await report(service, id, ...invoices))).toEqual(differences)
  const difference = differences.reduce((sum, [, , amount]) => sum + (amount as number), 0)
  expect(await events(service)).toMatchObject([{ params: { purchase: id, difference: { amount: difference } } }])
  expect(await onToday(service)).toEqual([{ order: id, label: 'AS000001', difference, currency: 'CNY' }])
})

test('what the supplier said will not come is not to be invoiced', async () => {
  const service = await start()
  const id = await bought(service)
  Object.assign(service.supply.orders.get(id)!, {
    lineStatuses: [
      { vendorSku: 'SP1001', shipped: 7, cancelled: 3 },
      { vendorSku: 'SP3003', shipped: 4, cancelled: 0 },
    ],
  })
  expect(told(await report(service, id, invoice('I1', [water(10), tea(4)])))).toEqual([
    ['invoice_differs', '$.line_items[0]', 3 * BOX],
  ])
})

test('what did not come, by the receipt, is not to be invoiced; a corrected invoice settles it', async () => {
  const service = await start({ config: { hasStoreroom: true } })
  const id = await bought(service)
  const delivered = [
    { item: { id: WATER }, quantity: 9 * 24 },
    { item: { id: TEA }, quantity: 4 },
  ]
  expect((await service.post(`/orders/${id}/receive`, { delivered })).status).toBe(200)
  expect(told(await report(service, id, invoice('I1', [water(10), tea(4)])))).toEqual([
    ['invoice_differs', '$.line_items[0]', BOX],
  ])
  expect(told(await report(service, id, invoice('I1', [water(9), tea(4)])))).toEqual([])
  expect(await onToday(service)).toEqual([])
})

test('Today names it for 30 days', async () => {
  const service = await start()
  const id = await bought(service)
  await report(service, id, invoice('I1', [water(11)]))
  service.clock.advance(30 * DAY - MINUTE)
  expect(await onToday(service)).toHaveLength(1)
  service.clock.advance(2 * MINUTE)
  expect(await onToday(service)).toEqual([])
})
