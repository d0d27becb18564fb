/** Replies of a supplier in each format, about one order: what they confirm, change and reject is the same. */
import type { OrderReply, ReadReplies } from './order-reply.ts'
import { ORDER } from './order.test-support.ts'
import { readTableReplies } from './csv/reply-table.ts'
import { readCxmlReplies } from './cxml/reply-cxml.ts'
import { readUblReplies } from './ubl/reply-ubl.ts'
import { readX12Replies } from './x12/reply-x12.ts'

export const USD = { currency: 'USD', digits: 2 }
export const REF = ORDER.ref

export function replies(read: ReadReplies): readonly OrderReply[] {
  if (!read.ok) throw new Error(read.problem)
  return read.replies
}
export const problem = (read: ReadReplies) => (read.ok ? 'was read' : read.problem)

export const csv = (text: string) => readTableReplies(Buffer.from(text), { encoding: 'utf-8' })
export const CSV_REPLY = `po,status,sku,qty\r\n${REF},changed,TEA-24,10\r\n${REF},changed,BAR,12\r\n${REF},rejected,GUM/7,0\r\n`

export const ublLine = (line: string, code: string, sku: string, more = '', substitute = '') =>
  `<cac:OrderLine><cac:LineItem><cbc:ID>${line}</cbc:ID><cbc:LineStatusCode>${code}</cbc:LineStatusCode>${more}` +
  `<cac:Item><cac:SellersItemIdentification><cbc:ID>${sku}</cbc:ID></cac:SellersItemIdentification></cac:Item>` +
  `</cac:LineItem>${substitute}<cac:OrderLineReference><cbc:LineID>${line}</cbc:LineID></cac:OrderLineReference></cac:OrderLine>`
export const ublReply = (code: string, lines = '', currency = 'USD') =>
  `<OrderResponse xmlns:cbc="b" xmlns:cac="a"><cbc:SalesOrderID>S-9</cbc:SalesOrderID>` +
  `<cbc:OrderResponseCode>${code}</cbc:OrderResponseCode><cbc:DocumentCurrencyCode>${currency}</cbc:DocumentCurrencyCode>` +
  `<cac:OrderReference><cbc:ID>${REF}</cbc:ID></cac:OrderReference>${lines}</OrderResponse>`
export const ubl = (text: string, settings = USD) => readUblReplies(Buffer.from(text), settings)
export const UBL_REPLY = ublReply(
  'CA',
  ublLine('1', '5', 'TEA-24') +
    ublLine('2', '3', 'BAR', '<cbc:Quantity unitCode="C62">12</cbc:Quantity>') +
    ublLine('3', '7', 'GUM/7'),
)

/** An interchange around transaction sets; counts and control numbers are right. */
export function interchange(...sets: readonly (readonly string[])[]): string {
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
export const x12 = (text: string) => readX12Replies(Buffer.from(text), USD)
export const ACKNOWLEDGEMENT = [
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
export const SHIP_NOTICE = [
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

export const cxmlRequest = (content: string) =>
  `<?xml version="1.0"?><!DOCTYPE cXML SYSTEM "http://xml.cxml.org/schemas/cXML/1.2.063/Fulfill.dtd"><cXML payloadID="1@s"><Header/><Request>${content}</Request></cXML>`
export const cxml = (content: string) => readCxmlReplies(Buffer.from(cxmlRequest(content)), USD)
const reference = `<OrderReference orderID="${REF}"><DocumentReference payloadID="${REF}@vendops.example"/></OrderReference>`
export const confirmation = (type: string, items = '') =>
  `<ConfirmationRequest><ConfirmationHeader type="${type}" confirmID="S-9" noticeDate="2026-08-25T10:00:00Z"/>${reference}${items}</ConfirmationRequest>`
export const part = (type: string, quantity: number | string, unit: string, more = '') =>
  `<ConfirmationStatus type="${type}" quantity="${quantity}"><UnitOfMeasure>${unit}</UnitOfMeasure>${more}</ConfirmationStatus>`
export const item = (line: number, quantity: number, unit: string, parts: string) =>
  `<ConfirmationItem lineNumber="${line}" quantity="${quantity}"><UnitOfMeasure>${unit}</UnitOfMeasure>${parts}</ConfirmationItem>`
export const CONFIRMATION = confirmation(
  'detail',
  item(1, 10, 'BX', part('accept', 10, 'BX')) +
    item(2, 30, 'EA', part('accept', 12, 'EA') + part('reject', 18, 'EA')) +
    item(3, 3, 'BX', part('reject', 3, 'BX')),
)
export const shipped = (attributes: string, items: string) =>
  `<ShipNoticeRequest><ShipNoticeHeader shipmentID="S2" noticeDate="2026-08-26T10:00:00Z"${attributes}/>` +
  `<ShipControl><CarrierIdentifier domain="SCAC">FDE</CarrierIdentifier><CarrierIdentifier domain="companyName">Federal Express</CarrierIdentifier><ShipmentIdentifier>8202</ShipmentIdentifier></ShipControl>` +
  `<ShipNoticePortion>${reference}${items}</ShipNoticePortion></ShipNoticeRequest>`
export const SHIPPED_ITEM =
  '<ShipNoticeItem quantity="12" lineNumber="2"><ItemID><SupplierPartID>BAR</SupplierPartID></ItemID><UnitOfMeasure>EA</UnitOfMeasure></ShipNoticeItem>'
