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
  readonly kind: 'product' | 'site' | 'slot' | 'sale' | 'file'
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
      readonly unreadable?: readonly UnreadableRow[]
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
  /** Single items; null: the supplier does not state it. */
  readonly stock: number | null
  /** False: listed but not on sale. */
  readonly isForSale: boolean
  /** What can be ordered; absent: single items and whole packs. */
  readonly units?: 'both' | 'pack' | 'each'
  /** Smallest quantity and step of an order line, in the unit that is ordered; absent: 1. */
  readonly minOrder?: number
  readonly increment?: number
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

export interface SupplyLine {
  readonly vendorSku: string
  readonly quantity: number
  readonly unit: 'each' | 'pack'
}

/** A line as it was agreed: documents state its text and its price. */
export interface SupplyOrderLine extends SupplyLine {
  readonly title: string
  /** For one `unit`. */
  readonly unitPriceFen: Fen
  /** Items in one `unit`: 1 for `each`. */
  readonly contains: number
  readonly barcode?: string
}

/** The fields of the contract's PostalAddress. */
export interface SupplyAddress {
  readonly street_address?: string
  readonly extended_address?: string
  readonly address_locality?: string
  readonly address_region?: string
  readonly address_country?: string
  readonly postal_code?: string
  readonly first_name?: string
  readonly last_name?: string
  readonly phone_number?: string
}

export type SupplyFulfillment =
  | {
      readonly method: 'shipping'
      readonly contactName: string
      readonly contactPhone: string
      /** The destination in one line. */
      readonly address: string
    }
  | { readonly method: 'pickup'; readonly pickupAt: number; readonly siteId?: string }

export interface SupplyOrder {
  /** Our order number: the id of the checkout session. */
  readonly ref: string
  readonly lines: readonly SupplyOrderLine[]
  readonly fulfillment: SupplyFulfillment
  /** Of a shipment. */
  readonly destination?: SupplyAddress
  /** ISO 4217 code of every amount. */
  readonly currency: string
  /** What the session shows, with tax, fees and delivery. */
  readonly totals: SupplyTotals
  /** The guardrails and the approval allow no more than this. An adapter whose supplier asks more answers `rejected`, `documented`. */
  readonly maxTotalFen: Fen
  /** A person said that the last attempt under this `ref` placed nothing: an adapter that is unsure about it may send again. */
  readonly isRecordedAsNotPlaced?: true
}

/** `total` is the sum of the others. */
export interface SupplyTotals {
  readonly subtotal: Fen
  readonly fulfillment: Fen
  readonly tax: Fen
  readonly fee: Fen
  readonly total: Fen
}

export interface SupplyQuoteRequest extends Pick<SupplyOrder, 'lines' | 'currency' | 'destination'> {
  /** Absent: no destination is chosen yet. */
  readonly fulfillment?: SupplyFulfillment
}

export interface SupplyQuote {
  readonly totals: SupplyTotals
  /** False: the supplier states the final amount only later, so the totals are our estimate. */
  readonly isFinal: boolean
  /** When an order placed now would leave or arrive later than usual: `The cut-off of Tuesday 12:00 has passed`. */
  readonly warnings?: readonly string[]
}

export interface PlacedOrder {
  readonly externalRef: string
  /** Absent: the supplier did not state it. */
  readonly totalFen?: Fen
  /** Nothing was bought: a person completes the purchase on this page of the supplier and records the outcome. */
  readonly handoff?: string
}

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
  /** The supplier's word for the status, where it is not a number. */
  readonly raw?: string
  readonly createdAt: number | null
  readonly logistics: readonly LogisticsStep[]
  /** Absent: as ordered. Quantities are in the unit of the order line. */
  readonly lines?: readonly SupplyLineStatus[]
  /** What the supplier asks for the order; absent: it does not state it. */
  readonly totalFen?: Fen
}

export interface SupplyLineStatus {
  readonly vendorSku: string
  readonly shipped: number
  /** Will not come. */
  readonly cancelled: number
}

/** An adapter always reads its upstream; the cache in front of it is bypassed with `live`. */
export interface Freshness {
  readonly live?: boolean
}

export interface SupplyVendor {
  readonly role: 'supply'
  /** The keyword only narrows the request, as loosely as the supplier matches: callers filter themselves. */
  catalog(query?: { readonly keyword?: string } & Freshness): Promise<Result<SupplyCatalog>>
  /** The cache's: the catalog as it was last read, however old; undefined until it was. Reads nothing. */
  lastCatalog?(): SupplyCatalog | undefined
  /**
   * Idempotent on the order's `ref`: the same reference again places nothing and returns the first order. Only `unsupported` and
   * `unsent` certainly placed nothing; after any other failure the caller asks orderStatus before it believes it. Without
   * that capability a `rejected` in the documented form is believed, and everything else is left to a person.
   */
  createOrder(order: SupplyOrder, permit: SendPermit): Promise<Result<PlacedOrder>>
  orderStatus(ref: string): Promise<Result<SupplyOrderStatus>>
  /** Our numbers of orders that may have left since then, by the journal outside the database. Throws when it cannot be read. */
  journaledRefs?(sinceMs: number): readonly string[]
  /** What the supplier asks for these lines at this destination, live. Absent: the prices of the catalog are all it asks. */
  quote?(order: SupplyQuoteRequest): Promise<Result<SupplyQuote>>
}

export interface MachineSlot {
  readonly vendorSku: string
  readonly title: string
  readonly barcode?: string
  readonly priceFen: Fen
  /** Null: the platform does not state it. */
  readonly stock: number | null
  /** When the stock was counted, epoch milliseconds; absent: now. */
  readonly asOf?: number
  /** Absent: the platform does not state it. */
  readonly capacity?: number
  /** Where one product is in several lanes; absent: one lane that the platform does not name. */
  readonly lanes?: readonly MachineLane[]
  readonly imageUrl?: string
}

/** One lane of a machine. Null is unknown, never zero. */
export interface MachineLane {
  readonly code: string
  readonly priceFen: Fen | null
  readonly stock: number | null
  readonly capacity: number | null
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
  /** Per location: sales before this time are not known, because the platform only has the last ones. */
  readonly completeFrom?: Readonly<Record<string, number>>
  /** Of a platform that is a folder: the files in it that cannot be used now, all of them. The same list while it is unchanged. */
  readonly unreadableFiles?: readonly UnreadableRow[]
}

/** A machine that the platform knows. */
export interface MachineLocation {
  readonly id: string
  readonly name: string
  /** IANA name. */
  readonly timeZone?: string
  readonly address?: string
}

export interface MachineHealth {
  readonly online: boolean | null
  readonly lastSeenAt: number | null
  /** For people, in our terms. */
  readonly problems: readonly string[]
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
  locations?(): Promise<Result<readonly MachineLocation[]>>
  health?(locationId: string): Promise<Result<MachineHealth>>
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
  | 'quote'
  | 'locations'
  | 'health'

/** One entry of the namespace registry (2.4). A planned one has a name but no adapter. */
export interface Registration {
  readonly namespace: Namespace
  readonly vendor: string
  readonly role: Role
  readonly status: 'live' | 'planned'
  readonly capabilities: readonly VendorCapability[]
}
