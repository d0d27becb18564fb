/** The stored slots of a machine, in order of their code. */
import { findSlot } from '../../src/route/locations/slot-records.ts'
import type { Store } from '../../src/store/store.ts'

export async function slotsOf(db: Store['db'], location: string) {
  const rows = await db.selectFrom('slot').select('vendor_sku').where('location', '=', location).execute()
  const slots = await Promise.all(rows.map(({ vendor_sku }) => findSlot(db, location, vendor_sku)))
  return slots.flatMap((slot) => slot ?? []).toSorted((a, b) => (a.vendorSku < b.vendorSku ? -1 : 1))
}
