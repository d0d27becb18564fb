/** UBL order responses (Peppol BIS Ordering 3). */
import { minorOf } from '../../../../kernel/minor-units.ts'
import { omitUndefined } from '../../../../lib/objects.ts'
import { UnreadableReply } from '../../../upstream/read-json.ts'
import {
  type OrderReply,
  type ReadReplies,
  type ReplyKind,
  type ReplyLine,
  type ReplySettings,
  kindOver,
  readReplies,
} from '../order-reply.ts'
import { type OrderUnit, unitOf, wholeOf } from '../units.ts'
import { type XmlNode, childOf, childrenOf, readXml, requiredText, textAt } from '../xml.ts'

const RESPONSE_CODES: ReadonlyMap<string, ReplyKind> = new Map([
  ['AB', 'received'],
  ['AP', 'accepted'],
  ['CA', 'changed'],
  ['RE', 'rejected'],
])

/** 1 (added) and 42 (already delivered) are about things we did not order in this document, so a person has to look. */
const LINE_CODES: ReadonlyMap<string, 'accepted' | 'changed' | 'rejected'> = new Map([
  ['5', 'accepted'],
  ['3', 'changed'],
  ['7', 'rejected'],
])

export const readUblReplies = (bytes: Uint8Array, settings: ReplySettings): ReadReplies =>
  readReplies(() => [toReply(readXml(bytes), settings)])

function toReply(root: XmlNode, settings: ReplySettings): OrderReply {
  if (root.name !== 'OrderResponse') throw new UnreadableReply(`the document is ${root.name}, not an OrderResponse`)
  const code = requiredText(root, 'OrderResponseCode')
  const stated = RESPONSE_CODES.get(code)
  if (!stated) throw new UnreadableReply(`OrderResponseCode ${code} is unknown`)
  if ((textAt(root, 'DocumentCurrencyCode') ?? settings.currency) !== settings.currency)
    throw new UnreadableReply('it is in another currency')
  // A rejected or merely acknowledged order has no lines that could stand.
  const hasLines = stated === 'accepted' || stated === 'changed'
  const lines = hasLines ? childrenOf(root, 'OrderLine').map((line) => toLine(line, settings)) : []
  return omitUndefined({
    ref: requiredText(root, 'OrderReference', 'ID'),
    refKind: 'order_number',
    kind: kindOver(stated, lines),
    theirNumber: textAt(root, 'SalesOrderID'),
    lines,
  })
}

function toLine(line: XmlNode, settings: ReplySettings): ReplyLine {
  const item = childOf(line, 'LineItem')
  const code = requiredText(item, 'LineStatusCode')
  const kind = LINE_CODES.get(code)
  if (!kind) throw new UnreadableReply(`LineStatusCode ${code} is unknown`)
  const lineNumber = wholeOf((childOf(line, 'OrderLineReference', 'LineID') ?? childOf(item, 'ID'))?.text)
  if (lineNumber === undefined) throw new UnreadableReply('a line has no number of ours')
  const { quantity, unit } = quantityOf(childOf(item, 'Quantity'))
  const unitPrice = priceOf(childOf(item, 'Price'), settings)
  const isRejected = kind === 'rejected'
  return omitUndefined({
    kind,
    lineNumber,
    vendorSku: textAt(item, 'Item', 'SellersItemIdentification', 'ID'),
    quantity: isRejected ? 0 : quantity,
    unit,
    unitPrice: isRejected ? undefined : unitPrice,
    substitute: textAt(line, 'SellerSubstitutedLineItem', 'Item', 'SellersItemIdentification', 'ID'),
  })
}

function quantityOf(node: XmlNode | undefined): { readonly quantity?: number; readonly unit?: OrderUnit } {
  if (!node) return {}
  const quantity = wholeOf(node.text)
  const code = node.attributes['unitCode']
  const unit = unitOf(code)
  if (quantity === undefined) throw new UnreadableReply('a quantity is not a whole number')
  if (code !== undefined && unit === undefined) throw new UnreadableReply(`a quantity is in the unit ${code}`)
  return omitUndefined({ quantity, unit })
}

/** Per unit: a price for ten has to divide exactly. */
function priceOf(price: XmlNode | undefined, { currency, digits }: ReplySettings): number | null | undefined {
  const amount = childOf(price, 'PriceAmount')
  if (!amount) return undefined
  if ((amount.attributes['currencyID'] ?? currency) !== currency) throw new UnreadableReply('it is in another currency')
  const minor = minorOf(amount.text, digits, '.')
  const base = wholeOf(childOf(price, 'BaseQuantity')?.text ?? '1')
  if (minor === undefined || minor < 0 || !base) return null
  return minor % base === 0 ? minor / base : null
}
