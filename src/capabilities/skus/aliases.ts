/** The rules of aliases (2.4): the same good in two namespaces. Symmetric, so a pair is kept once, smaller id first. */
import { namespaceOf } from '../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'

export type AliasSource = 'barcode' | 'manual' | 'suggested'

/** A pair somebody said no to is kept too, so that it is not suggested again. */
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

/** One text per pair; ids hold no blanks. */
export const pairKey = ({ a, b }: Pair): string => `${a} ${b}`

export const comparePairs = (left: Pair, right: Pair): number => compareText(pairKey(left), pairKey(right))

export const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** What a person said counts before what a code said; a guess comes last. */
const RANK = { manual: 0, barcode: 1, suggested: 2 } as const satisfies Record<AliasSource, number>

export const compareAliases = (left: Alias, right: Alias): number =>
  RANK[left.source] - RANK[right.source] || compareText(left.skuId, right.skuId)

/** Only these may be used to place orders. */
export const isConfirmed = ({ source }: { readonly source: StoredSource }): boolean =>
  source === 'barcode' || source === 'manual'

/** The one good of a namespace that an order may be placed for; with several candidates always the same one. */
export const resolveAmong = (aliases: readonly Alias[], namespace: Namespace): SkuId | undefined =>
  aliases
    .filter((alias) => isConfirmed(alias) && namespaceOf(alias.skuId) === namespace)
    .toSorted(compareAliases)
    .at(0)?.skuId

/** Both directions of every pair that was not rejected, each list in the order callers see. */
export function bySku(rows: readonly StoredAlias[]): Map<SkuId, readonly Alias[]> {
  const all = new Map<SkuId, Alias[]>()
  const put = (at: SkuId, alias: Alias) => {
    const known = all.get(at)
    if (known) known.push(alias)
    else all.set(at, [alias])
  }
  for (const { a, b, source, confirmedAt } of rows) {
    if (source === 'rejected') continue
    put(a, { skuId: b, source, confirmedAt })
    put(b, { skuId: a, source, confirmedAt })
  }
  return new Map([...all].map(([id, list]) => [id, list.toSorted(compareAliases)]))
}
