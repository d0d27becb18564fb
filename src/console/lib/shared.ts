/** Things more than one page needs: rules, namespaces, the roster, the plan, decisions that wait. */
import type { Location } from '../../contract/location.ts'
import { client } from './api.ts'
import { askAhead, gather, question, useResource } from './resource.ts'

const LOCATIONS_MAX = 2000
const APPROVALS_MAX = 200
const PAGE = 100
/** A decision that is opened writes no event, so the inbox looks for itself. */
const PENDING_EVERY_MS = 8000

const GUARDRAILS = question('guardrails', (signal) => client.getGuardrails({ signal }), ['guardrail'])
const LOCATIONS = question(
  'locations',
  (signal) => gather(client.all.searchLocations({ body: { pagination: { limit: PAGE } }, signal }), LOCATIONS_MAX),
  ['location', 'sync'],
)
const PLAN = question('plan', (signal) => client.getPlan({ signal }), ['sync', 'replenishment', 'location'])
const PENDING = question(
  'approvals?pending',
  (signal) => gather(client.all.listApprovals({ query: { status: 'pending', limit: PAGE }, signal }), APPROVALS_MAX),
  ['approval', 'checkout', 'price_change', 'replenishment'],
  PENDING_EVERY_MS,
)

export const useGuardrails = () => useResource(...GUARDRAILS)
export const useNamespaces = () => useResource('namespaces', (signal) => client.listNamespaces({ signal }))
export const useLocations = () => useResource(...LOCATIONS)
export const usePlan = () => useResource(...PLAN)
export const usePending = () => useResource(...PENDING)

/** Asks for what Today will show before it is drawn; done when the first figure is there. */
export async function askForToday(): Promise<void> {
  const first = askAhead(...PENDING)
  for (const ask of [() => askAhead(...LOCATIONS), () => askAhead(...PLAN), () => askAhead(...GUARDRAILS)]) void ask()
  await first
}

/** Names by id; an id we do not know is its own name. */
export function namesOf(locations: readonly Location[] | undefined): (id: string) => string {
  const names = new Map((locations ?? []).map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}
