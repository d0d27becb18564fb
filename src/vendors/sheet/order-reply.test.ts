import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchReply } from './match-reply.ts'
import type { OrderReply, ReadReplies } from './order-reply.ts'
import { ORDER } from './order.test-support.ts'
import { readCsvReplies } from './reply-csv.ts'
import { readCxmlReplies, readCxmlResponse } from './reply-cxml.ts'
import { readUblReplies } from './reply-ubl.ts'
import { readX12Replies } from './reply-x12.ts'
import { findSamples } from './samples.test-support.ts'

const USD = { currency: 'USD', digits: 2 }
const REF = ORDER.ref

function replies(read: ReadReplies): readonly OrderReply[] {
  if (!read.ok) throw new Error(read.problem)
  return read.replies
}
const problem = (read: ReadReplies) => (read.ok ? 'was read' : read.problem)

const csv = (text: string) => readCsvReplies(Buffer.from(text), { encoding: 'utf-8', delimiter: ',' })
const CSV_REPLY = `po,status,sku,qty\r\n${REF},changed,TEA-24,10\r\n${REF},changed,BAR,12\r\n${REF},rejected,GUM/7,0\r\n`

describe('CSV replies', () => {
  test('a row per line, what stands', () => {
    expect(csv(CSV_REPLY)).toEqual({
      ok: true,
      foreign: [],
      replies: [
        {
          ref: REF,
          refKind: 'order_number',
          kind: 'changed',
          lines: [
            { kind: 'changed', vendorSku: 'TEA-24', quantity: 10 },
            { kind: 'changed', vendorSku: 'BAR', quantity: 12 },
            { kind: 'rejected', vendorSku: 'GUM/7', quantity: 0 },
          ],
        },
      ],
    })
  })

  test('a row without sku is about the whole order; one file may be about several', () => {
    const read = replies(
      csv(
        'PO , Status,SKU,Qty,note\nA,accepted\nB,Rejected,,,sold out\nC,shipped,X,3,\nD,accepted,X,,\nD,accepted,Y,2.0,\n',
      ),
    )
    expect(read.map(({ ref, kind }) => [ref, kind])).toEqual([
      ['A', 'accepted'],
      ['B', 'rejected'],
      ['C', 'shipped'],
      ['D', 'accepted'],
    ])
    expect(read[3]?.lines).toEqual([
      { kind: 'accepted', vendorSku: 'X' },
      { kind: 'accepted', vendorSku: 'Y', quantity: 2 },
    ])
  })

  test('"accepted" over a line that is not means changed', () => {
    expect(replies(csv('po,status,sku,qty\nA,accepted,,\nA,rejected,X,\n'))).toMatchObject([{ kind: 'changed' }])
  })

  test.each([
    ['', /header/],
    ['po,status,sku,qty\n', /no rows/],
    ['po,status,sku\nA,accepted,\n', /header/],
    ['po,status,sku,qty,qty\nA,accepted,,,\n', /each once/],
    ['po,status,sku,qty\nA,accepted,,', /may be incomplete/],
    ['po,status,sku,qty\nA,perhaps,,\n', /row 2 has no status/],
    ['po,status,sku,qty\n,accepted,,\n', /row 2 has no order number/],
    ['po,status,sku,qty\nA,changed,X,\n', /row 2 needs a quantity/],
    ['po,status,sku,qty\nA,shipped,X,1.5\n', /no whole quantity/],
    ['po,status,sku,qty\nA,shipped,X,-1\n', /no whole quantity/],
    ['po,status,sku,qty\nA,shipped,X,1 \n', /no whole quantity/],
    ['po,status,sku,qty\nA,rejected,X,4\n', /rejected with a quantity/],
    ['po,status,sku,qty\nA,accepted,,4\n', /no sku/],
    ['po,status,sku,qty\nA,accepted,,\nA,rejected,,\n', /two different statuses/],
    ['po,status,sku,qty\nA,changed,X,1\nA,changed,X,2\n', /two rows for one sku/],
    ['po,status,sku,qty\nA,rejected,,\nA,accepted,X,1\n', /but not its lines/],
    ['po,status,sku,qty\nA,accepted,,\nA,accepted,X1\n', /row 3 has fewer cells than the header/],
    ['po,status,sku,qty\nA,accepted,X,1,2\n', /more cells/],
    ['po,status,sku,qty\r\nA,accepted,X,1\nB,accepted,,\r\n', /different ways/],
    ['po,status,sku,qty\nPO 7,accepted,,\n', /not ours/],
  ])('%j is refused', (text, expected) => {
    expect(problem(csv(text))).toMatch(expected)
  })

  test('an order number of somebody else is passed over, and the others are read', () => {
    const read = csv('po,status,sku,qty\nPO 7,accepted,,\nA,rejected,,\n')
    expect(read).toMatchObject({ ok: true, replies: [{ ref: 'A', kind: 'rejected' }], foreign: ['PO 7'] })
  })

  test('more cells than any list has are refused before they are split', () => {
    expect(problem(csv(`po,status,sku,qty\n${','.repeat(2_000_000)}\n`))).toMatch(/cells/)
  })
})

test('what the supplier calls things is one short line', () => {
  const order = `<OrderResponse><SalesOrderID>SO-1&#10;\u202E${'x'.repeat(500)}</SalesOrderID><OrderResponseCode>AP</OrderResponseCode><OrderReference><ID>${REF}</ID></OrderReference></OrderResponse>`
  const [reply] = replies(readUblReplies(Buffer.from(order), USD))
  expect(reply?.theirNumber).toMatch(/^SO-1 x{50,}$/)
  expect(reply?.theirNumber?.length).toBeLessThanOrEqual(100)
})

const ublLine = (line: string, code: string, sku: string, more = '', substitute = '') =>
  `<cac:OrderLine><cac:LineItem><cbc:ID>${line}</cbc:ID><cbc:LineStatusCode>${code}</cbc:LineStatusCode>${more}` +
  `<cac:Item><cac:SellersItemIdentification><cbc:ID>${sku}</cbc:ID></cac:SellersItemIdentification></cac:Item>` +
  `</cac:LineItem>${substitute}<cac:OrderLineReference><cbc:LineID>${line}</cbc:LineID></cac:OrderLineReference></cac:OrderLine>`
const ublReply = (code: string, lines = '', currency = 'USD') =>
  `<OrderResponse xmlns:cbc="b" xmlns:cac="a"><cbc:SalesOrderID>S-9</cbc:SalesOrderID>` +
  `<cbc:OrderResponseCode>${code}</cbc:OrderResponseCode><cbc:DocumentCurrencyCode>${currency}</cbc:DocumentCurrencyCode>` +
  `<cac:OrderReference><cbc:ID>${REF}</cbc:ID></cac:OrderReference>${lines}</OrderResponse>`
const ubl = (text: string, settings = USD) => readUblReplies(Buffer.from(text), settings)
const UBL_REPLY = ublReply(
  'CA',
  ublLine('1', '5', 'TEA-24') +
    ublLine('2', '3', 'BAR', '<cbc:Quantity unitCode="C62">12</cbc:Quantity>') +
    ublLine('3', '7', 'GUM/7'),
)

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

/** An interchange around transaction sets; counts and control numbers are right. */
function interchange(...sets: readonly (readonly string[])[]): string {
  const bodies = sets.map(([type = '', ...body], i) =>
    [`ST*${type}*${i + 1}`, ...body, `SE*${body.length + 2}*${i + 1}`].join('~\n'),
  )
  return [
    'ISA*00*          *00*          *ZZ*SUPPLIER       *ZZ*ROUTEONE       *260825*0915*U*00401*000000007*0*P*>',
    'GS*PR*SUPPLIER*ROUTEONE*20260825*0915*7*X*004010',
    ...bodies,
    `GE*${sets.length}*7`,
    'IEA*1*000000007',
    '',
  ].join('~\n')
}
const x12 = (text: string) => readX12Replies(Buffer.from(text), USD)
const ACKNOWLEDGEMENT = [
  '855',
  `BAK*00*AC*${REF}*20260825****S-9`,
  'CUR*SE*USD',
  'PO1*1*10*CA*12.50**VN*TEA-24',
  'ACK*IA*10*CA',
  'PO1*2*30*EA*.95**VN*BAR',
  'ACK*IQ*12*EA',
  'PO1*3*3*CA*6**VN*GUM/7',
  'ACK*IR*0*CA',
  'CTT*3*22',
]
const SHIP_NOTICE = [
  '856',
  'BSN*00*SHIP77*20260826*1015',
  'HL*1**S',
  'TD5**2*FDE**Federal Express',
  'REF*CN*8202',
  'HL*2*1*O',
  `PRF*${REF}`,
  'HL*3*2*P',
  'HL*4*3*I',
  'LIN*1*VP*TEA-24',
  'SN1*1*6*CA',
  'HL*5*2*P',
  'HL*6*5*I',
  'LIN*1*VP*TEA-24',
  'SN1*1*4*CA',
  'HL*7*5*I',
  'LIN*2*UP*036000291452',
  'SN1*2*12*EA',
  'CTT*7*22',
]

describe('X12 replies', () => {
  test('855 confirms or changes each line', () => {
    expect(replies(x12(interchange(ACKNOWLEDGEMENT)))).toEqual([
      {
        ref: REF,
        refKind: 'order_number',
        kind: 'changed',
        theirNumber: 'S-9',
        lines: [
          { kind: 'accepted', lineNumber: 1, vendorSku: 'TEA-24', quantity: 10, unit: 'pack', unitPrice: 1250 },
          { kind: 'changed', lineNumber: 2, vendorSku: 'BAR', quantity: 12, unit: 'each', unitPrice: 95 },
          { kind: 'rejected', lineNumber: 3, vendorSku: 'GUM/7', quantity: 0, unit: 'pack' },
        ],
      },
    ])
  })

  test.each([
    ['AD', 'accepted'],
    ['AK', 'accepted'],
    ['AC', 'changed'],
    ['AH', 'received'],
    ['RD', 'rejected'],
    ['RJ', 'rejected'],
  ])('BAK02 %s means %s', (code, kind) => {
    expect(replies(x12(interchange(['855', `BAK*00*${code}*${REF}`])))).toMatchObject([{ kind, lines: [] }])
  })

  test('a line may be split: some now, some later, some never', () => {
    const read = x12(
      interchange(['855', `BAK*00*AD*${REF}`, 'PO1*1*10*EA*1**VN*A', 'ACK*IA*5*EA', 'ACK*IB*3*EA', 'ACK*IR*2*EA']),
    )
    expect(replies(read)).toMatchObject([
      { kind: 'changed', lines: [{ kind: 'changed', quantity: 8, backordered: 3 }] },
    ])
  })

  test('another item may come instead', () => {
    const read = x12(interchange(['855', `BAK*00*AD*${REF}`, 'PO1*1*10*EA*1**VN*A', 'ACK*IS*10*EA****VN*B']))
    expect(replies(read)).toMatchObject([{ kind: 'changed', lines: [{ kind: 'changed', substitute: 'B' }] }])
  })

  test('856 adds up the packs of a shipment', () => {
    expect(replies(x12(interchange(SHIP_NOTICE)))).toEqual([
      {
        ref: REF,
        refKind: 'order_number',
        kind: 'shipped',
        lines: [
          { kind: 'shipped', lineNumber: 1, vendorSku: 'TEA-24', quantity: 10, unit: 'pack' },
          { kind: 'shipped', lineNumber: 2, quantity: 12, unit: 'each' },
        ],
        shipment: { id: 'SHIP77', carrier: 'Federal Express', trackingNumber: '8202' },
      },
    ])
  })

  test.each([
    ['A', 'received'],
    ['E', 'received'],
    ['R', 'rejected'],
  ])('997 with %s says only that our group was %s', (code, kind) => {
    const read = x12(interchange(['997', 'AK1*PO*42', 'AK2*850*0001', `AK5*${code}`, `AK9*${code}*1*1*1`]))
    expect(replies(read)).toEqual([
      { ref: '42', refKind: 'control_number', kind, lines: [], parties: expect.anything() },
    ])
  })

  test.each([
    ['AK5*R', 'AK9*A*1*1*1'],
    ['AK5*A', 'AK9*R*1*1*0'],
    ['AK5*Z', 'AK9*Z*1*1*1'],
    ['AK3*PO1*5', 'AK9*P*1*1*0'],
  ])('997 with %s and %s is refused', (ak5, ak9) => {
    expect(problem(x12(interchange(['997', 'AK1*PO*42', 'AK2*850*0001', ak5, ak9])))).toMatch(/acknowledgement/)
  })

  test('997 about other documents says nothing about orders', () => {
    expect(problem(x12(interchange(['997', 'AK1*IN*42', 'AK9*A*1*1*1'])))).toMatch(/no 855/)
  })

  test('other transaction sets beside it are passed over', () => {
    expect(replies(x12(interchange(['810', 'BIG*20260825*1'], ACKNOWLEDGEMENT)))).toHaveLength(1)
    expect(problem(x12(interchange(['810', 'BIG*20260825*1'])))).toMatch(/no 855/)
  })

  const changed = (from: string, to: string, set = ACKNOWLEDGEMENT) =>
    interchange(set.map((segment) => segment.replace(from, to)))
  test.each([
    ['an unknown status', changed('ACK*IQ', 'ACK*ZZ'), /ACK01 ZZ/],
    ['an unknown answer', changed('*AC*', '*ZZ*'), /BAK02 ZZ/],
    ['another currency', changed('USD', 'EUR'), /another currency/],
    ['more than ordered', changed('IQ*12', 'IQ*31'), /more is acknowledged/],
    ['a part of an item', changed('IQ*12', 'IQ*1.5'), /whole quantity/],
    ['another unit', changed('12*EA', '12*CA'), /different units/],
    ['a weight', changed('3*CA', '3*LB'), /unit LB/],
    ['a wrong sum', changed('CTT*3*22', 'CTT*3*23'), /CTT/],
    ['a wrong count', changed('CTT*3*22', 'CTT*4*22'), /CTT/],
    ['no reference', changed(REF, ''), /BAK03 is missing/],
    ['a line without number and SKU', changed('PO1*2*30*EA*.95**VN*BAR', 'PO1**30*EA*.95**UP*1'), /no line of ours/],
    ['a cancelled notice', changed('BSN*00', 'BSN*01', SHIP_NOTICE), /changes or cancels/],
    ['an item without an order', changed('HL*3*2*P', 'HL*3*1*P', SHIP_NOTICE), /belongs to no order/],
    ['a missing segment', interchange(ACKNOWLEDGEMENT).replace('ACK*IR*0*CA~\n', ''), /number of segments/],
    ['another control number', interchange(ACKNOWLEDGEMENT).replace('GE*1*7', 'GE*1*8'), /GS and GE/],
    ['no end', interchange(ACKNOWLEDGEMENT).replace('IEA*1*000000007~\n', ''), /IEA/],
    ['no interchange', 'hello', /not an X12 interchange/],
  ])('%s is refused', (_, text, expected) => {
    expect(problem(x12(text))).toMatch(expected)
  })

  test('separators are those of its header', () => {
    const other = interchange(ACKNOWLEDGEMENT).replaceAll('*', '|').replaceAll('~\n', '\n')
    expect(x12(other)).toEqual(x12(interchange(ACKNOWLEDGEMENT)))
    expect(x12(interchange(ACKNOWLEDGEMENT).replaceAll('~\n', '~\r\n'))).toEqual(x12(interchange(ACKNOWLEDGEMENT)))
  })

  test('one wrong digit in a shipped quantity never adds up', () => {
    const text = interchange(SHIP_NOTICE)
    const places = [...text.matchAll(/SN1\*\d\*(\d+)/g)].flatMap(({ index, 0: all, 1: digits = '' }) =>
      Array.from(digits, (_, i) => index + all.length - digits.length + i),
    )
    const damaged = places.flatMap((place) =>
      Array.from('0123456789')
        .filter((digit) => digit !== text[place])
        .map((digit) => x12(text.slice(0, place) + digit + text.slice(place + 1))),
    )
    expect(damaged).toHaveLength(36)
    for (const read of damaged) expect(read.ok).toBe(false)
  })
})

const cxmlRequest = (content: string) =>
  `<?xml version="1.0"?><!DOCTYPE cXML SYSTEM "http://xml.cxml.org/schemas/cXML/1.2.063/Fulfill.dtd"><cXML payloadID="1@s"><Header/><Request>${content}</Request></cXML>`
const cxml = (content: string) => readCxmlReplies(Buffer.from(cxmlRequest(content)), USD)
const reference = `<OrderReference orderID="${REF}"><DocumentReference payloadID="${REF}@vendops.example"/></OrderReference>`
const confirmation = (type: string, items = '') =>
  `<ConfirmationRequest><ConfirmationHeader type="${type}" confirmID="S-9" noticeDate="2026-08-25T10:00:00Z"/>${reference}${items}</ConfirmationRequest>`
const part = (type: string, quantity: number | string, unit: string, more = '') =>
  `<ConfirmationStatus type="${type}" quantity="${quantity}"><UnitOfMeasure>${unit}</UnitOfMeasure>${more}</ConfirmationStatus>`
const item = (line: number, quantity: number, unit: string, parts: string) =>
  `<ConfirmationItem lineNumber="${line}" quantity="${quantity}"><UnitOfMeasure>${unit}</UnitOfMeasure>${parts}</ConfirmationItem>`
const CONFIRMATION = confirmation(
  'detail',
  item(1, 10, 'BX', part('accept', 10, 'BX')) +
    item(2, 30, 'EA', part('accept', 12, 'EA') + part('reject', 18, 'EA')) +
    item(3, 3, 'BX', part('reject', 3, 'BX')),
)
const shipped = (attributes: string, items: string) =>
  `<ShipNoticeRequest><ShipNoticeHeader shipmentID="S2" noticeDate="2026-08-26T10:00:00Z"${attributes}/>` +
  `<ShipControl><CarrierIdentifier domain="SCAC">FDE</CarrierIdentifier><CarrierIdentifier domain="companyName">Federal Express</CarrierIdentifier><ShipmentIdentifier>8202</ShipmentIdentifier></ShipControl>` +
  `<ShipNoticePortion>${reference}${items}</ShipNoticePortion></ShipNoticeRequest>`
const SHIPPED_ITEM =
  '<ShipNoticeItem quantity="12" lineNumber="2"><ItemID><SupplierPartID>BAR</SupplierPartID></ItemID><UnitOfMeasure>EA</UnitOfMeasure></ShipNoticeItem>'

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

describe('a reply is held against its order', () => {
  const [, bar] = ORDER.lines
  const match = (read: ReadReplies) => replies(read).map((reply) => matchReply(ORDER.lines, reply))
  const quantities = (read: ReadReplies) =>
    match(read).map((matched) => (matched.ok ? matched.lines.map(({ quantity }) => quantity) : matched.problem))

  test('all formats say the same', () => {
    for (const read of [csv(CSV_REPLY), ubl(UBL_REPLY), x12(interchange(ACKNOWLEDGEMENT)), cxml(CONFIRMATION)])
      expect(quantities(read)).toEqual([[10, 12, 0]])
  })

  test('what is not named stands, or was not shipped yet', () => {
    expect(quantities(cxml(confirmation('accept')))).toEqual([[10, 30, 3]])
    expect(quantities(cxml(confirmation('reject')))).toEqual([[0, 0, 0]])
    expect(quantities(cxml(shipped('', '')))).toEqual([[10, 30, 3]])
    expect(quantities(cxml(shipped('', SHIPPED_ITEM)))).toEqual([[0, 12, 0]])
  })

  test('something else instead is none of what was ordered', () => {
    const substitute =
      '<cac:SellerSubstitutedLineItem><cac:Item><cac:SellersItemIdentification><cbc:ID>BAR-2</cbc:ID></cac:SellersItemIdentification></cac:Item></cac:SellerSubstitutedLineItem>'
    const [matched] = match(ubl(ublReply('CA', ublLine('2', '3', 'BAR', '', substitute))))
    expect(matched).toMatchObject({ lines: [{}, { quantity: 0, substitute: 'BAR-2' }, {}] })
  })

  test('the ordered item stated in full (allDetail) stands, with its price', () => {
    const detail = (sku: string, unit = 'EA') =>
      `<ItemIn quantity="30"><ItemID><SupplierPartID>${sku}</SupplierPartID></ItemID><ItemDetail><UnitPrice><Money currency="USD">1.10</Money></UnitPrice><UnitOfMeasure>${unit}</UnitOfMeasure></ItemDetail></ItemIn>`
    const line = (type: string, content: string) =>
      cxml(confirmation(type, item(2, 30, 'EA', part(type, 30, 'EA', content))))
    for (const type of ['allDetail', 'detail'])
      expect(match(line(type, detail('BAR')))).toMatchObject([{ lines: [{}, { quantity: 30, unitPrice: 110 }, {}] }])
    expect(replies(line('allDetail', detail('BAR')))).toMatchObject([{ kind: 'accepted' }])
    expect(match(line('allDetail', detail('BAR-2')))).toMatchObject([{ lines: [{}, { quantity: 0 }, {}] }])
    // The price of a case is not that of an item.
    expect(replies(line('allDetail', detail('BAR', 'CS')))[0]?.lines[0]).not.toHaveProperty('unitPrice')
    const both = part('allDetail', 20, 'EA', detail('BAR')) + part('allDetail', 10, 'EA', detail('BAR-2'))
    expect(match(cxml(confirmation('allDetail', item(2, 30, 'EA', both))))).toMatchObject([
      { lines: [{}, { quantity: 0, substitute: 'BAR, BAR-2' }, {}] },
    ])
  })

  const row = (line: string) => csv(`po,status,sku,qty\n${REF},${line}\n`)
  test.each([
    ['a SKU that was not ordered', row('changed,TEA-25,1'), /not ordered/],
    ['more than was ordered', row('changed,BAR,31'), /more than was ordered/],
    ['the number of another line', ubl(ublReply('CA', ublLine('1', '5', 'BAR'))), /not ordered/],
    [
      'another unit',
      ubl(ublReply('CA', ublLine('2', '3', 'BAR', '<cbc:Quantity unitCode="XBX">1</cbc:Quantity>'))),
      /another unit/,
    ],
    ['one line twice', ubl(ublReply('CA', ublLine('2', '5', 'BAR') + ublLine('2', '5', 'BAR'))), /twice/],
  ])('%s is refused', (_, read, expected) => {
    expect(quantities(read)[0]).toMatch(expected)
  })

  test('the same SKU singly and in packs is distinguished by unit or number', () => {
    const lines = bar ? [bar, { ...bar, lineNumber: 3, unit: 'pack' as const, contains: 12, quantity: 2 }] : []
    const base: OrderReply = { ref: REF, refKind: 'order_number', kind: 'changed', lines: [] }
    const named = (line: OrderReply['lines'][number]) => matchReply(lines, { ...base, lines: [line] })
    expect(named({ kind: 'changed', vendorSku: 'BAR', quantity: 1 }).ok).toBe(false)
    expect(named({ kind: 'changed', vendorSku: 'BAR', unit: 'pack', quantity: 1 })).toMatchObject({
      lines: [{ quantity: 30 }, { quantity: 1 }],
    })
    expect(named({ kind: 'changed', lineNumber: 3, quantity: 1 })).toMatchObject({ lines: [{}, { quantity: 1 }] })
  })
})

describe('damaged replies', () => {
  /** What would be acted on: nothing where the reply is refused, is about another order or does not fit the order. */
  const effect = (read: ReadReplies): string => {
    if (!read.ok) return 'refused'
    const ours = read.replies.filter(({ ref }) => ref === REF)
    const matched = ours.map((reply) => ({ kind: reply.kind, ...matchReply(ORDER.lines, reply) }))
    if (matched.length === 0 || matched.some(({ ok }) => !ok)) return 'refused'
    return JSON.stringify(matched)
  }
  /** A price that cannot be read is none: it changes no sum. */
  const PRICE = /,"unitPrice":(?:\d+|null)/g
  const meansSame = (now: string, whole: string) =>
    now.replaceAll(PRICE, '') === whole.replaceAll(PRICE, '') &&
    (now.match(PRICE) ?? []).every((price) => price.endsWith('null') || whole.includes(price))
  const formats: readonly [string, string, (bytes: Uint8Array) => ReadReplies][] = [
    ['CSV', CSV_REPLY, (bytes) => readCsvReplies(bytes, { encoding: 'utf-8', delimiter: ',' })],
    ['UBL', UBL_REPLY, (bytes) => readUblReplies(bytes, USD)],
    ['X12 855', interchange(ACKNOWLEDGEMENT), (bytes) => readX12Replies(bytes, USD)],
    ['X12 856', interchange(SHIP_NOTICE), (bytes) => readX12Replies(bytes, USD)],
    ['cXML confirmation', cxmlRequest(CONFIRMATION), (bytes) => readCxmlReplies(bytes, USD)],
    ['cXML ship notice', cxmlRequest(shipped('', SHIPPED_ITEM)), (bytes) => readCxmlReplies(bytes, USD)],
  ]

  test.each(formats)('%s cut anywhere is refused, or says the same', (name, text, read) => {
    const bytes = Buffer.from(text)
    const whole = replies(read(bytes))
    expect(effect(read(bytes))).not.toBe('refused')
    const cuts = Array.from(bytes, (_, end) => read(bytes.subarray(0, end))).filter(({ ok }) => ok)
    if (name === 'CSV') {
      // A file that ends after a row is a file. What it says is what the whole says about these lines.
      expect(cuts.map((cut) => replies(cut)[0]?.lines)).toEqual([1, 2].map((n) => whole[0]?.lines.slice(0, n)))
    } else {
      for (const cut of cuts) expect(replies(cut)).toEqual(whole)
    }
  })

  /** One valid sign of a number or a code for another cannot be noticed without a check sum. */
  const isValue = (byte: number | undefined) => /[\w.-]/.test(String.fromCharCode(byte ?? 0))

  test.each(formats)('%s with any bit flipped is refused, or means the same', (_, text, read) => {
    const bytes = Buffer.from(text)
    const whole = effect(read(bytes))
    const wrong: string[] = []
    for (let place = 0; place < bytes.length; place++) {
      for (let bit = 0; bit < 8; bit++) {
        const damaged = Buffer.from(bytes)
        damaged[place] = (bytes[place] ?? 0) ^ (1 << bit)
        if (isValue(bytes[place]) && isValue(damaged[place])) continue
        const now = effect(read(damaged))
        if (now !== 'refused' && !meansSame(now, whole))
          wrong.push(`${damaged.subarray(Math.max(0, place - 20), place + 10).toString('latin1')}: ${now}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test.each(formats)('%s: no bytes make the reader throw', (_, text, read) => {
    const bytes = Buffer.from(text)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 8 }), fc.nat(bytes.length), (noise, place) => {
        const damaged = Buffer.concat([bytes.subarray(0, place), noise, bytes.subarray(place + noise.length)])
        expect(typeof read(damaged).ok).toBe('boolean')
        expect(typeof read(noise).ok).toBe('boolean')
      }),
      { numRuns: 300 },
    )
  })
})

const [x12Samples, peppol, cxmlSamples] = [findSamples('x12'), findSamples('peppol'), findSamples('cxml')]

describe.runIf(x12Samples)('X12 examples', () => {
  const sample = (name: string) => readX12Replies(x12Samples?.read(name) ?? Buffer.of(), USD)

  test('855: two lines accepted, two rejected, under a code that says no change', () => {
    const [reply] = replies(sample('855.edi'))
    expect(reply).toMatchObject({ ref: 'POTEST1112', kind: 'changed', theirNumber: '60169126' })
    expect(reply?.lines.map(({ kind, lineNumber, quantity }) => [kind, lineNumber, quantity])).toEqual([
      ['accepted', 1, 3],
      ['rejected', 2, 0],
      ['rejected', 3, 0],
      ['accepted', 4, 2],
    ])
  })

  test('856: what was shipped of one order', () => {
    expect(replies(sample('856.edi'))).toMatchObject([
      {
        ref: '99999817',
        kind: 'shipped',
        shipment: { id: '829716', carrier: 'XXXX', trackingNumber: '5787970539' },
        lines: [
          { lineNumber: 1, vendorSku: '87787D', quantity: 24, unit: 'each' },
          { lineNumber: 2, vendorSku: '99887D', quantity: 6, unit: 'each' },
        ],
      },
    ])
  })

  test('an order is not a reply', () => {
    expect(problem(sample('850.edi'))).toMatch(/no 855, 856 or 997/)
  })
})

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
