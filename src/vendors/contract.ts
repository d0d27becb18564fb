/**
 * The contract of adapters: what one of each role offers. Amounts are integer fen, times epoch milliseconds (null when unreadable).
 * Upstream failures are returned, never thrown, and an authentication failure never looks like an empty result.
 */

import type { Namespace } from '../kernel/ids.ts'

/**
 * Why an upstream call gave no result.
 * - `rejected`      it understood and declined: nothing happened upstream
 * - `unauthorized`  it refused our credentials: nothing happened upstream
 * - `absent`        it has no such order (orderStatus of an unknown reference)
 * - `unsupported`   this adapter has no such call
 * - `unsent`        not a byte was written (no connection, or no permit to send): nothing happened upstream
 * - `limited`       it asked us to slow down
 * - `unknown`       time-out, broken connection, 5xx, unreadable reply: a write may or may not have happened
 */
export type FailureReason = 'rejected' | 'unauthorized' | 'absent' | 'unsupported' | 'unsent' | 'limited' | 'unknown'

export interface Failure {
  readonly ok: false
  readonly reason: FailureReason
  /** Set exactly when reason is `unauthorized`, as the contract of adapters names it. */
  readonly unauthorized?: true
  /** The connection that failed, as the registry adds it. */
  readonly namespace?: Namespace
  /** Set when the upstream's application reported it in its documented form; absent for a bare HTTP status of a gateway. */
  readonly documented?: true
  /** The upstream's own text, sanitized and without secrets: `content` of supplier_rejected and upstream_unreachable. */
  readonly message: string
  /** Seconds, where the upstream states them. */
  readonly retryAfter?: number
  /** The upstream's code or HTTP status, for logs. */
  readonly raw?: string
  /** Set when the send permit was denied: the write is `unsent` because of our own rules, not because of the connection. */
  readonly denied?: SendDenial['code']
  /** Set with `unknown` when asking again cannot help, such as after an e-mail that broke off: a person records the outcome. */
  readonly onlyPersonKnows?: true
}

/** Why a write must not be sent now. */
export interface SendDenial {
  readonly code: 'kill_switch_engaged' | 'guard_unverifiable'
  readonly message: string
  /** Seconds. */
  readonly retryAfter?: number
}

/**
 * Asked once the connection is established, immediately before the first byte of a write. A granted permit calls `write`
 * before it resolves, under a lock that excludes a concurrent emergency stop; a denied one never calls it. `write` hands
 * the request to the socket synchronously. An adapter that splits or repeats a write asks each time.
 */
export type SendPermit = (write: () => void) => Promise<SendDenial | undefined>

/** A row of a listing that its adapter could not read. The other rows are read all the same. */
export interface UnreadableRow {
  readonly kind: 'product' | 'site' | 'slot' | 'sale' | 'file' | 'reply'
  /** The vendor's code of the row; undefined when that cannot be read either. */
  readonly id: string | undefined
  /** Its place in the file, counted as spreadsheets do. */
  readonly row?: number
  /** For callers, in our terms: `its price cannot be read`. */
  readonly problem: string
  /** For the log: the vendor's field and what is wrong with it. */
  readonly detail: string
}

export type Result<T> =
  | {
      readonly ok: true
      readonly value: T
      /** Rows of a catalog, an inventory or a ledger page, or replies to an order, that the value leaves out. Absent: none. */
      readonly unreadable?: readonly UnreadableRow[]
      /** When the upstream was asked, on results that came out of a cache. */
      readonly readAt?: number
    }
  | Failure

/** An adapter always reads its upstream; the cache in front of it is bypassed with `live`. */
export interface Freshness {
  readonly live?: boolean
}
