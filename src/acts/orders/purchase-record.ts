/** A purchase as it is stored. */
import type { PostalAddress } from '../../contract/common.ts'
import type { Item } from '../../contract/shapes/checkout.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { LogisticsStep, SupplyLineStatus, SupplyState, SupplyTotals } from '../../vendors/supply-vendor.ts'

export interface PurchaseLine {
  readonly id: string
  readonly item: Item
  readonly quantity: number
}

/**
 * - `quantity`     more is invoiced than was confirmed or received
 * - `price`        at a higher price than agreed
 * - `not_ordered`  something that was not ordered
 * - `charge`       more delivery, deposits or fees than quoted
 * - `total`        the lines are right and the total is higher: mostly tax
 */
export interface InvoiceDifference {
  readonly kind: 'quantity' | 'price' | 'not_ordered' | 'charge' | 'total'
  /** The numbers of the invoices that it is about. */
  readonly invoice: string
  /** Of the order. */
  readonly line?: string
  readonly title?: string
  readonly invoiced: number
  readonly expected: number
  /** Minor units. */
  readonly amount: number
}

export interface PurchaseFulfillment {
  readonly type: 'shipping' | 'pickup'
  readonly destination: PostalAddress
  /** Title of the chosen fulfillment option. */
  readonly description: string
  readonly at?: number
}

export interface NewPurchase {
  /** The id of the checkout session; also our reference at the supplier. */
  readonly id: string
  readonly vendor: Namespace
  readonly label: string
  readonly placedAt: number
  /** What the supplier asks for it. */
  readonly totalFen: Fen
  /** As quoted before it was placed; absent where the supplier charges the lines and nothing more. */
  readonly totals?: SupplyTotals
  /** What was agreed, where the supplier asks another total. */
  readonly agreedFen?: Fen
  /** Who found out that the supplier has it, where only a person could. */
  readonly recordedBy?: string
  readonly lines: readonly PurchaseLine[]
  readonly delivery: PurchaseFulfillment
}

export interface Purchase extends NewPurchase {
  readonly version: number
  /** When it was booked into the store room by itself, or with a run of which nothing came. */
  readonly receivedAt?: number
  /** Since when its invoices differ. */
  readonly invoiceDiffersAt?: number
  readonly state: SupplyState
  /** The last report; undefined until the supplier was asked. */
  readonly supplierStatus:
    | {
        readonly rawStatus: number
        /** The supplier's word for the status. */
        readonly raw?: string
        readonly description: string
        readonly logistics: readonly LogisticsStep[]
        readonly askedAt: number
        /** What is shipped or will not come; absent: as ordered. */
        readonly lines?: readonly SupplyLineStatus[]
        /** When a shortage was first reported. */
        readonly shortSince?: number
        /** How its invoices differ from the order and the receipt; absent: they do not, or there are none. */
        readonly invoiceDifferences?: readonly InvoiceDifference[]
      }
    | undefined
}

/** How a shipment can be tracked; at least one of the three. */
export interface Tracking {
  readonly carrier?: string | undefined
  readonly trackingNumber?: string | undefined
  readonly trackingUrl?: string | undefined
}

/** A state or a shipment that the supplier reported for the first time; stored as observed and never changed. */
export interface StateChange {
  readonly purchase: string
  readonly n: number
  readonly state: SupplyState | 'shipped'
  readonly occurredAt: number
  readonly tracking: Tracking
}
