/**
 * POST /locations/{id}/restock-recommendations: sends advice to the machine platform's own queue. It spends no
 * money, so it needs no confirmation, but the emergency stop blocks it. Writes no event.
 */
import { PROBLEMS_MAX, RECOMMENDATION_REASON_MAX } from '../../contract/limits.ts'
import type { RestockAccepted, RestockRequest } from '../../contract/shapes/replenishment.ts'
import { type LocationId, type Namespace, namespaceOf, parseSkuId, vendorSkuOf } from '../../kernel/ids.ts'
import { type ErrorMessage, type NoteMessage, error, warning } from '../../kernel/message.ts'
import { type Outcome, accept, refuse, refuseAll } from '../../kernel/outcome.ts'
import { INVALID_SKU_ID } from '../../kernel/text.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../../context.ts'
import { sendPermit } from '../../rules/guardrails/index.ts'
import { findLocation, listVendorSkus, machineNotFound } from '../../route/locations/index.ts'

export async function recommendRestock(
  ctx: Context,
  location: LocationId,
  request: RestockRequest,
): Promise<Outcome<Omit<RestockAccepted, 'ucp'>>> {
  const { store, vendors } = ctx
  const machine = await findLocation(store.db, location)
  if (!machine) return refuseAll([error('not_found', machineNotFound(location), undefined, { machine: location })])
  const { namespace } = machine
  const lines = adviceLines(request, namespace)
  if (!lines.ok) return lines
  const platform = vendors.machine(namespace)
  if (!platform.ok) return platform
  if (!vendors.supports(namespace, 'restockRecommend'))
    return refuse('namespace_unsupported', `${namespace} does not accept restock advice`)

  const answer = await platform.value.restockRecommend(location, request.reference, lines.value, sendPermit(ctx))
  if (!answer.ok) return toRefusal(answer)
  const messages = unknownProducts(request, location, await listVendorSkus(store.db, location))
  return accept({
    location,
    reference: request.reference,
    accepted: answer.value.count,
    ...(messages.length > 0 && { messages }),
  })
}

/** The platform decides what it takes, so nothing is refused. Of a machine that was never read nothing is known. */
function unknownProducts(
  { line_items }: RestockRequest,
  location: LocationId,
  held: ReadonlySet<string>,
): readonly NoteMessage[] {
  if (held.size === 0) return []
  return line_items
    .flatMap(({ item: { id } }, index) => {
      const skuId = parseSkuId(id)
      if (!skuId || held.has(vendorSkuOf(skuId))) return []
      const text = `${location} does not hold ${id}. The recommendation was sent all the same.`
      return [warning('not_in_machine', text, `$.line_items[${index}].item.id`, { machine: location, product: id })]
    })
    .slice(0, PROBLEMS_MAX)
}

/** All products must belong to this machine's platform; long reasons are shortened, not refused. */
function adviceLines({ line_items }: RestockRequest, own: Namespace) {
  const problems: ErrorMessage[] = []
  const lines = line_items.map(({ item, quantity, reason }, index) => {
    const path = `$.line_items[${index}].item.id`
    const skuId = parseSkuId(item.id)
    if (!skuId) problems.push(error('invalid', INVALID_SKU_ID, path))
    else if (namespaceOf(skuId) !== own)
      problems.push(error('namespace_mismatch', `Products of this machine belong to ${own}`, path, { namespace: own }))
    return { vendorSku: skuId ? vendorSkuOf(skuId) : '', quantity, reason: shorten(reason) }
  })
  return problems.length > 0 ? refuseAll(problems.slice(0, PROBLEMS_MAX)) : accept(lines)
}

/** Cuts between characters, never inside a surrogate pair. */
const shorten = (reason: string): string => Array.from(reason).slice(0, RECOMMENDATION_REASON_MAX).join('')
