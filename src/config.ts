/** Configuration: the environment, validated as a whole. On any mistake the service refuses to start and lists every problem. */
import { isIP } from 'node:net'
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { isTimeZone, parseRfc3339 } from './kernel/clock.ts'
import { isCurrency } from './kernel/currency.ts'
import { isPlace, STOP_MINUTES_DEFAULT } from './kernel/driving.ts'
import type { Driving } from './kernel/driving.ts'
import { DEFAULT_PLAN_PARAMS, readPlanParams } from './kernel/plan-params.ts'
import type { PlanParams } from './kernel/plan-params.ts'
import { parseToolsets, TOOLSETS } from './kernel/toolsets.ts'
import type { Toolset } from './kernel/toolsets.ts'
import { receiverProblem } from './lib/outbound/address-rules.ts'
import { integer, oneOf, text, validator } from './lib/validator.ts'

export interface SupplyCredentials {
  readonly url: string
  readonly appKey: string
  readonly appSecret: string
}

export interface MachineCredentials {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface Config {
  readonly env: 'staging' | 'live'
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  /** Undefined in staging until the first start creates one. */
  readonly operatorToken: string | undefined
  readonly databaseUrl: string
  /** Undefined: the folder of the SQLite database, or ./data. */
  readonly dataDir: string | undefined
  /** Undefined: staging without a file uses built-in demo rules. */
  readonly guardrailsFile: string | undefined
  readonly timeZone: string
  /** ISO 4217. All amounts of the deployment are whole minor units of it. */
  readonly currency: string
  /** The connections to vendors besides ACME_*; used in live only. */
  readonly vendorsFile: string | undefined
  readonly acmeSupply: SupplyCredentials | undefined
  readonly acmeMachine: MachineCredentials | undefined
  readonly upstreamTimeoutMs: number
  readonly syncIntervalMs: number
  readonly ledgerPollIntervalMs: number
  readonly simulatedPurchasing: boolean
  readonly defaultDestination: Readonly<Record<string, string>> | undefined
  readonly statedLeadDays: number
  readonly planParams: PlanParams
  readonly driving: Driving
  /** Epoch ms at which the clock of the process starts; undefined: now. */
  readonly clockStart: number | undefined
  readonly seed: number
  readonly logLevel: string
  /** Requests per caller; the limits of writes and of new approvals are fractions of it. 0: no limits. */
  readonly rateLimitPerMinute: number
  readonly retentionDays: number
  /** Addresses and networks whose forwarded headers are trusted. */
  readonly trustedProxy: readonly string[]
  /** Pickup slots are offered between these local hours. */
  readonly pickupHours: { readonly from: number; readonly to: number }
  /** Where the schemas of our extensions are published. */
  readonly schemaBaseUrl: string
  /** The most that MCP hosts are offered; each may narrow it for itself. */
  readonly mcp: { readonly toolsets: ReadonlySet<Toolset>; readonly readOnly: boolean }
  /** Receivers of order webhooks; empty: none are sent. */
  readonly webhookTargets: readonly WebhookTarget[]
  readonly signingKeysFile: string | undefined
  /** The channels on which people are notified. */
  readonly notifyFile: string | undefined
  readonly links: { readonly terms: string | undefined; readonly privacy: string | undefined }
}

export interface WebhookTarget {
  readonly id: string
  readonly url: string
  readonly kinds: readonly ('purchase' | 'sale')[]
  /** Only purchases whose checkout named this UCP-Agent. */
  readonly agent?: string | undefined
  /** Only orders from this instant on. */
  readonly from?: number | undefined
}

const TOKEN_LENGTH_MIN = 16
const DEFAULT_PORT = 8080
const DEFAULT_CURRENCY = 'CNY'
/** The reference vendors state no currency: their amounts are yuan. */
const ACME_CURRENCY = 'CNY'

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

const splitList = (value: string): readonly string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const isWeekday = (value: string) => WEEKDAYS.includes(value.toLowerCase())

const anyText = (options: object = {}) => text('text', undefined, options)
const url = (options: object = {}) => text('an http or https URL', isHttpUrl, options)
const boolean = (options: object = {}) => Type.Boolean({ expected: 'true or false', ...options })
const optional = Type.Optional

/** Every variable except those of the plan, with its default. */
const Environment = Type.Object({
  VENDOPS_ENV: oneOf(['staging', 'live'], { default: 'staging' }),
  HOST: anyText({ default: '127.0.0.1' }),
  PORT: integer(0, 65_535, { default: DEFAULT_PORT }),
  PUBLIC_URL: optional(url()),
  OPERATOR_TOKEN: optional(text(`at least ${TOKEN_LENGTH_MIN} printable characters without spaces`, isToken)),
  DATABASE_URL: text('sqlite:<file> or postgres://…', isDatabaseUrl, { default: 'sqlite:./data/vendops.db' }),
  DATA_DIR: optional(anyText()),
  GUARDRAILS_FILE: optional(anyText()),
  TIMEZONE: text('an IANA time zone name', isTimeZone, { default: 'Asia/Shanghai' }),
  CURRENCY: text('an ISO 4217 currency code such as CNY, USD or EUR', isCurrency, { default: DEFAULT_CURRENCY }),
  VENDORS_FILE: optional(anyText()),
  ACME_SUPPLY_URL: optional(url()),
  ACME_SUPPLY_APP_KEY: optional(anyText()),
  ACME_SUPPLY_APP_SECRET: optional(anyText()),
  ACME_MACHINE_URL: optional(url()),
  ACME_MACHINE_CLIENT_ID: optional(anyText()),
  ACME_MACHINE_CLIENT_SECRET: optional(anyText()),
  UPSTREAM_TIMEOUT_MS: integer(50, 120_000, { default: 10_000 }),
  SYNC_INTERVAL_MS: integer(1000, 86_400_000, { default: 3_600_000 }),
  LEDGER_POLL_INTERVAL_MS: integer(1000, 86_400_000, { default: 300_000 }),
  SIMULATED_PURCHASING: optional(boolean()),
  DEFAULT_DESTINATION: optional(
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
  STATED_LEAD_DAYS: Type.Number({ minimum: 0, maximum: 60, default: 2, expected: 'a number from 0 to 60' }),
  VENDOPS_CLOCK: optional(text('an RFC 3339 time with an offset', isTime)),
  VENDOPS_SEED: integer(0, 2 ** 31, { default: 1 }),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { default: 'info' }),
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000, { default: 3000 }),
  RETENTION_DAYS: integer(1, 36_500, { default: 400 }),
  TRUSTED_PROXY: text(
    'IP addresses or networks such as 10.0.0.0/8, separated by commas',
    (value) => splitList(value).every(isAddressOrNetwork),
    { default: '' },
  ),
  PICKUP_HOUR_FROM: integer(0, 23, { default: 9 }),
  PICKUP_HOUR_TO: integer(1, 24, { default: 18 }),
  SCHEMA_BASE_URL: url({ default: 'https://vending.example.com/schemas' }),
  TERMS_URL: optional(url()),
  PRIVACY_URL: optional(url()),
  KM_COST_FEN: integer(0, 1_000_000, { default: 0 }),
  DEPOT: optional(
    Type.Object(
      { latitude: Type.Number(), longitude: Type.Number() },
      { additionalProperties: false, expected: 'a JSON object with latitude and longitude' },
    ),
  ),
  STOP_MINUTES: integer(0, 1440, { default: STOP_MINUTES_DEFAULT }),
  TRIP_MAX_STOPS: optional(integer(1, 10_000)),
  TRIP_MAX_UNITS: optional(integer(1, 1_000_000)),
  TRIP_MAX_MINUTES: optional(integer(1, 10_080)),
  SERVICE_WEEKDAYS: text('weekdays such as monday,thursday', (value) => splitList(value).every(isWeekday), {
    default: '',
  }),
  MCP_TOOLSETS: text(
    `toolset names separated by commas, of all, ${TOOLSETS.join(', ')}`,
    (value) => parseToolsets(value) !== undefined,
    { default: 'all' },
  ),
  MCP_READ_ONLY: boolean({ default: false }),
  WEBHOOK_TARGETS: optional(
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
  SIGNING_KEYS_FILE: optional(anyText()),
  NOTIFY_FILE: optional(anyText()),
})
type Environment = Static<typeof Environment>

export interface EnvironmentVariable {
  readonly name: string
  readonly expected: string | undefined
  readonly fallback: string | undefined
}

/** For the help of the command line. */
export const environmentVariables = (): readonly EnvironmentVariable[] => [
  ...Object.entries(Environment.properties).map(([name, schema]) => {
    const { expected, default: fallback } = schema as {
      readonly expected?: string
      readonly default?: string | number | boolean
    }
    return {
      name,
      expected: expected === 'text' ? undefined : expected,
      fallback: fallback === undefined || fallback === '' ? undefined : String(fallback),
    }
  }),
  { name: 'PLAN_PARAMS', expected: 'a JSON object', fallback: undefined },
  { name: 'VISIT_COST_FEN', expected: 'a whole number', fallback: undefined },
]
type Variables = Readonly<Record<string, string | undefined>>

/** Converts text that has the type of its variable; anything else stays text and fails the validation. */
function convert(type: unknown, value: string): unknown {
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
const withDefaults = (variables: Variables): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(Environment.properties).flatMap(([name, schema]) => {
      const { type, default: fallback } = schema as { readonly type?: string; readonly default?: unknown }
      const value = variables[name]
      if (value !== undefined && value !== '') return [[name, convert(type, value)]]
      return fallback === undefined ? [] : [[name, fallback]]
    }),
  )

/** Variables that are set together or not at all. */
const GROUPS = [
  ['ACME_SUPPLY_URL', 'ACME_SUPPLY_APP_KEY', 'ACME_SUPPLY_APP_SECRET'],
  ['ACME_MACHINE_URL', 'ACME_MACHINE_CLIENT_ID', 'ACME_MACHINE_CLIENT_SECRET'],
] as const satisfies readonly (readonly (keyof Environment)[])[]

/** Rules over several variables, checked even when single variables are wrong. */
function findConflicts(env: Partial<Environment>): readonly string[] {
  const isLive = env.VENDOPS_ENV === 'live'
  return [
    ...(isLive && env.OPERATOR_TOKEN === undefined ? ['OPERATOR_TOKEN is required in live'] : []),
    ...(isLive && env.VENDOPS_CLOCK !== undefined ? ['VENDOPS_CLOCK is not allowed in live'] : []),
    ...GROUPS.flatMap((names) => {
      const missing = names.filter((name) => env[name] === undefined)
      if (missing.length === names.length) return []
      return missing.map((name) => `${name} is missing; ${names.join(', ')} belong together`)
    }),
    ...(env.CURRENCY !== ACME_CURRENCY && GROUPS.flat().some((name) => env[name] !== undefined)
      ? [`CURRENCY must be ${ACME_CURRENCY} where ACME_SUPPLY_* or ACME_MACHINE_* are set: their amounts are yuan`]
      : []),
    ...(typeof env.DEPOT === 'object' && !isPlace(env.DEPOT) ? ['DEPOT must be coordinates on the map'] : []),
    ...(Number(env.PICKUP_HOUR_FROM) >= Number(env.PICKUP_HOUR_TO)
      ? ['PICKUP_HOUR_FROM must be before PICKUP_HOUR_TO']
      : []),
    ...findTargetConflicts(env),
  ]
}

/** Under which receivers look for the keys of signed messages: nothing but an https origin. */
export function isHttpsOrigin(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, pathname, search, hash, username } = new URL(address)
  return protocol === 'https:' && pathname === '/' && search === '' && hash === '' && username === ''
}

/** In live a receiver must be able to fetch the profile that the signature names. */
export const UNSIGNABLE =
  'PUBLIC_URL must be an https origin such as https://vend.example.com, because webhooks are signed under it'

function findTargetConflicts({
  WEBHOOK_TARGETS: targets,
  SIGNING_KEYS_FILE,
  VENDOPS_ENV,
  PUBLIC_URL = '',
}: Partial<Environment>): readonly string[] {
  if (!Array.isArray(targets) || targets.length === 0) return []
  const problems = targets.flatMap(({ id, url: receiver, kinds, agent }, i) => {
    const where = `WEBHOOK_TARGETS ${i}`
    const problem = typeof receiver === 'string' ? receiverProblem(receiver, VENDOPS_ENV !== 'live') : undefined
    return [
      ...(problem === undefined ? [] : [`${where} url ${problem}`]),
      ...(targets.findIndex((other) => other.id === id) === i ? [] : [`${where} id is used twice`]),
      ...(agent !== undefined && Array.isArray(kinds) && kinds.includes('sale')
        ? [`${where} agent limits purchases; a sale has no agent`]
        : []),
    ]
  })
  const unsigned = SIGNING_KEYS_FILE === undefined
  return [
    ...problems,
    ...(VENDOPS_ENV === 'live' && !isHttpsOrigin(PUBLIC_URL) ? [UNSIGNABLE] : []),
    ...(unsigned ? ['SIGNING_KEYS_FILE is required where WEBHOOK_TARGETS are set: vendops keys new'] : []),
  ]
}

/** The costs of the plan that have a variable of their own. */
const PLAN_COSTS = { visit_cost: 'VISIT_COST_FEN', trip_cost: 'TRIP_COST_FEN', stop_cost: 'STOP_COST_FEN' } as const
type PlanCost = keyof typeof PLAN_COSTS
const isPlanCost = (name: string): name is PlanCost => Object.hasOwn(PLAN_COSTS, name)

/** PLAN_PARAMS and the costs of visits and trips, by the schema of the planner. */
function readPlan(variables: Variables): { readonly params: PlanParams; readonly problems: readonly string[] } {
  const { PLAN_PARAMS = '' } = variables
  const given = PLAN_PARAMS === '' ? {} : convert('object', PLAN_PARAMS)
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { params: DEFAULT_PLAN_PARAMS, problems: ['PLAN_PARAMS must be a JSON object'] }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(DEFAULT_PLAN_PARAMS, name) || isPlanCost(name))
  const costs = Object.entries(PLAN_COSTS).map(([name, variable]) => {
    const value = variables[variable] ?? ''
    return [name, value === '' ? null : convert('integer', value)]
  })
  const result = readPlanParams({ ...given, ...Object.fromEntries(costs) })
  const problems = result.ok ? [] : result.problems
  return {
    params: result.ok ? result.params : DEFAULT_PLAN_PARAMS,
    problems: [
      ...unknown.map((name) => `PLAN_PARAMS has an unknown field ${JSON.stringify(name)}`),
      ...problems.map((problem) => {
        const [name = ''] = problem.split(' ')
        return isPlanCost(name)
          ? `${PLAN_COSTS[name]} must be a whole number from 0 to 1000000000`
          : `PLAN_PARAMS ${problem}`
      }),
    ],
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host)

/** Settings that are allowed but risky. */
export function configWarnings({
  env,
  host,
  publicUrl,
  trustedProxy: proxies,
}: Pick<Config, 'env' | 'host' | 'publicUrl' | 'trustedProxy'>): readonly string[] {
  return [
    ...(isLoopback(host) || proxies.length > 0
      ? []
      : [
          `HOST ${host} can be reached from other machines and traffic is not encrypted: the operator token can be read in transit. Put a TLS proxy in front and name it in TRUSTED_PROXY, or set HOST to 127.0.0.1.`,
        ]),
    ...(env === 'live' && !isHttpsOrigin(publicUrl)
      ? [
          `PUBLIC_URL ${publicUrl} is not an https origin: links in responses, messages and sign-ins lead there, and agents expect https. Set it to the address under which the service is reached.`,
        ]
      : []),
  ]
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] }

export function readConfig(variables: Variables, fileExists: (path: string) => boolean): ConfigResult {
  const read = withDefaults(variables)
  // Not kept: the configuration is read once, and the compiled validator would stay in memory.
  const result = validator(Environment)(read)
  const plan = readPlan(variables)
  const problems = [
    ...(result.ok ? [] : result.problems.map(({ path, text: problem }) => `${path.join(' ')} ${problem}`)),
    ...findConflicts(read),
    ...plan.problems,
  ]
  if (!result.ok || problems.length > 0) return { ok: false, problems }
  return { ok: true, config: toConfig(result.value, plan.params, fileExists) }
}

const withoutSlash = (address: string) => address.replace(/\/+$/, '')

function drivingOf(env: Environment): Driving {
  const weekdays = splitList(env.SERVICE_WEEKDAYS).map((day) => WEEKDAYS.indexOf(day.toLowerCase()))
  return {
    kmCostFen: env.KM_COST_FEN,
    depot: env.DEPOT,
    stopMinutes: env.STOP_MINUTES,
    maxStops: env.TRIP_MAX_STOPS,
    maxUnits: env.TRIP_MAX_UNITS,
    maxMinutes: env.TRIP_MAX_MINUTES,
    serviceWeekdays: weekdays.length === 0 ? undefined : weekdays,
  }
}

function toConfig(env: Environment, planParams: PlanParams, fileExists: (path: string) => boolean): Config {
  const isLive = env.VENDOPS_ENV === 'live'
  return {
    env: env.VENDOPS_ENV,
    host: env.HOST,
    port: env.PORT,
    publicUrl: withoutSlash(env.PUBLIC_URL ?? `http://localhost:${env.PORT}`),
    operatorToken: env.OPERATOR_TOKEN,
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    guardrailsFile:
      env.GUARDRAILS_FILE ?? (isLive || fileExists('./guardrails.json') ? './guardrails.json' : undefined),
    timeZone: env.TIMEZONE,
    currency: env.CURRENCY,
    vendorsFile: env.VENDORS_FILE,
    // Staging gets no supplier credentials, so it cannot spend, even where the variables are set.
    acmeSupply:
      isLive && env.ACME_SUPPLY_URL !== undefined
        ? {
            url: env.ACME_SUPPLY_URL,
            appKey: env.ACME_SUPPLY_APP_KEY ?? '',
            appSecret: env.ACME_SUPPLY_APP_SECRET ?? '',
          }
        : undefined,
    acmeMachine:
      isLive && env.ACME_MACHINE_URL !== undefined
        ? {
            url: env.ACME_MACHINE_URL,
            clientId: env.ACME_MACHINE_CLIENT_ID ?? '',
            clientSecret: env.ACME_MACHINE_CLIENT_SECRET ?? '',
          }
        : undefined,
    upstreamTimeoutMs: env.UPSTREAM_TIMEOUT_MS,
    syncIntervalMs: env.SYNC_INTERVAL_MS,
    ledgerPollIntervalMs: env.LEDGER_POLL_INTERVAL_MS,
    simulatedPurchasing: env.SIMULATED_PURCHASING ?? !isLive,
    defaultDestination: env.DEFAULT_DESTINATION,
    statedLeadDays: env.STATED_LEAD_DAYS,
    planParams,
    driving: drivingOf(env),
    clockStart: env.VENDOPS_CLOCK === undefined ? undefined : parseRfc3339(env.VENDOPS_CLOCK),
    seed: env.VENDOPS_SEED,
    logLevel: env.LOG_LEVEL,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    retentionDays: env.RETENTION_DAYS,
    trustedProxy: splitList(env.TRUSTED_PROXY),
    pickupHours: { from: env.PICKUP_HOUR_FROM, to: env.PICKUP_HOUR_TO },
    schemaBaseUrl: withoutSlash(env.SCHEMA_BASE_URL),
    mcp: { toolsets: parseToolsets(env.MCP_TOOLSETS) ?? new Set(), readOnly: env.MCP_READ_ONLY },
    webhookTargets: (env.WEBHOOK_TARGETS ?? []).map(({ from, ...target }) => ({
      ...target,
      ...(from === undefined ? {} : { from: parseRfc3339(from) }),
    })),
    signingKeysFile: env.SIGNING_KEYS_FILE,
    notifyFile: env.NOTIFY_FILE,
    links: {
      terms: env.TERMS_URL === undefined ? undefined : withoutSlash(env.TERMS_URL),
      privacy: env.PRIVACY_URL === undefined ? undefined : withoutSlash(env.PRIVACY_URL),
    },
  }
}
