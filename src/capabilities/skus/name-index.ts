/**
 * Finds the goods whose names are most like a given one without comparing with all of them. Rare parts of a name are
 * looked up first and the work per question is bounded, so a catalog of any size answers in about the same time.
 */
import { setImmediate } from 'node:timers/promises'
import type { SkuId } from '../../kernel/ids.ts'
import { ALIKE, likeness, readName } from './similarity.ts'
import type { Name } from './similarity.ts'

/** Entries of the index looked at for one question. */
const LOOKED_AT_MAX = 20_000
/** Of those, the ones that share most are compared in full. */
const COMPARED_MAX = 24
/** How far behind the best one another is still worth showing: flavours of one line, not the whole brand. */
const BEHIND_MAX = 0.1
/** Goods read before others get a turn of the event loop. */
const BITE = 500

export interface Likely {
  readonly id: SkuId
  readonly likeness: number
}

export interface NameIndex {
  /** Best first, at least ALIKE; equal ones by id, so that the answer is always the same. */
  likeliest(title: string, most: number): readonly Likely[]
}

export async function nameIndex(goods: Iterable<readonly [SkuId, string]>): Promise<NameIndex> {
  const ids: SkuId[] = []
  const titles: string[] = []
  const postings = new Map<string, number[]>()
  for (const [id, title] of goods) {
    for (const part of readName(title).parts) {
      const known = postings.get(part)
      if (known) known.push(ids.length)
      else postings.set(part, [ids.length])
    }
    ids.push(id)
    titles.push(title)
    if (ids.length % BITE === 0) await setImmediate()
  }

  /** How many parts each good shares with the name asked for; all zero between two questions. */
  const shared = new Uint16Array(ids.length)

  function candidates(name: Name): readonly number[] {
    const rarestFirst = [...name.parts].map((part) => postings.get(part) ?? []).toSorted((a, b) => a.length - b.length)
    const met: number[] = []
    let budget = LOOKED_AT_MAX
    for (const list of rarestFirst) {
      for (let i = 0; i < list.length && budget > 0; i++, budget--) {
        const at = list[i] as number
        if (shared[at] === 0) met.push(at)
        shared[at] = (shared[at] as number) + 1
      }
      if (budget === 0) break
    }
    const most = met.reduce((top, at) => Math.max(top, shared[at] as number), 0)
    // Counting sort: the few that share most, without ordering the thousands that share one character.
    const best: number[] = []
    for (let count = most; count > 0 && best.length < COMPARED_MAX; count--)
      for (const at of met) if (shared[at] === count && best.length < COMPARED_MAX) best.push(at)
    for (const at of met) shared[at] = 0
    return best
  }

  return {
    likeliest(title, most) {
      const name = readName(title)
      const found = candidates(name)
        .map((at) => ({ id: ids[at] as SkuId, likeness: likeness(name, readName(titles[at] as string)) }))
        .toSorted((a, b) => b.likeness - a.likeness || (a.id < b.id ? -1 : 1))
      const least = Math.max(ALIKE, (found[0]?.likeness ?? 0) - BEHIND_MAX)
      return found.filter((one) => one.likeness >= least).slice(0, most)
    },
  }
}
