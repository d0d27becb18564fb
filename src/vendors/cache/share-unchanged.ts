/**
 * Structural sharing: unchanged products keep their identity, and so does the whole catalog when nothing changed, so
 * caches keyed on them stay valid.
 */
import type { SupplyCatalog } from '../supply-vendor.ts'

export function reuseUnchanged(before: SupplyCatalog | undefined, now: SupplyCatalog): SupplyCatalog {
  // An adapter that remembers its own catalog, such as a price list, returns the same one.
  if (!before || before === now) return now
  const products = reuseEntries(before.products, now.products, ({ vendorSku }) => vendorSku)
  const sites = reuseEntries(before.sites, now.sites, ({ id }) => id)
  return products === before.products && sites === before.sites ? before : { products, sites }
}

function reuseEntries<T extends object>(
  before: readonly T[],
  now: readonly T[],
  idOf: (entry: T) => string,
): readonly T[] {
  const first = firstChange(before, now)
  if (first === before.length && first === now.length) return before
  const known = new Map(before.map((each) => [idOf(each), each]))
  return now.map((one, i) => {
    const earlier = i < first ? before[i] : known.get(idOf(one))
    return earlier !== undefined && hasSameFields(earlier, one) ? earlier : one
  })
}

/** Index of the first difference. Mostly there is none: the catalog is read before every purchase. */
function firstChange<T extends object>(before: readonly T[], now: readonly T[]): number {
  const length = Math.min(before.length, now.length)
  for (let i = 0; i < length; i++) if (before[i] !== now[i] && !hasSameFields(before[i]!, now[i]!)) return i
  return length
}

/** For flat objects. */
export function hasSameFields<T extends object>(left: T, right: T): boolean {
  const names = Object.keys(left) as (keyof T)[]
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
}
