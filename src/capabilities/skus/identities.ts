/** Under which other ids a product is known: confirmed aliases over two steps, as from one supplier over a machine to another. */
import type { SkuId } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'
import type { ProductIds } from '../guardrails/index.ts'
import { isConfirmed } from './aliases.ts'
import { pairsOf, findMachineProducts } from './records.ts'

/** Only ids that have a confirmed alias are in the answer; barcodes are those that machines were seen to report. */
export async function identitiesOf(
  db: Queryable,
  ids: readonly SkuId[],
): Promise<ReadonlyMap<SkuId, readonly ProductIds[]>> {
  const neighbours = await confirmedPairs(db, ids)
  if (neighbours.size === 0) return new Map()
  const near = [...new Set([...neighbours.values()].flatMap((found) => [...found]))]
  const further = await confirmedPairs(db, near)
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

async function confirmedPairs(db: Queryable, ids: readonly SkuId[]): Promise<ReadonlyMap<SkuId, ReadonlySet<SkuId>>> {
  const wanted = new Set(ids)
  const found = new Map<SkuId, Set<SkuId>>()
  const note = (id: SkuId, other: SkuId) => {
    if (!wanted.has(id)) return
    const known = found.get(id)
    if (known) known.add(other)
    else found.set(id, new Set([other]))
  }
  for (const pair of (await pairsOf(db, ids)).filter(isConfirmed)) {
    note(pair.a, pair.b)
    note(pair.b, pair.a)
  }
  return found
}
