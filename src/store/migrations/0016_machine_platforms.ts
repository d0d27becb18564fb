import type { Ddl } from '../migrate.ts'

/** Milliseconds in a block: 32 days. */
const BLOCK = 2_764_800_000

/**
 * Several machine platforms side by side: sales are added up per platform, stock may be unknown, and a machine has its own
 * time zone. The totals are computed again from the sale lines, which have always named their platform.
 */
export const machinePlatforms = ({ int, strict }: Ddl): readonly string[] => [
  `alter table location add column platform_time_zone text`,
  `alter table location add column health text`,
  `alter table location add column health_at ${int}`,
  // A column cannot lose its "not null" in both databases alike, so the table is copied.
  `create table slot_next (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    slot_id text not null,
    sku_id text not null,
    title text not null,
    barcode text,
    price ${int} not null,
    stock ${int},
    capacity ${int},
    capacity_source text,
    lanes text,
    image_url text,
    first_seen_at ${int} not null,
    updated_at ${int} not null,
    primary key (location, vendor_sku)
  )${strict}`,
  `insert into slot_next
    select location, vendor_sku, slot_id, sku_id, title, barcode, price, stock, capacity, capacity_source, null, image_url,
      first_seen_at, updated_at from slot`,
  `drop table slot`,
  `alter table slot_next rename to slot`,
  `create index slot_by_id on slot (slot_id)`,
  `create index slot_by_sku on slot (sku_id)`,
  `create table slot_book (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    at ${int} not null,
    kind text not null,
    units ${int} not null,
    primary key (location, vendor_sku, at, kind)
  )${strict}`,
  `create table ledger_machine (
    namespace text not null,
    location text not null,
    time_zone text,
    complete_from ${int},
    primary key (namespace, location)
  )${strict}`,
  `drop table sales_daily`,
  `create table sales_daily (
    namespace text not null,
    location text not null,
    vendor_sku text not null,
    day text not null,
    units ${int} not null,
    revenue ${int} not null,
    last_at ${int} not null,
    primary key (location, namespace, vendor_sku, day)
  )${strict}`,
  `insert into sales_daily (namespace, location, vendor_sku, day, units, revenue, last_at)
    select namespace, location, vendor_sku, day, count(*), sum(price), max(at) from sale_line
    group by namespace, location, vendor_sku, day`,
  `drop table slot_sales`,
  `create table slot_sales (
    namespace text not null,
    location text not null,
    vendor_sku text not null,
    block ${int} not null,
    sold text not null,
    primary key (location, namespace, vendor_sku, block)
  )${strict}`,
  `insert into slot_sales (namespace, location, vendor_sku, block, sold)
    select namespace, location, vendor_sku, at / ${BLOCK},
      string_agg(cast(at - (at / ${BLOCK}) * ${BLOCK} as text), ',' order by at)
    from sale_line where vendor_sku not like '% %' group by namespace, location, vendor_sku, at / ${BLOCK}`,
]
