/** The operations, one row each, in a file per capability. Server, client, OpenAPI document and generated lists are all derived from it. */
import type { Operation } from './operation.ts'
import { approvalsOperations } from './operations/approvals.ts'
import { catalogOperations } from './operations/catalog.ts'
import { checkoutOperations } from './operations/checkout.ts'
import { connectionsOperations } from './operations/connections.ts'
import { discoveryOperations } from './operations/discovery.ts'
import { eventsOperations } from './operations/events.ts'
import { guardrailsOperations } from './operations/guardrails.ts'
import { locationsOperations } from './operations/locations.ts'
import { operatorOperations } from './operations/operator.ts'
import { ordersOperations } from './operations/orders.ts'
import { peopleOperations } from './operations/people.ts'
import { pricingOperations } from './operations/pricing.ts'
import { replenishmentOperations } from './operations/replenishment.ts'
import { settingsOperations } from './operations/settings.ts'
import { storeroomOperations } from './operations/storeroom.ts'

export const OPERATIONS = {
  ...discoveryOperations,
  ...connectionsOperations,
  ...catalogOperations,
  ...locationsOperations,
  ...checkoutOperations,
  ...ordersOperations,
  ...pricingOperations,
  ...replenishmentOperations,
  ...storeroomOperations,
  ...approvalsOperations,
  ...operatorOperations,
  ...eventsOperations,
  ...guardrailsOperations,
  ...settingsOperations,
  ...peopleOperations,
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS

export const operationIds = Object.keys(OPERATIONS) as readonly OperationId[]
