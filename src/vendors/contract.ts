/**
 * What an adapter of each role offers (2.9). Amounts are integer fen, times epoch milliseconds (null when unreadable).
 * Upstream failures are returned, never thrown, and an authentication failure never looks like an empty result.
 */
import type { Fen } from '../kernel/fen.ts'
import type { Namespace, Role } from '../kernel/ids.ts'

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
  /** Set exactly when reason is `unauthorized`, as 2.9 names it. */
  readonly unauthorized?: true
  /** Set when the upstream's application reported it in its documented form; absent for a bare HTTP status of a gateway. */
  readonly documented?: true
  /** The upstream's own text, sanitised and without secrets: `content` of supplier_rejected and upstream_unreachable. */
  readonly message: string
  /** Seconds, where the upstream states them. */
  readonly retryAfter?: number
  /** The upstream's code or HTTP status, for logs. */
  readonly raw?: string
  /** Set when the send permit was denied: the write is `unsent` because of our own rules, not because of the connection. */
  readonly denied?: SendDenial['code']
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
export interface RefusedRow {
  readonly kind: 'product' | 'site' | 'slot' | 'sale'
  /** The vendor's code of the row; undefined when that cannot be read either. */
  readonly id: string | undefined
  /** For callers, in our terms: `its price cannot be read`. */
  readonly problem: string
  /** For the log: the vendor's field and what is wrong with it. */
  readonly detail: string
}

export type Result<T> =
  | {
      readonly ok: true
      readonly value: T
      /** Rows of a catalog, an inventory or a ledger page that are missing from the value. Absent: none. */
      readonly refused?: readonly RefusedRow[]
      /** When the upstream was asked, on results that came out of a cache. */
      readonly readAt?: number
    }
  | Failure

export interface SupplyProduct {
  readonly vendorSku: string
  readonly title: string
  /** A search matches brand and name; the title usually contains both. */
  readonly brand?: string
  readonly spec?: string
  readonly category?: string
  readonly imageUrl?: string
  readonly barcode?: string
  readonly packSize: number
  readonly packPriceFen: Fen
  readonly eachPriceFen: Fen
  readonly eachPriceDerived: boolean
  readonly stock: number
  /** False: listed but not on sale. */
  readonly isForSale: boolean
}

export interface SupplySite {
  readonly id: string
  readonly name?: string
  readonly address?: string
}

export interface SupplyCatalog {
  readonly products: readonly SupplyProduct[]
  readonly sites: readonly SupplySite[]
}

export interface SupplyOrderLine {
  readonly vendorSku: string
  readonly quantity: number
  readonly unit: 'each' | 'pack'
}

export type SupplyFulfillment =
  | {
      readonly method: 'shipping'
      readonly contactName: string
      readonly contactPhone: string
      readonly address: string
    }
  | { readonly method: 'pickup'; readonly pickupAt: number; readonly siteId?: string }

export type SupplyState = 'ordered' | 'arrived' | 'cancelled'

/** One entry of a supplier's logistics: the fields we know, and the object itself. */
export interface LogisticsStep {
  readonly at: number | null
  readonly text: string
  readonly carrier?: string
  readonly trackingNumber?: string
  readonly trackingUrl?: string
  /** The supplier's object as received. Absent in entries stored by earlier versions. */
  readonly received?: Readonly<Record<string, unknown>>
}

export interface SupplyOrderStatus {
  readonly externalRef: string
  readonly state: SupplyState
  readonly description: string
  readonly rawStatus: number
  readonly createdAt: number | null
  readonly logistics: readonly LogisticsStep[]
}

/** An adapter always reads its upstream; the cache in front of it is bypassed with `live`. */
export interface Freshness {
  readonly live?: boolean
}

export interface SupplyVendor {
  readonly role: 'supply'
  /** The keyword only narrows the request, as loosely as the supplier matches: callers filter themselves. */
  catalog(query?: { readonly keyword?: string } & Freshness): Promise<Result<SupplyCatalog>>
  /**
   * Idempotent on `ref`: the same reference again places nothing and returns the first order. Only `unsupported` and
   * `unsent` certainly placed nothing; after any other failure the caller asks orderStatus before it believes it.
   */
  createOrder(
    ref: string,
    lines: readonly SupplyOrderLine[],
    fulfillment: SupplyFulfillment,
    permit: SendPermit,
  ): Promise<Result<{ readonly externalRef: string }>>
  orderStatus(ref: string): Promise<Result<SupplyOrderStatus>>
}

export interface MachineSlot {
  readonly vendorSku: string
  readonly title: string
  readonly barcode?: string
  readonly priceFen: Fen
  readonly stock: number
  readonly imageUrl?: string
}

export type LedgerLineStatus = 'paid' | 'unpaid' | 'refunded' | 'refund_failed' | 'cancelled'

export interface LedgerLine {
  readonly vendorSku: string
  readonly priceFen: Fen
  /** Null when unknown; a cost equal to the price is unknown (2.1). */
  readonly costFen: Fen | null
  readonly status: LedgerLineStatus
}

export interface LedgerRecord {
  readonly orderNo: string
  /** Raw platform status, kept for troubleshooting. */
  readonly status: string
  readonly statusLabel?: string
  readonly settled: boolean
  readonly locationId: string
  readonly locationName?: string
  readonly totalFen: Fen
  readonly createdAt: number | null
  readonly createdAtRaw: string
  readonly lines: readonly LedgerLine[]
}

export interface LedgerQuery {
  readonly fromMs: number
  readonly toMs: number
  readonly page?: number
  readonly size?: number
  readonly settledOnly?: boolean
}

export interface LedgerPage {
  readonly records: readonly LedgerRecord[]
  readonly page: number
  readonly pages: number
  readonly total: number
}

export interface MachineVendor {
  readonly role: 'machine'
  inventory(locationId: string, freshness?: Freshness): Promise<Result<readonly MachineSlot[]>>
  /** Account-wide, newest first; the adapter does no location filtering. */
  ledger(query: LedgerQuery): Promise<Result<LedgerPage>>
  updatePrices(
    locationId: string,
    prices: readonly { readonly vendorSku: string; readonly priceFen: Fen }[],
    permit: SendPermit,
  ): Promise<Result<{ readonly count: number }>>
  /** The same `ref` again replaces the earlier recommendation. */
  restockRecommend(
    locationId: string,
    ref: string,
    lines: readonly { readonly vendorSku: string; readonly quantity: number; readonly reason: string }[],
    permit: SendPermit,
  ): Promise<Result<{ readonly count: number }>>
}

export type Vendor = SupplyVendor | MachineVendor

export type VendorCapability =
  | 'catalog'
  | 'createOrder'
  | 'orderStatus'
  | 'inventory'
  | 'ledger'
  | 'updatePrices'
  | 'restockRecommend'

/** One entry of the namespace registry (2.4). A planned one has a name but no adapter. */
export interface Registration {
  readonly namespace: Namespace
  readonly vendor: string
  readonly role: Role
  readonly status: 'live' | 'planned'
  readonly capabilities: readonly VendorCapability[]
}
