/** What came of an attempt to buy: what each outcome means, which one an answer is, and who can say it. Pure. */
import { HOUR } from '../../../kernel/clock.ts'
import type { Fen } from '../../../kernel/fen.ts'
import type { Namespace } from '../../../kernel/ids.ts'
import type { Columns } from '../../../store/schema.ts'
import type { Failure, SendDenial } from '../../../vendors/contract.ts'
import type { SupplyPlacement, SupplyOrderStatus } from '../../../vendors/supply-vendor.ts'
import type { Context } from '../../../context.ts'
import type { Handoff, Session } from '../session.ts'
import { TEXTS } from '../texts.ts'

export type AttemptOutcome = NonNullable<Columns<'checkout_attempt'>['outcome']>

/**
 * - `open`     only the supplier or a person can say what came of it; so is an attempt without an outcome
 * - `absent`   the supplier knew nothing of it, or a person said so, who may be wrong: an order may appear
 * - `decided`  the supplier answered, which is asked about all the same
 * - `unsent`   not a byte has left
 */
const MEANING = {
  unknown: 'open',
  handed_off: 'open',
  absent: 'absent',
  not_placed: 'absent',
  accepted: 'decided',
  superseded: 'decided',
  rejected: 'decided',
  unauthorized: 'decided',
  unsent: 'unsent',
  unsupported: 'unsent',
} as const satisfies Record<AttemptOutcome, 'open' | 'absent' | 'decided' | 'unsent'>

interface Ended {
  readonly outcome: AttemptOutcome | undefined
}

const meaningOf = ({ outcome }: Ended) => (outcome === undefined ? 'open' : MEANING[outcome])

export const isUndecided = (attempt: Ended): boolean => meaningOf(attempt) === 'open'

/** As `Session.orderMayExist`. */
export const mayHaveOrder = (attempt: Ended): boolean => isUndecided(attempt) || meaningOf(attempt) === 'absent'

/** Whatever the supplier answered. */
export const mayHaveReachedSupplier = (attempt: Ended): boolean => meaningOf(attempt) !== 'unsent'

export type Settlement =
  /** The supplier has the order. */
  | {
      readonly kind: 'accepted'
      readonly externalRef: string
      readonly text: string
      /** What the supplier asks; absent: it did not state it. */
      readonly totalFen?: Fen
      /** The person who recorded it, where the supplier cannot be asked. */
      readonly recordedBy?: string
    }
  /** The supplier certainly has no order: it refused, or nothing was sent. */
  | {
      readonly kind: 'no_order'
      readonly outcome: 'rejected' | 'unauthorized' | 'unsent' | 'unsupported'
      readonly text: string
      /** Our own guard denied it before anything was sent. */
      readonly denied?: SendDenial['code']
    }
  /** Sent, and not at the supplier when it could no longer arrive. */
  | { readonly kind: 'absent'; readonly text: string }
  /** Not known yet. */
  | { readonly kind: 'unknown'; readonly text: string; readonly onlyPersonKnows?: true }
  /** Nothing was bought: a person completes the purchase on a page of the supplier, or sends the order. */
  | { readonly kind: 'handed_off'; readonly handoff: Handoff; readonly text: string }
  /** A person said that the supplier has no order. */
  | {
      readonly kind: 'not_placed'
      readonly text: string
      readonly recordedBy: string
      /** Whoever says so may approve purchases; otherwise it still counts towards the limits per day and week. */
      readonly freesBudget: boolean
    }

/** The order certainly did not reach the supplier, so there is no need to ask. */
export function unsentSettlement({ reason, message, denied }: Failure): Settlement | undefined {
  if (reason !== 'unsent' && reason !== 'unsupported') return undefined
  return { kind: 'no_order', outcome: reason, text: message, ...(denied && { denied }) }
}

/**
 * After a failure, the supplier was asked and has no order, or it cannot be asked. Final: a documented refusal; an
 * undocumented `rejected` only if the supplier was asked and has no order. Everything else stays unknown, also a 401 or 403
 * from a gateway: the request may still arrive.
 */
export function refusedSettlement(
  { reason, message, documented, onlyPersonKnows }: Failure,
  isConfirmedAbsent: boolean,
): Settlement {
  const isFinal =
    (reason === 'rejected' && (documented ?? isConfirmedAbsent)) || (reason === 'unauthorized' && documented)
  if (isFinal) return { kind: 'no_order', outcome: reason, text: message }
  return { kind: 'unknown', text: message, ...((onlyPersonKnows || !isConfirmedAbsent) && { onlyPersonKnows: true }) }
}

export const foundSettlement = ({ externalRef, description, totalFen }: SupplyOrderStatus): Settlement => ({
  kind: 'accepted',
  externalRef,
  text: `The supplier confirmed the order (${description}).`,
  ...(totalFen !== undefined && { totalFen }),
})

/** The supplier took the order, or handed it to a person. */
export function placementSettlement({ externalRef, totalFen, handoff, toSend }: SupplyPlacement): Settlement {
  if (toSend) return { kind: 'handed_off', handoff: { document: toSend }, text: TEXTS.toSendByHand }
  if (handoff === undefined)
    return {
      kind: 'accepted',
      externalRef,
      text: 'The supplier accepted the order.',
      ...(totalFen !== undefined && { totalFen }),
    }
  return isWebPage(handoff)
    ? { kind: 'handed_off', handoff: { url: handoff }, text: TEXTS.handoff }
    : { kind: 'unknown', text: TEXTS.noHandoffPage, onlyPersonKnows: true }
}

/** Callers follow this link. */
const isWebPage = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '')

/** False for a supplier that has no such call, or that is no longer connected. */
export const canBeAsked = ({ vendors }: Pick<Context, 'vendors'>, namespace: Namespace): boolean =>
  vendors.supports(namespace, 'orderStatus')

/** How long the supplier's own answer is awaited before a person may record the outcome. */
const SUPPLIER_WAIT_MS = HOUR

/**
 * How long the supplier's own answer is still awaited; 0 when a person may say. Where a supplier can be asked, it has an
 * hour from when its answer was first missing.
 */
export function supplierWaitMs(
  { handoff, outcomeUnknown }: Pick<Session, 'handoff' | 'outcomeUnknown'>,
  now: number,
  supplierCanBeAsked: boolean,
): number {
  if (handoff || outcomeUnknown?.onlyPersonKnows || !supplierCanBeAsked) return 0
  if (!outcomeUnknown) return SUPPLIER_WAIT_MS
  return Math.max(0, outcomeUnknown.since + SUPPLIER_WAIT_MS - now)
}
