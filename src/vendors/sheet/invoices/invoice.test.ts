import { describe, expect, test } from 'vitest'
import { interchange, REF, USD } from '../documents/replies.test-support.ts'
import { readUblInvoices } from './invoice-ubl.ts'
import { readX12Invoices } from './invoice-x12.ts'
import type { ReadInvoices } from './invoice.ts'
import { matchInvoice } from './match-invoice.ts'

const INVOICE = [
  '810',
  `BIG*20260827*INV-7*20260825*${REF}***DI`,
  'CUR*SE*USD',
  'IT1*1*10*CA*12.50**VN*TEA-24*UP*012345678905',
  'PID*F****Green tea',
  'IT1*2*30*EA*.9525**VN*BAR',
  'TXI*ST*12.34',
  'SAC*C*D240***500',
  'SAC*A*C310***100',
  'TDS*16992',
  'CTT*2',
]
const x12 = (segments: readonly string[] = INVOICE) => readX12Invoices(Buffer.from(interchange(segments)), USD)
const change = (from: string, to: string) => INVOICE.map((segment) => segment.replace(from, to))
const problem = (read: ReadInvoices) => (read.ok ? 'was read' : read.problem)

const READ = {
  ref: REF,
  number: 'INV-7',
  lines: [
    { lineNumber: 1, vendorSku: 'TEA-24', title: 'Green tea', quantity: 10, unit: 'pack', price: 12_500_000 },
    { lineNumber: 2, vendorSku: 'BAR', quantity: 30, unit: 'each', price: 952_500 },
  ],
  charges: 400,
  tax: 1234,
  total: 16_992,
}

const ublLine = (sku: string, line: number, quantity: number, unit: string, price: string, amount: string) =>
  `<InvoiceLine><ID>${line}</ID><InvoicedQuantity unitCode="${unit}">${quantity}</InvoicedQuantity><LineExtensionAmount currencyID="USD">${amount}</LineExtensionAmount>` +
  `<OrderLineReference><LineID>${line}</LineID></OrderLineReference><Item><Name>${sku} x</Name><SellersItemIdentification><ID>${sku}</ID></SellersItemIdentification></Item>` +
  `<Price><PriceAmount currencyID="USD">${price}</PriceAmount></Price></InvoiceLine>`
const UBL = `<Invoice><ID>INV-7</ID><InvoiceTypeCode>380</InvoiceTypeCode><DocumentCurrencyCode>USD</DocumentCurrencyCode><OrderReference><ID>${REF}</ID></OrderReference>
<AllowanceCharge><ChargeIndicator>true</ChargeIndicator><Amount currencyID="USD">5.00</Amount></AllowanceCharge>
<AllowanceCharge><ChargeIndicator>false</ChargeIndicator><Amount currencyID="USD">1.00</Amount></AllowanceCharge>
<TaxTotal><TaxAmount currencyID="USD">12.34</TaxAmount></TaxTotal><TaxTotal><TaxAmount currencyID="EUR">11.00</TaxAmount></TaxTotal>
<LegalMonetaryTotal><LineExtensionAmount currencyID="USD">153.58</LineExtensionAmount><TaxInclusiveAmount currencyID="USD">169.92</TaxInclusiveAmount><PayableAmount currencyID="USD">169.92</PayableAmount></LegalMonetaryTotal>
${ublLine('TEA-24', 1, 10, 'XCS', '12.50', '125.00')}${ublLine('BAR', 2, 30, 'C62', '0.9525', '28.58')}</Invoice>`
const ubl = (text = UBL) => readUblInvoices(Buffer.from(text), USD)

describe('invoices', () => {
  test('an 810 and a UBL invoice say the same', () => {
    expect(x12()).toEqual({ ok: true, invoices: [READ] })
    const read = ubl()
    expect(read).toMatchObject({
      ok: true,
      invoices: [{ ...READ, lines: READ.lines.map((line) => ({ ...line, title: `${line.vendorSku} x` })) }],
    })
  })

  test.each<[string, readonly string[], RegExp]>([
    ['a total that is not that of the lines', change('TDS*16992', 'TDS*16999'), /total is not that/],
    ['a charge that nobody knows', change('SAC*C*', 'SAC*Z*'), /SAC01 Z/],
    ['a credit', change('***DI', '***CR'), /BIG07 CR/],
    ['another currency', change('CUR*SE*USD', 'CUR*SE*CAD'), /another currency/],
    ['a weight', change('30*EA', '30*LB'), /unit LB/],
    ['half a case', change('10*CA', '9.5*CA'), /whole quantity/],
    ['a price in words', change('*12.50*', '*12,50*'), /price cannot be read/],
    ['another number of lines', change('CTT*2', 'CTT*3'), /CTT/],
    ['a total with a point', change('TDS*16992', 'TDS*169.92'), /amount cannot be read/],
    ['an order number that cannot be ours', change(REF, 'THEIR PO'), /not ours/],
    ['no order number', change(REF, ''), /BIG04 is missing/],
  ])('an 810 with %s is refused whole', (_, segments, expected) => {
    expect(problem(x12(segments))).toMatch(expected)
  })

  test.each<[string, string, RegExp]>([
    ['a line that does not add up', UBL.replace('125.00', '120.00'), /amount of a line/],
    ['a credit note', UBL.replaceAll('Invoice>', 'CreditNote>'), /credit note/],
    ['another currency in an amount', UBL.replace('currencyID="USD">169.92', 'currencyID="EUR">169.92'), /currency/],
    ['a corrected invoice', UBL.replace('>380<', '>384<'), /384/],
    ['no order', UBL.replace(/<OrderReference>.*?<\/OrderReference>/, ''), /OrderReference\/ID is missing/],
  ])('a UBL invoice with %s is refused whole', (_, text, expected) => {
    expect(problem(ubl(text))).toMatch(expected)
  })

  test('any bit of an 810 flipped is refused, or is about the same lines and sums', () => {
    const exact = INVOICE.map((segment) => segment.replace('.9525', '.95').replace('TDS*16992', 'TDS*16984'))
    const bytes = Buffer.from(interchange(exact))
    const figures = (read: ReadInvoices) =>
      read.ok
        ? read.invoices.map(({ total, charges, tax, lines }) => [
            total,
            charges,
            tax,
            lines.map(({ quantity }) => quantity),
          ])
        : []
    const right = JSON.stringify(figures(x12(exact)))
    const wrong = Array.from(bytes, (_, at) => at).filter((at) => {
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      const read = readX12Invoices(damaged, USD)
      // A changed tax or charge shows in the total, and a price of one in the amount of its line.
      return read.ok && read.invoices.length > 0 && JSON.stringify(figures(read)) !== right
    })
    expect(wrong).toEqual([])
  })
})

describe('an invoice beside its order', () => {
  const ordered = [
    { lineNumber: 1, vendorSku: 'A', title: 'A', quantity: 10, unit: 'pack', contains: 24, unitPrice: 1250 },
    { lineNumber: 2, vendorSku: 'B', title: 'B', quantity: 4, unit: 'each', contains: 1, unitPrice: 95 },
  ] as const
  const match = (line: object) =>
    matchInvoice(ordered, {
      ref: REF,
      number: 'I1',
      charges: 0,
      tax: 0,
      total: 0,
      lines: [{ quantity: 1, price: 0, ...line }],
    })

  test.each<[string, object, object]>([
    ['by line', { lineNumber: 2, quantity: 4, price: 950_000 }, { vendorSku: 'B', quantity: 4, unitPriceFen: 95 }],
    [
      'cases as single items, rounded',
      { vendorSku: 'A', unit: 'each', quantity: 240, price: 520_000 },
      { vendorSku: 'A', contains: 24, quantity: 10, unitPriceFen: 1250 },
    ],
    [
      'cases as single items, at another price',
      { vendorSku: 'A', unit: 'each', quantity: 240, price: 600_000 },
      { quantity: 10, unitPriceFen: 1440 },
    ],
    [
      'what was not ordered',
      { vendorSku: 'DEP', title: 'Deposit', price: 50_000 },
      { unordered: 'Deposit', unitPriceFen: 5 },
    ],
  ])('%s', (_, line, expected) => {
    expect(match(line)).toMatchObject({ ok: true, invoice: { lines: [expected] } })
  })

  test('a part of a case is not compared', () => {
    expect(match({ vendorSku: 'A', unit: 'each', quantity: 100 })).toMatchObject({ ok: false })
  })
})
