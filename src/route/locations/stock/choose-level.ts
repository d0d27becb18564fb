/**
 * The stock of a slot after its platform was read. A receipt or a count of ours stands until a reading brings news: the
 * same reading again is none, a fall lowers the booked level by as much, a rise replaces it, and so does a fall that the
 * ledger does not explain once it was read past it. A platform often learns of a refill late or never. Pure.
 */
import { MINUTE } from '../../../kernel/clock.ts'
import { firstIndexWhere } from '../../../lib/binary-search.ts'
import type { MachineLane, MachineSlot } from '../../../vendors/machine-vendor.ts'

/** A reading of the platform, and when it was made. */
export interface Reported {
  readonly stock: number
  readonly at: number
}

/** A receipt, removal or count of ours that no reading has replaced. */
export interface Booking {
  readonly kind: 'receipt' | 'removal' | 'count'
  readonly at: number
  /** The reading up to which all falls are explained: at first the last one before the booking. Null: there was none. */
  readonly base: Reported | null
  /** After a count that was doubted and confirmed: the most that a plan counts on. Absent: what was counted. */
  readonly plausibleMax?: number | undefined
}

/** The level of a slot as it is stored. */
export interface KnownLevel {
  /** The column `stock`; null: the level follows from our own book. */
  readonly storedStock: number | null
  readonly updatedAt: number
  /** What the platform said last, with the first of the readings that said so. Null: it reports none. */
  readonly reported: Reported | null
  readonly booking: Booking | undefined
  /** The lanes as they were read last, where the product is in several. */
  readonly lanes?: readonly LaneLevel[] | undefined
}

export type LaneLevel = Pick<MachineLane, 'code' | 'stock' | 'asOf'>

/** What the ledger says about one slot. */
export interface KnownSales {
  /** The instants of units sold, ascending; from `salesNeededFrom` on. */
  readonly soldAt: ArrayLike<number>
  /** The instant up to which the ledger was read without a gap; undefined: it was not. */
  readonly readTo: number | undefined
}

/** What a reading makes of the level. */
export type ChosenLevel =
  /** The reading is the level, and no booking stands any more. */
  | { readonly from: 'reading'; readonly stock: number | null }
  /** The booking stands. `units`: its level, at `at`. `isCounting`: the sales since lower it, no more the readings. */
  | {
      readonly from: 'booking'
      readonly units: number
      readonly at: number
      readonly isCounting: boolean
      readonly base: Reported | null
    }
  /** The stored level stays as it is. */
  | { readonly from: 'stored'; readonly base: Reported | null }

/** The clocks of a platform and of its ledger differ, and a sale may be entered before or after the unit falls. */
const CLOCK_SLACK_MS = 10 * MINUTE

export const NO_SALES: KnownSales = { soldAt: [], readTo: undefined }

/** From when on `chooseLevel` needs the sales of a slot; undefined: it needs none. */
export function salesNeededFrom({ booking, reported, updatedAt, storedStock }: KnownLevel): number | undefined {
  if (!booking) return undefined
  const from = [
    ...(storedStock === null ? [] : [updatedAt]),
    ...(booking.base && fallSince(booking.base, reported) > 0 ? [booking.base.at - CLOCK_SLACK_MS] : []),
  ]
  return from.length === 0 ? undefined : Math.min(...from)
}

const fallSince = (base: Reported, reported: Reported | null): number => (reported ? base.stock - reported.stock : 0)

/** Sales after `from`, up to and including `to`. */
const countSold = (soldAt: ArrayLike<number>, from: number, to: number): number => {
  const after = (at: number) => firstIndexWhere(soldAt.length, (i) => soldAt[i]! > at)
  return Math.max(0, after(to) - after(from))
}

/** Whether the falls since the base were sold. Undefined: the ledger was not read past the last of them. */
function areFallsSold({ base }: Booking, reported: Reported, { soldAt, readTo }: KnownSales): boolean | undefined {
  if (!base || fallSince(base, reported) <= 0) return undefined
  if (readTo === undefined || readTo <= reported.at) return undefined
  const sold = countSold(soldAt, base.at - CLOCK_SLACK_MS, reported.at + CLOCK_SLACK_MS)
  return sold >= fallSince(base, reported)
}

/** A reading as a base: what was sold since its oldest lane was counted may explain a fall after it. */
export const explainedSince = ({ stock, at }: Reported, lanes: readonly LaneLevel[] = []): Reported => ({
  stock,
  at: lanes.reduce((oldest, { asOf = at }) => Math.min(oldest, asOf), at),
})

/** What the machine says; some platforms count below zero. */
export const reportedStock = ({ stock }: Pick<MachineSlot, 'stock'>): number | null =>
  stock === null ? null : Math.max(0, stock)

/** `readAt`: when the machine was asked. `asOf`: when the platform counted, where it says so. */
export function chooseLevel(
  known: KnownLevel | undefined,
  slot: Pick<MachineSlot, 'stock' | 'asOf'> & { readonly lanes?: readonly LaneLevel[] | undefined },
  readAt: number,
  sales: KnownSales = NO_SALES,
): ChosenLevel {
  const stock = reportedStock(slot)
  if (!known) return { from: 'reading', stock }
  const { storedStock, updatedAt } = known
  const { booking, reported } = withoutOldLanes(known, slot.lanes)
  const base = booking?.base ?? null
  const countedAt = slot.asOf ?? readAt
  if (known.booking && countedAt < known.booking.at)
    return chooseBeforeBooking(
      known,
      known.booking,
      stock,
      explainedSince({ stock: stock ?? 0, at: countedAt }, slot.lanes),
    )
  if (updatedAt > readAt) return { from: 'stored', base }
  // A platform that reports no stock any more says nothing against a booking.
  if (!booking || stock === null || !reported) return { from: 'reading', stock }

  const areSold = areFallsSold(booking, reported, sales)
  if (stock > reported.stock || areSold === false) return { from: 'reading', stock }
  const explained = areSold ? explainedSince(reported, known.lanes) : base
  if (storedStock === null) return { from: 'stored', base: explained }
  const fall = reported.stock - stock
  // A reading of 0 cannot fall further: from here on the sales since lower the level.
  const isCounting = stock === 0 && storedStock > 0
  if (fall === 0)
    return isCounting
      ? { from: 'booking', units: storedStock, at: updatedAt, isCounting, base: explained }
      : { from: 'stored', base: explained }
  const sold = isCounting ? countSold(sales.soldAt, updatedAt, readAt) : 0
  const units = Math.max(0, storedStock - Math.max(fall, sold))
  return { from: 'booking', units, at: readAt, isCounting, base: explained }
}

/**
 * Of a product in several lanes, a lane that was counted before our booking brings no news, while the others may. What it
 * changed by is taken out of the comparison: a count of ours contains it. Of a receipt only a rise is: a fall that the
 * platform tells of late is one all the same.
 */
function withoutOldLanes(
  { booking, reported, lanes: before = [] }: KnownLevel,
  lanes: readonly LaneLevel[] = [],
): Pick<KnownLevel, 'booking' | 'reported'> {
  const stockBefore = new Map(before.map(({ code, stock }) => [code, stock]))
  // Lanes of the same name cannot be told apart.
  const areNamed = stockBefore.size === before.length && new Set(lanes.map(({ code }) => code)).size === lanes.length
  if (!booking || !reported || !areNamed) return { booking, reported }
  let old = 0
  for (const { code, stock, asOf } of lanes) {
    const known = stockBefore.get(code)
    if (asOf === undefined || asOf >= booking.at || stock === null || known === undefined || known === null) continue
    old += booking.kind === 'count' ? stock - known : Math.max(0, stock - known)
  }
  if (old === 0) return { booking, reported }
  const moved = ({ stock, at }: Reported): Reported => ({ stock: stock + old, at })
  return { booking: { ...booking, base: booking.base && moved(booking.base) }, reported: moved(reported) }
}

/** The platform counted before our booking: a count of ours is newer, a receipt comes on top of what it says. */
function chooseBeforeBooking(
  { storedStock, reported, updatedAt }: KnownLevel,
  { kind, base }: Booking,
  stock: number | null,
  counted: Reported,
): ChosenLevel {
  if (stock === null) return { from: 'stored', base }
  if (kind === 'count' || !reported || storedStock === null || stock >= reported.stock)
    return { from: 'stored', base: kind === 'count' ? counted : base }
  const units = Math.max(0, storedStock - (reported.stock - stock))
  return { from: 'booking', units, at: updatedAt, isCounting: false, base }
}
