import type { Ddl } from '../migrate.ts'

export const skus = ({ int, strict }: Ddl): readonly string[] => [
  `create table sku_alias (
    a text not null,
    b text not null,
    a_namespace text not null,
    b_namespace text not null,
    source text not null,
    confirmed_at ${int},
    changed_at ${int} not null,
    primary key (a, b)
  )${strict}`,
  `create index sku_alias_b on sku_alias (b)`,
  `create index sku_alias_a_namespace on sku_alias (a_namespace)`,
  `create index sku_alias_b_namespace on sku_alias (b_namespace)`,
  `create table seen_good (
    sku_id text primary key,
    namespace text not null,
    title text not null,
    barcode text,
    gtin text,
    seen_at ${int} not null
  )${strict}`,
  `create index seen_good_gtin on seen_good (gtin)`,
  `create index seen_good_seen on seen_good (seen_at)`,
]
