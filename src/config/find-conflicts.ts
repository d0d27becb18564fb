/** Rules over several variables. */
import { isPlace } from '../kernel/driving.ts'
import { parseModelName } from './operator-model.ts'
import { receiverProblem } from '../lib/outbound/address-rules.ts'
import type { Environment } from './environment.ts'

/** The reference vendors state no currency: their amounts are yuan. */
const ACME_CURRENCY = 'CNY'

/** Variables that are set together or not at all. */
const GROUPS = [
  ['ACME_SUPPLY_URL', 'ACME_SUPPLY_APP_KEY', 'ACME_SUPPLY_APP_SECRET'],
  ['ACME_MACHINE_URL', 'ACME_MACHINE_CLIENT_ID', 'ACME_MACHINE_CLIENT_SECRET'],
] as const satisfies readonly (readonly (keyof Environment)[])[]

/** Rules over several variables, checked even when single variables are wrong. */
export function findConflicts(env: Partial<Environment>): readonly string[] {
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
    ...(isLive && env.OAUTH === 'on' && !isHttpsOrigin(env.PUBLIC_URL ?? '') ? [INSECURE_OAUTH] : []),
    ...findTargetConflicts(env),
    ...findModelConflicts(env),
  ]
}

const INSECURE_OAUTH = 'PUBLIC_URL must be an https origin such as https://vend.example.com where OAUTH is on'

function findModelConflicts({
  OPERATOR_MODEL: named,
  OPERATOR_MODEL_KEY: key,
  OPERATOR_MODEL_KEY_FILE: file,
}: Partial<Environment>): readonly string[] {
  if (key !== undefined && file !== undefined)
    return ['OPERATOR_MODEL_KEY and OPERATOR_MODEL_KEY_FILE must not both be set']
  const model = typeof named === 'string' ? parseModelName(named) : undefined
  if (!model) return []
  const problem = receiverProblem(model.url, true)
  if (problem !== undefined) return [`OPERATOR_MODEL base URL ${problem}`]
  // An endpoint on this machine may ask for none.
  return key === undefined && file === undefined && model.url.startsWith('https:')
    ? ['OPERATOR_MODEL_KEY or OPERATOR_MODEL_KEY_FILE is required where OPERATOR_MODEL is set']
    : []
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
