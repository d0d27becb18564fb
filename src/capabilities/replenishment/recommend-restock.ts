/**
 * POST /locations/{id}/restock-recommendations (4.7): advice into the machine platform's own queue. No money is spent,
 * so nobody confirms; the emergency stop holds all the same. Writes no event (section 6).
 */
import { PROBLEMS_MAX, RECOMMENDATION_REASON_MAX } from '../../contract/limits.ts'
import type { RestockAccepted, RestockRequest } from '../../contract/replenishment.ts'
import { namespaceOf, parseSkuId, vendorSkuOf } from '../../kernel/ids.ts'
import type { LocationId, Namespace } from '../../kernel/ids.ts'
import { error } from '../../kernel/message.ts'
import type { ErrorMessage } from '../../kernel/message.ts'
import { accept, refuse, refuseAll } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Registry } from '../../vendors/registry.ts'
import type { Context } from '../context.ts'
import { sendPermit } from '../guardrails/index.ts'
import { findLocation } from '../locations/index.ts'

export async function recommendRestock(
  ctx: Context,
  location: LocationId,
  request: RestockRequest,
): Promise<Outcome<Omit<RestockAccepted, 'ucp'>>> {
  const { store, vendors } = ctx
  const machine = await findLocation(store.db, location)
  if (!machine) return refuse('not_found', 'no such machine is registered')
  const { namespace } = machine
  const lines = adviceOf(request, namespace, vendors)
  if (!lines.ok) return lines
  const platform = vendors.machine(namespace)
  if (!platform.ok) return platform
  if (!vendors.supports(namespace, 'restockRecommend'))
    return refuse('namespace_unsupported', `${namespace} takes no restock advice`)

  const answer = await platform.value.restockRecommend(location, request.reference, lines.value, sendPermit(ctx))
  return answer.ok
    ? accept({ location, reference: request.reference, accepted: answer.value.count })
    : toRefusal(answer)
}

/** All goods are of this machine's platform; reasons are cut, not refused. */
function adviceOf({ line_items }: RestockRequest, own: Namespace, vendors: Pick<Registry, 'lookup'>) {
  const problems: ErrorMessage[] = []
  const lines = line_items.map(({ item, quantity, reason }, index) => {
    const path = `$.line_items[${index}].item.id`
    const skuId = parseSkuId(item.id)
    if (!skuId) problems.push(error('invalid', 'this is not a sku_id', path))
    else if (namespaceOf(skuId) !== own) {
      const known = vendors.lookup(namespaceOf(skuId), path)
      const mismatch = error('namespace_mismatch', `goods of this machine are of ${own}`, path)
      problems.push(...(known.ok ? [mismatch] : known.refusal.messages))
    }
    return { vendorSku: skuId ? vendorSkuOf(skuId) : '', quantity, reason: shortened(reason) }
  })
  return problems.length > 0 ? refuseAll(problems.slice(0, PROBLEMS_MAX)) : accept(lines)
}

/** By characters as people count them: a pair of code units is never cut in two. */
const shortened = (reason: string): string => Array.from(reason).slice(0, RECOMMENDATION_REASON_MAX).join('')
