/** Data that more than one page needs: rules, namespaces, the roster, the plan, pending approvals. */
import { signal } from '@preact/signals'
import type { Location } from '../../../contract/shapes/location.ts'
import { CODES } from '../../../texts/index.ts'
import { client, VendopsError } from './api.ts'
import { textsOf, texts, words } from '../text/i18n.ts'
import { onEvents } from './live.ts'
import { prefetch, collect, resourceOf, useResource } from './resource.ts'
import { messageLine } from '../text/service-text.ts'

const LOCATIONS_MAX = 2000
const APPROVALS_MAX = 200
const PAGE = 100
/** A new approval request causes no event, so pending approvals are polled. */
const PENDING_POLL_MS = 8000

/** The health of a connection causes no event, except for rows that were refused; nor does that of the rules file. */
const HEALTH_POLL_MS = 30_000
const GUARDRAILS = resourceOf(
  'guardrails',
  (signal) => client.getGuardrails({ signal }),
  ['guardrail'],
  HEALTH_POLL_MS,
  'getGuardrails',
)
const LOCATIONS = resourceOf(
  'locations',
  (signal) => collect(client.all.searchLocations({ body: { pagination: { limit: PAGE } }, signal }), LOCATIONS_MAX),
  ['location', 'sync'],
)
const PLAN_CHANGES = ['sync', 'replenishment', 'location']
const PLAN = resourceOf('plan', (signal) => client.getPlan({ signal }), PLAN_CHANGES)
/** In figures, with the first slots that need somebody: no page but the plan and a new run reads the whole of it. */
const PLAN_SUMMARY = resourceOf(
  'plan summary',
  async (signal) => {
    const { summary, lead_time: lead } = await client.getPlan({ query: { only: 'summary' }, signal })
    return { ...summary!, leadDays: lead.days }
  },
  PLAN_CHANGES,
)
export const usePlanSummary = () => useResource(...PLAN_SUMMARY)
/** The stock of each machine. */
export const useMachineStocks = () =>
  useResource('plan visits', (signal) => client.getPlan({ query: { only: 'visits' }, signal }), PLAN_CHANGES)
/** Where one product is, at most so many machines. */
const PRODUCT_SLOTS_MAX = 500
export const useProductPlan = (sku: string) =>
  useResource(
    `plan of ${sku}`,
    async (signal) =>
      sku === '' ? [] : (await client.getPlan({ query: { sku_id: sku, limit: PRODUCT_SLOTS_MAX }, signal })).plans,
    PLAN_CHANGES,
  )
/** All products in machines, by title. */
export const useMachineGoods = () =>
  useResource(
    'machine products',
    async (signal) => (await client.getOverview({ query: { products: true }, signal })).products ?? [],
    ['sync', 'location'],
    undefined,
    'getOverview',
  )
export const useMachinePlan = (location: string) =>
  useResource(`plan ${location}`, (signal) => client.getPlan({ query: { location }, signal }), PLAN_CHANGES)
const pendingOf = (key: string, details: { readonly details?: true }) =>
  resourceOf(
    key,
    (signal) =>
      collect(
        client.all.listApprovals({ query: { status: 'pending', ...details, limit: PAGE }, signal }),
        APPROVALS_MAX,
      ),
    ['approval', 'checkout', 'price_change', 'replenishment'],
    PENDING_POLL_MS,
    'listApprovals',
  )
const PENDING = pendingOf('approvals?pending', {})
/** With what each is about, line by line. */
const PENDING_DETAILS = pendingOf('approvals?pending&details', { details: true })

const OVERVIEW = resourceOf(
  'overview',
  (signal) => client.getOverview({ signal }),
  ['checkout', 'replenishment', 'sync', 'location', 'guardrail'],
  undefined,
  'getOverview',
)
const CONNECTIONS = resourceOf(
  'connections',
  async (signal) => (await client.listConnections({ signal })).connections,
  ['sync'],
  HEALTH_POLL_MS,
  'listConnections',
)

const RUNS_MAX = 50
const PURCHASES_MAX = 50

/** Runs that have to be ordered or received. */
const OPEN_RUNS = resourceOf(
  'runs open',
  async (signal) => {
    const listInStatus = (status: 'approved' | 'placed') =>
      collect(client.all.listRuns({ query: { status, limit: RUNS_MAX }, signal }), RUNS_MAX)
    const [toPlace, toReceive] = await Promise.all([listInStatus('approved'), listInStatus('placed')])
    return { toPlace, toReceive }
  },
  ['replenishment', 'approval'],
)
/** Purchases that can be ordered, those that lack something, and those the supplier has not confirmed yet. */
const OPEN_PURCHASES = resourceOf(
  'purchases open',
  async (signal) => {
    const listInStatus = (status: 'ready_for_complete' | 'incomplete' | 'complete_in_progress') =>
      collect(client.all.listCheckouts({ query: { status, limit: PURCHASES_MAX }, signal }), PURCHASES_MAX)
    const [toOrder, incomplete, unclear] = await Promise.all([
      listInStatus('ready_for_complete'),
      listInStatus('incomplete'),
      listInStatus('complete_in_progress'),
    ])
    return { toOrder, incomplete, unclear }
  },
  ['checkout', 'approval', 'replenishment'],
  undefined,
  'listCheckouts',
)

export const useOpenRuns = () => useResource(...OPEN_RUNS)
export const useOpenPurchases = () => useResource(...OPEN_PURCHASES)
export const useOverview = () => useResource(...OVERVIEW)
export const useConnections = () => useResource(...CONNECTIONS)
export const useGuardrails = () => useResource(...GUARDRAILS)
export const areRulesUnreadable = (error: unknown): error is VendopsError =>
  error instanceof VendopsError && error.code === 'guard_unverifiable'

/** There is no rules file, and an owner has not set all rules yet: they are set on the page of the rules. */
export const areRulesUnset = (error: unknown): boolean =>
  areRulesUnreadable(error) && error.messages.some((message) => message.params?.['missing'] !== undefined)

export interface Block {
  readonly title: string
  readonly text: string
  /** The page where it is put right, and its name. */
  readonly fix?: { readonly href: string; readonly text: string }
}

/** Why nothing can be ordered or repriced now. The service refuses anyway; this only says so before somebody presses. */
export function useBlock(stopped: string): Block | undefined {
  const { data, error } = useGuardrails()
  if (areRulesUnset(error)) {
    const t = texts().today
    return { title: t.rulesUnset, text: t.rulesUnsetText, fix: { href: '/guardrails', text: t.setRules } }
  }
  if (areRulesUnreadable(error))
    return { title: textsOf(CODES).guard_unverifiable, text: error.messages.map(messageLine).join(' ') }
  return data?.emergency_stop.engaged ? { title: texts().banner.stopped, text: stopped } : undefined
}
export const useNamespaces = () => useResource('namespaces', (signal) => client.listNamespaces({ signal }))
export const useLocations = () => useResource(...LOCATIONS)
export const useHolidays = () =>
  useResource(
    'holidays',
    (signal) => client.getHolidays({ signal }),
    ['location', 'guardrail'],
    undefined,
    'getHolidays',
  )
export const usePlan = () => useResource(...PLAN)
export const usePendingDetails = () => useResource(...PENDING_DETAILS)
export const usePending = () => useResource(...PENDING)

/** Loads the data of Today before it renders; resolves with the first figure. */
export async function prefetchToday(): Promise<void> {
  const first = prefetch(...PENDING)
  void prefetch(...PLAN_SUMMARY)
  void prefetch(...OVERVIEW)
  void prefetch(...GUARDRAILS)
  await first
}

/** As many as one lookup takes. */
const LOOKUP_MAX = 50
const known = signal<ReadonlyMap<string, string>>(new Map())
/** Asked for since a machine was changed. */
const asked = new Set<string>()
onEvents(['location'], () => asked.clear())

/** On sign-out, so that no name stays in memory. */
export function forgetNames(): void {
  known.value = new Map()
  asked.clear()
}

/** Names of the machines that a page shows: only those that list all machines read the whole roster. */
export function useNames(ids: readonly (string | undefined)[]) {
  const wanted = [...new Set(ids)].filter((id) => id !== undefined).toSorted()
  const found = useResource(
    `names ${wanted.join()}`,
    async (signal) => {
      const open = wanted.filter((id) => !asked.has(id))
      for (let at = 0; at < open.length; at += LOOKUP_MAX) {
        const part = open.slice(at, at + LOOKUP_MAX)
        const { locations } = await client.lookupLocations({ body: { ids: part }, signal })
        known.value = new Map([...known.value, ...locations.map(({ id, name }) => [id, name] as const)])
        for (const id of part) asked.add(id)
      }
      return true
    },
    ['location'],
  )
  return {
    name: (id: string): string => known.value.get(id) ?? `${words().machine} ${id}`,
    /** None is known yet. */
    isWaiting: found.data === undefined && found.error === undefined && known.value.size === 0,
  }
}

/** Machine names by id; where the name is unknown, the id is said to be one. */
export function namesOf(locations: readonly Location[] | undefined): (id: string) => string {
  const names = new Map((locations ?? []).map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? `${words().machine} ${id}`
}

const OPERATOR = resourceOf(
  'operator',
  (signal) => client.getOperator({ signal }),
  ['operator', 'approval', 'guardrail'],
  HEALTH_POLL_MS,
  'getOperator',
)
export const useOperator = () => useResource(...OPERATOR)

const SHIFTS_SHOWN = 50
const SHIFTS = resourceOf(
  'shifts',
  async (signal) => (await client.listShifts({ query: { limit: SHIFTS_SHOWN }, signal })).shifts,
  ['operator'],
  PENDING_POLL_MS,
  'listShifts',
)
export const useShifts = () => useResource(...SHIFTS)
