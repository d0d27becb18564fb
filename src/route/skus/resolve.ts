/** From an id to the same product in another namespace, through confirmed aliases only. */
import type { Reply } from '../../contract/handlers.ts'
import type { ResolveRequest } from '../../contract/shapes/catalog.ts'
import { type Namespace, type SkuId, namespaceOf, parseSkuId, roleOf } from '../../kernel/ids.ts'
import { info, warning } from '../../kernel/message.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { Queryable } from '../../store/store.ts'
import type { SupplyCatalog } from '../../vendors/supply-vendor.ts'
import type { Context } from '../../context.ts'
import { preferredAlias } from './aliases.ts'
import { listingCheck } from './listed-skus.ts'
import { findAliases } from './records.ts'

/** Only ids that resolve are in the result; an id of the namespace itself resolves to itself. */
export async function resolveAliases(
  db: Queryable,
  ids: readonly SkuId[],
  namespace: Namespace,
  catalog?: SupplyCatalog,
): Promise<Map<SkuId, SkuId>> {
  const foreign = ids.filter((id) => namespaceOf(id) !== namespace)
  const aliases = await findAliases(db, foreign)
  const candidates = [...aliases.values()].flatMap((list) => list.map(({ skuId }) => skuId))
  const isListed = catalog ? listingCheck(namespace, catalog, candidates) : () => true
  const resolved = new Map<SkuId, SkuId>()
  for (const id of ids) {
    const listed = (aliases.get(id) ?? []).filter(({ skuId }) => isListed(skuId))
    const to = namespaceOf(id) === namespace ? id : preferredAlias(listed, namespace)
    if (to !== undefined) resolved.set(id, to)
  }
  return resolved
}

export async function resolveSkus(
  { store, vendors }: Pick<Context, 'store' | 'vendors'>,
  request: ResolveRequest,
): Promise<Outcome<Reply<'resolveSkus'>>> {
  const namespace = request.to_namespace as Namespace
  const target = vendors.lookup(namespace, '$.to_namespace')
  if (!target.ok) return target
  if (target.value.status === 'planned')
    return refuse('namespace_unsupported', `${namespace} is planned but not live yet`, '$.to_namespace')

  const asked = [...new Set(request.ids)]
  const ids = asked.flatMap((text) => knownSkuId(vendors, text) ?? [])
  const found = await resolveAliases(store.db, ids, namespace, await readCatalog(vendors, namespace))
  const resolved = [...found].map(([from, to]) => ({ from, to }))
  const messages = [
    ...resolved.flatMap(({ from }, i) =>
      namespaceOf(from) === namespace
        ? [
            warning('same_namespace', `${from} is already in ${namespace}`, `$.resolved[${i}]`, {
              sku: from,
              namespace,
            }),
          ]
        : [],
    ),
    ...asked.filter((text) => !knownSkuId(vendors, text)).map((text) => info('not_found', text)),
  ]
  const unresolved = asked.filter((text) => !found.has(text as SkuId))
  return accept({ body: { resolved, unresolved, ...(messages.length > 0 && { messages }) } })
}

/** Undefined for a text that is not a SKU id, and for a namespace that is not registered: both are unknown. */
export function knownSkuId(vendors: Context['vendors'], text: string): SkuId | undefined {
  const id = parseSkuId(text)
  return id && vendors.lookup(namespaceOf(id)).ok ? id : undefined
}

/** Undefined while the catalog cannot be read: confirmed aliases then resolve unchecked, which buys nothing. */
async function readCatalog(vendors: Context['vendors'], namespace: Namespace): Promise<SupplyCatalog | undefined> {
  const vendor = roleOf(namespace) === 'supply' ? vendors.supply(namespace) : undefined
  const catalog = vendor?.ok ? await vendor.value.catalog() : undefined
  return catalog?.ok ? catalog.value : undefined
}
