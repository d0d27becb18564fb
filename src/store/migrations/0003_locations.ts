import type { Ddl } from '../migrate.ts'

export const locations = ({ int, strict }: Ddl): readonly string[] => [
  `create table location (
    id text primary key,
    name text not null,
    namespace text not null,
    profile text not null,
    venue_name text,
    registered_at ${int} not null,
    updated_at ${int} not null,
    last_synced_at ${int},
    online ${int},
    sync_problem text,
    awaits_first_sync ${int} not null
  )${strict}`,
  `create table slot (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    slot_id text not null,
    sku_id text not null,
    title text not null,
    barcode text,
    price ${int} not null,
    stock ${int} not null,
    capacity ${int},
    capacity_source text,
    image_url text,
    first_seen_at ${int} not null,
    updated_at ${int} not null,
    primary key (location, vendor_sku)
  )${strict}`,
  `create index slot_by_id on slot (slot_id)`,
  `create index slot_by_sku on slot (sku_id)`,
  `create table slot_lock (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    locked_at ${int} not null,
    primary key (location, vendor_sku)
  )${strict}`,
  `create table stock_log (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    at ${int} not null,
    stock ${int} not null,
    source text not null,
    primary key (location, vendor_sku, at)
  )${strict}`,
  `create index stock_log_at on stock_log (at)`,
  // The ledger is the account's, not a machine's: it outlives the roster, so no reference to location.
  `create table trade (
    namespace text not null,
    order_no text not null,
    location text not null,
    location_name text,
    status text not null,
    status_label text,
    settled ${int} not null,
    total ${int} not null,
    at ${int} not null,
    at_raw text not null,
    lines text not null,
    first_seen_at ${int} not null,
    changed_at ${int} not null,
    to_announce ${int} not null,
    primary key (order_no, namespace)
  )${strict}`,
  `create index trade_by_time on trade (at, order_no, namespace)`,
  `create index trade_by_location on trade (location, at, order_no, namespace)`,
  `create index trade_settled_by_time on trade (at, order_no, namespace) where settled = 1`,
  `create index trade_settled_by_location on trade (location, at, order_no, namespace) where settled = 1`,
  `create index trade_to_announce on trade (at) where to_announce = 1`,
  `create table sale_line (
    namespace text not null,
    order_no text not null,
    line ${int} not null,
    location text not null,
    vendor_sku text not null,
    at ${int} not null,
    day text not null,
    price ${int} not null,
    cost ${int},
    primary key (order_no, namespace, line)
  )${strict}`,
  `create index sale_line_by_slot on sale_line (location, vendor_sku, day, at, price)`,
  `create table sales_daily (
    location text not null,
    vendor_sku text not null,
    day text not null,
    units ${int} not null,
    revenue ${int} not null,
    last_at ${int} not null,
    primary key (location, vendor_sku, day)
  )${strict}`,
  `create table ledger_mirror (
    namespace text primary key,
    covered_from ${int} not null,
    covered_to ${int} not null,
    gap_from ${int},
    gap_to ${int},
    swept_to ${int},
    announce_from ${int} not null,
    read_at ${int} not null,
    writes ${int} not null
  )${strict}`,
]
