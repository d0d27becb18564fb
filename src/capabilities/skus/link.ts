/**
 * Which goods of two namespaces are the same: by their codes for certain, by their names as a suggestion. Pure; both
 * sides are indexed, so the work grows with the goods and never with their product.
 */
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { namespaceOf } from '../../kernel/ids.ts'
import { isConfirmed, pairKey, pairOf } from './aliases.ts'
import type { Pair, StoredAlias, StoredSource } from './aliases.ts'
import type { Gtin } from './gtin.ts'
import type { NameIndex } from './name-index.ts'
import type { MachineProduct } from './records.ts'

/** A code that more goods of one namespace carry names none of them: a placeholder in somebody's feed. */
const SHARED_CODE_MAX = 8
/** Suggestions that stand for one good in one namespace at the same time. */
export const SUGGESTIONS_MAX = 3

export type CodeIndex = ReadonlyMap<Gtin, readonly SkuId[]>

export function codeIndex(goods: Iterable<{ readonly skuId: SkuId; readonly gtin: Gtin | undefined }>): CodeIndex {
  const index = new Map<Gtin, SkuId[]>()
  for (const { skuId, gtin } of goods) {
    if (gtin === undefined) continue
    const known = index.get(gtin)
    if (known) known.push(skuId)
    else index.set(gtin, [skuId])
  }
  return index
}

const named = (codes: CodeIndex, gtin: Gtin | undefined): readonly SkuId[] => {
  const found = gtin === undefined ? [] : (codes.get(gtin) ?? [])
  return found.length > SHARED_CODE_MAX ? [] : found
}

/** What is known of pairs already, by pair. */
export type Standing = ReadonlyMap<string, StoredSource>

export const standing = (rows: readonly StoredAlias[]): Standing =>
  new Map(rows.map((row) => [pairKey(row), row.source]))

/** Whether a code may say so: a person's yes or no, and the same code before, leave nothing to add. */
const open = (known: Standing, pair: Pair): boolean => (known.get(pairKey(pair)) ?? 'suggested') === 'suggested'

/** New links by code between two sets of goods, each pair once. */
export function codeLinks(left: CodeIndex, right: CodeIndex, known: Standing, now: number): StoredAlias[] {
  const links: StoredAlias[] = []
  const [small, large] = left.size <= right.size ? [left, right] : [right, left]
  for (const gtin of small.keys())
    for (const one of named(small, gtin))
      for (const other of named(large, gtin)) {
        const pair = pairOf(one, other)
        if (namespaceOf(one) !== namespaceOf(other) && open(known, pair))
          links.push({ ...pair, source: 'barcode', confirmedAt: now })
      }
  return links
}

/** A supplier's goods, as far as linking goes. */
export interface SupplierProducts {
  readonly namespace: Namespace
  readonly codes: CodeIndex
  readonly names: NameIndex
  gtinOf(id: SkuId): Gtin | undefined
}

export interface Links {
  readonly add: readonly StoredAlias[]
  /** By code once, and now both sides carry codes that differ: no order may rest on it. */
  readonly outdated: readonly Pair[]
}

/** One machine's good against one supplier: by code, else by name unless something confirmed stands. */
export function linksOf(
  good: MachineProduct,
  side: SupplierProducts,
  rows: readonly StoredAlias[],
  now: number,
): Links {
  const here = rows.filter((row) => namespaceOf(row.a === good.skuId ? row.b : row.a) === side.namespace)
  const outdated = here.filter((row) => row.source === 'barcode' && differ(good.gtin, side.gtinOf(otherEnd(row, good))))
  const known = standing(here)
  const byCode = named(side.codes, good.gtin)
    .map((id) => pairOf(good.skuId, id))
    .filter((pair) => open(known, pair))
    .map(({ a, b }): StoredAlias => ({ a, b, source: 'barcode', confirmedAt: now }))
  const confirmed = byCode.length > 0 || here.some((row) => isConfirmed(row) && !outdated.includes(row))
  if (confirmed) return { add: byCode, outdated }

  const free = SUGGESTIONS_MAX - here.filter(({ source }) => source === 'suggested').length
  const suggested = side.names
    .likeliest(good.title, SUGGESTIONS_MAX)
    // Two valid codes that differ are two goods, however alike their names.
    .filter(({ id }) => !differ(good.gtin, side.gtinOf(id)))
    .map(({ id }) => pairOf(good.skuId, id))
    .filter((pair) => !known.has(pairKey(pair)))
    .slice(0, Math.max(0, free))
    .map(({ a, b }): StoredAlias => ({ a, b, source: 'suggested', confirmedAt: null }))
  return { add: suggested, outdated }
}

const otherEnd = (row: Pair, good: MachineProduct): SkuId => (row.a === good.skuId ? row.b : row.a)

const differ = (one: Gtin | undefined, other: Gtin | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other
