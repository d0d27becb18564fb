/**
 * All tables, as Kysely reads and writes them; each file in tables/ is named after the folder that owns its tables.
 * Conventions for both databases: instants are epoch ms, amounts are fen, booleans are 0/1, and JSON is text that we
 * write and read ourselves, so that SQLite and PostgreSQL sort and compare alike.
 */
import type { ApprovalsTables } from './tables/approvals.ts'
import type { ChainTables } from './tables/hash-chain.ts'
import type { CheckoutTables } from './tables/checkout.ts'
import type { ConnectionsTables } from './tables/connections.ts'
import type { EventsTables } from './tables/events.ts'
import type { GuardrailsTables } from './tables/guardrails.ts'
import type { HttpTables } from './tables/http.ts'
import type { LocationsTables } from './tables/locations.ts'
import type { OrdersTables } from './tables/orders.ts'
import type { OutboxTables } from './tables/outbox.ts'
import type { PeopleTables } from './tables/people.ts'
import type { PricingTables } from './tables/pricing.ts'
import type { ReplenishmentTables } from './tables/replenishment.ts'
import type { SalesTables } from './tables/sales.ts'
import type { SkusTables } from './tables/skus.ts'
import type { StoreTables } from './tables/store.ts'

export interface Database
  extends
    ApprovalsTables,
    ChainTables,
    CheckoutTables,
    ConnectionsTables,
    EventsTables,
    GuardrailsTables,
    HttpTables,
    LocationsTables,
    OrdersTables,
    OutboxTables,
    PeopleTables,
    PricingTables,
    ReplenishmentTables,
    SalesTables,
    SkusTables,
    StoreTables {}
