/** The environment variables: their types, ranges and defaults, and how their texts are read. */
import { isTimeZone, parseRfc3339 } from '../kernel/clock.ts'
import { isCurrency } from '../kernel/currency.ts'
import { STOP_MINUTES_DEFAULT } from '../kernel/driving.ts'
import { TOOLSETS, parseToolsets } from '../kernel/toolsets.ts'
import { integer, oneOf, text } from '../lib/validator.ts'
import { isIP } from 'node:net'
import { type Static, Type } from 'typebox'

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

const anyText = (options: object = {}) => text('text', undefined, options)

const url = (options: object = {}) => text('an http or https URL', isHttpUrl, options)

const boolean = (options: object = {}) => Type.Boolean({ expected: 'true or false', ...options })

const optional = Type.Optional

/** Every variable except those of the plan, with its default. */
export const Environment = Type.Object({
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
  DEMO_LANGUAGE: optional(oneOf(['zh', 'en'])),
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

export type Environment = Static<typeof Environment>

/** For the help of the command line. */
export const environmentVariables = () => [
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
