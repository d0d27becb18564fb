import type { Ddl } from '../migrate.ts'

/** Milliseconds in a block: 32 days. */
const BLOCK = 2_764_800_000

const level = (row: string) =>
  `cast(${row}.at - own.block * ${BLOCK} as text) || ':' || cast(${row}.stock as text)
    || case ${row}.source when 'receipt' then 'r' else '' end`

const MARKS = `case when stock <= 0 or source = 'receipt' then 1 else 0 end`

export const slotTraces = ({ int, strict }: Ddl): readonly string[] => [
  `create table slot_sales (
    location text not null,
    vendor_sku text not null,
    block ${int} not null,
    sold text not null,
    primary key (location, vendor_sku, block)
  )${strict}`,
  `create table slot_levels (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    block ${int} not null,
    levels text not null,
    primary key (location, vendor_sku, block)
  )${strict}`,
  `insert into slot_sales (location, vendor_sku, block, sold)
    select location, vendor_sku, at / ${BLOCK}, string_agg(cast(at - (at / ${BLOCK}) * ${BLOCK} as text), ',' order by at)
    from sale_line where vendor_sku not like '% %' group by location, vendor_sku, at / ${BLOCK}`,
  // Only what a plan can tell something from: marks of emptiness, what stands next to one, and highest levels to come.
  `insert into slot_levels (location, vendor_sku, block, levels)
    select own.location, own.vendor_sku, own.block, coalesce((
        select ${level('earlier')} || ',' from stock_log earlier
        where earlier.location = own.location and earlier.vendor_sku = own.vendor_sku and earlier.at < own.block * ${BLOCK}
        order by earlier.at desc limit 1
      ), '') || string_agg(${level('own')}, ',' order by own.at)
    from (
      select location, vendor_sku, at / ${BLOCK} as block, at, stock, source, ${MARKS} as marks,
        lag(${MARKS}) over points as marks_before, lead(${MARKS}) over points as marks_after,
        max(stock) over (partition by location, vendor_sku, at / ${BLOCK} order by at
          rows between 1 following and unbounded following) as highest_after
      from stock_log where vendor_sku not like '% %'
      window points as (partition by location, vendor_sku, at / ${BLOCK} order by at)
    ) own
    where own.marks = 1 or coalesce(own.marks_before, 1) = 1 or coalesce(own.marks_after, 1) = 1
      or own.stock > own.highest_after
    group by own.location, own.vendor_sku, own.block`,
]
