/**
 * Finds the products with the most similar names without comparing all of them. Rare parts of a name are looked up first
 * and the work per lookup is bounded, so the time hardly depends on the size of the catalog.
 */
import type { SkuId } from '../../kernel/ids.ts'
import { yieldToEventLoop } from '../../lib/concurrency.ts'
import { type Name, MIN_SIMILARITY, nameSimilarity, parseName } from './similarity.ts'

/** Index entries read per lookup. */
const ENTRIES_READ_MAX = 20_000
/** Of those, the ones that share most parts are compared in full. */
const COMPARED_MAX = 24
/** How much less similar than the best match a product may be: flavours of one line, not the whole brand. */
const GAP_TO_BEST_MAX = 0.1
/** Products indexed before others get a turn of the event loop. */
const BATCH_SIZE = 500

export interface SimilarProduct {
  readonly id: SkuId
  readonly similarity: number
}

export interface NameIndex {
  /** Best first, at least MIN_SIMILARITY; equal ones in order of id. */
  findSimilar(title: string, most: number): readonly SimilarProduct[]
}

export async function buildNameIndex(products: Iterable<readonly [SkuId, string]>): Promise<NameIndex> {
  const ids: SkuId[] = []
  const titles: string[] = []
  const postings = new Map<string, number[]>()
  for (const [id, title] of products) {
    for (const part of parseName(title).parts) {
      const known = postings.get(part)
      if (known) known.push(ids.length)
      else postings.set(part, [ids.length])
    }
    ids.push(id)
    titles.push(title)
    if (ids.length % BATCH_SIZE === 0) await yieldToEventLoop()
  }

  /** How many parts each product shares with the name looked up; all zero between two lookups. */
  const shared = new Uint16Array(ids.length)

  function candidates(name: Name): readonly number[] {
    const rarestFirst = [...name.parts].map((part) => postings.get(part) ?? []).toSorted((a, b) => a.length - b.length)
    const touched: number[] = []
    let budget = ENTRIES_READ_MAX
    for (const list of rarestFirst) {
      for (let i = 0; i < list.length && budget > 0; i++, budget--) {
        const at = list[i] as number
        if (shared[at] === 0) touched.push(at)
        shared[at] = (shared[at] as number) + 1
      }
      if (budget === 0) break
    }
    const most = touched.reduce((top, at) => Math.max(top, shared[at] as number), 0)
    // Counting sort: the few that share most, without ordering the thousands that share one character.
    const best: number[] = []
    for (let count = most; count > 0 && best.length < COMPARED_MAX; count--)
      for (const at of touched) if (shared[at] === count && best.length < COMPARED_MAX) best.push(at)
    for (const at of touched) shared[at] = 0
    return best
  }

  return {
    findSimilar(title, most) {
      const name = parseName(title)
      const found = candidates(name)
        .map((at) => ({ id: ids[at] as SkuId, similarity: nameSimilarity(name, parseName(titles[at] as string)) }))
        .toSorted((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
      const least = Math.max(MIN_SIMILARITY, (found[0]?.similarity ?? 0) - GAP_TO_BEST_MAX)
      return found.filter((one) => one.similarity >= least).slice(0, most)
    },
  }
}
