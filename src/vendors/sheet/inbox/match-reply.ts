/**
 * Holds a reply against the order it is about. No format but X12 has check sums, so a reply that names other lines, other
 * units or more than was ordered is refused here: a person has to look at it.
 */
import { omitUndefined } from '../../../lib/objects.ts'
import type { OrderLine } from '../documents/order-document.ts'
import type { OrderReply, ReplyLine } from '../documents/order-reply.ts'

type MatchedReply =
  | { readonly ok: true; readonly lines: readonly MatchedLine[] }
  | { readonly ok: false; readonly problem: string }

export function matchReply(ordered: readonly OrderLine[], reply: OrderReply): MatchedReply {
  const replyTo = new Map<OrderLine, ReplyLine>()
  for (const stated of reply.lines) {
    const match = findLine(ordered, stated)
    if (!match) return { ok: false, problem: `it is about a line that was not ordered (${nameOf(stated)})` }
    if (replyTo.has(match)) return { ok: false, problem: `it is twice about line ${match.lineNumber}` }
    const line = inOrderedUnit(stated, match)
    if (!line) return { ok: false, problem: `line ${match.lineNumber} is in another unit` }
    if ((line.quantity ?? 0) > match.quantity)
      return { ok: false, problem: `line ${match.lineNumber} is more than was ordered` }
    replyTo.set(match, line)
  }
  return { ok: true, lines: ordered.map((line) => matchLine(line, replyTo.get(line), reply)) }
}

/** Many suppliers confirm cases in single items: 36 for 3 cases of 12. Undefined: it is no whole number of packs. */
function inOrderedUnit(line: ReplyLine, { unit, contains, unitPrice: agreed }: OrderLine): ReplyLine | undefined {
  if (line.unit === undefined || line.unit === unit) return line
  if (line.unit !== 'each' || unit !== 'pack') return undefined
  const { quantity, backordered, unitPrice } = line
  const counts = [quantity ?? 0, backordered ?? 0]
  if (!counts.every((items) => Number.isInteger(items / contains))) return undefined
  return {
    ...line,
    unit,
    ...(quantity === undefined ? {} : { quantity: quantity / contains }),
    ...(backordered === undefined ? {} : { backordered: backordered / contains }),
    // The price of one is rounded: a case of 24 at 12.50 is 0.52 each.
    ...(typeof unitPrice === 'number'
      ? { unitPrice: Math.round(agreed / contains) === unitPrice ? agreed : unitPrice * contains }
      : {}),
  }
}

export type MatchedLine = Readonly<ReturnType<typeof matchLine>>

function matchLine({ lineNumber, vendorSku, quantity }: OrderLine, found: ReplyLine | undefined, reply: OrderReply) {
  // A shipment is of the lines it names; a confirmation leaves the others as they were.
  const isPartial = reply.kind === 'shipped' && reply.lines.length > 0
  // Some suppliers state the item of every line in full, also where it is the one that was ordered.
  const substitute = found?.substitute === vendorSku ? undefined : found?.substitute
  const stands =
    reply.kind === 'rejected' || found?.kind === 'rejected' || substitute !== undefined
      ? 0
      : (found?.quantity ?? (isPartial && !found ? 0 : quantity))
  return omitUndefined({
    lineNumber,
    vendorSku,
    ordered: quantity,
    /** Whether the reply says something about this very line. */
    isNamed: found !== undefined,
    /** What stands after a confirmation, or what was in this shipment. */
    quantity: stands,
    /** The part of `quantity` that comes later. */
    backordered: found?.backordered,
    substitute,
    /** As in the reply: minor units, or null where it cannot be read. */
    unitPrice: found?.unitPrice,
  })
}

/** By number and SKU where both are stated: they must name the same line. */
export function findLine(
  ordered: readonly OrderLine[],
  { lineNumber, vendorSku, unit }: Pick<ReplyLine, 'lineNumber' | 'vendorSku' | 'unit'>,
): OrderLine | undefined {
  if (lineNumber === undefined && vendorSku === undefined) return undefined
  const found = ordered.filter(
    (line) =>
      (lineNumber === undefined || line.lineNumber === lineNumber) &&
      (vendorSku === undefined || line.vendorSku === vendorSku),
  )
  // The same SKU may be ordered singly and in packs.
  const sameUnit = found.length > 1 && unit !== undefined ? found.filter((line) => line.unit === unit) : found
  return sameUnit.length === 1 ? sameUnit[0] : undefined
}

const nameOf = ({ lineNumber, vendorSku }: ReplyLine): string =>
  [lineNumber === undefined ? undefined : `line ${lineNumber}`, vendorSku].filter(Boolean).join(', ') || 'unnamed'
