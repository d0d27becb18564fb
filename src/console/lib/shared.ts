/** Things more than one page needs: rules, namespaces, the roster, the plan, decisions that wait. */
import type { Location } from '../../contract/location.ts'
import { client } from './api.ts'
import { gather, useResource } from './resource.ts'

const LOCATIONS_MAX = 2000
const APPROVALS_MAX = 200
const PAGE = 100
/** A decision that is opened writes no event, so the inbox looks for itself. */
const PENDING_EVERY_MS = 8000

export const useGuardrails = () =>
  useResource('guardrails', (signal) => client.getGuardrails({ signal }), ['guardrail'])

export const useNamespaces = () => useResource('namespaces', (signal) => client.listNamespaces({ signal }))

export const useLocations = () =>
  useResource(
    'locations',
    (signal) => gather(client.all.searchLocations({ body: { pagination: { limit: PAGE } }, signal }), LOCATIONS_MAX),
    ['location', 'sync'],
  )

export const usePlan = () =>
  useResource('plan', (signal) => client.getPlan({ signal }), ['sync', 'replenishment', 'location'])

export const usePending = () =>
  useResource(
    'approvals?pending',
    (signal) => gather(client.all.listApprovals({ query: { status: 'pending', limit: PAGE }, signal }), APPROVALS_MAX),
    ['approval', 'checkout', 'price_change', 'replenishment'],
    PENDING_EVERY_MS,
  )

/** Names by id; an id we do not know is its own name. */
export function namesOf(locations: readonly Location[] | undefined): (id: string) => string {
  const names = new Map((locations ?? []).map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}
