import { describe, expect, test } from 'vitest'
import { USD, REF, replies, problem, ublLine, ublReply, ubl, UBL_REPLY } from '../replies.test-support.ts'
import { readUblReplies } from './reply-ubl.ts'
import { findSamples } from '../../price-list/samples.test-support.ts'

test('what the supplier calls things is one short line', () => {
  const order = `<OrderResponse><SalesOrderID>SO-1&#10;\u202E${'x'.repeat(500)}</SalesOrderID><OrderResponseCode>AP</OrderResponseCode><OrderReference><ID>${REF}</ID></OrderReference></OrderResponse>`
  const [reply] = replies(readUblReplies(Buffer.from(order), USD))
  expect(reply?.theirNumber).toMatch(/^SO-1 x{50,}$/)
  expect(reply?.theirNumber?.length).toBeLessThanOrEqual(100)
})

describe('UBL order responses', () => {
  test('tell line by line what stands', () => {
    expect(replies(ubl(UBL_REPLY))).toEqual([
      {
        ref: REF,
        refKind: 'order_number',
        kind: 'changed',
        theirNumber: 'S-9',
        lines: [
          { kind: 'accepted', lineNumber: 1, vendorSku: 'TEA-24' },
          { kind: 'changed', lineNumber: 2, vendorSku: 'BAR', quantity: 12, unit: 'each' },
          { kind: 'rejected', lineNumber: 3, vendorSku: 'GUM/7', quantity: 0 },
        ],
      },
    ])
  })

  test.each([
    ['AB', 'received'],
    ['AP', 'accepted'],
    ['CA', 'changed'],
    ['RE', 'rejected'],
  ])('%s means %s', (code, kind) => {
    expect(replies(ubl(ublReply(code)))).toMatchObject([{ kind, lines: [] }])
  })

  test('a price for ten is divided only where it divides', () => {
    const price = (amount: string) =>
      ublReply(
        'CA',
        ublLine(
          '1',
          '3',
          'A',
          `<cac:Price><cbc:PriceAmount currencyID="USD">${amount}</cbc:PriceAmount><cbc:BaseQuantity>10</cbc:BaseQuantity></cac:Price>`,
        ),
      )
    const prices = ['0.90', '0.95', '0.001'].map((amount) => replies(ubl(price(amount)))[0]?.lines[0]?.unitPrice)
    expect(prices).toEqual([9, null, null])
  })

  test.each([
    ['<Order/>', /is Order/],
    [ublReply('XX'), /OrderResponseCode XX/],
    [ublReply('AP', '', 'EUR'), /another currency/],
    [ublReply('CA', ublLine('1', '42', 'A')), /LineStatusCode 42/],
    [ublReply('CA', ublLine('x', '5', 'A')), /no number of ours/],
    [ublReply('CA', ublLine('1', '3', 'A', '<cbc:Quantity>1.5</cbc:Quantity>')), /whole number/],
    [ublReply('CA', ublLine('1', '3', 'A', '<cbc:Quantity unitCode="KGM">1</cbc:Quantity>')), /unit KGM/],
    [ublReply('AP').replace(REF, ''), /OrderReference\/ID is missing/],
    [
      ublReply('AP').replace(
        '</cbc:OrderResponseCode>',
        '</cbc:OrderResponseCode><cbc:OrderResponseCode>RE</cbc:OrderResponseCode>',
      ),
      /more than once/,
    ],
  ])('%s is refused', (text, expected) => {
    expect(problem(ubl(text))).toMatch(expected)
  })
})

const peppol = findSamples('peppol')

describe.runIf(peppol)('Peppol examples', () => {
  const sample = (name: string, currency = 'EUR') =>
    readUblReplies(peppol?.read(name) ?? Buffer.of(), { currency, digits: 2 })

  test('order responses', () => {
    expect(replies(sample('OrderResponse_Example.xml'))).toMatchObject([
      {
        ref: '11233',
        theirNumber: '101-111',
        kind: 'changed',
        lines: [
          { kind: 'changed', lineNumber: 1, vendorSku: 'SN-33', quantity: 10, unitPrice: 150, substitute: 'SN-34' },
          { kind: 'accepted', lineNumber: 2 },
          { kind: 'changed', lineNumber: 3, substitute: 'SN-36' },
        ],
      },
    ])
    expect(replies(sample('UC1_Order_response.xml'))[0]?.lines.map(({ kind }) => kind)).toEqual([
      'accepted',
      'rejected',
      'changed',
    ])
    expect(replies(sample('UC2_Order_response.xml'))).toMatchObject([{ kind: 'changed', ref: '1' }])
    expect(replies(sample('UC3_Order_response.xml'))).toMatchObject([{ kind: 'rejected', ref: '5' }])
    expect(replies(sample('UC4_Order_response.xml'))).toMatchObject([
      { lines: [{ kind: 'changed', quantity: 500, unitPrice: 9 }] },
    ])
    expect(replies(sample('UC5_Order_response.xml', 'SEK'))).toMatchObject([{ kind: 'accepted', ref: '5' }])
    expect(problem(sample('UC5_Order_response.xml'))).toMatch(/another currency/)
  })
})
