/** An order to write documents of, and any order. */
import * as fc from 'fast-check'
import { type Order, type OrderLine, lineTotal } from './order-document.ts'

export const ORDER: Order = {
  ref: 'PO-2026-0815',
  currency: 'USD',
  digits: 2,
  lines: [
    {
      lineNumber: 1,
      vendorSku: 'TEA-24',
      title: 'Iced tea "Lemon" & Mint <500 ml>',
      quantity: 10,
      unit: 'pack',
      contains: 24,
      unitPrice: 1250,
      barcode: '4006381333931',
    },
    { lineNumber: 2, vendorSku: 'BAR', title: 'Müsli bar', quantity: 30, unit: 'each', contains: 1, unitPrice: 95 },
    {
      lineNumber: 3,
      vendorSku: 'GUM/7',
      title: '口香糖',
      quantity: 3,
      unit: 'pack',
      contains: 12,
      unitPrice: 600,
      barcode: '036000291452',
    },
  ],
  totals: { net: 17150, tax: 1201, total: 18351 },
  buyer: {
    name: 'Route One Vending & Co',
    account: 'C-4711',
    vatId: 'DE123456789',
    gln: '4012345000009',
    address: {
      street_address: '1 Depot Road',
      address_locality: 'Austin',
      address_region: 'TX',
      postal_code: '78701',
      address_country: 'US',
    },
  },
  destination: {
    street_address: '77 River Street',
    extended_address: 'Gate 4',
    address_locality: 'Austin',
    address_region: 'TX',
    postal_code: '78702',
    address_country: 'US',
    first_name: 'Ana',
    last_name: 'Diaz',
    phone_number: '+1 512 555 0100',
  },
  requestedAt: Date.UTC(2026, 7, 25, 3, 30, 15),
  timeZone: 'America/Chicago',
}

export const withLines = (order: Order, lines: readonly OrderLine[], tax = 0): Order => {
  const net = lines.reduce((sum, line) => sum + lineTotal(line), 0)
  return { ...order, lines, totals: { net, tax, total: net + tax } }
}

const text = fc.string({ unit: 'binary', maxLength: 30 })
const line = fc.record(
  {
    vendorSku: fc.stringMatching(/^[A-Za-z0-9._/#&<"',;-]{1,16}$/),
    title: text,
    quantity: fc.integer({ min: 1, max: 9_999 }),
    unit: fc.constantFrom('each', 'pack'),
    contains: fc.integer({ min: 1, max: 999 }),
    unitPrice: fc.nat(10_000_000),
    barcode: fc.stringMatching(/^(?:\d{8}|\d{12,14})$/),
  },
  { requiredKeys: ['vendorSku', 'title', 'quantity', 'unit', 'contains', 'unitPrice'] },
)
const address = fc.record(
  {
    street_address: text,
    extended_address: text,
    address_locality: text,
    address_region: text,
    address_country: fc.oneof(text, fc.constantFrom('US', 'CN', 'DE')),
    postal_code: text,
    first_name: text,
    last_name: text,
    phone_number: text,
  },
  { requiredKeys: [] },
)

export const anyOrder: fc.Arbitrary<Order> = fc
  .record({
    ref: fc.stringMatching(/^[A-Za-z0-9_-]{1,22}$/),
    lines: fc.array(line, { minLength: 1, maxLength: 6 }),
    digits: fc.integer({ min: 0, max: 2 }),
    tax: fc.nat(1_000_000),
    buyer: fc.record({ name: text.map((name) => `x${name}`), account: text, vatId: text, gln: text, address }),
    destination: address,
    requestedAt: fc.integer({ min: 0, max: 4e12 }),
    timeZone: fc.constantFrom('UTC', 'Asia/Shanghai', 'America/Chicago'),
  })
  .map(({ lines, tax, ...order }) =>
    withLines(
      { ...order, currency: 'EUR', lines: [], totals: { net: 0, tax: 0, total: 0 } },
      lines.map((entry, i) => ({ ...entry, lineNumber: i + 1, contains: entry.unit === 'pack' ? entry.contains : 1 })),
      tax,
    ),
  )
