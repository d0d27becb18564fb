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

const RUNS_MAX = 50
const PURCHASES_MAX = 50

/** Runs somebody has to place or to receive. */
const OPEN_RUNS = question(
  'runs open',
  async (signal) => {
    const inStatus = (status: 'approved' | 'placed') =>
      gather(client.all.listRuns({ query: { status, limit: RUNS_MAX }, signal }), RUNS_MAX)
    const [toPlace, toReceive] = await Promise.all([inStatus('approved'), inStatus('placed')])
    return { toPlace, toReceive }
  },
  ['replenishment', 'approval'],
)
/** Purchases that may be ordered, and those whose outcome the supplier has not told. */
const OPEN_PURCHASES = question(
  'purchases open',
  async (signal) => {
    const inStatus = (status: 'ready_for_complete' | 'complete_in_progress') =>
      gather(client.all.listCheckouts({ query: { status, limit: PURCHASES_MAX }, signal }), PURCHASES_MAX)
    const [toOrder, unclear] = await Promise.all([inStatus('ready_for_complete'), inStatus('complete_in_progress')])
    return { toOrder, unclear }
  },
  ['checkout', 'approval', 'replenishment'],
)

export const useOpenRuns = () => useResource(...OPEN_RUNS)
export const useOpenPurchases = () => useResource(...OPEN_PURCHASES)
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
