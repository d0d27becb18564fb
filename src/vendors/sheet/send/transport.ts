/** How a written order leaves: into a folder, by e-mail or over HTTP. */
import type { Failure, SendPermit } from '../../contract.ts'
import { fail, failForPerson } from '../../result.ts'
import type { Order } from '../documents/order-document.ts'
import type { OrderRecord } from '../order-record.ts'

export interface OutgoingDocument {
  readonly order: Order
  readonly attempt: number
  /** `po_1.csv` */
  readonly fileName: string
  readonly mediaType: string
  /** As it leaves, with secrets. */
  readonly document: string
}

type AttemptId = Pick<OrderRecord, 'ref' | 'attempt'>

/**
 * - `sent`    the supplier has it
 * - `unsent`  it certainly has not left, or was refused
 * - `unknown` it may have left
 */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'unsent'; readonly failure: Failure }
  | { readonly kind: 'unknown'; readonly failure: Failure }

export interface Transport {
  /**
   * `begin` stores that the order may leave from now on, and is asked before the permit; false: another instance has
   * stopped this attempt, so nothing may be sent.
   */
  send(outgoing: OutgoingDocument, begin: () => Promise<boolean>, permit: SendPermit): Promise<SendOutcome>
  /**
   * What became of an attempt whose process has ended while it was sending. After `unsent` that attempt cannot send any
   * more. Throws where this cannot be found out now.
   */
  settle(attempt: AttemptId): Promise<SendOutcome['kind']>
  /** Removes what an attempt that never began to send has left. */
  discard?(attempt: AttemptId): Promise<void>
  close(): Promise<void>
}

export const unsentOutcome = (failure: Failure): SendOutcome => ({ kind: 'unsent', failure })

/** Only a person can look into the supplier's mailbox. */
export const unknownOutcome = (message: string, raw: string): SendOutcome => ({
  kind: 'unknown',
  failure: failForPerson(message, raw),
})

/** Refusals in the form that the protocol documents. */
export const refusedOutcome = (failure: Failure): SendOutcome => unsentOutcome({ ...failure, documented: true })

export const STOPPED: SendOutcome = unsentOutcome(
  fail('unsent', 'Another instance has stopped this attempt', { raw: 'stopped' }),
)
export const NO_PERMIT: SendOutcome = unsentOutcome(
  fail('unsent', 'Could not check whether the order may be sent', { raw: 'no permit' }),
)
