/** X12 replies: 855 (acknowledgement of an order), 856 (ship notice), 997 (receipt of a document). */
import { minorOf } from '../../../../kernel/minor-units.ts'
import { omitUndefined } from '../../../../lib/objects.ts'
import { mapWordsToGroups } from '../../../../lib/words.ts'
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
import { wholeOf } from '../units.ts'
import { findOnly, lineNumberOf, quantityAt, readElement, skuIn, unitAt } from './x12-elements.ts'
import { type TransactionSet, type X12Segment, readInterchange } from './x12-text.ts'

/** An interchange may hold several; invoices (810) are read elsewhere, and other transaction sets are passed over. */
export const readX12Replies = (
  bytes: Uint8Array,
  settings: ReplySettings,
  { isEmptyAllowed = false }: { readonly isEmptyAllowed?: boolean } = {},
): ReadReplies =>
  readReplies(() => {
    const replies = readInterchange(bytes).flatMap((set) => {
      if (set.type === '855') return [readAcknowledgement(set, settings)]
      if (set.type === '856') return readShipNotice(set)
      if (set.type === '997') return readReceipt(set)
      return []
    })
    if (replies.length === 0 && !isEmptyAllowed) throw new UnreadableReply('it holds no 855, 856 or 997 about an order')
    return replies
  })

const ACKNOWLEDGEMENTS = mapWordsToGroups({
  accepted: ['AD', 'AK', 'AT'],
  changed: ['AC', 'AE'],
  received: ['AH'],
  rejected: ['RD', 'RF', 'RJ'],
})

/** What an item status says about its quantity: all of it stands, it comes later, or none of it stands. */
const ITEM_STATUSES = mapWordsToGroups({
  stands: ['IA', 'IC', 'IE', 'IP', 'IQ', 'DR', 'AC', 'AR'],
  later: ['IB', 'SP'],
  substituted: ['IS'],
  none: ['ID', 'IR', 'R1', 'R2', 'R3', 'R4'],
})

function readAcknowledgement(set: TransactionSet, settings: ReplySettings): OrderReply {
  const bak = findOnly(set, 'BAK')
  const code = readElement(bak, 2)
  const stated = ACKNOWLEDGEMENTS.get(code)
  if (!stated) throw new UnreadableReply(`BAK02 ${code} is unknown`)
  const currency = set.segments.find(({ id }) => id === 'CUR')?.elements[2]
  if (currency && currency !== settings.currency) throw new UnreadableReply('it is in another currency')
  const ordered = splitLines(set.segments)
  const lines = ordered.map((line) => acknowledgedLine(line, stated, settings))
  const sums = [
    ordered.reduce((sum, { po1 }) => sum + (wholeOf(po1.elements[2]) ?? 0), 0),
    ordered.reduce((sum, { acks }) => sum + acks.reduce((part, ack) => part + (wholeOf(ack.elements[2]) ?? 0), 0), 0),
  ]
  checkTotals(set, [ordered.length], sums)
  const vendorOrder = set.segments.find(({ id, elements }) => id === 'REF' && elements[1] === 'VN')?.elements[2]
  // BAK08 is the seller's order number. Some use BAK06, where we never sent anything of ours.
  const theirNumber = bak.elements[8] || vendorOrder || bak.elements[6]
  const kept = stated === 'rejected' ? [] : lines.filter((line) => line !== undefined)
  return {
    ref: readElement(bak, 3),
    refKind: 'order_number',
    kind: kindOver(stated, kept),
    ...(theirNumber && { theirNumber }),
    lines: kept,
  }
}

interface AcknowledgedItem {
  readonly po1: X12Segment
  readonly acks: X12Segment[]
}

function splitLines(segments: readonly X12Segment[]): readonly AcknowledgedItem[] {
  const lines: AcknowledgedItem[] = []
  for (const segment of segments) {
    if (segment.id === 'PO1') lines.push({ po1: segment, acks: [] })
    if (segment.id !== 'ACK') continue
    const open = lines.at(-1)
    if (!open) throw new UnreadableReply('ACK stands before any PO1')
    open.acks.push(segment)
  }
  return lines
}

/** Undefined when nothing is said about the line. A line may be split over several ACK. */
function acknowledgedLine(
  { po1, acks }: AcknowledgedItem,
  stated: ReplyKind,
  settings: ReplySettings,
): ReplyLine | undefined {
  const ordered = quantityAt(po1, 2)
  const unit = unitAt(po1, 3)
  const lineNumber = lineNumberOf(po1.elements[1])
  const vendorSku = skuIn(po1, 6)
  if (lineNumber === undefined && vendorSku === undefined) throw new UnreadableReply('PO1 names no line of ours')
  if (acks.length === 0 && stated !== 'accepted') return undefined
  let [stands, later, isSubstituted] = [acks.length === 0 ? ordered : 0, 0, false]
  for (const ack of acks) {
    const code = readElement(ack, 1)
    const status = ITEM_STATUSES.get(code)
    if (!status) throw new UnreadableReply(`ACK01 ${code} is unknown`)
    const quantity = ack.elements[2] ? quantityAt(ack, 2) : acks.length === 1 ? ordered : quantityAt(ack, 2)
    if (ack.elements[3] && unitAt(ack, 3) !== unit) throw new UnreadableReply('PO1 and ACK are in different units')
    if (status !== 'none') stands += quantity
    if (status === 'later') later += quantity
    if (status === 'substituted') isSubstituted = true
  }
  if (stands > ordered) throw new UnreadableReply('more is acknowledged than was ordered')
  const price = po1.elements[4]
  // The basis of a price is two letters: anything else stands where a part of the price was cut off.
  const isPrice = /^(?:[A-Z]{2})?$/.test(po1.elements[5] ?? '')
  const minor = price ? ((isPrice ? minorOf(price, settings.digits, '.') : undefined) ?? null) : undefined
  const kind = kindOfQuantity(stands, ordered)
  const substitute = isSubstituted ? acks.map((ack) => skuIn(ack, 7)).find((sku) => sku !== undefined) : undefined
  return omitUndefined({
    kind: kind === 'accepted' && (later > 0 || isSubstituted) ? 'changed' : kind,
    lineNumber,
    vendorSku,
    quantity: stands,
    unit,
    backordered: later > 0 ? later : undefined,
    unitPrice: kind === 'rejected' ? undefined : minor,
    substitute: isSubstituted ? (substitute ?? 'unknown') : undefined,
  })
}

/** CTT states how many lines there are and the sum of their quantities, as a check. */
function checkTotals({ segments }: TransactionSet, counts: readonly number[], sums: readonly number[]): void {
  const ctt = segments.find(({ id }) => id === 'CTT')
  if (!ctt) return
  const count = wholeOf(ctt.elements[1])
  const sum = ctt.elements[2] ? wholeOf(ctt.elements[2]) : undefined
  const isRight =
    count !== undefined && counts.includes(count) && (!ctt.elements[2] || (sum !== undefined && sums.includes(sum)))
  if (!isRight) throw new UnreadableReply('the totals (CTT) are not those of the lines')
}

/** Purposes under which a notice says that goods are on the way; a cancelled or changed one needs a person. */
const NOTICES = new Set(['00', '05', '14'])

interface Level {
  readonly id: string
  readonly parent: string | undefined
  readonly type: string
  readonly segments: X12Segment[]
}

/** Shipment, order, packs and items as a tree of HL; items belong to the order above them. */
function readShipNotice(set: TransactionSet): readonly OrderReply[] {
  const bsn = findOnly(set, 'BSN')
  if (!NOTICES.has(readElement(bsn, 1))) throw new UnreadableReply('the ship notice changes or cancels another')
  const levels = splitLevels(set.segments)
  const byId = new Map(levels.map((level) => [level.id, level]))
  if (byId.size !== levels.length) throw new UnreadableReply('two levels have the same number')
  const items = levels.filter(({ segments }) => segments.some(({ id }) => id === 'SN1'))
  const shipped = items.map((item) => ({ order: orderAbove(item, byId), line: shippedLine(item) }))
  checkTotals(set, [levels.length, items.length], [shipped.reduce((sum, { line }) => sum + (line.quantity ?? 0), 0)])
  const shipment = shipmentOf(bsn, set.segments)
  return levels
    .filter(({ type }) => type === 'O')
    .map((order) => ({
      ref: readElement(findOnly({ type: '', segments: order.segments }, 'PRF'), 1),
      refKind: 'order_number',
      kind: 'shipped',
      lines: addUp(shipped.filter((entry) => entry.order === order).map(({ line }) => line)),
      shipment,
    }))
}

function splitLevels(segments: readonly X12Segment[]): readonly Level[] {
  const levels: Level[] = []
  for (const segment of segments) {
    if (segment.id === 'HL')
      levels.push({
        id: readElement(segment, 1),
        parent: segment.elements[2] || undefined,
        type: readElement(segment, 3),
        segments: [],
      })
    else levels.at(-1)?.segments.push(segment)
  }
  return levels
}

function orderAbove(item: Level, byId: ReadonlyMap<string, Level>): Level {
  let level: Level | undefined = item
  for (let steps = 0; level && steps < 10; steps++) {
    if (level.type === 'O') return level
    level = level.parent === undefined ? undefined : byId.get(level.parent)
  }
  throw new UnreadableReply('an item belongs to no order')
}

function shippedLine({ segments }: Level): ReplyLine {
  const part: TransactionSet = { type: '', segments }
  const [lin, sn1] = [findOnly(part, 'LIN'), findOnly(part, 'SN1')]
  const numbers = [lin.elements[1], sn1.elements[1]].map(lineNumberOf).filter((number) => number !== undefined)
  // Two different numbers: one of them is the supplier's own, and it is not known which.
  const lineNumber = new Set(numbers).size === 1 ? numbers[0] : undefined
  const vendorSku = skuIn(lin, 2)
  if (lineNumber === undefined && vendorSku === undefined) throw new UnreadableReply('an item names no line of ours')
  return omitUndefined({ kind: 'shipped', lineNumber, vendorSku, quantity: quantityAt(sn1, 2), unit: unitAt(sn1, 3) })
}

/** The same line in several packs of one shipment is one line. */
function addUp(lines: readonly ReplyLine[]): readonly ReplyLine[] {
  const byLine = Map.groupBy(lines, ({ lineNumber, vendorSku, unit }) => JSON.stringify([lineNumber, vendorSku, unit]))
  return [...byLine.values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, quantity: same.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0) }] : []
  })
}

function shipmentOf(bsn: X12Segment, segments: readonly X12Segment[]): Shipment {
  const carrier = segments.find(({ id }) => id === 'TD5')
  const reference = (qualifier: string) =>
    segments.find(({ id, elements }) => id === 'REF' && elements[1] === qualifier)?.elements[2]
  const name = carrier?.elements[5] || carrier?.elements[3]
  const trackingNumber = reference('CN') || reference('BM')
  return { id: readElement(bsn, 2), ...(name && { carrier: name }), ...(trackingNumber && { trackingNumber }) }
}

/**
 * Whether our document could be read at all, not whether anything is in stock. AK9 is about the group and AK5 about each
 * document in it; a group is partly accepted (P) when they differ. We send one document per group, so they have to agree.
 */
function readReceipt(set: TransactionSet): readonly OrderReply[] {
  const [ak1, ak9] = [findOnly(set, 'AK1'), findOnly(set, 'AK9')]
  if (readElement(ak1, 1) !== 'PO') return []
  const codes = set.segments.filter(({ id }) => id === 'AK5' || id === 'AK9').map((segment) => readElement(segment, 1))
  const kinds = new Set(codes.filter((code) => code !== 'P').map(receiptKind))
  const [kind] = kinds
  if (!kind || kinds.size > 1) throw new UnreadableReply(`the acknowledgement is not clear (${readElement(ak9, 1)})`)
  const parties = { sender: set.sender ?? '', receiver: set.receiver ?? '' }
  return [{ ref: readElement(ak1, 2), refKind: 'control_number', kind, lines: [], parties }]
}

function receiptKind(code: string): 'received' | 'rejected' {
  if (/^[AE]$/.test(code)) return 'received'
  if (/^[RMWX]$/.test(code)) return 'rejected'
  throw new UnreadableReply(`the acknowledgement code ${code} is unknown`)
}
