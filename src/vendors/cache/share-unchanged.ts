/**
 * A catalog read again is mostly the one from before. What did not change stays the very same object, the whole of it
 * where nothing did: all that was computed from it is still there, and no second catalog grows old beside the first.
 */
import type { SupplyCatalog } from '../contract.ts'

export function reuseUnchanged(before: SupplyCatalog | undefined, now: SupplyCatalog): SupplyCatalog {
  if (!before) return now
  const products = kept(before.products, now.products, ({ vendorSku }) => vendorSku)
  const sites = kept(before.sites, now.sites, ({ id }) => id)
  return products === before.products && sites === before.sites ? before : { products, sites }
}

function kept<T extends object>(before: readonly T[], now: readonly T[], idOf: (one: T) => string): readonly T[] {
  const first = firstChange(before, now)
  if (first === before.length && first === now.length) return before
  const known = new Map(before.map((each) => [idOf(each), each]))
  return now.map((one, i) => {
    const earlier = i < first ? before[i] : known.get(idOf(one))
    return earlier !== undefined && sameFields(earlier, one) ? earlier : one
  })
}

/** Where the two begin to differ. A catalog is read before every purchase, and then mostly nothing has changed. */
function firstChange<T extends object>(before: readonly T[], now: readonly T[]): number {
  const length = Math.min(before.length, now.length)
  for (let i = 0; i < length; i++) if (before[i] !== now[i] && !sameFields(before[i]!, now[i]!)) return i
  return length
}

/** Both are flat: texts, numbers and truth values. */
export function sameFields<T extends object>(left: T, right: T): boolean {
  const names = Object.keys(left) as (keyof T)[]
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
}
