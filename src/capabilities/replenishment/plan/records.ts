/** The slots of machines, as far as a plan and what becomes of it ask. */
import type { LocationId, SkuId, SlotId } from '../../../kernel/ids.ts'
import type { Queryable } from '../../../store/store.ts'
import type { StoredSlot } from '../../locations/index.ts'

export type PlanSlot = Pick<
  StoredSlot,
  'location' | 'vendorSku' | 'slotId' | 'skuId' | 'title' | 'price' | 'stock' | 'capacity' | 'locked' | 'firstSeenAt'
>

export async function planSlots(db: Queryable, locations: readonly string[]): Promise<PlanSlot[]> {
  const locks = await db
    .selectFrom('slot_lock')
    .select(['location', 'vendor_sku'])
    .where('location', 'in', locations)
    .execute()
  const locked = new Set(locks.map(({ location, vendor_sku }) => `${location} ${vendor_sku}`))
  const isLocked = (location: string, vendorSku: string) => locked.size > 0 && locked.has(`${location} ${vendorSku}`)
  const rows = await db
    .selectFrom('slot')
    .select(['location', 'vendor_sku', 'slot_id', 'sku_id', 'title', 'price', 'stock', 'capacity', 'first_seen_at'])
    .where('location', 'in', locations)
    .execute()
  return rows.map((row) => ({
    location: row.location as LocationId,
    vendorSku: row.vendor_sku,
    slotId: row.slot_id as SlotId,
    skuId: row.sku_id as SkuId,
    title: row.title,
    price: row.price,
    stock: row.stock,
    capacity: row.capacity,
    locked: isLocked(row.location, row.vendor_sku),
    firstSeenAt: row.first_seen_at,
  }))
}
