/** A merchant's profile (`/.well-known/ucp`) in one shape, whatever version of UCP it speaks. Pure. */
import { type Fields, isFields, list, object, objects, text, UnreadableReply } from '../upstream/read-json.ts'

const SHOPPING = 'dev.ucp.shopping'
const TRANSPORTS = ['rest', 'mcp'] as const

export type MerchantProfile = Readonly<ReturnType<typeof readMerchantProfile>>
/** REST where the merchant has both. */
type Transport = (typeof TRANSPORTS)[number]

/** Before it, capabilities and handlers are lists, and requests have other members. */
const SECOND_VERSION = '2026-04-08'

export const isFirstVersion = ({ version }: Pick<MerchantProfile, 'version'>): boolean => version < SECOND_VERSION

/** Throws UnreadableReply where there is no shopping service that we can talk to. `transport`: only that one. */
export function readMerchantProfile(json: unknown, url: string, transport?: Transport) {
  const root = object(json, 'profile')
  const ucp = object(root['ucp'], 'ucp')
  const version = text(ucp, 'version')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version)) throw new UnreadableReply('version is not a date', 'version')
  const service = findService(object(ucp['services'], 'services'), transport ? [transport] : TRANSPORTS)
  return {
    /** We declare this one: a merchant refuses a newer version than its own. */
    version,
    transport: service.transport,
    ...resolveEndpoint(text(service.fields, 'endpoint'), url),
    capabilities: new Set(namesOf(ucp['capabilities'])),
    handlers: readHandlers(ucp, root),
    /** JSON Web Keys that it signs messages with. */
    signingKeys: [root['keys'], root['signing_keys'], ucp['signing_keys']].flatMap((keys) =>
      Array.isArray(keys) ? keys.filter(isFields) : [],
    ),
  }
}

/** An object with a member for each transport (2026-01-11), or a list with one entry for each (from 2026-04-08 on). */
function findService(services: Fields, transports: readonly Transport[]) {
  const stated = services[SHOPPING]
  for (const transport of transports) {
    const fields = Array.isArray(stated)
      ? objects(stated, SHOPPING).find((entry) => entry['transport'] === transport)
      : isFields(stated)
        ? stated[transport]
        : undefined
    if (isFields(fields)) return { transport, fields }
  }
  throw new UnreadableReply(`the merchant has no shopping service over ${transports.join(' or ')}`, 'services')
}

/**
 * The official sample states localhost:3000, wherever it runs: its path counts, and the origin is that of the settings.
 * `statedOrigin`: the profile states another one.
 */
function resolveEndpoint(stated: string, url: string): { readonly endpoint: string; readonly statedOrigin?: string } {
  if (!URL.canParse(stated, url)) throw new UnreadableReply('endpoint is not a URL', 'endpoint')
  const [at, ours] = [new URL(stated, url), new URL(url)]
  const endpoint = `${ours.origin}${at.pathname.replace(/\/+$/, '')}`
  return at.origin === ours.origin ? { endpoint } : { endpoint, statedOrigin: at.origin }
}

/** `[{name}]` (2026-01-11), or `{name: [{version}]}`. */
const namesOf = (value: unknown): readonly string[] =>
  isFields(value)
    ? Object.keys(value)
    : list(value ?? [], 'capabilities').map((entry) => text(object(entry, 'capability'), 'name'))

/** `payment.handlers: [{id}]` beside `ucp` (2026-01-11), or `ucp.payment_handlers: {name: [{id}]}`. */
function readHandlers(ucp: Fields, root: Fields): readonly { readonly id: string; readonly name?: string }[] {
  const { payment_handlers: byName } = ucp
  if (isFields(byName))
    return Object.entries(byName).flatMap(([name, entries]) =>
      objects(entries, 'payment_handlers').map((entry) => ({ id: text(entry, 'id'), name })),
    )
  const { payment } = root
  if (!isFields(payment)) return []
  return objects(payment['handlers'] ?? [], 'handlers').map((entry) => {
    const { name } = entry
    return { id: text(entry, 'id'), ...(typeof name === 'string' && { name }) }
  })
}
