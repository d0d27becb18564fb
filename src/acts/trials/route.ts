/** What a trial needs to know of the route: plain values, which planning provides. */
import type { Fen } from '../../kernel/fen.ts'
import type { LocationId, Namespace, SkuId, SlotId } from '../../kernel/ids.ts'
import type { Counts } from './measure/effect.ts'
import type { TrialProduct } from './records.ts'

/** A product in a machine, as planning sees it now. */
export interface RouteSlot {
  readonly location: LocationId
  readonly locationName: string
  readonly namespace: Namespace
  readonly venueType: string | undefined
  readonly slotId: SlotId
  readonly sku: SkuId
  readonly title: string
  /** As the supplier names it. */
  readonly category: string | undefined
  readonly priceFen: Fen
  /** Undefined: no one states it. */
  readonly costFen: number | undefined
  /** Units per day in stock, and what that was learned from. */
  readonly rate: number
  readonly units: number
  readonly days: number
  /** Locked, phased out or otherwise about to change. */
  readonly isFixed: boolean
}

/** Counts the days in stock of a slot between two instants: whole local days, neither of the two. */
export type CountDays = (slotId: string, from: number, until: number) => Counts

/** A swap of a slot's product, as far as the driver got. */
export interface SwapState {
  readonly status: 'pending' | 'approved' | 'rejected' | 'done' | 'canceled'
  readonly changedAt: number
  /** What the machine calls the new product; undefined: no machine held it, and this one does not report it yet. */
  readonly sku: SkuId | undefined
}

/** A product that comes back into its slot. */
export interface SwapBack {
  readonly location: LocationId
  readonly locationName: string
  readonly slotId: SlotId
  readonly sku: SkuId
  readonly title: string
  readonly to: TrialProduct
  /** What taking it back is worth a week. */
  readonly gainFen: number
}

export interface RouteSource {
  /** All planned slots. */
  readonly loadSlots: () => Promise<readonly RouteSlot[]>
  /** The last days of these machines. */
  readonly loadDays: (locations: readonly LocationId[], days: number) => Promise<CountDays>
  /** By its decision. Undefined: its machine is gone. */
  readonly findSwap: (decision: string) => Promise<SwapState | undefined>
  /** Puts it on the list of the next visit; its decision. Asked again, the same one. Undefined: the machine is gone. */
  readonly swapBack: (back: SwapBack) => Promise<string | undefined>
}
