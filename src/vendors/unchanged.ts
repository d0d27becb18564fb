/**
 * A catalog read again is mostly the one from before. What did not change stays the very same object, the whole of it
 * where nothing did: all that was computed from it is still there, and no second catalog grows old beside the first.
 */
import type { SupplyCatalog } from './contract.ts'

export function unchanged(before: SupplyCatalog | undefined, now: SupplyCatalog): SupplyCatalog {
  if (!before) return now
  const products = kept(before.products, now.products, ({ vendorSku }) => vendorSku)
  const sites = kept(before.sites, now.sites, ({ id }) => id)
  return products === before.products && sites === before.sites ? before : { products, sites }
}

function kept<T extends object>(before: readonly T[], now: readonly T[], idOf: (one: T) => string): readonly T[] {
  if (before === now) return before
  let known: Map<string, T> | undefined
  let same = before.length === now.length
  const all = now.map((one, i) => {
    const inPlace = before[i]
    if (inPlace !== undefined && (inPlace === one || equal(inPlace, one))) return inPlace
    same = false
    known ??= new Map(before.map((each) => [idOf(each), each]))
    const elsewhere = known.get(idOf(one))
    return elsewhere !== undefined && equal(elsewhere, one) ? elsewhere : one
  })
  return same ? before : all
}

/** Both are flat: texts, numbers and truth values. */
function equal<T extends object>(left: T, right: T): boolean {
  const names = Object.keys(left) as (keyof T)[]
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
}
