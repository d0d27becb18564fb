/** Whether a live supplier lists a SKU. An alias to an unlisted SKU is stored, and resolves once it is listed. */
import { type Namespace, type SkuId, namespaceOf, roleOf, vendorSkuOf } from '../../kernel/ids.ts'
import { type Outcome, accept } from '../../kernel/outcome.ts'
import type { SupplyCatalog } from '../../vendors/supply-vendor.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../../context.ts'

/** Of these ids, those of live suppliers that do not list them. */
export async function findUnlistedSkus(
  vendors: Context['vendors'],
  ids: readonly SkuId[],
): Promise<Outcome<readonly SkuId[]>> {
  const unlisted: SkuId[] = []
  for (const [namespace, some] of Map.groupBy(ids, namespaceOf)) {
    const vendor = roleOf(namespace) === 'supply' ? vendors.supply(namespace) : undefined
    if (!vendor?.ok) continue
    const catalog = await vendor.value.catalog()
    if (!catalog.ok) return toRefusal(catalog)
    const isListed = listingCheck(namespace, catalog.value, some)
    unlisted.push(...some.filter((id) => !isListed(id)))
  }
  return accept(unlisted)
}

/** Tells of each candidate whether the catalog lists it; ids of other namespaces count as listed. */
export function listingCheck(
  namespace: Namespace,
  { products }: SupplyCatalog,
  candidates: readonly SkuId[],
): (id: SkuId) => boolean {
  const wanted = new Set(candidates.filter((id) => namespaceOf(id) === namespace).map(vendorSkuOf))
  const found = new Set<string>()
  for (const { vendorSku } of products) if (wanted.has(vendorSku)) found.add(vendorSku)
  return (id) => namespaceOf(id) !== namespace || found.has(vendorSkuOf(id))
}
