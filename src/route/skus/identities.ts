/** The other ids of a product: aliases over two steps, for example from one supplier via a machine to another. */
import type { SkuId } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'
import type { ProductIds } from '../../rules/guardrails/index.ts'
import { type StoredAlias, countsForRules, groupByEnd } from './aliases.ts'
import { findPairs, findMachineProducts } from './records.ts'

/** Only ids with an alias that counts are in the result; barcodes are those reported by machines. */
export async function findIdentities(
  db: Queryable,
  ids: readonly SkuId[],
  counts: (row: StoredAlias) => boolean = countsForRules,
): Promise<ReadonlyMap<SkuId, readonly ProductIds[]>> {
  const neighbours = await loadCountedPairs(db, ids, counts)
  if (neighbours.size === 0) return new Map()
  const near = [...new Set([...neighbours.values()].flatMap((found) => [...found]))]
  const further = await loadCountedPairs(db, near, counts)
  const known = new Map<SkuId, ReadonlySet<SkuId>>()
  for (const [id, found] of neighbours) {
    const all = new Set([...found].flatMap((one) => [one, ...(further.get(one) ?? [])]))
    all.delete(id)
    known.set(id, all)
  }
  const seen = await findMachineProducts(db, [...new Set([...known.values()].flatMap((found) => [...found]))])
  return new Map(
    [...known].map(([id, found]) => [id, [...found].map((skuId) => ({ skuId, barcode: seen.get(skuId)?.barcode }))]),
  )
}

async function loadCountedPairs(
  db: Queryable,
  ids: readonly SkuId[],
  counts: (row: StoredAlias) => boolean,
): Promise<ReadonlyMap<SkuId, ReadonlySet<SkuId>>> {
  const groups = groupByEnd((await findPairs(db, ids)).filter(counts))
  return new Map(
    ids.flatMap((id) => {
      const rows = groups.get(id)
      return rows ? [[id, new Set(rows.map(({ a, b }) => (a === id ? b : a)))] as const] : []
    }),
  )
}
