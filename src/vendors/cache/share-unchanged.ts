/**
 * Structural sharing: unchanged products keep their identity, and so does the whole catalog when nothing changed, so
 * caches keyed on them stay valid. In slices, because a catalog may have 200,000 products.
 */
import { forEachInSlices, yieldToEventLoop } from '../../lib/concurrency.ts'
import type { SupplyCatalog } from '../supply-vendor.ts'

export async function reuseUnchanged(before: SupplyCatalog | undefined, now: SupplyCatalog): Promise<SupplyCatalog> {
  // An adapter that remembers its own catalog, such as a price list, returns the same one.
  if (!before || before === now) return now
  const products = await reuseEntries(before.products, now.products, ({ vendorSku }) => vendorSku)
  const sites = await reuseEntries(before.sites, now.sites, ({ id }) => id)
  return products === before.products && sites === before.sites ? before : { products, sites }
}

async function reuseEntries<T extends object>(
  before: readonly T[],
  now: readonly T[],
  idOf: (entry: T) => string,
): Promise<readonly T[]> {
  const first = await firstChange(before, now)
  if (first === before.length && first === now.length) return before
  const known = new Map<string, T>()
  await forEachInSlices(before, (each) => void known.set(idOf(each), each))
  const entries: T[] = []
  await forEachInSlices(now, (one, i) => {
    const earlier = i < first ? before[i] : known.get(idOf(one))
    entries.push(earlier !== undefined && hasSameFields(earlier, one) ? earlier : one)
  })
  return entries
}

const SLICE = 1_000

/** Index of the first difference. Mostly there is none: the catalog is read before every purchase. */
async function firstChange<T extends object>(before: readonly T[], now: readonly T[]): Promise<number> {
  const length = Math.min(before.length, now.length)
  for (let i = 0; i < length; i++) {
    if (before[i] !== now[i] && !hasSameFields(before[i]!, now[i]!)) return i
    if (i % SLICE === SLICE - 1) await yieldToEventLoop()
  }
  return length
}

/** For flat objects. */
export function hasSameFields<T extends object>(left: T, right: T): boolean {
  const names = Object.keys(left) as (keyof T)[]
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
}
