/** Which products are the same, and which products machines have held. */
/** Aliases between products of different namespaces, and the products that were seen in machines. */
export interface SkuAliasTable {
  /** The smaller of the two sku_ids; a pair stands here once. */
  a: string
  b: string
  a_namespace: string
  b_namespace: string
  source: 'barcode' | 'manual' | 'suggested' | 'rejected'
  /**
   * When a code or a person said so; null for a guess or a refusal. A rejected pair keeps it where an operator withdrew what
   * was confirmed, and gets it where codes are equal: the rules go on counting such a pair.
   */
  confirmed_at: number | null
  changed_at: number
}

/** A machine platform has no catalog to ask, so what was seen in machines is remembered. */
export interface SeenGoodTable {
  sku_id: string
  namespace: string
  title: string
  /** As the machine reports it, right or wrong. */
  barcode: string | null
  /** Canonical form when the code is a right one. */
  gtin: string | null
  seen_at: number
}

/** Days that a product may stay in a machine. */
export interface ShelfLifeTable {
  sku_id: string
  days: number
}

/** A product of which nothing more is ordered: on the whole route where the location is empty. */
export interface PhaseOutTable {
  sku_id: string
  location: string
  at: number
}

export interface SkusTables {
  sku_alias: SkuAliasTable
  seen_good: SeenGoodTable
  shelf_life: ShelfLifeTable
  phase_out: PhaseOutTable
}
