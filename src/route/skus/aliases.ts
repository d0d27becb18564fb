/** Aliases: the same product in two namespaces. They are symmetric, so a pair is stored once, smaller id first. */
import { type Namespace, type SkuId, namespaceOf } from '../../kernel/ids.ts'

export type AliasSource = 'barcode' | 'manual' | 'suggested'

/** Rejected pairs are stored too, so that they are not suggested again. */
export type StoredSource = AliasSource | 'rejected'

export interface Pair {
  readonly a: SkuId
  readonly b: SkuId
}

export interface StoredAlias extends Pair {
  readonly source: StoredSource
  readonly confirmedAt: number | null
}

/** An alias as seen from one of its ends. */
export interface Alias {
  readonly skuId: SkuId
  readonly source: AliasSource
  readonly confirmedAt: number | null
}

export const pairOf = (one: SkuId, other: SkuId): Pair => (one < other ? { a: one, b: other } : { a: other, b: one })

/** Ids contain no spaces, so the key is unique. */
export const pairKey = ({ a, b }: Pair): string => `${a} ${b}`

export const comparePairs = (left: Pair, right: Pair): number => compareText(pairKey(left), pairKey(right))

export const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** An operator's decision ranks before a barcode; a suggestion comes last. */
const RANK = { manual: 0, barcode: 1, suggested: 2 } as const satisfies Record<AliasSource, number>

const compareAliases = (left: Alias, right: Alias): number =>
  RANK[left.source] - RANK[right.source] || compareText(left.skuId, right.skuId)

/** Only these may be used to place orders. */
export const isConfirmed = ({ source }: { readonly source: StoredSource }): boolean =>
  source === 'barcode' || source === 'manual'

/** As `confirmedAt`: an owner has rejected the pair, and equal barcodes do not bring it back. */
export const REJECTED_BY_OWNER = 0

/**
 * The rules also count what an operator withdrew or rejected against equal barcodes, until an owner rejects it: otherwise
 * an operator could lift a no-go or lower the cost behind the margin.
 */
export const countsForRules = ({ source, confirmedAt }: Pick<StoredAlias, 'source' | 'confirmedAt'>): boolean =>
  source !== 'suggested' && confirmedAt !== null && confirmedAt !== REJECTED_BY_OWNER

/** The product of a namespace that orders are placed for; deterministic when there are several candidates. */
export const preferredAlias = (aliases: readonly Alias[], namespace: Namespace): SkuId | undefined =>
  aliases
    .filter((alias) => isConfirmed(alias) && namespaceOf(alias.skuId) === namespace)
    .toSorted(compareAliases)
    .at(0)?.skuId

/** Rows by each of their two ids. */
export function groupByEnd(rows: readonly StoredAlias[]): Map<SkuId, StoredAlias[]> {
  const ends = rows.flatMap((row) => [
    { id: row.a, row },
    { id: row.b, row },
  ])
  const groups = Map.groupBy(ends, ({ id }) => id)
  return new Map([...groups].map(([id, group]) => [id, group.map(({ row }) => row)]))
}

/** The aliases of each id as callers see them: without rejected pairs, in order of rank. */
export function groupBySku(rows: readonly StoredAlias[]): Map<SkuId, readonly Alias[]> {
  const aliases = rows.flatMap(({ a, b, source, confirmedAt }) =>
    source === 'rejected'
      ? []
      : [
          { at: a, alias: { skuId: b, source, confirmedAt } },
          { at: b, alias: { skuId: a, source, confirmedAt } },
        ],
  )
  const groups = Map.groupBy(aliases, ({ at }) => at)
  return new Map([...groups].map(([id, group]) => [id, group.map(({ alias }) => alias).toSorted(compareAliases)]))
}
