/** Every command, in the order the help shows them. */
import type { Command, Group, GroupedCommand } from '../command.ts'
import { APPROVALS } from './approvals.ts'
import { CALENDAR } from './calendar.ts'
import { CASH } from './cash.ts'
import { CATALOG } from './catalog.ts'
import { CHECKOUT } from './checkout.ts'
import { completionCommand } from './setup/completion.ts'
import { CONNECTIONS, CONNECTION_TOOLS } from './setup/connections.ts'
import { DOCTOR } from './setup/doctor.ts'
import { EVENTS } from './events.ts'
import { GUARDRAILS } from './guardrails.ts'
import { HOST, OPENAPI, STOP } from './setup/host.ts'
import { KEYS } from './setup/keys.ts'
import { LOGIN } from './setup/login.ts'
import { MACHINES, SYNC } from './machines.ts'
import { MCP } from './setup/mcp.ts'
import { NOTIFY } from './setup/notify.ts'
import { OPERATOR } from './operator.ts'
import { ORDERS } from './orders.ts'
import { PEOPLE } from './people.ts'
import { PLAN } from './plan.ts'
import { TRIPS } from './trips.ts'
import { PRODUCTS } from './products.ts'
import { EARN, PROFIT, PROFIT_REBUILD } from './profit.ts'
import { PRICE, TRIALS } from './price.ts'
import { RUNS } from './runs.ts'
import { SETTINGS } from './setup/settings.ts'
import { SIMULATE } from './setup/simulate.ts'
import { SLOT_SETTINGS } from './slot-settings.ts'
import { SLOTS } from './slots.ts'
import { LAYOUT } from './layout.ts'
import { SWAPS } from './swaps.ts'
import { STOREROOM } from './storeroom.ts'
import { STATUS } from './status.ts'
import { VISITS } from './visits.ts'

const addGroup = (group: Group, commands: readonly Command[]): readonly GroupedCommand[] =>
  commands.map((command) => ({ ...command, group }))

export const COMMANDS: readonly GroupedCommand[] = [
  ...addGroup('Route', [STATUS, ...MACHINES, ...CALENDAR, ...CONNECTIONS, ...ORDERS, PROFIT, EARN, CASH, EVENTS]),
  ...addGroup('Stock and prices', [SYNC, ...SLOTS, ...SLOT_SETTINGS, PRICE, PLAN, TRIPS, ...RUNS, ...VISITS]),
  ...addGroup('Stock and prices', [...STOREROOM, ...LAYOUT, ...SWAPS, ...TRIALS, ...PRODUCTS]),
  ...addGroup('Purchasing', [...CATALOG, ...CHECKOUT]),
  ...addGroup('Approvals', [...APPROVALS, ...OPERATOR, ...GUARDRAILS, ...SETTINGS, STOP]),
  ...addGroup('On the server', [...HOST, PROFIT_REBUILD, ...PEOPLE, ...KEYS, ...NOTIFY, ...CONNECTION_TOOLS, DOCTOR]),
  ...addGroup('Tools', [OPENAPI, ...LOGIN, SIMULATE, MCP, completionCommand(() => COMMANDS)]),
]
