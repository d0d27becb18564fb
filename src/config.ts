/** Configuration: the environment, validated as a whole. On any mistake the service refuses to start and lists every problem. */
import {
  type PlainFields,
  type Variables,
  Environment,
  plainFields,
  settingsOnServer,
  splitList,
  WEEKDAYS,
  withDefaults,
} from './config/environment.ts'
import { findConflicts, isHttpsOrigin } from './config/find-conflicts.ts'
import { readPlan } from './config/read-plan-params.ts'
import { parseRfc3339 } from './kernel/clock.ts'
import type { Driving } from './kernel/driving.ts'
import { type ModelSettings, parseModelName, parsePair } from './config/operator-model.ts'
import type { PlanParams } from './kernel/plan-params.ts'
import type { SettingName } from './kernel/deployment/settings.ts'
import { type Toolset, parseToolsets } from './kernel/toolsets.ts'
import { validator } from './lib/validator.ts'

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

/** The fields that are a variable as it is stand in their rows (config/environment.ts). */
export interface Config extends PlainFields {
  readonly publicUrl: string
  /** Undefined: staging without a file uses built-in demo rules. */
  readonly guardrailsFile: string | undefined
  /** Named in the environment: then one that is not there makes the rules unreadable. */
  readonly isGuardrailsFileNamed: boolean
  readonly acmeSupply: SupplyCredentials | undefined
  readonly acmeMachine: MachineCredentials | undefined
  readonly simulatedPurchasing: boolean
  /** Goods that are neither at a supplier nor in a machine are booked. */
  readonly hasStoreroom: boolean
  readonly planParams: PlanParams
  /** What the environment sets of that which an owner may set otherwise. */
  readonly setOnServer: ReadonlySet<SettingName>
  /** False: the currency is only the default, and no amount should be read in it. */
  readonly isCurrencyChosen: boolean
  /** Undefined: each connection states it. */
  readonly buyerName: string | undefined
  readonly driving: Driving
  /** Epoch ms at which the clock of the process starts; undefined: now. */
  readonly clockStart: number | undefined
  /** Of the names of the simulated world. */
  readonly demoLanguage: 'zh' | 'en'
  /** Addresses and networks whose forwarded headers are trusted. */
  readonly trustedProxy: readonly string[]
  /** Pickup slots are offered between these local hours. */
  readonly pickupHours: { readonly from: number; readonly to: number }
  /** Where the schemas of our extensions are published. */
  readonly schemaBaseUrl: string
  /** The most that MCP hosts are offered; each may narrow it for itself. */
  /** Whether hosts of agents may connect with OAuth. */
  readonly hasOauth: boolean
  readonly mcp: { readonly toolsets: ReadonlySet<Toolset>; readonly readOnly: boolean }
  /** Receivers of order webhooks; empty: none are sent. */
  readonly webhookTargets: readonly WebhookTarget[]
  /** Undefined: the built-in operator works alone. */
  readonly operatorModel: ModelSettings | undefined
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

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host)

/** Settings that are allowed but risky. */
export const configWarnings = ({
  env,
  host,
  publicUrl,
  trustedProxy: proxies,
}: Pick<Config, 'env' | 'host' | 'publicUrl' | 'trustedProxy'>): readonly string[] => [
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
  return { ok: true, config: toConfig(result.value, plan.params, settingsOnServer(variables), fileExists) }
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

const MODEL_RETRY_MS = 2000

function modelOf(env: Environment): ModelSettings | undefined {
  const named = env.OPERATOR_MODEL === undefined ? undefined : parseModelName(env.OPERATOR_MODEL)
  if (!named) return undefined
  const prices = parsePair(env.OPERATOR_MODEL_PRICES ?? '')
  const [tokensShift, tokensDay] = parsePair(env.OPERATOR_MODEL_TOKENS) ?? [0, 0]
  const [costShift, costDay] = parsePair(env.OPERATOR_MODEL_BUDGET) ?? [0, 0]
  return {
    ...named,
    key: env.OPERATOR_MODEL_KEY,
    keyFile: env.OPERATOR_MODEL_KEY_FILE,
    timeoutMs: env.OPERATOR_MODEL_TIMEOUT_MS,
    retryMs: MODEL_RETRY_MS,
    prices: prices && { input: prices[0], output: prices[1] },
    tokensMax: { shift: tokensShift, day: tokensDay },
    costMax: { shift: costShift, day: costDay },
  }
}

function toConfig(
  env: Environment,
  planParams: PlanParams,
  setOnServer: Config['setOnServer'],
  fileExists: (path: string) => boolean,
): Config {
  const isLive = env.VENDOPS_ENV === 'live'
  return {
    ...plainFields(env),
    publicUrl: withoutSlash(env.PUBLIC_URL ?? `http://localhost:${env.PORT}`),
    guardrailsFile:
      env.GUARDRAILS_FILE ?? (isLive || fileExists('./guardrails.json') ? './guardrails.json' : undefined),
    isGuardrailsFileNamed: env.GUARDRAILS_FILE !== undefined,
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
    simulatedPurchasing: env.SIMULATED_PURCHASING ?? !isLive,
    hasStoreroom: env.STOREROOM === 'on',
    planParams,
    setOnServer,
    // The amounts of these two upstreams and of the simulation are in it.
    isCurrencyChosen:
      !isLive || setOnServer.has('currency') || env.ACME_SUPPLY_URL !== undefined || env.ACME_MACHINE_URL !== undefined,
    buyerName: undefined,
    driving: drivingOf(env),
    clockStart: env.VENDOPS_CLOCK === undefined ? undefined : parseRfc3339(env.VENDOPS_CLOCK),
    demoLanguage: env.DEMO_LANGUAGE ?? 'zh',
    trustedProxy: splitList(env.TRUSTED_PROXY),
    pickupHours: { from: env.PICKUP_HOUR_FROM, to: env.PICKUP_HOUR_TO },
    schemaBaseUrl: withoutSlash(env.SCHEMA_BASE_URL),
    mcp: { toolsets: parseToolsets(env.MCP_TOOLSETS) ?? new Set(), readOnly: env.MCP_READ_ONLY },
    hasOauth: env.OAUTH === 'on',
    webhookTargets: (env.WEBHOOK_TARGETS ?? []).map(({ from, ...target }) => ({
      ...target,
      ...(from === undefined ? {} : { from: parseRfc3339(from) }),
    })),
    operatorModel: modelOf(env),
    links: {
      terms: env.TERMS_URL === undefined ? undefined : withoutSlash(env.TERMS_URL),
      privacy: env.PRIVACY_URL === undefined ? undefined : withoutSlash(env.PRIVACY_URL),
    },
  }
}
