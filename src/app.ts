/** Joins the handlers, approval subjects and jobs of all capabilities. */
import {
  approvalsGuardExemptions,
  approvalsHandlers,
  describeDecisions,
  QUESTION_SUBJECT,
  questionJobs,
} from './rules/approvals/index.ts'
import type { Subjects } from './rules/approvals/index.ts'
import { catalogContext, catalogHandlers, listKnownProducts } from './route/catalog/index.ts'
import {
  checkoutContext,
  checkoutGuardExemptions,
  checkoutHandlers,
  checkoutJobs,
  checkoutRefusals,
  checkoutSubject,
  hasSessionsOf,
  listSessionsNeedingSupplier,
  loadSpendingTotals,
} from './acts/checkout/index.ts'
import {
  type ConnectionUse,
  connectionsHandlers,
  fetchFilesJob,
  receiveMessagesJob,
  recordReads,
} from './route/connections/index.ts'
import { discoveryHandlers } from './views/discovery/index.ts'
import { overviewHandlers } from './views/overview/index.ts'
import { type EventStream, eventsHandlers } from './record/events/index.ts'
import type { Context } from './context.ts'
import { type KeyDirectory, peopleHandlers } from './rules/people/index.ts'
import { checkGuard, guardrailsHandlers, guardrailsJobs } from './rules/guardrails/index.ts'
import { locationsHandlers, locationsJobs, reportUnreadableRows } from './route/locations/index.ts'
import { notificationsJobs } from './views/notifications/index.ts'
import { notesHandlers, notesJobs } from './rules/notes/index.ts'
import { listOpenPurchasesOf, ordersContext, ordersHandlers, ordersJobs } from './acts/orders/index.ts'
import { operatorHandlers } from './views/operator/index.ts'
import {
  hasOpenChangesOf,
  priceChangeSubject,
  pricingHandlers,
  pricingJobs,
  pricingRefusals,
} from './acts/pricing/index.ts'
import { profitHandlers } from './views/profit/index.ts'
import {
  replenishmentHandlers,
  replenishmentJobs,
  routeSource,
  runSubject,
  swapSubject,
} from './acts/replenishment/index.ts'
import { retentionJobs } from './views/retention/index.ts'
import { hasMirror } from './route/sales/index.ts'
import { isCurrencyOpen, settingsHandlers } from './views/settings/index.ts'
import { skuContext, skusHandlers } from './route/skus/index.ts'
import { storeroomHandlers } from './route/storeroom/index.ts'
import { trialsHandlers, trialsJobs } from './acts/trials/index.ts'
import { webhooksHandlers, webhooksJobs } from './views/webhooks/index.ts'
import type { Handlers, RefusalRecorders } from './contract/handlers.ts'
import type { Authenticator } from './http/access/auth.ts'
import type { HttpDeps } from './http/deps.ts'
import { passkeyHandlers } from './http/access/passkeys.ts'
import { sessionHandlers } from './http/access/session.ts'
import type { Sessions } from './http/access/sessions.ts'
import type { Job } from './jobs/runner.ts'
import { DAY } from './kernel/clock.ts'

export interface AppNeeds extends Context {
  readonly auth: Authenticator
  readonly sessions: Sessions
  readonly people: KeyDirectory
  readonly stream: EventStream
}

export interface App extends Pick<HttpDeps, 'handlers' | 'refusalRecorders' | 'checkGuard' | 'guardExemptions'> {
  readonly jobs: readonly Job[]
}

/** Orders older than this are not asked about when their supplier is removed: some suppliers never report an arrival. */
const OPEN_ORDER_MS = 30 * DAY
const NAMED = 3

/** What a connection is needed for, from the capabilities above it. */
const connectionUse = ({ clock }: Pick<Context, 'clock'>): ConnectionUse => ({
  async findOpenWork(db, namespace) {
    const named = (ids: readonly string[]) =>
      `${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ' and more' : ''}`
    const sessions = await listSessionsNeedingSupplier(db, namespace, NAMED + 1)
    if (sessions.length > 0) return `Purchases are still open: ${named(sessions)}. Complete or cancel them first`
    const orders = await listOpenPurchasesOf(db, namespace, clock.now() - OPEN_ORDER_MS, NAMED + 1)
    if (orders.length > 0) return `Orders have not arrived yet: ${named(orders)}`
    if (await hasOpenChangesOf(db, namespace)) return 'A price change is not settled yet'
    return undefined
  },
  hasHistory: async (db, namespace) => (await hasSessionsOf(db, namespace)) || (await hasMirror(db, namespace)),
})

export function buildApp(given: AppNeeds): App {
  const observed = { ...given, vendors: recordReads(given) }
  const app: AppNeeds = { ...given, vendors: reportUnreadableRows(observed) }
  const skus = skuContext(app)
  const checkout = checkoutContext(app)
  const trials = { ...app, route: routeSource(app) }
  const subjects: Subjects = {
    checkout: checkoutSubject(app),
    replenishment_run: runSubject(app),
    price_change: priceChangeSubject(app),
    slot: swapSubject(app),
    note: QUESTION_SUBJECT,
  }
  const handlers: Handlers = {
    ...approvalsHandlers(app, subjects),
    ...catalogHandlers(catalogContext(skus)),
    ...checkoutHandlers(checkout),
    ...connectionsHandlers(app, connectionUse(app)),
    ...discoveryHandlers(app),
    ...eventsHandlers(app),
    ...guardrailsHandlers(
      app,
      () => listKnownProducts(app),
      (rules, now) => loadSpendingTotals(app.store.db, rules, now),
      () => isCurrencyOpen(app),
    ),
    ...locationsHandlers(skus),
    ...notesHandlers(app),
    ...operatorHandlers(app),
    ...ordersHandlers(ordersContext(app)),
    ...peopleHandlers(app),
    ...overviewHandlers(app),
    ...profitHandlers(trials),
    ...pricingHandlers(app),
    ...replenishmentHandlers(app),
    ...sessionHandlers(app),
    ...settingsHandlers(app),
    ...passkeyHandlers(app),
    ...skusHandlers(app),
    ...storeroomHandlers(app),
    ...trialsHandlers(trials),
    ...webhooksHandlers(app),
  }
  const refusalRecorders: RefusalRecorders = { ...checkoutRefusals(app), ...pricingRefusals(app) }
  const jobs = [
    ...questionJobs(app),
    ...notesJobs(app),
    receiveMessagesJob(app),
    fetchFilesJob({ ...app, use: connectionUse(app) }),
    ...checkoutJobs(checkout),
    ...guardrailsJobs(app),
    ...locationsJobs(skus),
    ...ordersJobs(app),
    ...pricingJobs(app),
    ...trialsJobs(trials),
    ...replenishmentJobs(app),
    ...retentionJobs(app),
    ...webhooksJobs(app),
    ...notificationsJobs(app, (decisions) => describeDecisions(subjects, decisions)),
  ]
  const guardExemptions = { ...approvalsGuardExemptions(app), ...checkoutGuardExemptions(app) }
  return { handlers, refusalRecorders, checkGuard: (guard) => checkGuard(app, guard), guardExemptions, jobs }
}
