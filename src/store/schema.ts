/**
 * All tables, each defined once: the DDL (migration 0001) and the types of rows come from here. A file in tables/ is named
 * after the folder that owns its tables. Conventions for both databases: instants are epoch ms, amounts are fen, booleans are
 * 0/1, and JSON is text that we write and read ourselves, so that SQLite and PostgreSQL sort and compare alike.
 */
import type { RowOf } from './table.ts'
import { APPROVALS_TABLES } from './tables/approvals.ts'
import { CHECKOUT_TABLES } from './tables/checkout.ts'
import { CONNECTIONS_TABLES } from './tables/connections.ts'
import { EFFECTS_TABLES } from './tables/effects.ts'
import { EVENTS_TABLES } from './tables/events.ts'
import { GUARDRAILS_TABLES } from './tables/guardrails.ts'
import { HASH_CHAIN_TABLES } from './tables/hash-chain.ts'
import { HTTP_TABLES } from './tables/http.ts'
import { LOCATIONS_TABLES } from './tables/locations.ts'
import { NOTES_TABLES } from './tables/notes.ts'
import { OPERATOR_TABLES } from './tables/operator.ts'
import { ORDERS_TABLES } from './tables/orders.ts'
import { OUTBOX_TABLES } from './tables/outbox.ts'
import { PEOPLE_TABLES } from './tables/people.ts'
import { PRICING_TABLES } from './tables/pricing.ts'
import { REPLENISHMENT_TABLES } from './tables/replenishment.ts'
import { SALES_TABLES } from './tables/sales.ts'
import { SETTINGS_TABLES } from './tables/settings.ts'
import { SKUS_TABLES } from './tables/skus.ts'
import { STORE_TABLES } from './tables/store.ts'
import { STOREROOM_TABLES } from './tables/storeroom.ts'
import { TRIALS_TABLES } from './tables/trials.ts'

/** In the order in which they are created: a table that another one refers to comes first. */
export const TABLES = {
  ...STORE_TABLES,
  ...EVENTS_TABLES,
  ...HASH_CHAIN_TABLES,
  ...OUTBOX_TABLES,
  ...EFFECTS_TABLES,
  ...GUARDRAILS_TABLES,
  ...SETTINGS_TABLES,
  ...PEOPLE_TABLES,
  ...APPROVALS_TABLES,
  ...NOTES_TABLES,
  ...OPERATOR_TABLES,
  ...LOCATIONS_TABLES,
  ...SKUS_TABLES,
  ...STOREROOM_TABLES,
  ...SALES_TABLES,
  ...CONNECTIONS_TABLES,
  ...CHECKOUT_TABLES,
  ...ORDERS_TABLES,
  ...PRICING_TABLES,
  ...TRIALS_TABLES,
  ...REPLENISHMENT_TABLES,
  ...HTTP_TABLES,
}

type Tables = typeof TABLES

type Rows = { [Name in keyof Tables]: RowOf<Tables[Name]['columns']> }

/** As Kysely reads and writes them. An interface, because compiler errors show its name and not all of its tables. */
export interface Database extends Rows {}

/** The columns of one table. */
export type Columns<Name extends keyof Tables> = Database[Name]
