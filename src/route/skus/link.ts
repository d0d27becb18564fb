/**
 * Which products of two namespaces are the same: confirmed by equal barcodes, suggested by similar names. Both
 * sides are indexed, so the work grows linearly with the number of products.
 */
import { type Namespace, type SkuId, namespaceOf } from '../../kernel/ids.ts'
import { forEachInSlices } from '../../lib/concurrency.ts'
import { type Pair, type StoredAlias, isConfirmed, pairKey, pairOf } from './aliases.ts'
import type { Gtin } from './gtin.ts'
import type { NameIndex } from './name-index.ts'
import type { MachineProduct } from './records.ts'

/** A barcode shared by more products of one namespace is a placeholder in the vendor's data and links nothing. */
const SHARED_CODE_MAX = 8
/** Open suggestions of one product in one namespace. */
const SUGGESTIONS_MAX = 3

export type CodeIndex = ReadonlyMap<Gtin, readonly SkuId[]>

export function indexByCode(products: Iterable<{ readonly skuId: SkuId; readonly gtin: Gtin | undefined }>): CodeIndex {
  const index = new Map<Gtin, SkuId[]>()
  for (const { skuId, gtin } of products) addCode(index, skuId, gtin)
  return index
}

export function addCode(index: Map<Gtin, SkuId[]>, skuId: SkuId, gtin: Gtin | undefined): void {
  if (gtin === undefined) return
  const known = index.get(gtin)
  if (known) known.push(skuId)
  else index.set(gtin, [skuId])
}

const productsWithCode = (codes: CodeIndex, gtin: Gtin | undefined): readonly SkuId[] => {
  const found = gtin === undefined ? [] : (codes.get(gtin) ?? [])
  return found.length > SHARED_CODE_MAX ? [] : found
}

/** Each stored pair, by pair key. */
export type KnownPairs = ReadonlyMap<string, StoredAlias>

export const knownPairs = (rows: readonly StoredAlias[]): KnownPairs => new Map(rows.map((row) => [pairKey(row), row]))

/** Whether equal barcodes add something: not if a person confirmed the pair, or barcodes were found to be equal before. */
const isOpen = (known: KnownPairs, pair: Pair): boolean => (known.get(pairKey(pair))?.confirmedAt ?? null) === null

/** New links by barcode between two sets of products, each pair once. */
export async function linksByCode(
  left: CodeIndex,
  right: CodeIndex,
  known: KnownPairs,
  now: number,
): Promise<StoredAlias[]> {
  const links: StoredAlias[] = []
  const [small, large] = left.size <= right.size ? [left, right] : [right, left]
  await forEachInSlices(small.keys(), (gtin) => {
    for (const one of productsWithCode(small, gtin))
      for (const other of productsWithCode(large, gtin)) {
        const pair = pairOf(one, other)
        if (namespaceOf(one) !== namespaceOf(other) && isOpen(known, pair))
          links.push({ ...pair, source: 'barcode', confirmedAt: now })
      }
  })
  return links
}

/** A supplier's products, as linking needs them. */
export interface SupplierProducts {
  readonly namespace: Namespace
  readonly codes: CodeIndex
  readonly names: NameIndex
  gtinOf(id: SkuId): Gtin | undefined
}

export interface Links {
  readonly add: readonly StoredAlias[]
  /** Linked by barcode earlier, but the barcodes differ now: must not be used for orders. */
  readonly outdated: readonly Pair[]
}

/** Links one machine product to one supplier: by barcode, else by name unless a confirmed link exists. */
export function linksToSupplier(
  product: MachineProduct,
  supplier: SupplierProducts,
  rows: readonly StoredAlias[],
  now: number,
): Links {
  const here = rows.filter((row) => namespaceOf(otherEnd(row, product)) === supplier.namespace)
  const outdated = here.filter(
    (row) => row.source === 'barcode' && isDifferent(product.gtin, supplier.gtinOf(otherEnd(row, product))),
  )
  const known = knownPairs(here)
  const byCode = productsWithCode(supplier.codes, product.gtin)
    .map((id) => pairOf(product.skuId, id))
    .filter((pair) => isOpen(known, pair))
    .map(({ a, b }): StoredAlias => ({ a, b, source: 'barcode', confirmedAt: now }))
  const confirmed =
    byCode.some((pair) => known.get(pairKey(pair))?.source !== 'rejected') ||
    here.some((row) => isConfirmed(row) && !outdated.includes(row))
  if (confirmed) return { add: byCode, outdated }

  const free = SUGGESTIONS_MAX - here.filter(({ source }) => source === 'suggested').length
  const suggested = supplier.names
    .findSimilar(product.title, SUGGESTIONS_MAX)
    // Two valid barcodes that differ are two products, however similar their names.
    .filter(({ id }) => !isDifferent(product.gtin, supplier.gtinOf(id)))
    .map(({ id }) => pairOf(product.skuId, id))
    .filter((pair) => !known.has(pairKey(pair)))
    .slice(0, Math.max(0, free))
    .map(({ a, b }): StoredAlias => ({ a, b, source: 'suggested', confirmedAt: null }))
  return { add: [...byCode, ...suggested], outdated }
}

const otherEnd = (row: Pair, product: MachineProduct): SkuId => (row.a === product.skuId ? row.b : row.a)

const isDifferent = (one: Gtin | undefined, other: Gtin | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other
