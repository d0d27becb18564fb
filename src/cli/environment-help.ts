/** The environment variables of `vendops serve`, as its help lists them. */
import { environmentVariables } from '../config.ts'

/** What a variable is for, where its name and values do not say it. */
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
  UPSTREAM_TIMEOUT_MS: 'how long a vendor may take to answer',
  SYNC_INTERVAL_MS: 'how often machines are read',
  LEDGER_POLL_INTERVAL_MS: 'how often sales are read',
  SIMULATED_PURCHASING: 'place runs without a supplier (default: in staging)',
  DEFAULT_DESTINATION: 'where runs are delivered',
  STATED_LEAD_DAYS: 'delivery time until enough deliveries were measured',
  PLAN_PARAMS: 'parameters of the plan',
  VISIT_COST_FEN: 'cost of one visit, in minor units',
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
