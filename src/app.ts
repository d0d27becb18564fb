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
  loadSpendingTotals,
} from './acts/checkout/index.ts'
import { connectionsHandlers, recordReads } from './route/connections/index.ts'
import { discoveryHandlers } from './views/discovery/index.ts'
import { overviewHandlers } from './views/overview/index.ts'
import { type EventStream, eventsHandlers } from './record/events/index.ts'
import type { Context } from './context.ts'
import { type KeyDirectory, peopleHandlers } from './rules/people/index.ts'
import { checkGuard, guardrailsHandlers, guardrailsJobs } from './rules/guardrails/index.ts'
import { locationsHandlers, locationsJobs, reportUnreadableRows } from './route/locations/index.ts'
import { notificationsJobs } from './views/notifications/index.ts'
import { notesHandlers, notesJobs } from './rules/notes/index.ts'
import { ordersContext, ordersHandlers, ordersJobs } from './acts/orders/index.ts'
import {
  priceChangeSubject,
  pricingContext,
  pricingHandlers,
  pricingJobs,
  pricingRefusals,
} from './acts/pricing/index.ts'
import { profitHandlers } from './views/profit/index.ts'
import { replenishmentHandlers, replenishmentJobs, runSubject, swapSubject } from './acts/replenishment/index.ts'
import { retentionJobs } from './views/retention/index.ts'
import { skuContext, skusHandlers } from './route/skus/index.ts'
import { storeroomHandlers } from './route/storeroom/index.ts'
import { webhooksHandlers, webhooksJobs } from './views/webhooks/index.ts'
import type { Handlers, RefusalRecorders } from './contract/handlers.ts'
import type { Authenticator } from './http/access/auth.ts'
import type { HttpDeps } from './http/deps.ts'
import { sessionHandlers } from './http/access/session.ts'
import type { Sessions } from './http/access/sessions.ts'
import type { Job } from './jobs/runner.ts'

export interface AppNeeds extends Context {
  readonly auth: Authenticator
  readonly sessions: Sessions
  readonly people: KeyDirectory
  readonly stream: EventStream
}

export interface App extends Pick<HttpDeps, 'handlers' | 'refusalRecorders' | 'checkGuard' | 'guardExemptions'> {
  readonly jobs: readonly Job[]
}

export function buildApp(given: AppNeeds): App {
  const observed = { ...given, vendors: recordReads(given) }
  const app: AppNeeds = { ...given, vendors: reportUnreadableRows(observed) }
  const skus = skuContext(app)
  const checkout = checkoutContext(app)
  const pricing = pricingContext(app)
  const subjects: Subjects = {
    checkout: checkoutSubject(app),
    replenishment_run: runSubject(app),
    price_change: priceChangeSubject(pricing),
    slot: swapSubject(app),
    note: QUESTION_SUBJECT,
  }
  const handlers: Handlers = {
    ...approvalsHandlers(app, subjects),
    ...catalogHandlers(catalogContext(skus)),
    ...checkoutHandlers(checkout),
    ...connectionsHandlers(app),
    ...discoveryHandlers(app),
    ...eventsHandlers(app),
    ...guardrailsHandlers(
      app,
      () => listKnownProducts(app),
      (rules, now) => loadSpendingTotals(app.store.db, rules, now),
    ),
    ...locationsHandlers(skus),
    ...notesHandlers(app),
    ...ordersHandlers(ordersContext(app)),
    ...peopleHandlers(app),
    ...overviewHandlers(app),
    ...profitHandlers(app),
    ...pricingHandlers(pricing),
    ...replenishmentHandlers(app),
    ...sessionHandlers(app),
    ...skusHandlers(app),
    ...storeroomHandlers(app),
    ...webhooksHandlers(app),
  }
  const refusalRecorders: RefusalRecorders = { ...checkoutRefusals(app), ...pricingRefusals(pricing) }
  const jobs = [
    ...questionJobs(app),
    ...notesJobs(app),
    ...checkoutJobs(checkout),
    ...guardrailsJobs(app),
    ...locationsJobs(skus),
    ...ordersJobs(app),
    ...pricingJobs(pricing),
    ...replenishmentJobs(app),
    ...retentionJobs(app),
    ...webhooksJobs(app),
    ...notificationsJobs(app, (decisions) => describeDecisions(subjects, decisions)),
  ]
  const guardExemptions = { ...approvalsGuardExemptions(app), ...checkoutGuardExemptions(app) }
  return { handlers, refusalRecorders, checkGuard: (guard) => checkGuard(app, guard), guardExemptions, jobs }
}
