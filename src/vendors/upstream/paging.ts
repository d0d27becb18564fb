/**
 * Reading a numbered listing to its end while it may move under us. One good less shifts every later page by one, and
 * the good at the seam would be missed; the total that each page carries gives the move away, and the walk begins anew.
 */
import { failed, succeeded } from '../result.ts'
import type { Result } from '../contract.ts'

const LIMITS = { pages: 1_000, pagesAtOnce: 4, walks: 3 } as const

export interface NumberedPage<T> {
  readonly entries: readonly T[]
  readonly total: number
  readonly perPage: number
}

interface Walk<T> {
  readonly entries: readonly T[]
  /** The total changed on the way: an entry may have been missed. */
  readonly moved: boolean
  /** Fewer entries came than were promised. */
  readonly short: boolean
}

/** Every entry once. When the listing never rests, what all walks saw, the newest version of each. */
export async function readAllPages<T>(
  ask: (page: number) => Promise<Result<NumberedPage<T>>>,
  keyOf: (entry: T) => string,
): Promise<Result<readonly T[]>> {
  const seen = new Map<string, T>()
  for (let walks = 1; ; walks += 1) {
    const walk = await walkThrough(ask)
    if (!walk.ok) return walk
    const { entries, moved, short } = walk.value
    const resting = !moved && !short
    if (resting) seen.clear()
    for (const entry of entries) seen.set(keyOf(entry), entry)
    if (resting) break
    if (walks < LIMITS.walks) continue
    if (short && !moved) return failed('unknown', 'the upstream listed fewer entries than it counted', { raw: 'short' })
    break
  }
  return succeeded([...seen.values()])
}

async function walkThrough<T>(ask: (page: number) => Promise<Result<NumberedPage<T>>>): Promise<Result<Walk<T>>> {
  const first = await ask(1)
  if (!first.ok) return first
  const { total, perPage } = first.value
  const count = Math.ceil(total / perPage)
  if (count > LIMITS.pages)
    return failed('unknown', 'the upstream lists more than we accept', { raw: `total ${total}` })

  const pages = [first.value]
  for (let next = 2; next <= count; next += LIMITS.pagesAtOnce) {
    const numbers = Array.from({ length: Math.min(LIMITS.pagesAtOnce, count - next + 1) }, (_, i) => next + i)
    for (const page of await Promise.all(numbers.map(ask))) {
      if (!page.ok) return page
      pages.push(page.value)
    }
  }
  const entries = pages.flatMap((page) => page.entries)
  return succeeded({ entries, moved: pages.some((page) => page.total !== total), short: entries.length < total })
}
