/** POST /catalog/lookup and /catalog/product: goods by id, each asked of the namespace in front of it (4.2). */
import { ACTIVE, MACHINE_EXTRA } from '../../contract/capabilities.ts'
import type { CatalogLookupRequest, CatalogProductRequest } from '../../contract/catalog.ts'
import { success } from '../../contract/envelope.ts'
import type { Reply } from '../../contract/handlers.ts'
import { PROBLEMS_MAX } from '../../contract/limits.ts'
import { serializedList, serializedReply } from '../../contract/json-stream.ts'
import { namespaceOf, roleOf } from '../../kernel/ids.ts'
import type { LocationId, Namespace, SkuId } from '../../kernel/ids.ts'
import { info } from '../../kernel/message.ts'
import type { ErrorMessage, NoteMessage } from '../../kernel/message.ts'
import { accept, refuse, refuseAll } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { knownSkuId } from '../skus/index.ts'
import { passes, readFilter } from './filter.ts'
import type { Filter } from './filter.ts'
import { requireLocation } from './location.ts'
import { looksUp } from './product.ts'
import { loadMachine, loadCatalog } from './sources.ts'

const MACHINE = [...ACTIVE.lookup, ...MACHINE_EXTRA]
const ENVELOPES = { plain: JSON.stringify(success(ACTIVE.lookup)), machine: JSON.stringify(success(MACHINE)) }

/** One namespace's part of the answer. `undefined` stands for a good that is there but filtered out. */
interface Part {
  readonly found: ReadonlyMap<SkuId, Buffer | undefined>
  readonly messages: readonly NoteMessage[]
}

export async function lookupCatalog(
  ctx: Context,
  request: CatalogLookupRequest,
): Promise<Outcome<Reply<'lookupCatalog'>>> {
  const asked = dispatch(ctx, request)
  if (!asked.ok) return asked
  const { filter, messages } = readFilter(request)
  const wanted = request.filters?.namespace
  const parts: Part[] = []
  for (const [namespace, ids] of asked.value.byNamespace) {
    const part =
      roleOf(namespace) === 'supply'
        ? await fromSupply(ctx, namespace, ids, filter)
        : await fromMachine(ctx, namespace, ids, filter, asked.value.location as LocationId)
    if (!part.ok) return part
    parts.push(wanted === undefined || wanted === namespace ? part.value : hidden(part.value))
  }
  const found = new Map<string, Buffer | undefined>(parts.flatMap((part) => [...part.found]))
  const unknown = asked.value.ids.filter((id) => !found.has(id)).map((id) => info('not_found', id))
  const products = asked.value.ids.flatMap((id) => found.get(id) ?? [])
  return accept(
    reply(products, [...messages, ...parts.flatMap((part) => part.messages), ...unknown], asked.value.location),
  )
}

/** Filters of a lookup narrow its answer; a good left out by one is not unknown. */
const hidden = ({ found, messages }: Part): Part => ({
  found: new Map([...found.keys()].map((id) => [id, undefined])),
  messages,
})

interface Dispatched {
  /** Each text once, in the order asked; those in no group are unknown. */
  readonly ids: readonly string[]
  readonly byNamespace: ReadonlyMap<Namespace, readonly SkuId[]>
  /** Set exactly when a machine's goods are among them. */
  readonly location: LocationId | undefined
}

/** Every id is judged before the first upstream is asked, and all that is wrong comes in one answer. */
function dispatch({ vendors }: Context, { ids, filters }: CatalogLookupRequest): Outcome<Dispatched> {
  const problems: ErrorMessage[] = []
  const byNamespace = new Map<Namespace, SkuId[]>()
  const asked = new Set<string>()
  ids.forEach((text, i) => {
    if (asked.has(text)) return undefined
    asked.add(text)
    const id = knownSkuId(vendors, text)
    if (!id) return undefined
    const namespace = namespaceOf(id)
    const adapter = vendors[roleOf(namespace)](namespace, `$.ids[${i}]`)
    if (!adapter.ok) return problems.push(...adapter.refusal.messages)
    const group = byNamespace.get(namespace)
    if (group) return group.push(id)
    return byNamespace.set(namespace, [id])
  })
  const needed = [...byNamespace.keys()].some((namespace) => roleOf(namespace) === 'machine')
  const location = needed ? requireLocation(filters?.location) : accept(undefined)
  if (!location.ok) problems.push(...location.refusal.messages)
  if (problems.length > 0 || !location.ok) return refuseAll(problems.slice(0, PROBLEMS_MAX))
  return accept({ ids: [...asked], byNamespace, location: location.value })
}

async function fromSupply(
  ctx: Context,
  namespace: Namespace,
  ids: readonly SkuId[],
  filter: Filter,
): Promise<Outcome<Part>> {
  const read = await loadCatalog(ctx, namespace)
  if (!read.ok) return read
  const { shelf, aliases, messages } = read.value
  const found = ids.flatMap((id) => {
    const good = shelf.find(id)
    return good ? [[id, passes(good, filter) ? shelf.written(good, aliases, 'lookup') : undefined] as const] : []
  })
  return accept({ found: new Map(found), messages })
}

async function fromMachine(
  ctx: Context,
  namespace: Namespace,
  ids: readonly SkuId[],
  filter: Filter,
  location: LocationId,
): Promise<Outcome<Part>> {
  const read = await loadMachine(ctx, namespace, location)
  if (!read.ok) return read
  const { slots, messages } = read.value
  const asked = new Set(ids)
  const found = slots
    .filter(({ id }) => asked.has(id))
    .map(
      (slot) =>
        [slot.id, passes(slot, filter) ? Buffer.from(JSON.stringify(looksUp(slot.product))) : undefined] as const,
    )
  return accept({ found: new Map(found), messages })
}

function reply(
  products: readonly Buffer[],
  messages: readonly NoteMessage[],
  location: LocationId | undefined,
): Reply<'lookupCatalog'> {
  const chunks = serializedList('products', products, { after: messages.length > 0 ? { messages } : {} })
  return serializedReply(chunks, location === undefined ? {} : { capabilities: MACHINE })
}

/** One good in full; what a filter would leave out is shown all the same, for it was asked for by name. */
export async function productDetail(
  ctx: Context,
  { id: text, filters }: CatalogProductRequest,
): Promise<Outcome<Reply<'getProduct'>>> {
  const unknown = refuse('not_found', `no good ${text}`, '$.id')
  const id = knownSkuId(ctx.vendors, text)
  if (!id) return unknown
  const namespace = namespaceOf(id)

  if (roleOf(namespace) === 'supply') {
    const read = await loadCatalog(ctx, namespace, '$.id')
    if (!read.ok) return read
    const good = read.value.shelf.find(id)
    if (!good) return unknown
    const product = read.value.shelf.written(good, read.value.aliases, 'plain')
    return accept(serializedReply([Buffer.from('{"product":'), product, Buffer.from('}')]))
  }

  const adapter = ctx.vendors.machine(namespace, '$.id')
  if (!adapter.ok) return adapter
  const location = requireLocation(filters?.location)
  if (!location.ok) return location
  const read = await loadMachine(ctx, namespace, location.value, '$.id')
  if (!read.ok) return read
  const slot = read.value.slots.find((candidate) => candidate.id === id)
  if (!slot) return unknown
  const { messages } = read.value
  return accept({ body: { product: slot.product, ...(messages.length > 0 && { messages }) }, capabilities: MACHINE })
}
