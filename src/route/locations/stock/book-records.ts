/** Rows of our own book of slots: the last count of each, and the receipts since. */
import type { Queryable, Tx } from '../../../store/store.ts'
import { matchColumns } from '../../../store/match-columns.ts'
import type { BookEntry } from './booked-level.ts'

export interface SlotKey {
  readonly location: string
  readonly vendorSku: string
}

export const slotKey = ({ location, vendorSku }: SlotKey): string => `${location} ${vendorSku}`

export type Books = ReadonlyMap<string, readonly BookEntry[]>

/** By `slotKey`. */
export async function listBooks(db: Queryable, locations: readonly string[]): Promise<Books> {
  if (locations.length === 0) return new Map()
  const rows = await db.selectFrom('slot_book').selectAll().where('location', 'in', locations).execute()
  return Map.groupBy(rows, ({ location, vendor_sku }) => slotKey({ location, vendorSku: vendor_sku }))
}

async function deleteEntries(tx: Tx, { location, vendorSku }: SlotKey, at: number): Promise<void> {
  const entries = tx.deleteFrom('slot_book').where((eb) => matchColumns(eb, { location, vendor_sku: vendorSku }))
  await entries.where('at', '<=', at).execute()
}

/** A count makes the entries before it obsolete. */
export async function bookCount(tx: Tx, slot: SlotKey, at: number, units: number): Promise<void> {
  const { location, vendorSku } = slot
  await deleteEntries(tx, slot, at)
  await tx.insertInto('slot_book').values({ location, vendor_sku: vendorSku, at, kind: 'count', units }).execute()
}

/** Two receipts or removals at one instant are one. */
export async function bookChange(
  tx: Tx,
  { location, vendorSku }: SlotKey,
  at: number,
  kind: 'receipt' | 'removal',
  units: number,
): Promise<void> {
  await tx
    .insertInto('slot_book')
    .values({ location, vendor_sku: vendorSku, at, kind, units })
    .onConflict((conflict) =>
      conflict
        .columns(['location', 'vendor_sku', 'at', 'kind'])
        .doUpdateSet((is) => ({ units: is('slot_book.units', '+', is.ref('excluded.units')) })),
    )
    .execute()
}

/** Puts the book back to what it was before the entries of `at`. Entries after it stay. */
export async function restoreBook(tx: Tx, slot: SlotKey, at: number, before: readonly BookEntry[]): Promise<void> {
  const { location, vendorSku } = slot
  await deleteEntries(tx, slot, at)
  // Entries after `at`, from an instance whose clock is ahead, were not deleted.
  const earlier = before.filter((entry) => entry.at <= at)
  if (earlier.length > 0)
    await tx
      .insertInto('slot_book')
      .values(earlier.map((entry) => ({ location, vendor_sku: vendorSku, ...entry })))
      .execute()
}

export async function deleteBooks(tx: Tx, slots: readonly SlotKey[]): Promise<void> {
  for (const { location, vendorSku } of slots)
    await tx.deleteFrom('slot_book').where('location', '=', location).where('vendor_sku', '=', vendorSku).execute()
}
