/** Which stock of a slot counts after a reading: the one that was read, or a newer one that we have. */
import type { MachineSlot } from '../../../vendors/machine-vendor.ts'

/** The stored level of a slot. */
export interface KnownLevel {
  /** The column `stock`: what the platform reported, or what we booked since; null: it reports none. */
  readonly storedStock: number | null
  readonly updatedAt: number
  /** When we last booked a receipt or a count. */
  readonly bookedAt: number
}

/**
 * Undefined when the stored level stays: it was read or booked after this reading, or the platform counted before our last
 * booking.
 */
export function chooseLevel(
  known: KnownLevel | undefined,
  { stock, asOf }: Pick<MachineSlot, 'stock' | 'asOf'>,
  readAt: number,
): { readonly stock: number | null } | undefined {
  if (known && (known.updatedAt > readAt || known.bookedAt > (asOf ?? readAt))) return undefined
  return { stock: stock === null ? null : Math.max(0, stock) }
}
