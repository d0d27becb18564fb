/** cXML replies: ConfirmationRequest, ShipNoticeRequest, StatusUpdateRequest as documents, Response as the answer to a POST. */
import { minorOf } from '../../../../kernel/minor-units.ts'
import { omitUndefined } from '../../../../lib/objects.ts'
import { UnreadableReply } from '../../../upstream/read-json.ts'
import {
  type OrderReply,
  type ReadReplies,
  type ReplyKind,
  type ReplyLine,
  type ReplySettings,
  type Shipment,
  kindOfQuantity,
  kindOver,
  readReplies,
} from '../order-reply.ts'
import { type OrderUnit, unitOf, wholeOf } from '../units.ts'
import { type XmlNode, childOf, childrenOf, readXml, textAt } from '../xml.ts'

export const readCxmlReplies = (bytes: Uint8Array, settings: ReplySettings): ReadReplies =>
  readReplies(() => {
    const request = childOf(rootOf(bytes), 'Request')
    const [document, another] = request?.children ?? []
    if (!document || another) throw new UnreadableReply('the document holds no request')
    if (document.name === 'ConfirmationRequest') return [readConfirmation(document, settings)]
    if (document.name === 'ShipNoticeRequest') return readShipNotice(document)
    if (document.name === 'StatusUpdateRequest') return [readStatusUpdate(document)]
    throw new UnreadableReply(`the document is ${document.name}, not a reply to an order`)
  })

/**
 * The answer to the POST of an order. 200, 201 and 204 say that the document arrived; what stands of it comes later as a
 * confirmation. 4xx is a refusal. Anything else leaves open whether the order exists, so it is not a reply.
 */
export const readCxmlResponse = (bytes: Uint8Array, ref: string): ReadReplies =>
  readReplies(() => [
    {
      ref,
      refKind: 'order_number',
      kind: kindOfStatus(childOf(rootOf(bytes), 'Response', 'Status'), new Set(['200', '201', '204'])),
      lines: [],
    },
  ])

/** What the supplier says about the status of its answer, or nothing. */
export function readCxmlReason(bytes: Uint8Array): string {
  const status = childOf(rootOf(bytes), 'Response', 'Status')
  return status?.text.trim() || (status?.attributes['text'] ?? '')
}

function rootOf(bytes: Uint8Array): XmlNode {
  const root = readXml(bytes)
  if (root.name !== 'cXML') throw new UnreadableReply(`the document is ${root.name}, not cXML`)
  return root
}

function kindOfStatus(status: XmlNode | undefined, accepted?: ReadonlySet<string>): 'received' | 'rejected' {
  const code = status?.attributes['code'] ?? ''
  if (accepted ? accepted.has(code) : /^2\d\d$/.test(code)) return 'received'
  if (/^4\d\d$/.test(code)) return 'rejected'
  throw new UnreadableReply(`the status ${code || 'is missing and'} tells nothing about the order`)
}

function attribute(node: XmlNode | undefined, name: string): string {
  const value = node?.attributes[name]?.trim()
  if (!value) throw new UnreadableReply(`${node?.name ?? 'an element'} has no ${name}`, name)
  return value
}

function quantityOf(node: XmlNode): { readonly quantity: number; readonly unit: OrderUnit } {
  const quantity = wholeOf(node.attributes['quantity'])
  const code = textAt(node, 'UnitOfMeasure')
  const unit = unitOf(code)
  if (quantity === undefined) throw new UnreadableReply(`${node.name} has no whole quantity`)
  if (unit === undefined) throw new UnreadableReply(`${node.name} is in the unit ${code ?? '(none)'}`)
  return { quantity, unit }
}

function lineNumberOf(node: XmlNode): number {
  const lineNumber = wholeOf(node.attributes['lineNumber'])
  if (!lineNumber) throw new UnreadableReply(`${node.name} has no line number`)
  return lineNumber
}

/** `orderID` is optional; the payload id of our document is always there. */
function referenceOf(reference: XmlNode | undefined): Pick<OrderReply, 'ref' | 'refKind'> {
  const orderId = reference?.attributes['orderID']?.trim()
  if (orderId) return { ref: orderId, refKind: 'order_number' }
  return { ref: attribute(childOf(reference, 'DocumentReference'), 'payloadID'), refKind: 'payload_id' }
}

const CONFIRMATIONS: ReadonlyMap<string, ReplyKind> = new Map([
  ['accept', 'accepted'],
  ['allDetail', 'accepted'],
  ['detail', 'accepted'],
  // As ordered, except for the items that are listed.
  ['except', 'accepted'],
  ['backordered', 'changed'],
  ['replace', 'changed'],
  ['reject', 'rejected'],
  // About money, not about goods.
  ['requestToPay', 'received'],
])

function readConfirmation(document: XmlNode, settings: ReplySettings): OrderReply {
  const header = childOf(document, 'ConfirmationHeader')
  const type = attribute(header, 'type')
  const stated = CONFIRMATIONS.get(type)
  if (!stated) throw new UnreadableReply(`the confirmation type ${type} is unknown`)
  const lines =
    stated === 'accepted' || stated === 'changed'
      ? childrenOf(document, 'ConfirmationItem').flatMap((item) => confirmedLine(item, settings))
      : []
  const theirNumber = header?.attributes['confirmID']?.trim()
  return {
    ...referenceOf(childOf(document, 'OrderReference')),
    kind: kindOver(stated, lines),
    ...(theirNumber && { theirNumber }),
    lines,
  }
}

/** The parts of a line have to add up to the line; nothing is said about one whose status is unknown. */
function confirmedLine(item: XmlNode, settings: ReplySettings): readonly ReplyLine[] {
  const { quantity: ordered, unit } = quantityOf(item)
  const lineNumber = lineNumberOf(item)
  let [all, stands, later, isKnown] = [0, 0, 0, true]
  let isSubstituted = false
  const items = new Set<string>()
  let unitPrice: number | null | undefined
  for (const status of childrenOf(item, 'ConfirmationStatus')) {
    const type = attribute(status, 'type')
    const part = quantityOf(status)
    if (part.unit !== unit) throw new UnreadableReply(`line ${lineNumber} is in two units`)
    all += part.quantity
    if (!/^(?:accept|allDetail|detail|backordered|reject|unknown|requestToPay)$/.test(type))
      throw new UnreadableReply(`the status ${type} of line ${lineNumber} is unknown`)
    if (type === 'unknown' || type === 'requestToPay') isKnown = false
    if (type !== 'reject') stands += part.quantity
    if (type === 'backordered') later += part.quantity
    if (type === 'reject') continue
    const item = childOf(status, 'ItemIn')
    const price =
      childOf(status, 'UnitPrice') ?? (unitOfItem(item) === unit ? childOf(item, 'ItemDetail', 'UnitPrice') : undefined)
    unitPrice = priceOf(childOf(price, 'Money'), settings) ?? unitPrice
    const vendorSku = textAt(item, 'ItemID', 'SupplierPartID')
    if (vendorSku === undefined) continue
    // `allDetail` repeats what was ordered; whether it is something else shows when it is compared with the order.
    if (type !== 'allDetail') isSubstituted = true
    items.add(vendorSku)
  }
  if (all !== ordered) throw new UnreadableReply(`the parts of line ${lineNumber} do not add up`)
  if (!isKnown) return []
  const kind = kindOfQuantity(stands, ordered)
  return [
    omitUndefined({
      kind: kind === 'accepted' && (later > 0 || isSubstituted) ? 'changed' : kind,
      lineNumber,
      quantity: stands,
      unit,
      backordered: later || undefined,
      unitPrice,
      substitute: [...items].join(', ') || undefined,
    }),
  ]
}

const unitOfItem = (item: XmlNode | undefined): OrderUnit | undefined =>
  unitOf(textAt(item, 'ItemDetail', 'UnitOfMeasure'))

function priceOf(money: XmlNode | undefined, { currency, digits }: ReplySettings): number | null | undefined {
  if (!money) return undefined
  if (attribute(money, 'currency') !== currency) throw new UnreadableReply('it is in another currency')
  const minor = minorOf(money.text, digits, '.')
  return minor === undefined || minor < 0 ? null : minor
}

function readShipNotice(document: XmlNode): readonly OrderReply[] {
  const header = childOf(document, 'ShipNoticeHeader')
  if ((header?.attributes['operation'] ?? 'new') === 'delete' || header?.attributes['reason'] === 'return')
    throw new UnreadableReply('the ship notice takes another one back')
  const shipment = shipmentOf(attribute(header, 'shipmentID'), childrenOf(document, 'ShipControl')[0])
  const isPartial = header?.attributes['fulfillmentType'] === 'partial'
  const portions = childrenOf(document, 'ShipNoticePortion')
  if (portions.length === 0) throw new UnreadableReply('the ship notice is about no order')
  return portions.map((portion) => {
    const lines = childrenOf(portion, 'ShipNoticeItem').map(shippedLine)
    if (isPartial && lines.length === 0) throw new UnreadableReply('a part was shipped, and not which')
    return { ...referenceOf(childOf(portion, 'OrderReference')), kind: 'shipped', lines, shipment }
  })
}

function shippedLine(item: XmlNode): ReplyLine {
  const vendorSku = textAt(item, 'ItemID', 'SupplierPartID')
  return omitUndefined({ kind: 'shipped', lineNumber: lineNumberOf(item), vendorSku, ...quantityOf(item) })
}

function shipmentOf(id: string, control: XmlNode | undefined): Shipment {
  const carriers = childrenOf(control, 'CarrierIdentifier')
  // Carriers are stated by code and by name; people read the name.
  const carrier = (
    carriers.find(({ attributes }) => attributes['domain'] === 'companyName') ?? carriers[0]
  )?.text.trim()
  const trackingNumber = childrenOf(control, 'ShipmentIdentifier')[0]?.text.trim()
  return { id, ...(carrier && { carrier }), ...(trackingNumber && { trackingNumber }) }
}

const readStatusUpdate = (document: XmlNode): OrderReply => ({
  ref: attribute(childOf(document, 'DocumentReference'), 'payloadID'),
  refKind: 'payload_id',
  kind: kindOfStatus(childOf(document, 'Status')),
  lines: [],
})
