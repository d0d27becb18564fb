/** The environment variables of `vendops serve`, as its help lists them. */
import { environmentVariables } from '../config/environment.ts'

/** What each variable is for. A variable without a meaning fails the test of the help. */
const MEANINGS: Readonly<Record<string, string>> = {
  VENDOPS_ENV: 'staging simulates vendors and cannot spend; live uses your connections',
  HOST: 'address to listen on',
  PORT: 'port to listen on',
  PUBLIC_URL: 'address under which people and agents reach the service',
  OPERATOR_TOKEN: 'the token of callers; staging creates one',
  DATABASE_URL: 'the database',
  DATA_DIR: 'folder for the token file and the emergency stop marker',
  GUARDRAILS_FILE: 'the rules file (default ./guardrails.json)',
  TIMEZONE: 'time zone of the operator',
  CURRENCY: 'currency of all amounts',
  VENDORS_FILE: 'connections to suppliers and machine platforms',
  ACME_SUPPLY_URL: 'address of the reference supplier',
  ACME_SUPPLY_APP_KEY: 'its application key',
  ACME_SUPPLY_APP_SECRET: 'its secret',
  ACME_MACHINE_URL: 'address of the reference machine platform',
  ACME_MACHINE_CLIENT_ID: 'its client id',
  ACME_MACHINE_CLIENT_SECRET: 'its secret',
  UPSTREAM_TIMEOUT_MS: 'how long a vendor may take to answer',
  SYNC_INTERVAL_MS: 'how often machines are read',
  LEDGER_POLL_INTERVAL_MS: 'how often sales are read',
  SIMULATED_PURCHASING: 'place runs without a supplier (default: in staging)',
  DEFAULT_DESTINATION: 'where runs are delivered',
  STATED_LEAD_DAYS: 'delivery time until enough deliveries were measured',
  PLAN_PARAMS: 'parameters of the plan',
  VISIT_COST_FEN: 'cost of one visit, in minor units',
  TRIP_COST_FEN: 'cost of leaving the depot and coming back, in minor units',
  STOP_COST_FEN: 'cost of one stop, in minor units',
  KM_COST_FEN: 'cost of one kilometer, in minor units',
  DEPOT: 'where trips start and end',
  STOP_MINUTES: 'time for one stop',
  TRIP_MAX_STOPS: 'most stops of one trip',
  TRIP_MAX_UNITS: 'most units that the van holds',
  TRIP_MAX_MINUTES: 'longest trip',
  SERVICE_WEEKDAYS: 'weekdays on which the van drives',
  PICKUP_HOUR_FROM: 'first hour at which orders can be picked up',
  PICKUP_HOUR_TO: 'hour at which pickup ends',
  SCHEMA_BASE_URL: 'where the extension schemas are published',
  TERMS_URL: 'link to the terms, shown with a purchase',
  PRIVACY_URL: 'link to the privacy policy, shown with a purchase',
  VENDOPS_CLOCK: 'staging: start time of the clock',
  VENDOPS_SEED: 'staging: seed of the simulated world',
  DEMO_LANGUAGE: 'staging: language of the names in the simulated world',
  MCP_TOOLSETS: 'tools that agents are offered',
  MCP_READ_ONLY: 'offer agents only tools that change nothing',
  WEBHOOK_TARGETS: 'receivers of order webhooks',
  SIGNING_KEYS_FILE: 'the keys that sign webhooks, created by vendops keys new',
  NOTIFY_FILE: 'channels on which people are notified',
  LOG_LEVEL: 'least important level that is logged',
  RATE_LIMIT_PER_MINUTE: 'requests of one caller; 0: no limit',
  RETENTION_DAYS: 'how long events and readings are kept',
  TRUSTED_PROXY: 'proxies whose forwarded headers count',
}

/** Name, and what it is for with the values it takes. */
export const environmentHelp = (): (readonly [string, string])[] =>
  environmentVariables().map(({ name, expected, fallback }) => {
    const values = [expected, fallback === undefined ? undefined : `default ${fallback}`].filter(Boolean).join('; ')
    const meaning = MEANINGS[name]
    return [name, meaning === undefined ? values : values === '' ? meaning : `${meaning} (${values})`] as const
  })
