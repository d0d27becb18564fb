/** Which products are the same, and which products machines have held. */
import { int, nullable, table, text, textOf } from '../table.ts'

export const SKUS_TABLES = {
  /** Which products of different namespaces are the same. */
  sku_alias: table(
    {
      /** The smaller of the two sku_ids; a pair stands here once. */
      a: text,
      b: text,
      a_namespace: text,
      b_namespace: text,
      source: textOf<'barcode' | 'manual' | 'suggested' | 'rejected'>(),
      /**
       * When a code or a person said so; null for a guess or a refusal. A rejected pair keeps it where an operator withdrew what
       * was confirmed, and gets it where codes are equal: the rules go on counting such a pair.
       */
      confirmed_at: nullable(int),
      changed_at: int,
    },
    {
      key: ['a', 'b'],
      indexes: {
        a_namespace: ['a_namespace'],
        b: ['b'],
        b_namespace: ['b_namespace'],
      },
    },
  ),

  /** A machine platform has no catalog to ask, so what was seen in machines is remembered. */
  machine_product: table(
    {
      sku_id: text,
      namespace: text,
      title: text,
      /** As the machine reports it, right or wrong. */
      barcode: nullable(text),
      /** Canonical form when the code is a right one. */
      gtin: nullable(text),
      seen_at: int,
    },
    {
      key: ['sku_id'],
      indexes: {
        gtin: ['gtin'],
        seen: ['seen_at'],
      },
    },
  ),

  /** Days that a product may stay in a machine. */
  shelf_life: table({ sku_id: text, days: int }, { key: ['sku_id'] }),

  /** A product of which nothing more is ordered: on the whole route where the location is empty. */
  phase_out: table(
    {
      sku_id: text,
      location: text,
      at: int,
    },
    { key: ['sku_id', 'location'] },
  ),
}
