/** A price that was asked for, what the machine had before, and what became of it. */
import type { Fen } from '../../kernel/fen.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { ErrorMessage } from '../../kernel/message.ts'
import type { Refusal } from '../../kernel/outcome.ts'

export interface RequestedPrice {
  readonly skuId: SkuId
  readonly priceFen: Fen
}

export interface PriceLine extends RequestedPrice {
  readonly title: string
  /** The price on the machine when the line was checked; of several lanes, the one furthest from the new price. */
  readonly previousFen: Fen
  /** Where the product is in several lanes: the known prices of all of them, in ascending order. */
  readonly lanePricesFen?: readonly Fen[]
  /** The platform does not state the price of a lane, so that nobody knows how far it moves. */
  readonly hasUnpricedLane?: true
  /** 7 days before, or the first known since; absent where it is `previousFen` or no rule asks. */
  readonly weekAgoFen?: Fen
  /** Absent where it is not known or no rule asks. */
  readonly costFen?: Fen
  /** The minimum margin that was not compared, because the cost is not known. */
  readonly uncheckedMarginPercent?: number
}

export interface Applied {
  /** Lines whose requested price is in effect: changed now, or set before. */
  readonly inEffect: readonly PriceLine[]
  readonly changed: readonly PriceLine[]
  /** Lines that keep their old price, each with the reason. */
  readonly unchanged: readonly { readonly line: PriceLine; readonly why: ErrorMessage }[]
  /** Nothing was changed, or it is not known. */
  readonly refusal?: Refusal
  /** The machine was not reached or did not answer, rather than refused. */
  readonly mayRetry: boolean
  /**
   * Whether unchanged lines may still change. `known`: no. `unknown`: the request was sent and not answered, so it may still
   * arrive. `refused`: the machine or a gateway refused after the request was sent, which may be wrong.
   */
  readonly outcome: 'known' | 'unknown' | 'refused'
}
