/** The environment variables, each one row: field, help, type, range and default; and how their texts are read. */
import { parseCashTolerance } from '../kernel/cash-tolerance.ts'
import { isTimeZone, parseRfc3339 } from '../kernel/clock.ts'
import { isCurrency } from '../kernel/currency.ts'
import { STOP_MINUTES_DEFAULT } from '../kernel/driving.ts'
import { parseModelName, parsePair } from './operator-model.ts'
import { type SettingName, LANGUAGES } from '../kernel/deployment/settings.ts'
import { TOOLSETS, parseToolsets } from '../kernel/toolsets.ts'
import { integer, oneOf, text } from '../lib/validator.ts'
import { isIP } from 'node:net'
import { type Static, type TSchema, Type } from 'typebox'

const TOKEN_LENGTH_MIN = 16

const DEFAULT_PORT = 8080

const DEFAULT_CURRENCY = 'CNY'

const isHttpUrl = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

const isDatabaseUrl = (value: string) => /^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(value)

const isToken = (value: string) => value.length >= TOKEN_LENGTH_MIN && /^[\x21-\x7e]+$/.test(value)

const TARGET_ID = /^[A-Za-z0-9._-]{1,64}$/

const isTime = (value: string) => parseRfc3339(value) !== undefined

function isAddressOrNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  // Zero bits would trust every address.
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128))
  )
}

export const splitList = (value: string): readonly string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

const isWeekday = (value: string) => WEEKDAYS.includes(value.toLowerCase())

const pair = (expected: string, options: object = {}) =>
  text(expected, (value) => parsePair(value) !== undefined, options)

const anyText = (options: object = {}) => text('text', undefined, options)

const url = (options: object = {}) => text('an http or https URL', isHttpUrl, options)

const boolean = (options: object = {}) => Type.Boolean({ expected: 'true or false', ...options })

const optional = Type.Optional

/**
 * A variable: its field in the configuration, what it is for, and its schema with the default. Null: config.ts makes something
 * else of it.
 */
const setting = <Field extends string | null, Schema extends TSchema>(field: Field, help: string, schema: Schema) => ({
  field,
  help,
  schema,
})

/** The variables of the plan, which its own schema checks (read-plan-params.ts). */
const planSetting = (help: string, expected: string) => setting(null, help, Type.Unsafe<string>({ expected }))

const SETTINGS = {
  VENDOPS_ENV: setting(
    'env',
    'staging simulates vendors and cannot spend; live uses your connections',
    oneOf(['staging', 'live'], { default: 'staging' }),
  ),
  HOST: setting('host', 'address to listen on', anyText({ default: '127.0.0.1' })),
  PORT: setting('port', 'port to listen on', integer(0, 65_535, { default: DEFAULT_PORT })),
  PUBLIC_URL: setting(null, 'address under which people and agents reach the service', optional(url())),
  // Undefined in staging until the first start creates one.
  OPERATOR_TOKEN: setting(
    'operatorToken',
    'the token of callers; staging creates one',
    optional(text(`at least ${TOKEN_LENGTH_MIN} printable characters without spaces`, isToken)),
  ),
  DATABASE_URL: setting(
    'databaseUrl',
    'the database',
    text('sqlite:<file> or postgres://…', isDatabaseUrl, { default: 'sqlite:./data/vendops.db' }),
  ),
  // Undefined: the folder of the SQLite database, or ./data.
  DATA_DIR: setting('dataDir', 'folder for the token file and the emergency stop marker', optional(anyText())),
  GUARDRAILS_FILE: setting(null, 'the rules file (default ./guardrails.json)', optional(anyText())),
  TIMEZONE: setting(
    'timeZone',
    'time zone of the operator',
    text('an IANA time zone name', isTimeZone, { default: 'Asia/Shanghai' }),
  ),
  // All amounts of the deployment are whole minor units of it.
  CURRENCY: setting(
    'currency',
    'currency of all amounts',
    text('an ISO 4217 currency code such as CNY, USD or EUR', isCurrency, { default: DEFAULT_CURRENCY }),
  ),
  SERVICE_LANGUAGE: setting('language', 'language of notices and reports', oneOf(LANGUAGES, { default: 'en' })),
  // The connections to vendors besides ACME_*; used in live only.
  VENDORS_FILE: setting('vendorsFile', 'connections to suppliers and machine platforms', optional(anyText())),
  // Undefined: the folder secrets in the data folder; with PostgreSQL there is none.
  SECRETS_DIR: setting(
    'secretsDir',
    'folder for the secrets of connections that an owner adds; all instances share it',
    optional(anyText()),
  ),
  ACME_SUPPLY_URL: setting(null, 'address of the reference supplier', optional(url())),
  ACME_SUPPLY_APP_KEY: setting(null, 'its application key', optional(anyText())),
  ACME_SUPPLY_APP_SECRET: setting(null, 'its secret', optional(anyText())),
  ACME_MACHINE_URL: setting(null, 'address of the reference machine platform', optional(url())),
  ACME_MACHINE_CLIENT_ID: setting(null, 'its client id', optional(anyText())),
  ACME_MACHINE_CLIENT_SECRET: setting(null, 'its secret', optional(anyText())),
  UPSTREAM_TIMEOUT_MS: setting(
    'upstreamTimeoutMs',
    'how long a vendor may take to answer',
    integer(50, 120_000, { default: 10_000 }),
  ),
  SYNC_INTERVAL_MS: setting(
    'syncIntervalMs',
    'how often machines are read',
    integer(1000, 86_400_000, { default: 3_600_000 }),
  ),
  LEDGER_POLL_INTERVAL_MS: setting(
    'ledgerPollIntervalMs',
    'how often sales are read',
    integer(1000, 86_400_000, { default: 300_000 }),
  ),
  SIMULATED_PURCHASING: setting(null, 'place runs without a supplier (default: in staging)', optional(boolean())),
  STOREROOM: setting(null, 'whether a store room is kept: on or off', oneOf(['on', 'off'], { default: 'on' })),
  DEFAULT_DESTINATION: setting(
    'defaultDestination',
    'where runs are delivered',
    optional(
      Type.Object(
        {
          street_address: optional(anyText()),
          extended_address: optional(anyText()),
          address_locality: optional(anyText()),
          address_region: optional(anyText()),
          address_country: optional(anyText()),
          postal_code: optional(anyText()),
          first_name: optional(anyText()),
          last_name: optional(anyText()),
          phone_number: optional(anyText()),
        },
        { additionalProperties: false, expected: 'a JSON object' },
      ),
    ),
  ),
  STATED_LEAD_DAYS: setting(
    'statedLeadDays',
    'delivery time until enough deliveries were measured',
    Type.Number({ minimum: 0, maximum: 60, default: 2, expected: 'a number from 0 to 60' }),
  ),
  CASH_TOLERANCE: setting(
    'cashTolerance',
    'how far collected cash may differ from the counters: above both a share and minor units, people are told',
    text('a share and minor units, such as 5%,500', (value) => parseCashTolerance(value) !== undefined, {
      default: '5%,500',
    }),
  ),
  VENDOPS_CLOCK: setting(
    null,
    'staging: start time of the clock',
    optional(text('an RFC 3339 time with an offset', isTime)),
  ),
  VENDOPS_SEED: setting('seed', 'staging: seed of the simulated world', integer(0, 2 ** 31, { default: 1 })),
  DEMO_LANGUAGE: setting(null, 'staging: language of the names in the simulated world', optional(oneOf(['zh', 'en']))),
  LOG_LEVEL: setting(
    'logLevel',
    'least important level that is logged',
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { default: 'info' }),
  ),
  // The limits of writes and of new approvals are fractions of it.
  RATE_LIMIT_PER_MINUTE: setting(
    'rateLimitPerMinute',
    'requests of one caller; 0: no limit',
    integer(0, 1_000_000, { default: 3000 }),
  ),
  RETENTION_DAYS: setting(
    'retentionDays',
    'how long events and readings are kept',
    integer(1, 36_500, { default: 400 }),
  ),
  TRUSTED_PROXY: setting(
    null,
    'proxies whose forwarded headers count',
    text(
      'IP addresses or networks such as 10.0.0.0/8, separated by commas',
      (value) => splitList(value).every(isAddressOrNetwork),
      { default: '' },
    ),
  ),
  PICKUP_HOUR_FROM: setting(null, 'first hour at which orders can be picked up', integer(0, 23, { default: 9 })),
  PICKUP_HOUR_TO: setting(null, 'hour at which pickup ends', integer(1, 24, { default: 18 })),
  SCHEMA_BASE_URL: setting(
    null,
    'where the extension schemas are published',
    url({ default: 'https://vending.example.com/schemas' }),
  ),
  TERMS_URL: setting(null, 'link to the terms, shown with a purchase', optional(url())),
  PRIVACY_URL: setting(null, 'link to the privacy policy, shown with a purchase', optional(url())),
  KM_COST_FEN: setting(null, 'cost of one kilometer, in minor units', integer(0, 1_000_000, { default: 0 })),
  DEPOT: setting(
    null,
    'where trips start and end',
    optional(
      Type.Object(
        { latitude: Type.Number(), longitude: Type.Number() },
        { additionalProperties: false, expected: 'a JSON object with latitude and longitude' },
      ),
    ),
  ),
  STOP_MINUTES: setting(null, 'time for one stop', integer(0, 1440, { default: STOP_MINUTES_DEFAULT })),
  TRIP_MAX_STOPS: setting(null, 'most stops of one trip', optional(integer(1, 10_000))),
  TRIP_MAX_UNITS: setting(null, 'most units that the van holds', optional(integer(1, 1_000_000))),
  TRIP_MAX_MINUTES: setting(null, 'longest trip', optional(integer(1, 10_080))),
  SERVICE_WEEKDAYS: setting(
    null,
    'weekdays on which the van drives',
    text('weekdays such as monday,thursday', (value) => splitList(value).every(isWeekday), {
      default: '',
    }),
  ),
  MCP_TOOLSETS: setting(
    null,
    'tools that agents are offered',
    text(
      `toolset names separated by commas, of all, ${TOOLSETS.join(', ')}`,
      (value) => parseToolsets(value) !== undefined,
      { default: 'all' },
    ),
  ),
  MCP_READ_ONLY: setting(null, 'offer agents only tools that change nothing', boolean({ default: false })),
  OAUTH: setting(
    null,
    'on: hosts of agents connect with OAuth, after an owner agreed in the browser',
    oneOf(['on', 'off'], { default: 'off' }),
  ),
  WEBHOOK_TARGETS: setting(
    null,
    'receivers of order webhooks',
    optional(
      Type.Array(
        Type.Object(
          {
            id: text('up to 64 letters, digits, dots, hyphens and underscores', (id) => TARGET_ID.test(id)),
            url: anyText(),
            kinds: Type.Array(oneOf(['purchase', 'sale']), { minItems: 1, expected: 'a list of purchase and sale' }),
            agent: optional(url()),
            from: optional(text('an RFC 3339 time with an offset', isTime)),
          },
          { additionalProperties: false, expected: 'an object' },
        ),
        { expected: 'a JSON list' },
      ),
    ),
  ),
  SIGNING_KEYS_FILE: setting(
    'signingKeysFile',
    'the keys that sign webhooks, created by vendops keys new',
    optional(anyText()),
  ),
  OPERATOR_MODEL: setting(
    null,
    'a model in the place of the built-in operator',
    optional(
      text(
        'anthropic:<model>, anthropic:<model>@<base URL> or openai:<model>@<base URL>',
        (value) => parseModelName(value) !== undefined,
      ),
    ),
  ),
  OPERATOR_MODEL_KEY: setting(null, 'its API key', optional(anyText())),
  OPERATOR_MODEL_KEY_FILE: setting(null, 'file with its API key', optional(anyText())),
  OPERATOR_MODEL_TIMEOUT_MS: setting(
    null,
    'how long the model may take for one answer',
    integer(1000, 600_000, { default: 120_000 }),
  ),
  OPERATOR_MODEL_PRICES: setting(
    null,
    'minor units for a million tokens, input and output; without them the cost is not known',
    optional(pair('two whole numbers such as 300,1500')),
  ),
  OPERATOR_MODEL_TOKENS: setting(
    null,
    'most tokens in a shift and in a day',
    pair('two whole numbers such as 1000000,4000000', { default: '1000000,4000000' }),
  ),
  OPERATOR_MODEL_BUDGET: setting(
    null,
    'most minor units that the model may cost in a shift and in a day',
    pair('two whole numbers such as 500,2000', { default: '500,2000' }),
  ),
  NOTIFY_FILE: setting('notifyFile', 'channels on which people are notified', optional(anyText())),
}

type Settings = typeof SETTINGS

const PLAN_SETTINGS = {
  PLAN_PARAMS: planSetting('parameters of the plan', 'a JSON object'),
  VISIT_COST_FEN: planSetting('cost of one visit, in minor units', 'a whole number'),
  TRIP_COST_FEN: planSetting('cost of leaving the depot and coming back, in minor units', 'a whole number'),
  STOP_COST_FEN: planSetting('cost of one stop, in minor units', 'a whole number'),
}

export const Environment = Type.Object(
  Object.fromEntries(Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema])) as {
    [Name in keyof Settings]: Settings[Name]['schema']
  },
)

export type Environment = Static<typeof Environment>

/** The fields of the configuration that are a variable as it is. */
export type PlainFields = {
  readonly [Name in keyof Settings as Settings[Name]['field'] & string]: Pick<Environment, Name> extends Record<
    Name,
    unknown
  >
    ? Environment[Name]
    : Environment[Name] | undefined
}

export const plainFields = (env: Environment): PlainFields =>
  Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, { field }]) =>
      field === null ? [] : [[field, env[name as keyof Environment]]],
    ),
  ) as PlainFields

/** Settings that an owner may set in the console where the variables leave them out. */
const OWNED: Readonly<Record<string, SettingName>> = {
  DEFAULT_DESTINATION: 'delivery_address',
  CURRENCY: 'currency',
  TIMEZONE: 'time_zone',
  SERVICE_LANGUAGE: 'language',
  TRIP_COST_FEN: 'trip_cost',
  STOP_COST_FEN: 'stop_cost',
  VISIT_COST_FEN: 'stop_cost',
}

/** Those that the variables set, which nobody changes in the console. */
export const settingsOnServer = (variables: Variables): ReadonlySet<SettingName> =>
  new Set(Object.entries(OWNED).flatMap(([variable, name]) => (variables[variable] ? [name] : [])))

/** For the help of the command line. */
export const environmentVariables = () =>
  Object.entries({ ...SETTINGS, ...PLAN_SETTINGS }).map(([name, { help, schema }]) => {
    const { expected, default: fallback } = schema as {
      readonly expected?: string
      readonly default?: string | number | boolean
    }
    return {
      name,
      help,
      expected: expected === 'text' ? undefined : expected,
      fallback: fallback === undefined || fallback === '' ? undefined : String(fallback),
    }
  })

export type Variables = Readonly<Record<string, string | undefined>>

/** Converts text that has the type of its variable; anything else stays text and fails the validation. */
export function convert(type: unknown, value: string): unknown {
  if (type === 'integer') return /^\d+$/.test(value) ? Number(value) : value
  if (type === 'number') return Number.isNaN(Number(value)) ? value : Number(value)
  if (type === 'boolean') return value === 'true' || (value === 'false' ? false : value)
  if (type === 'object' || type === 'array') {
    try {
      return JSON.parse(value)
    } catch {
      return value
    }
  }
  return value
}

/** The variables with their defaults; an empty one counts as not set. Unknown names are ignored. */
export const withDefaults = (variables: Variables): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(Environment.properties).flatMap(([name, schema]) => {
      const { type, default: fallback } = schema as { readonly type?: string; readonly default?: unknown }
      const value = variables[name]
      if (value !== undefined && value !== '') return [[name, convert(type, value)]]
      return fallback === undefined ? [] : [[name, fallback]]
    }),
  )
