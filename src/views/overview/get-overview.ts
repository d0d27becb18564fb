/** Reads our own tables only: it answers at once, also while vendors are down and the rules cannot be read. */
import { SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import {
  type Overview,
  type OverviewQuery,
  type Spending,
  type SetupStep,
  SETUP_STEPS,
} from '../../contract/shapes/overview.ts'
import { isReporting, presenceOf } from '../../kernel/stock-state.ts'
import { addDays, DAY, localDay, rfc3339, startOfDay } from '../../kernel/clock.ts'
import { findRememberedDestination } from '../../acts/checkout/index.ts'
import type { Context } from '../../context.ts'
import { readGuardrails } from '../../rules/guardrails/index.ts'
import { type LocationRecord, listLocations, listOpenFaults, listSlotProducts } from '../../route/locations/index.ts'
import { listInvoiceDifferences, loadSpendingSince } from '../../acts/orders/index.ts'
import { hasSeparationOfDuties } from '../../rules/people/index.ts'
import { listSimulatedCostsSince } from '../../acts/replenishment/index.ts'
import { resolveAliases } from '../../route/skus/index.ts'

/** What a new deployment still lacks before it can run the route. */
interface SetupFacts {
  readonly liveRoles: readonly ('supply' | 'machine')[]
  /** Undefined: they cannot be read. */
  readonly rules:
    | { readonly administrators: readonly unknown[]; readonly administratorChats: readonly unknown[] }
    | undefined
  /** An owner key was created. */
  readonly hasOwner: boolean
  readonly roster: readonly { readonly lastSyncedAt: number | undefined }[]
  readonly defaultDestination: Readonly<Record<string, string>> | undefined
}

/** Without these a run that is placed opens purchases that nobody can ship. */
const DESTINATION_FIELDS = ['street_address', 'first_name', 'phone_number']

const IS_DONE: Readonly<Record<SetupStep['step'], (facts: SetupFacts) => boolean>> = {
  connection: ({ liveRoles }) => liveRoles.includes('supply') && liveRoles.includes('machine'),
  rules: ({ rules }) => rules !== undefined,
  owner: ({ hasOwner, rules }) =>
    hasOwner || (rules?.administrators.length ?? 0) + (rules?.administratorChats.length ?? 0) > 0,
  machines: ({ roster }) => roster.length > 0,
  destination: ({ defaultDestination: to }) => DESTINATION_FIELDS.every((field) => Boolean(to?.[field])),
  sync: ({ roster }) => roster.some(({ lastSyncedAt }) => lastSyncedAt !== undefined),
}

const setupSteps = (facts: SetupFacts): SetupStep[] => SETUP_STEPS.map((step) => ({ step, done: IS_DONE[step](facts) }))

export type OverviewDeps = Pick<Context, 'store' | 'clock' | 'config' | 'vendors' | 'readRules'>

const UNLINKED_SHOWN = 20
const SILENT_SHOWN = 4

export async function getOverview(
  ctx: OverviewDeps,
  { products: withProducts = false }: OverviewQuery = {},
): Promise<Omit<Overview, 'ucp'>> {
  const { store, config, vendors } = ctx
  const [guardrails, roster, products] = await Promise.all([
    readGuardrails(ctx),
    listLocations(store.db),
    listProducts(ctx),
  ])
  const unlinked = products.filter(({ linked }) => !linked)
  const setup = setupSteps({
    liveRoles: vendors.registrations.filter(({ status }) => status === 'live').map(({ role }) => role),
    rules: guardrails.ok ? guardrails.value.rules : undefined,
    hasOwner: await hasSeparationOfDuties(store.db),
    roster,
    defaultDestination: config.defaultDestination,
  })
  const destination = await findRememberedDestination(ctx)
  return {
    environment: config.env,
    setup,
    spending: await loadSpending(ctx),
    ...(destination ? { destination } : {}),
    differing_invoices: await listDifferingInvoices(ctx),
    faults: await listFaults(ctx, roster),
    machines: rosterFigures(roster, ctx.clock.now()),
    unlinked_count: unlinked.length,
    unlinked_products: unlinked.slice(0, UNLINKED_SHOWN).map(({ sku_id, title }) => ({ sku_id, title })),
    ...(withProducts ? { products } : {}),
  }
}

const FAULTS_SHOWN = 20

async function listFaults(
  { store, config }: OverviewDeps,
  roster: readonly Pick<LocationRecord, 'id' | 'name'>[],
): Promise<Overview['faults']> {
  const faults = await listOpenFaults(store.db, FAULTS_SHOWN)
  const names = new Map(roster.map(({ id, name }) => [id as string, name]))
  return faults.map(({ id, location, fault = '', at }) => ({
    id,
    location,
    name: names.get(location) ?? location,
    fault,
    occurred_at: rfc3339(at, config.timeZone),
  }))
}

const INVOICES_SHOWN = 20
/** Whoever has not settled a difference by then does so with the order. */
const INVOICES_SINCE_MS = 30 * DAY

async function listDifferingInvoices({ store, clock, config }: OverviewDeps): Promise<Overview['differing_invoices']> {
  const purchases = await listInvoiceDifferences(store.db, clock.now() - INVOICES_SINCE_MS, INVOICES_SHOWN)
  return purchases.map(({ id, label, supplierStatus }) => ({
    order: id,
    label,
    difference: (supplierStatus?.invoiceDifferences ?? []).reduce((sum, { amount }) => sum + amount, 0),
    currency: config.currency,
  }))
}

/** Over the days of the operator's zone, today included, as the daily sales. */
async function loadSpending({ store, clock, config }: OverviewDeps): Promise<Spending> {
  const now = clock.now()
  const firstDay = addDays(localDay(now, config.timeZone), 1 - SALES_WINDOW_DAYS_DEFAULT)
  const from = startOfDay(firstDay, config.timeZone)
  const bought = await loadSpendingSince(store.db, from)
  const simulated = await listSimulatedCostsSince(store.db, from)
  return {
    from: rfc3339(from, config.timeZone),
    to: rfc3339(now, config.timeZone),
    currency: config.currency,
    ...bought,
    ...(simulated.length === 0
      ? {}
      : { simulated: { orders: simulated.length, total: simulated.reduce((total, cost) => total + cost, 0) } }),
  }
}

/** While no supplier is connected none counts as unlinked: otherwise every product would. */
async function listProducts({ store, vendors }: OverviewDeps): Promise<NonNullable<Overview['products']>> {
  const suppliers = vendors.registrations.filter(({ role, status }) => role === 'supply' && status === 'live')
  const products = await listSlotProducts(store.db)
  const ids = products.map(({ skuId }) => skuId)
  const links = await Promise.all(suppliers.map(({ namespace }) => resolveAliases(store.db, ids, namespace)))
  return products.map(({ skuId, title }) => ({
    sku_id: skuId,
    title,
    linked: links.length === 0 || links.some((resolved) => resolved.has(skuId)),
  }))
}

function rosterFigures(
  roster: readonly Pick<LocationRecord, 'id' | 'name' | 'online' | 'lastSyncedAt'>[],
  now: number,
): Overview['machines'] {
  const silent = roster.flatMap(({ id, name, ...seen }) => {
    const presence = presenceOf(seen, now)
    return isReporting(presence) ? [] : [{ id, name, presence }]
  })
  return {
    count: roster.length,
    unknown: roster.filter(({ online }) => online === undefined).length,
    not_reporting: silent.length,
    first: silent.slice(0, SILENT_SHOWN),
  }
}
