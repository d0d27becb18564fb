/** A checkout session as plain data: a draft purchase order to one supplier. */
import type { UnitCode } from '../../contract/shapes/catalog.ts'
import type { CheckoutStatus } from '../../contract/shapes/checkout.ts'
import type { Buyer, PostalAddress } from '../../contract/common.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import type { Message } from '../../kernel/message.ts'
import type { OrderDocument, SupplyTotals } from '../../vendors/supply-vendor.ts'
import type { DecisionId } from '../../rules/approvals/index.ts'
import type { ApprovalNeed } from '../../rules/guardrails/index.ts'

/** Priced when it was last assessed; `priceFen` is for one `unit`. */
export interface Line {
  readonly id: string
  readonly skuId: SkuId
  readonly title: string
  readonly unit: UnitCode
  /** Single units in one box; absent for single units. */
  readonly contains?: number
  /** The supplier's step and smallest quantity; absent: 1. */
  readonly increment?: number
  readonly minimum?: number
  readonly quantity: number
  readonly priceFen: Fen
  /** Computed from the box price; the supplier's invoice is final. */
  readonly priceDerived: boolean
  readonly imageUrl?: string
}

export interface Destination {
  readonly id: string
  readonly type: 'shipping_address' | 'business_location'
  readonly name?: string
  readonly address: PostalAddress
}

/** An order has one fulfillment, so a session has one method with one group. */
export interface Method {
  readonly id: string
  readonly type: 'shipping' | 'pickup'
  /** `all` includes lines that are added later. */
  readonly lineItemIds: 'all' | readonly string[]
  readonly destinations: readonly Destination[]
  readonly selectedDestinationId: string | null
  readonly groupId: string
  readonly selectedOptionId: string | null
  /** The instant of the selected pickup slot. */
  readonly pickupAt?: number
}

/** Quantities by product, unit and box size, and where they go. */
export interface ApprovedContents {
  readonly place: string | null
  readonly quantities: Readonly<Record<string, number>>
}

export type ClosedAs = 'canceled' | 'expired' | 'approval_rejected'

/** The owner's approval of the run that a session belongs to: it covers the purchases of the run up to its sum. */
export interface RunApproval {
  readonly run: string
  readonly decision: DecisionId
  readonly approvedFen: Fen
  readonly until: number
}

/** How a person takes over: on a page of the supplier, or by sending the order. */
export type Handoff = { readonly url: string } | { readonly document: OrderDocument }

export interface Session {
  readonly id: string
  readonly version: number
  readonly status: CheckoutStatus
  readonly vendor: Namespace
  readonly createdAt: number
  readonly expiresAt: number
  /** When it was last assessed; pickup slots begin after this. */
  readonly assessedAt: number
  readonly createRequestHash: string
  readonly lines: readonly Line[]
  readonly methods: readonly Method[]
  readonly buyer?: Buyer
  /** The agent that created or last changed it (`UCP-Agent`): decides which webhook targets get its order. */
  readonly agent?: string
  /** What the order costs: the supplier's quote, or the sum of its lines. */
  readonly totalFen: Fen
  /** As the supplier quoted them; absent where it quotes nothing beyond the prices of its catalog. */
  readonly totals?: SupplyTotals
  /** Lines of the last request that cannot be bought. */
  readonly unavailableLines: readonly Message[]
  /** Messages of the last assessment. */
  readonly findings: readonly Message[]
  readonly orderHash: string
  readonly decision?: DecisionId
  /** Why the owner has to approve it; absent where none is needed. */
  readonly approvalNeed?: ApprovalNeed
  /** The approval hash of what the owner approved: unlike `orderHash` without prices and pickup time. */
  readonly approvedOrderHash?: string
  /** The highest total that the approval covers. */
  readonly approvedTotalFen?: Fen
  /** With what the session contained when the run was placed: less of it is covered, anything else is not. */
  readonly runApproval?: RunApproval & { readonly contents?: ApprovedContents }
  /** Of the last attempt; 0 before the first. */
  readonly attemptNo: number
  readonly outcomeUnknown?: {
    readonly since: number
    readonly text: string
    /** The supplier cannot be asked about it. */
    readonly onlyPersonKnows?: true
  }
  /** The supplier's page on which a person completes the purchase, or the order that a person sends; nothing was bought by us. */
  readonly handoff?: Handoff
  /** The order that a person has sent: it can be looked at and sent again if it was lost. */
  readonly sentDocument?: Extract<Handoff, { document: unknown }>['document']
  /** Until then an attempt that was recorded as not placed counts towards the limits, because no owner has confirmed it. */
  readonly unconfirmedUntil?: number
  /** An attempt may have reached the supplier without a documented refusal, so the lines must not change. */
  readonly orderMayExist: boolean
  readonly closed?: { readonly as: ClosedAs; readonly at: number }
  /** What the owner who rejected it said. */
  readonly rejectedBecause?: string
  /** The supplier's own order number. */
  readonly supplierOrderNo?: string
}

export const isClosed = ({ status }: Pick<Session, 'status'>): boolean =>
  status === 'completed' || status === 'canceled'

/** Neither closed nor in progress: only the outcome of its attempt changes a session that is in progress. */
export const isOpen = (session: Pick<Session, 'status'>): boolean =>
  !isClosed(session) && session.status !== 'complete_in_progress'

export const isOverdue = (session: Pick<Session, 'status' | 'expiresAt'>, now: number): boolean =>
  isOpen(session) && now >= session.expiresAt

/** Nothing was sent, and nothing can be any more. */
export const bringsNothing = ({ status, orderMayExist }: Pick<Session, 'status' | 'orderMayExist'>): boolean =>
  status === 'canceled' && !orderMayExist

/** Its lines are what was bought, and stay so. An order booked from the supplier's records may differ from its session. */
export const hasFinalContents = (session: Pick<Session, 'status' | 'findings'>): boolean =>
  isClosed(session) && !session.findings.some(({ code }) => code === 'order_restored')
