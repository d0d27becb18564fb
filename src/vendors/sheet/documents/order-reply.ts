/** What a supplier answers to an order, whatever the format of the answer. */
import { isPoNumber } from '../../../kernel/ids.ts'
import { omitUndefined } from '../../../lib/objects.ts'
import type { ReplyQuestion } from '../../supply-vendor.ts'
import { UnreadableReply } from '../../upstream/read-json.ts'
import { sanitizeText } from '../../upstream/sanitize-text.ts'
import type { OrderUnit } from './units.ts'

/**
 * - `accepted`  all of it, as ordered
 * - `changed`   some of it, or differently: the lines tell
 * - `rejected`  none of it
 * - `shipped`   on the way: the lines, or all of it where there are none
 * - `received`  arrived at the supplier, no word on the goods yet
 */
export type ReplyKind = 'accepted' | 'changed' | 'rejected' | 'shipped' | 'received'

export interface ReplyLine {
  readonly kind: Exclude<ReplyKind, 'received'>
  readonly lineNumber?: number
  readonly vendorSku?: string
  /** What stands, or what was shipped, in `unit`. Absent: as ordered. */
  readonly quantity?: number
  readonly unit?: OrderUnit
  /** The part of `quantity` that comes later. */
  readonly backordered?: number
  /** Minor units. Null: a price is stated that the currency cannot express. */
  readonly unitPrice?: number | null
  /** The supplier sends this SKU instead. */
  readonly substitute?: string
}

export interface Shipment {
  readonly id?: string
  readonly carrier?: string
  readonly trackingNumber?: string
}

export interface OrderReply {
  /** As the supplier repeats it. */
  readonly ref: string
  /** What `ref` is: our order number, or what stands for it in an acknowledgement (997, StatusUpdateRequest). */
  readonly refKind: 'order_number' | 'control_number' | 'payload_id'
  readonly kind: ReplyKind
  readonly theirNumber?: string
  readonly lines: readonly ReplyLine[]
  readonly shipment?: Shipment
  /** Of an acknowledgement that names no order: from whom, and to whom. */
  readonly parties?: ReplyParties
}

export interface ReplyParties {
  readonly sender: string
  readonly receiver: string
}

export class AskedReply extends UnreadableReply {
  readonly question: ReplyQuestion

  constructor(question: ReplyQuestion) {
    super(question.text)
    this.question = question
  }
}

export interface UnreadReply {
  readonly ok: false
  readonly problem: string
  /** Once it is answered, the file can be read. */
  readonly question?: ReplyQuestion
}

export type ReadReplies =
  | {
      readonly ok: true
      readonly replies: readonly OrderReply[]
      /** Order numbers in it that we cannot have given: damaged, or of somebody else. */
      readonly foreign: readonly string[]
    }
  | UnreadReply

export interface ReplySettings {
  readonly currency: string
  /** Digits of the currency. */
  readonly digits: number
}

/** A damaged number beside a whole one: without its entry, the reply would say something else about our order. */
function differsInOneSign(one: string, other: string): boolean {
  const most = Math.max(one.length, other.length)
  let [start, end] = [0, 0]
  while (start < most && one[start] === other[start]) start += 1
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return start + end >= most - 1
}

/** Only what the document says refuses it; an error of ours stays an error. */
export function readReplies(read: () => readonly OrderReply[]): ReadReplies {
  try {
    const { ours = [], foreign = [] } = Object.groupBy(read(), ({ ref, refKind }) =>
      refKind === 'order_number' && !isPoNumber(ref) ? 'foreign' : 'ours',
    )
    const isDamaged = foreign.some((entry) => ours.some(({ ref }) => differsInOneSign(entry.ref, ref)))
    if (isDamaged || (ours.length === 0 && foreign.length > 0))
      return { ok: false, problem: 'it names an order number that is not ours' }
    return { ok: true, replies: ours.map(boundTexts), foreign: foreign.map(({ ref }) => ref) }
  } catch (error) {
    if (!(error instanceof UnreadableReply)) throw error
    return { ok: false, problem: error.message, ...(error instanceof AskedReply && { question: error.question }) }
  }
}

/** What the supplier calls things reaches people: one line, without control characters. */
const TEXT_MAX = 100
const bound = (text: string): string => sanitizeText(text).slice(0, TEXT_MAX)

function boundTexts({ theirNumber = '', shipment, ...rest }: OrderReply): OrderReply {
  return {
    ...rest,
    ...(bound(theirNumber) !== '' && { theirNumber: bound(theirNumber) }),
    ...(shipment && { shipment: boundShipment(shipment) }),
  }
}

const boundShipment = (shipment: Shipment): Shipment =>
  Object.fromEntries(Object.entries<string>(omitUndefined(shipment)).map(([name, text]) => [name, bound(text)]))

/** Suppliers say "accepted" over lines that are not: the lines count. */
export const kindOver = (stated: ReplyKind, lines: readonly ReplyLine[]): ReplyKind =>
  stated === 'accepted' && lines.some(({ kind }) => kind !== 'accepted') ? 'changed' : stated

/** A line from quantities: nothing stands, all of it, or another quantity. */
export const kindOfQuantity = (stands: number, ordered: number | undefined): 'accepted' | 'changed' | 'rejected' =>
  stands === 0 ? 'rejected' : ordered === undefined || stands === ordered ? 'accepted' : 'changed'
