/** From an id to the same good in another namespace, through confirmed aliases only (4.2). Planners and checkouts ask too. */
import type { Reply } from '../../contract/handlers.ts'
import type { ResolveRequest } from '../../contract/catalog.ts'
import { namespaceOf } from '../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { error, warning } from '../../kernel/message.ts'
import { accept, refuse, refuseAll } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Queryable } from '../../store/db.ts'
import type { Floor } from '../floor.ts'
import { resolveAmong } from './aliases.ts'
import { aliasesOf } from './records.ts'

/** Only the ids that resolve are in the answer; one that is of the namespace already is its own. */
export async function resolveAll(
  db: Queryable,
  ids: readonly SkuId[],
  namespace: Namespace,
): Promise<Map<SkuId, SkuId>> {
  const foreign = ids.filter((id) => namespaceOf(id) !== namespace)
  const aliases = await aliasesOf(db, foreign)
  const resolved = new Map<SkuId, SkuId>()
  for (const id of ids) {
    const to = namespaceOf(id) === namespace ? id : resolveAmong(aliases.get(id) ?? [], namespace)
    if (to !== undefined) resolved.set(id, to)
  }
  return resolved
}

export async function resolve(
  { store, vendors }: Pick<Floor, 'store' | 'vendors'>,
  request: ResolveRequest,
): Promise<Outcome<Reply<'resolveSkus'>>> {
  const namespace = request.to_namespace as Namespace
  const ids = [...new Set(request.ids)] as SkuId[]
  const target = vendors.lookup(namespace, '$.to_namespace')
  const strangers = request.ids.flatMap((id, i) =>
    vendors.lookup(namespaceOf(id as SkuId)).ok
      ? []
      : [error('invalid', `no namespace ${namespaceOf(id as SkuId)} is registered`, `$.ids[${i}]`)],
  )
  if (!target.ok || strangers.length > 0)
    return refuseAll([...(target.ok ? [] : target.refusal.messages), ...strangers])
  if (target.value.status === 'planned')
    return refuse('namespace_unsupported', `${namespace} is planned and not live yet`, '$.to_namespace')

  const found = await resolveAll(store.db, ids, namespace)
  const resolved = [...found].map(([from, to]) => ({ from, to }))
  const messages = resolved.flatMap(({ from }, i) =>
    namespaceOf(from) === namespace
      ? [warning('same_namespace', `${from} is already in ${namespace}`, `$.resolved[${i}]`)]
      : [],
  )
  return accept({
    body: { resolved, unresolved: ids.filter((id) => !found.has(id)), ...(messages.length > 0 && { messages }) },
  })
}
