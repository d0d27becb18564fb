/** Joins the handlers, approval subjects and jobs of all capabilities. */
import { approvalsHandlers, noSubjectEffect } from './capabilities/approvals/index.ts'
import type { Subjects } from './capabilities/approvals/index.ts'
import { catalogHandlers, knownProducts } from './capabilities/catalog/index.ts'
import {
  checkoutContext,
  checkoutHandlers,
  checkoutJobs,
  checkoutRefusals,
  checkoutSubject,
} from './capabilities/checkout/index.ts'
import { discoveryHandlers } from './capabilities/discovery/index.ts'
import { eventsHandlers } from './capabilities/events/index.ts'
import type { EventStream } from './capabilities/events/index.ts'
import type { Context } from './capabilities/context.ts'
import { guardrailsHandlers } from './capabilities/guardrails/index.ts'
import { locationsHandlers, locationsJobs, reportRefusedRows } from './capabilities/locations/index.ts'
import { ordersHandlers, ordersJobs } from './capabilities/orders/index.ts'
import {
  priceChangeSubject,
  pricingContext,
  pricingHandlers,
  pricingJobs,
  pricingRefusals,
} from './capabilities/pricing/index.ts'
import { replenishmentHandlers, replenishmentJobs, runSubject } from './capabilities/replenishment/index.ts'
import { retentionJobs } from './capabilities/retention/index.ts'
import { skusHandlers } from './capabilities/skus/index.ts'
import type { Handlers, RefusalRecorders } from './contract/handlers.ts'
import type { Authenticator } from './http/auth.ts'
import { sessionHandlers } from './http/session.ts'
import type { Sessions } from './http/sessions.ts'
import type { Job } from './jobs/runner.ts'

export interface AppNeeds extends Context {
  readonly auth: Authenticator
  readonly sessions: Sessions
  readonly stream: EventStream
}

export interface App {
  readonly handlers: Handlers
  readonly refusalRecorders: RefusalRecorders
  readonly jobs: readonly Job[]
}

export function buildApp(given: AppNeeds): App {
  const app: AppNeeds = { ...given, vendors: reportRefusedRows(given) }
  const checkout = checkoutContext(app)
  const pricing = pricingContext(app)
  const subjects: Subjects = {
    checkout: checkoutSubject(app),
    replenishment_run: runSubject(app),
    price_change: priceChangeSubject(pricing),
    slot: noSubjectEffect,
  }
  const handlers: Handlers = {
    ...approvalsHandlers(app, subjects),
    ...catalogHandlers(app),
    ...checkoutHandlers(checkout),
    ...discoveryHandlers(app),
    ...eventsHandlers(app),
    ...guardrailsHandlers(app, () => knownProducts(app)),
    ...locationsHandlers(app),
    ...ordersHandlers(app),
    ...pricingHandlers(pricing),
    ...replenishmentHandlers(app),
    ...sessionHandlers(app),
    ...skusHandlers(app),
  }
  const refusalRecorders: RefusalRecorders = { ...checkoutRefusals(app), ...pricingRefusals(pricing) }
  const jobs = [
    ...checkoutJobs(checkout),
    ...locationsJobs(app),
    ...ordersJobs(app),
    ...pricingJobs(pricing),
    ...replenishmentJobs(app),
    ...retentionJobs(app),
  ]
  return { handlers, refusalRecorders, jobs }
}
