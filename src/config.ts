/** The environment, read once and validated whole: a mistake stops the start with every problem named. */
import { isIP } from 'node:net'
import { isTimeZone, parseRfc3339 } from './kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS, readPlanParams } from './kernel/plan-params.ts'
import type { PlanParams } from './kernel/plan-params.ts'

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
  /** Absent in staging until the first start makes one. */
  readonly operatorToken: string | undefined
  readonly databaseUrl: string
  /** Undefined: staging without a file, built-in demo rules. */
  readonly guardrailsFile: string | undefined
  readonly timeZone: string
  readonly acmeSupply: SupplyCredentials | undefined
  readonly acmeMachine: MachineCredentials | undefined
  readonly upstreamTimeoutMs: number
  readonly syncIntervalMs: number
  readonly ledgerPollIntervalMs: number
  readonly simulatedPurchasing: boolean
  readonly defaultDestination: Readonly<Record<string, string>> | undefined
  readonly statedLeadDays: number
  readonly planParams: PlanParams
  /** Epoch ms at which the process's clock starts. */
  readonly clockStart: number | undefined
  readonly seed: number
  readonly logLevel: string
  /** Requests per caller; the other kinds are parts of it. Zero: no limits. */
  readonly rateLimitPerMinute: number
  readonly retentionDays: number
  /** Addresses and networks whose forwarded headers are believed. */
  readonly trustedProxy: readonly string[]
  /** Pickup slots are offered between these local hours. */
  readonly pickupHours: { readonly from: number; readonly to: number }
  /** Where the schemas of our extensions are published for the world; bound to the capability prefix. */
  readonly schemaBaseUrl: string
  readonly links: { readonly terms: string | undefined; readonly privacy: string | undefined }
}

type Environment = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const ADDRESS_FIELDS = [
  'street_address',
  'extended_address',
  'address_locality',
  'address_region',
  'address_country',
  'postal_code',
  'first_name',
  'last_name',
  'phone_number',
]
const TOKEN_LENGTH_MIN = 16

/** Reads single variables and collects what is wrong with them. */
function reader(env: Environment) {
  const problems: string[] = []
  const text = (name: string): string | undefined =>
    env[name] === undefined || env[name] === '' ? undefined : env[name]
  const wrong = (name: string, what: string) => void problems.push(`${name} ${what}`)

  function whole(name: string, fallback: number, min: number, max: number): number {
    const raw = text(name)
    if (raw === undefined) return fallback
    const n = Number(raw)
    if (/^\d+$/.test(raw) && n >= min && n <= max) return n
    wrong(name, `must be a whole number from ${min} to ${max}`)
    return fallback
  }

  function oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const raw = text(name)
    if (raw === undefined) return fallback
    if ((allowed as readonly string[]).includes(raw)) return raw as T
    wrong(name, `must be one of ${allowed.join(', ')}`)
    return fallback
  }

  function url(name: string, fallback: string): string {
    const raw = text(name) ?? fallback
    if (URL.canParse(raw) && /^https?:$/.test(new URL(raw).protocol)) return raw.replace(/\/+$/, '')
    wrong(name, 'must be an http or https URL')
    return fallback
  }

  const optionalUrl = (name: string): string | undefined => (text(name) === undefined ? undefined : url(name, ''))

  function record(name: string): Record<string, unknown> | undefined {
    const raw = text(name)
    if (raw === undefined) return undefined
    try {
      const value: unknown = JSON.parse(raw)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    } catch {
      // Told below, like any other wrong value.
    }
    wrong(name, 'must be a JSON object')
    return undefined
  }

  /** All of the names, or none; some of them is a mistake worth stopping for. */
  function together<K extends string>(names: Readonly<Record<K, string>>): Readonly<Record<K, string>> | undefined {
    const entries = Object.entries<string>(names).map(([key, name]) => [key, text(name), name] as const)
    const absent = entries.filter(([, value]) => value === undefined).map(([, , name]) => name)
    if (absent.length === entries.length) return undefined
    for (const name of absent) wrong(name, `is missing; ${Object.values<string>(names).join(', ')} belong together`)
    return Object.fromEntries(entries.map(([key, value]) => [key, value ?? ''])) as Record<K, string>
  }

  return { problems, text, wrong, whole, oneOf, url, optionalUrl, record, together }
}

/** The visit cost has a variable of its own. */
function planParams(read: ReturnType<typeof reader>): PlanParams {
  const given = read.record('PLAN_PARAMS') ?? {}
  for (const name of Object.keys(given))
    if (!Object.hasOwn(DEFAULT_PLAN_PARAMS, name) || name === 'visit_cost')
      read.wrong('PLAN_PARAMS', `has an unknown field ${name}`)
  const visitCost = read.text('VISIT_COST_FEN') === undefined ? null : read.whole('VISIT_COST_FEN', 0, 0, 1e9)
  const result = readPlanParams({ ...given, visit_cost: visitCost })
  if (result.ok) return result.params
  for (const problem of result.problems) read.wrong('PLAN_PARAMS', problem)
  return DEFAULT_PLAN_PARAMS
}

function defaultDestination(read: ReturnType<typeof reader>): Record<string, string> | undefined {
  const given = read.record('DEFAULT_DESTINATION')
  if (!given) return undefined
  for (const [name, value] of Object.entries(given)) {
    if (!ADDRESS_FIELDS.includes(name)) read.wrong('DEFAULT_DESTINATION', `has an unknown field ${name}`)
    else if (typeof value !== 'string') read.wrong('DEFAULT_DESTINATION', `${name} must be text`)
  }
  return given as Record<string, string>
}

function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  // A network of all addresses would believe everybody.
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128))
  )
}

function trustedProxy(read: ReturnType<typeof reader>): readonly string[] {
  const given = (read.text('TRUSTED_PROXY') ?? '').split(',').map((part) => part.trim())
  const named = given.filter((part) => part !== '')
  if (!named.every(isAddressOrNetwork))
    read.wrong('TRUSTED_PROXY', 'must be IP addresses or networks such as 10.0.0.0/8, separated by commas')
  return named
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host)

/** What a configuration allows but an operator should know about before anybody else finds out. */
export function configWarnings({
  host,
  trustedProxy: proxies,
}: Pick<Config, 'host' | 'trustedProxy'>): readonly string[] {
  if (isLoopback(host) || proxies.length > 0) return []
  return [
    `HOST ${host} is reachable from other machines and traffic is not encrypted: the operator token can be read on the way. Put a TLS proxy in front and name it in TRUSTED_PROXY, or set HOST to 127.0.0.1.`,
  ]
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] }

export function readConfig(environment: Environment, fileExists: (path: string) => boolean): ConfigResult {
  const read = reader(environment)
  const env = read.oneOf('VENDOPS_ENV', ['staging', 'live'], 'staging')
  const live = env === 'live'
  const port = read.whole('PORT', 8080, 0, 65_535)

  const databaseUrl = read.text('DATABASE_URL') ?? 'sqlite:./data/vendops.db'
  if (!/^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(databaseUrl))
    read.wrong('DATABASE_URL', 'must be sqlite:<file> or postgres://…')

  const operatorToken = read.text('OPERATOR_TOKEN')
  if (live && operatorToken === undefined) read.wrong('OPERATOR_TOKEN', 'is required in live')
  if (operatorToken !== undefined && (operatorToken.length < TOKEN_LENGTH_MIN || !/^[\x21-\x7e]+$/.test(operatorToken)))
    read.wrong('OPERATOR_TOKEN', `must have at least ${TOKEN_LENGTH_MIN} printable characters without spaces`)

  const timeZone = read.text('TIMEZONE') ?? 'Asia/Shanghai'
  if (!isTimeZone(timeZone)) read.wrong('TIMEZONE', 'must be an IANA time zone name')

  const clockText = read.text('VENDOPS_CLOCK')
  const clockStart = clockText === undefined ? undefined : (parseRfc3339(clockText) ?? undefined)
  if (clockText !== undefined && live) read.wrong('VENDOPS_CLOCK', 'is refused in live')
  else if (clockText !== undefined && clockStart === undefined)
    read.wrong('VENDOPS_CLOCK', 'must be an RFC 3339 time with an offset')

  const purchasing = read.oneOf('SIMULATED_PURCHASING', ['true', 'false'], live ? 'false' : 'true')
  const statedLead = Number(read.text('STATED_LEAD_DAYS') ?? '2')
  if (!(statedLead >= 0 && statedLead <= 60)) read.wrong('STATED_LEAD_DAYS', 'must be a number from 0 to 60')

  const acmeSupply = read.together({
    url: 'ACME_SUPPLY_URL',
    appKey: 'ACME_SUPPLY_APP_KEY',
    appSecret: 'ACME_SUPPLY_APP_SECRET',
  })
  const acmeMachine = read.together({
    url: 'ACME_MACHINE_URL',
    clientId: 'ACME_MACHINE_CLIENT_ID',
    clientSecret: 'ACME_MACHINE_CLIENT_SECRET',
  })
  // An absent one was told above, with those it belongs to.
  if (acmeSupply?.url) read.url('ACME_SUPPLY_URL', acmeSupply.url)
  if (acmeMachine?.url) read.url('ACME_MACHINE_URL', acmeMachine.url)

  const pickup = {
    from: read.whole('PICKUP_HOUR_FROM', 9, 0, 23),
    to: read.whole('PICKUP_HOUR_TO', 18, 1, 24),
  }
  if (pickup.from >= pickup.to) read.wrong('PICKUP_HOUR_FROM', 'must be before PICKUP_HOUR_TO')

  const guardrailsText = read.text('GUARDRAILS_FILE')
  const guardrailsFile = guardrailsText ?? (live || fileExists('./guardrails.json') ? './guardrails.json' : undefined)
  const publicUrl = read.url('PUBLIC_URL', `http://localhost:${port}`)

  const config: Config = {
    env,
    host: read.text('HOST') ?? '127.0.0.1',
    port,
    publicUrl,
    operatorToken,
    databaseUrl,
    guardrailsFile,
    timeZone,
    // Staging holds no supplier credentials, so it cannot spend, even where the variables are set.
    acmeSupply: live ? acmeSupply : undefined,
    acmeMachine: live ? acmeMachine : undefined,
    upstreamTimeoutMs: read.whole('UPSTREAM_TIMEOUT_MS', 10_000, 50, 120_000),
    syncIntervalMs: read.whole('SYNC_INTERVAL_MS', 3_600_000, 1000, 86_400_000),
    ledgerPollIntervalMs: read.whole('LEDGER_POLL_INTERVAL_MS', 300_000, 1000, 86_400_000),
    simulatedPurchasing: purchasing === 'true',
    defaultDestination: defaultDestination(read),
    statedLeadDays: statedLead,
    planParams: planParams(read),
    clockStart,
    seed: read.whole('VENDOPS_SEED', 1, 0, 2 ** 31),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    rateLimitPerMinute: read.whole('RATE_LIMIT_PER_MINUTE', 3000, 0, 1_000_000),
    retentionDays: read.whole('RETENTION_DAYS', 400, 1, 36_500),
    trustedProxy: trustedProxy(read),
    pickupHours: pickup,
    schemaBaseUrl: read.url('SCHEMA_BASE_URL', 'https://vending.example.com/schemas'),
    links: {
      terms: read.optionalUrl('TERMS_URL'),
      privacy: read.optionalUrl('PRIVACY_URL'),
    },
  }
  return read.problems.length > 0 ? { ok: false, problems: read.problems } : { ok: true, config }
}
