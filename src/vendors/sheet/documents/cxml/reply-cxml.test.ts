import { describe, expect, test } from 'vitest'
import {
  USD,
  REF,
  replies,
  problem,
  cxml,
  confirmation,
  part,
  item,
  CONFIRMATION,
  shipped,
  SHIPPED_ITEM,
} from '../replies.test-support.ts'
import { readCxmlReplies, readCxmlResponse } from './reply-cxml.ts'
import { findSamples } from '../../price-list/samples.test-support.ts'

describe('cXML replies', () => {
  test('a confirmation confirms or changes each line', () => {
    expect(replies(cxml(CONFIRMATION))).toEqual([
      {
        ref: REF,
        refKind: 'order_number',
        kind: 'changed',
        theirNumber: 'S-9',
        lines: [
          { kind: 'accepted', lineNumber: 1, quantity: 10, unit: 'pack' },
          { kind: 'changed', lineNumber: 2, quantity: 12, unit: 'each' },
          { kind: 'rejected', lineNumber: 3, quantity: 0, unit: 'pack' },
        ],
      },
    ])
  })

  test.each([
    ['accept', 'accepted'],
    ['allDetail', 'accepted'],
    ['detail', 'accepted'],
    ['except', 'accepted'],
    ['backordered', 'changed'],
    ['replace', 'changed'],
    ['reject', 'rejected'],
    ['requestToPay', 'received'],
  ])('%s means %s', (type, kind) => {
    expect(replies(cxml(confirmation(type)))).toMatchObject([{ kind, lines: [] }])
  })

  test('later deliveries, prices and other items are read', () => {
    const price = '<UnitPrice><Money currency="USD">1.10</Money></UnitPrice>'
    const other = '<ItemIn quantity="3"><ItemID><SupplierPartID>GUM/8</SupplierPartID></ItemID></ItemIn>'
    const read = cxml(
      confirmation(
        'except',
        item(2, 30, 'EA', part('detail', 20, 'EA', price) + part('backordered', 10, 'EA')) +
          item(3, 3, 'BX', part('detail', 3, 'BX', other)) +
          item(1, 10, 'BX', part('unknown', 10, 'BX')),
      ),
    )
    expect(replies(read)).toMatchObject([
      {
        kind: 'changed',
        lines: [
          { kind: 'changed', lineNumber: 2, quantity: 30, backordered: 10, unitPrice: 110 },
          { kind: 'changed', lineNumber: 3, substitute: 'GUM/8' },
        ],
      },
    ])
  })

  test('a ship notice without items is about the whole order', () => {
    expect(replies(cxml(shipped('', '')))).toEqual([
      {
        ref: REF,
        refKind: 'order_number',
        kind: 'shipped',
        lines: [],
        shipment: { id: 'S2', carrier: 'Federal Express', trackingNumber: '8202' },
      },
    ])
    expect(replies(cxml(shipped('', SHIPPED_ITEM)))[0]?.lines).toEqual([
      { kind: 'shipped', lineNumber: 2, vendorSku: 'BAR', quantity: 12, unit: 'each' },
    ])
  })

  test('an order may be named by the payload id alone', () => {
    const read = cxml(confirmation('accept').replace(` orderID="${REF}"`, ''))
    expect(replies(read)).toMatchObject([{ ref: `${REF}@vendops.example`, refKind: 'payload_id' }])
  })

  test.each([
    ['200', 'received'],
    ['201', 'received'],
    ['400', 'rejected'],
    ['475', 'rejected'],
    ['500', undefined],
    ['302', undefined],
    ['', undefined],
  ])('status %s means %s', (code, kind) => {
    const update = cxml(
      `<StatusUpdateRequest><DocumentReference payloadID="p@v"/><Status code="${code}" text="x"/></StatusUpdateRequest>`,
    )
    const response = readCxmlResponse(
      Buffer.from(`<cXML payloadID="1@s"><Response><Status code="${code}" text="x"/></Response></cXML>`),
      REF,
    )
    if (kind === undefined) {
      expect([update.ok, response.ok]).toEqual([false, false])
    } else {
      expect(replies(update)).toEqual([{ ref: 'p@v', refKind: 'payload_id', kind, lines: [] }])
      expect(replies(response)).toEqual([{ ref: REF, refKind: 'order_number', kind, lines: [] }])
    }
  })

  test.each([
    [confirmation('perhaps'), /type perhaps/],
    [confirmation('detail', item(1, 10, 'BX', part('accept', 9, 'BX'))), /do not add up/],
    [confirmation('detail', item(1, 10, 'BX', part('accept', 10, 'EA'))), /two units/],
    [confirmation('detail', item(1, 10, 'KGM', '')), /unit KGM/],
    [confirmation('detail', item(1, 10, 'BX', part('maybe', 10, 'BX'))), /status maybe/],
    [confirmation('detail', item(0, 10, 'BX', part('accept', 10, 'BX'))), /no line number/],
    [confirmation('detail', item(1, 10, 'BX', part('accept', '10 ', 'BX'))), /no whole quantity/],
    [shipped(' operation="delete"', ''), /takes another one back/],
    [shipped(' fulfillmentType="partial"', ''), /not which/],
    [shipped('', '').replace(/<ShipNoticePortion>.*<\/ShipNoticePortion>/, ''), /about no order/],
    ['<OrderRequest/>', /OrderRequest, not a reply/],
    ['', /no request/],
  ])('%s is refused', (content, expected) => {
    expect(problem(cxml(content))).toMatch(expected)
  })
})

const cxmlSamples = findSamples('cxml')

describe.runIf(cxmlSamples)('cXML examples', () => {
  const sample = (name: string) => readCxmlReplies(cxmlSamples?.read(name) ?? Buffer.of(), USD)

  test('a ship notice, a status and an order', () => {
    expect(replies(sample('ShipNoticeRequest.xml'))).toEqual([
      {
        ref: 'DO1234',
        refKind: 'order_number',
        kind: 'shipped',
        lines: [],
        shipment: { id: 'S2-123', carrier: 'Federal Express', trackingNumber: '8202 8261 1194' },
      },
    ])
    expect(replies(sample('StatusUpdateRequest.xml'))).toEqual([
      { ref: '0c300508b7863dcclb_14999', refKind: 'payload_id', kind: 'received', lines: [] },
    ])
    expect(problem(sample('OrderRequest.xml'))).toMatch(/not a reply/)
  })
})
