/**
 * Reads all pages of a numbered listing that may change meanwhile. A removed entry shifts the later pages by one, and one
 * entry would be missed. A change shows in the total that each page carries; then all pages are read again.
 */
import { fail, succeed } from '../result.ts'
import type { Result } from '../contract.ts'

const LIMITS = { pages: 1_000, pagesAtOnce: 4, passes: 3 } as const

export interface NumberedPage<T> {
  readonly entries: readonly T[]
  readonly total: number
  readonly perPage: number
}

/** Every entry once. If the listing keeps changing: the union of all passes, with the newest version of each entry. */
export async function readAllPages<T>(
  readPage: (page: number) => Promise<Result<NumberedPage<T>>>,
  keyOf: (entry: T) => string,
): Promise<Result<readonly T[]>> {
  const seen = new Map<string, T>()
  for (let passes = 1; ; passes += 1) {
    const pass = await readOnce(readPage)
    if (!pass.ok) return pass
    const { entries, hasChanged, isShort } = pass.value
    const isComplete = !hasChanged && !isShort
    if (isComplete) seen.clear()
    for (const entry of entries) seen.set(keyOf(entry), entry)
    if (isComplete) break
    if (passes < LIMITS.passes) continue
    if (isShort && !hasChanged)
      return fail('unknown', 'The vendor listed fewer entries than it counted', { raw: 'short' })
    break
  }
  return succeed([...seen.values()])
}

async function readOnce<T>(readPage: (page: number) => Promise<Result<NumberedPage<T>>>) {
  const first = await readPage(1)
  if (!first.ok) return first
  const { total, perPage } = first.value
  const count = Math.ceil(total / perPage)
  if (count > LIMITS.pages)
    return fail('unknown', 'The vendor lists more entries than we accept', { raw: `total ${total}` })

  const pages = [first.value]
  for (let next = 2; next <= count; next += LIMITS.pagesAtOnce) {
    const numbers = Array.from({ length: Math.min(LIMITS.pagesAtOnce, count - next + 1) }, (_, i) => next + i)
    for (const page of await Promise.all(numbers.map(readPage))) {
      if (!page.ok) return page
      pages.push(page.value)
    }
  }
  const entries = pages.flatMap((page) => page.entries)
  // The total changed meanwhile: an entry may have been missed.
  const hasChanged = pages.some((page) => page.total !== total)
  return succeed({ entries, hasChanged, isShort: entries.length < total })
}
