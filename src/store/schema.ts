/** All tables, as Kysely reads and writes them. Each capability describes its own in tables/. */
import type { ApprovalsTables } from './tables/approvals.ts'
import type { CheckoutTables } from './tables/checkout.ts'
import type { FoundationTables } from './tables/foundation.ts'
import type { LocationsTables } from './tables/locations.ts'
import type { ReplenishmentTables } from './tables/replenishment.ts'
import type { SkusTables } from './tables/skus.ts'

export interface Database
  extends FoundationTables, ApprovalsTables, LocationsTables, SkusTables, CheckoutTables, ReplenishmentTables {}
