/**
 * Which receipt or count of ours the stock of a slot shows, and what the platform said before it: a reading replaces it
 * only when it brings news. `reported_at`: the first reading that said `reported_stock`.
 */
import type { Ddl } from '../migrate.ts'

const LAST_BOOKED = `select max(slot_book.at) from slot_book
  where slot_book.location = slot.location and slot_book.vendor_sku = slot.vendor_sku`

export const slotBookings = ({ int }: Ddl): readonly string[] => [
  'alter table slot add column booking text',
  `alter table slot add column booked_at ${int}`,
  `alter table slot add column base_stock ${int}`,
  `alter table slot add column base_at ${int}`,
  `alter table slot add column reported_at ${int}`,
  'update slot set reported_at = updated_at where reported_stock is not null',
  // What was booked into machines that report stock is in the book as a count, receipts too.
  `update slot set booking = 'count', booked_at = (${LAST_BOOKED}), base_stock = reported_stock,
    base_at = case when reported_stock is null then null else updated_at end
    where (${LAST_BOOKED}) >= updated_at or (stock is null and (${LAST_BOOKED}) is not null)`,
  `update slot set booking = 'receipt' where stock is null and exists (select 1 from slot_book
    where slot_book.location = slot.location and slot_book.vendor_sku = slot.vendor_sku
      and slot_book.at = slot.booked_at and slot_book.kind = 'receipt')
    and not exists (select 1 from slot_book where slot_book.location = slot.location
      and slot_book.vendor_sku = slot.vendor_sku and slot_book.at = slot.booked_at and slot_book.kind = 'count')`,
]
