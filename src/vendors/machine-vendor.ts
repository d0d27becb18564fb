/** What an adapter of a machine platform does. */
import type { Fen } from '../kernel/fen.ts'
import type { Freshness, Result, SendPermit, UnreadableRow } from './contract.ts'

export interface MachineSlot {
  readonly vendorSku: string
  readonly title: string
  readonly barcode?: string
  /** Of the first lane that has one; the others may have other prices. */
  readonly priceFen: Fen
  /** Null: the platform does not state it. */
  readonly stock: number | null
  /** When the stock was counted, epoch milliseconds; of several lanes, the newest count. Absent: now. */
  readonly asOf?: number
  /** Absent: the platform does not state it. */
  readonly capacity?: number
  /** Where one product is in several lanes; absent: one lane that the platform does not name. */
  readonly lanes?: readonly MachineLane[]
  readonly imageUrl?: string
}

/** The prices of a product in a machine, lane by lane; null where the platform does not state one. */
export const lanePrices = ({ priceFen, lanes }: MachineSlot): readonly (Fen | null)[] =>
  lanes === undefined || lanes.length === 0 ? [priceFen] : lanes.map((lane) => lane.priceFen)

/** One lane of a machine. Null is unknown, never zero. */
export interface MachineLane {
  readonly code: string
  /** The platform does not name its lanes: `code` only numbers those of the product. */
  readonly isNumbered?: true
  readonly priceFen: Fen | null
  readonly stock: number | null
  readonly capacity: number | null
  /** When its stock was counted, epoch milliseconds; absent: as the product's. */
  readonly asOf?: number
}

export type LedgerLineStatus = 'paid' | 'unpaid' | 'refunded' | 'refund_failed' | 'cancelled'

export interface LedgerLine {
  readonly vendorSku: string
  readonly priceFen: Fen
  /** Null when unknown; a cost equal to the price is unknown. */
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
  /** Per location: later sales are not known yet, because the platform learns of them with the next reading. */
  readonly completeTo?: Readonly<Record<string, number>>
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
  /** Found in files, and not in the settings yet: the entry of `machines` that takes it in. */
  readonly entry?: Readonly<Record<string, string>>
}

export interface MachineHealth {
  readonly online: boolean | null
  readonly lastSeenAt: number | null
  /** For people, in our terms. */
  readonly problems: readonly string[]
}

export interface CashTaken {
  readonly at: number
  /** Null: how much was taken since the entry before cannot be told. */
  readonly amountFen: Fen | null
}

/** What can be collected from a machine: coins that went into its box, and notes. Change paid out is not taken off. */
export interface MachineCash {
  /** All that was taken after `fromMs` and up to `untilMs` is in `taken`. */
  readonly fromMs: number
  readonly untilMs: number
  readonly taken: readonly CashTaken[]
}

export interface MachineVendor {
  readonly role: 'machine'
  /** False: files say nothing about whether a machine is online. Elsewhere a platform that answers for a machine sees it. */
  readonly canSeeOnline?: false
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
  /** Undefined: this machine counts no cash, or nothing is known of it yet. */
  cash?(locationId: string): Promise<Result<MachineCash | undefined>>
  /** Stores what waits in a queue of the vendor, waiting a moment for it. Absent: it has none. For a job, on one instance at a time. */
  receiveMessages?(): Promise<Result<{ readonly messages: number }>>
}
