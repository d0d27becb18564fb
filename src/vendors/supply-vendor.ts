/** What an adapter of a supplier does. */
import type { Fen } from '../kernel/fen.ts'
import type { Fields } from '../lib/objects.ts'
import type { Freshness, Result, SendPermit, UnreadableRow } from './contract.ts'
import type { AskedPack } from './packs.ts'

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
  /** A person said that the last attempt under this `ref` placed nothing: an adapter that does not know may send again. */
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

/** What came of placing an order. */
export interface SupplyPlacement {
  readonly externalRef: string
  /** Absent: the supplier did not state it. */
  readonly totalFen?: Fen
  /** Nothing was bought: a person completes the purchase on this page of the supplier and records the outcome. */
  readonly handoff?: string
  /** Nothing was sent: a person sends this document to the supplier and records the outcome. */
  readonly toSend?: OrderDocument
}

/** An order as a file. */
export interface OrderDocument {
  /** `po_1.csv` */
  readonly fileName: string
  readonly mediaType: string
  readonly content: string
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
  /** Each once, as last sent. Absent: none was read. */
  readonly invoices?: readonly SupplyInvoice[]
}

export interface SupplyInvoice {
  readonly number: string
  /** With tax and charges. */
  readonly totalFen: Fen
  /** Delivery, deposits and the like, less allowances. */
  readonly chargesFen: Fen
  readonly taxFen: Fen
  readonly lines: readonly SupplyInvoiceLine[]
}

/** In the unit that was ordered. */
export interface SupplyInvoiceLine {
  /** Absent: it was not ordered. */
  readonly vendorSku?: string
  /** What the supplier calls something that was not ordered. */
  readonly unordered?: string
  readonly quantity: number
  /** Items in the unit. */
  readonly contains: number
  readonly unitPriceFen: Fen
}

export interface SupplyLineStatus {
  readonly vendorSku: string
  readonly shipped: number
  /** Will not come. */
  readonly cancelled: number
}

/** A message that somebody sent us, as it came. */
export interface InboundRequest {
  readonly method: string
  /** Of the request, without the query. */
  readonly path: string
  readonly host: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

export interface InboundNews {
  /** The same for the same message. */
  readonly id: string
  /** The supplier's numbers of orders that changed; it is asked about each. */
  readonly orders: readonly string[]
}

export interface SupplyVendor {
  readonly role: 'supply'
  /** The keyword only narrows the request, as loosely as the supplier matches: callers filter themselves. */
  catalog(query?: { readonly keyword?: string } & Freshness): Promise<Result<SupplyCatalog>>
  /** Days until a delivery, as the owner stated them for this supplier; absent: nobody did. */
  readonly leadDays?: number
  /** Only behind a cache: the catalog as it was last read, however old; undefined until it was. Reads nothing. */
  lastCatalog?(): SupplyCatalog | undefined
  /**
   * Idempotent on the order's `ref`: the same reference again places nothing and returns the first order. Only `unsupported` and
   * `unsent` certainly placed nothing; after any other failure the caller asks orderStatus before it believes it. Without
   * that capability a `rejected` in the documented form is believed, and everything else is left to a person.
   */
  createOrder(order: SupplyOrder, permit: SendPermit): Promise<Result<SupplyPlacement>>
  orderStatus(ref: string): Promise<Result<SupplyOrderStatus>>
  /**
   * A person found out that the supplier has the order, where the adapter cannot know. Sends nothing. Absent: the adapter
   * asks the supplier by our number. False: an attempt is under way.
   */
  recordPlaced?(ref: string, externalRef: string): Promise<boolean>
  /**
   * Keeps a person's word that the supplier canceled an order, where nothing that the adapter reads says so. False: there is no
   * such order. Absent: the supplier is asked and says it itself.
   */
  recordCanceled?(ref: string): Promise<boolean>
  /** Proves who sent a message and reads which orders it is about. `unauthorized`: it proves nothing. Absent: it sends none. */
  receive?(request: InboundRequest): Promise<Result<InboundNews>>
  /** Files of the supplier, such as replies, that were looked at and cannot be used. Absent: it sends none. */
  unreadableFiles?(): readonly UnreadableRow[]
  /** What a reply would change, before it is used. Absent: the supplier sends none. */
  examineReply?(bytes: Uint8Array): Promise<Result<ExaminedReply>>
  /** Packs of the catalog as it was last read whose size has to be said, by text; undefined until it was. Absent: the supplier states its sizes. */
  askedPacks?(): readonly AskedPack[] | undefined
  /** Our numbers of orders that may have left since then, by the journal outside the database. Throws when it cannot be read. */
  journaledRefs?(sinceMs: number): readonly string[]
  /** What the supplier asks for these lines at this destination, live. Absent: the prices of the catalog are all it asks. */
  quote?(order: SupplyQuoteRequest): Promise<Result<SupplyQuote>>
}

export interface ExaminedReply {
  readonly orders: readonly { readonly ref: string; readonly says: string }[]
  /** It cancels an order, or leaves less of a line than there is now. */
  readonly lowers: boolean
  /** It cannot be read before this is answered: in the settings, as the choice says. */
  readonly question?: ReplyQuestion
}

/** What only a person knows about a reply. Each choice is a part of the settings of the connection. */
export interface ReplyQuestion {
  readonly code: 'reply_word' | 'reply_column'
  readonly text: string
  readonly choices: { readonly label: string; readonly answers: Fields }[]
}
