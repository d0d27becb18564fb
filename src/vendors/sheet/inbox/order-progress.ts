/** What has become of a sent order, from the replies of the supplier. Pure. */
import { fen } from '../../../kernel/fen.ts'
import { omitUndefined } from '../../../lib/objects.ts'
import type { LogisticsStep, SupplyLineStatus, SupplyOrderStatus } from '../../supply-vendor.ts'
import { type MatchedLine, matchReply } from './match-reply.ts'
import { type Pricing, totalsOf } from '../documents/order-document.ts'
import type { OrderReply } from '../documents/order-reply.ts'
import type { OrderRecord, StoredReply } from '../order-record.ts'

export type OrderProgress = Readonly<ReturnType<typeof orderProgress>>

/** Quantities in the unit of the line. */
interface LineProgress {
  /** What is left of the order by the last confirmation. */
  stands: number
  /** The part of it that comes later. */
  backordered: number
  /** As last confirmed; null: a price that cannot be read. */
  unitPrice: number | null
  /** By shipment: a notice that is sent again replaces itself. */
  readonly shipments: Map<string, number>
}

const DESCRIPTIONS = {
  sent: 'Sent to the supplier',
  received: 'Received by the supplier',
  accepted: 'Accepted by the supplier',
  changed: 'Accepted by the supplier with changes',
  rejected: 'Rejected by the supplier',
  shipped: 'On the way',
} as const

export function orderProgress(order: OrderRecord, replies: readonly StoredReply[], pricing: Pricing) {
  const lines = new Map<number, LineProgress>(
    order.lines.map(({ lineNumber, quantity, unitPrice }) => [
      lineNumber,
      { stands: quantity, backordered: 0, unitPrice, shipments: new Map() },
    ]),
  )
  /** The replies that fit the order: only these show that the supplier has it. */
  const used: OrderReply[] = []
  /** Replies that contradict the order, for the log. */
  const problems: string[] = []
  const logistics: LogisticsStep[] = []
  let stated: keyof typeof DESCRIPTIONS = 'sent'
  let externalRef = order.externalRef ?? order.ref
  for (const { reply, receivedAt } of replies) {
    const matched = matchReply(order.lines, reply)
    const problem = matched.ok ? applyReply(lines, matched.lines, reply) : matched.problem
    if (problem !== undefined) {
      problems.push(`A reply to ${order.ref} is not used: ${problem}`)
      continue
    }
    used.push(reply)
    if (reply.kind !== 'received' || stated === 'sent') stated = reply.kind
    externalRef = reply.theirNumber ?? externalRef
    if (reply.kind === 'shipped') logistics.push(toStep(reply, receivedAt))
  }
  const hasOtherPrices = order.lines.some(({ lineNumber, unitPrice }) => lines.get(lineNumber)?.unitPrice !== unitPrice)
  const statesPrices = used.some((reply) => reply.lines.some(({ unitPrice }) => unitPrice !== undefined))
  const totalFen = hasOtherPrices ? confirmedTotal(order, lines, pricing) : statesPrices ? order.total : undefined
  if (hasOtherPrices) problems.push(`Order ${order.ref} was confirmed with other prices than ordered`)

  const states = order.lines.map(({ lineNumber, vendorSku, quantity }) =>
    toLineStatus(vendorSku, quantity, lines.get(lineNumber)),
  )
  if (stated === 'accepted' && states.some(({ cancelled }) => cancelled > 0)) stated = 'changed'
  const isCancelled = states.every(({ cancelled }, i) => cancelled === order.lines[i]?.quantity)
  const hasChanges = states.some(({ shipped, cancelled }) => shipped > 0 || cancelled > 0)
  const status: SupplyOrderStatus = {
    externalRef,
    state: isCancelled ? 'cancelled' : 'ordered',
    description: DESCRIPTIONS[stated] + (hasOtherPrices ? ', with other prices' : ''),
    rawStatus: 0,
    raw: stated,
    createdAt: order.startedAt,
    logistics,
    ...(hasChanges && { lines: states }),
    ...(totalFen !== undefined && { totalFen: fen(totalFen) }),
  }
  return { status, used, problems }
}

/** Returns why the reply cannot be used, and then changes nothing. */
function applyReply(
  lines: ReadonlyMap<number, LineProgress>,
  matched: readonly MatchedLine[],
  reply: OrderReply,
): string | undefined {
  // Only what is named, or all of it where nothing is: a confirmation of one line leaves the others as they were.
  const isWhole = reply.lines.length === 0
  const named = matched.filter(({ isNamed }) => isWhole || isNamed)
  if (reply.kind === 'received' || (reply.kind === 'changed' && isWhole)) return undefined
  if (reply.kind !== 'shipped') {
    for (const { lineNumber, quantity, backordered = 0, unitPrice } of named) {
      const line = lines.get(lineNumber)
      if (!line) continue
      line.stands = quantity
      line.backordered = backordered
      if (unitPrice !== undefined) line.unitPrice = unitPrice
    }
    return undefined
  }
  const shipment = reply.shipment?.id ?? ''
  const counted = named.map((entry) => {
    const line = lines.get(entry.lineNumber)
    const quantity = isWhole ? Math.max(0, (line?.stands ?? 0) - shippedOf(line, shipment)) : entry.quantity
    return { ...entry, line, quantity }
  })
  const tooMuch = counted.find(({ line, quantity, ordered }) => shippedOf(line, shipment) + quantity > ordered)
  if (tooMuch) return `line ${tooMuch.lineNumber} was shipped more often than ordered`
  for (const { line, quantity } of counted) line?.shipments.set(shipment, quantity)
  return undefined
}

/** In all shipments but this one. */
const shippedOf = (line: LineProgress | undefined, except?: string): number =>
  [...(line?.shipments ?? [])].reduce((sum, [id, quantity]) => sum + (id === except ? 0 : quantity), 0)

/** What a ship notice leaves out of a line that it names will not come, unless the supplier said that it comes later. */
function toLineStatus(vendorSku: string, ordered: number, line: LineProgress | undefined): SupplyLineStatus {
  if (!line) return { vendorSku, shipped: 0, cancelled: 0 }
  const shipped = shippedOf(line)
  const isShippedShort = line.shipments.size > 0 && line.backordered === 0
  const comes = isShippedShort ? shipped : Math.max(line.stands, shipped)
  return { vendorSku, shipped, cancelled: ordered - comes }
}

/** Of the order as sent, at the confirmed prices: what will not come is reported line by line. Undefined: a price is not known. */
function confirmedTotal(
  { lines: ordered }: OrderRecord,
  lines: ReadonlyMap<number, LineProgress>,
  pricing: Pricing,
): number | undefined {
  const priced = ordered.flatMap((line) => {
    const unitPrice = lines.get(line.lineNumber)?.unitPrice ?? null
    return unitPrice === null ? [] : [{ ...line, unitPrice }]
  })
  return priced.length === ordered.length ? totalsOf(priced, pricing)?.total : undefined
}

function toStep({ shipment, lines }: OrderReply, at: number): LogisticsStep {
  const parts = lines.map(
    ({ vendorSku, lineNumber, quantity }) => `${quantity ?? 'all'} of ${vendorSku ?? `line ${lineNumber}`}`,
  )
  return {
    at,
    text: parts.length === 0 ? 'Shipped' : `Shipped: ${parts.join(', ')}`,
    ...omitUndefined({ carrier: shipment?.carrier, trackingNumber: shipment?.trackingNumber }),
  }
}
