/** POST /catalog/lookup and /catalog/product: products by id, each read from the namespace of its id. */
import { ACTIVE, MACHINE_EXTRA } from '../../contract/capabilities.ts'
import type { CatalogLookupRequest, CatalogProductRequest } from '../../contract/shapes/catalog.ts'
import type { Reply } from '../../contract/handlers.ts'
import { serializedList, serializedReply } from '../../contract/json-stream.ts'
import { PROBLEMS_MAX } from '../../contract/limits.ts'
import { type LocationId, type Namespace, type SkuId, namespaceOf, roleOf } from '../../kernel/ids.ts'
import { type ErrorMessage, type NoteMessage, info } from '../../kernel/message.ts'
import { type Outcome, accept, refuse, refuseAll } from '../../kernel/outcome.ts'
import { knownSkuId } from '../skus/index.ts'
import type { CatalogContext } from './context.ts'
import { type Filter, matchesFilter, readFilter } from './filter.ts'
import { requireLocation } from './location.ts'
import { withLookupInputs } from './product.ts'
import { loadAndLinkCatalog, loadAndLinkMachine } from './sources.ts'

const MACHINE = [...ACTIVE.lookup, ...MACHINE_EXTRA]

/** One namespace's part of the reply. `undefined` stands for a product that exists but is filtered out. */
interface Part {
  readonly found: ReadonlyMap<SkuId, Buffer | undefined>
  readonly messages: readonly NoteMessage[]
}

export async function lookupCatalog(
  ctx: CatalogContext,
  request: CatalogLookupRequest,
): Promise<Outcome<Reply<'lookupCatalog'>>> {
  const grouped = groupByNamespace(ctx, request)
  if (!grouped.ok) return grouped
  const { ids, byNamespace, location } = grouped.value
  const { filter, messages: filterMessages } = readFilter(request, ctx.config.currency)
  const wanted = request.filters?.namespace
  const parts: Part[] = []
  for (const [namespace, own] of byNamespace) {
    const part =
      roleOf(namespace) === 'supply'
        ? await lookupSupplier(ctx, namespace, own, filter)
        : await lookupMachine(ctx, namespace, own, filter, location as LocationId)
    if (!part.ok) return part
    parts.push(wanted === undefined || wanted === namespace ? part.value : withoutProducts(part.value))
  }
  const found = new Map<string, Buffer | undefined>(parts.flatMap((part) => [...part.found]))
  const messages = [
    ...filterMessages,
    ...parts.flatMap((part) => part.messages),
    ...ids.filter((id) => !found.has(id)).map((id) => info('not_found', id)),
  ]
  const products = ids.flatMap((id) => found.get(id) ?? [])
  const chunks = serializedList('products', products, { after: messages.length > 0 ? { messages } : {} })
  return accept(serializedReply(chunks, location === undefined ? {} : { capabilities: MACHINE }))
}

/** A product left out by a filter is not unknown, so its id stays. */
const withoutProducts = ({ found, messages }: Part): Part => ({
  found: new Map([...found.keys()].map((id) => [id, undefined])),
  messages,
})

interface GroupedIds {
  /** Each text once, in the order of the request; those in no group are unknown. */
  readonly ids: readonly string[]
  readonly byNamespace: ReadonlyMap<Namespace, readonly SkuId[]>
  /** Set exactly when machine products are among them. */
  readonly location: LocationId | undefined
}

/** Checks every id before the first upstream call, and reports all problems at once. */
function groupByNamespace({ vendors }: CatalogContext, { ids, filters }: CatalogLookupRequest): Outcome<GroupedIds> {
  const problems: ErrorMessage[] = []
  const unique = new Map(ids.map((text, i) => [text, i] as const).toReversed())
  const known = [...new Set(ids)].flatMap((text) => {
    const id = knownSkuId(vendors, text)
    if (!id) return []
    const namespace = namespaceOf(id)
    const adapter = vendors[roleOf(namespace)](namespace, `$.ids[${unique.get(text)}]`)
    if (adapter.ok) return [id]
    problems.push(...adapter.refusal.messages)
    return []
  })
  const byNamespace = Map.groupBy(known, namespaceOf)
  const needsLocation = [...byNamespace.keys()].some((namespace) => roleOf(namespace) === 'machine')
  const location = needsLocation ? requireLocation(filters?.location) : accept(undefined)
  if (!location.ok) problems.push(...location.refusal.messages)
  if (problems.length > 0 || !location.ok) return refuseAll(problems.slice(0, PROBLEMS_MAX))
  return accept({ ids: [...new Set(ids)], byNamespace, location: location.value })
}

async function lookupSupplier(
  ctx: CatalogContext,
  namespace: Namespace,
  ids: readonly SkuId[],
  filter: Filter,
): Promise<Outcome<Part>> {
  const loaded = await loadAndLinkCatalog(ctx, namespace)
  if (!loaded.ok) return loaded
  const { index, aliases, messages } = loaded.value
  const found = ids.flatMap((id) => {
    const product = index.find(id)
    if (!product) return []
    return [[id, matchesFilter(product, filter) ? index.serialize(product, aliases, 'lookup') : undefined] as const]
  })
  return accept({ found: new Map(found), messages })
}

async function lookupMachine(
  ctx: CatalogContext,
  namespace: Namespace,
  ids: readonly SkuId[],
  filter: Filter,
  location: LocationId,
): Promise<Outcome<Part>> {
  const loaded = await loadAndLinkMachine(ctx, namespace, location)
  if (!loaded.ok) return loaded
  const { slots, messages } = loaded.value
  const wanted = new Set(ids)
  const found = slots.flatMap((slot) => {
    if (!wanted.has(slot.id)) return []
    const isShown = matchesFilter(slot, filter)
    return [[slot.id, isShown ? Buffer.from(JSON.stringify(withLookupInputs(slot.product))) : undefined] as const]
  })
  return accept({ found: new Map(found), messages })
}

/** One product in full. Filters do not hide it, because it was asked for by id. */
export async function getProduct(
  ctx: CatalogContext,
  { id: text, filters }: CatalogProductRequest,
): Promise<Outcome<Reply<'getProduct'>>> {
  const unknown = refuse('not_found', `Product "${text}" not found`, '$.id')
  const id = knownSkuId(ctx.vendors, text)
  if (!id) return unknown
  const namespace = namespaceOf(id)

  if (roleOf(namespace) === 'supply') {
    const loaded = await loadAndLinkCatalog(ctx, namespace, '$.id')
    if (!loaded.ok) return loaded
    const { index, aliases } = loaded.value
    const product = index.find(id)
    if (!product) return unknown
    return accept(
      serializedReply([Buffer.from('{"product":'), index.serialize(product, aliases, 'plain'), Buffer.from('}')]),
    )
  }

  const adapter = ctx.vendors.machine(namespace, '$.id')
  if (!adapter.ok) return adapter
  const location = requireLocation(filters?.location)
  if (!location.ok) return location
  const loaded = await loadAndLinkMachine(ctx, namespace, location.value, '$.id')
  if (!loaded.ok) return loaded
  const slot = loaded.value.slots.find((candidate) => candidate.id === id)
  if (!slot) return unknown
  const { messages } = loaded.value
  return accept({ body: { product: slot.product, ...(messages.length > 0 && { messages }) }, capabilities: MACHINE })
}
