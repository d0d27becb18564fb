/** A merchant's profile (`/.well-known/ucp`) in one shape, whatever version of UCP it speaks. Pure. */
import { type Fields, isFields, list, record, records, text, UnreadableReply } from '../upstream/read-json.ts'

const SHOPPING = 'dev.ucp.shopping'
const TRANSPORTS = ['rest', 'mcp'] as const

export interface MerchantProfile {
  /** We declare this one: a merchant refuses a newer version than its own. */
  readonly version: string
  /** REST where the merchant has both. */
  readonly transport: (typeof TRANSPORTS)[number]
  readonly endpoint: string
  /** The profile states another origin than the one of the settings, which is used instead. */
  readonly statedOrigin?: string
  readonly capabilities: ReadonlySet<string>
  readonly handlers: readonly PaymentHandler[]
}

export interface PaymentHandler {
  readonly id: string
  /** Such as `com.example.invoice`; absent where the profile lists ids only. */
  readonly name?: string
}

/** Before it, capabilities and handlers are lists, and requests have other members. */
const SECOND_VERSION = '2026-04-08'

export const isFirstVersion = ({ version }: Pick<MerchantProfile, 'version'>): boolean => version < SECOND_VERSION

/** Throws UnreadableReply where there is no shopping service that we can talk to. `transport`: only that one. */
export function readMerchantProfile(
  json: unknown,
  url: string,
  transport?: MerchantProfile['transport'],
): MerchantProfile {
  const root = record(json, 'profile')
  const ucp = record(root['ucp'], 'ucp')
  const version = text(ucp, 'version')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version)) throw new UnreadableReply('version is not a date', 'version')
  const service = findService(record(ucp['services'], 'services'), transport ? [transport] : TRANSPORTS)
  const { endpoint, statedOrigin } = resolveEndpoint(text(service.fields, 'endpoint'), url)
  return {
    version,
    transport: service.transport,
    endpoint,
    ...(statedOrigin !== undefined && { statedOrigin }),
    capabilities: new Set(namesOf(ucp['capabilities'])),
    handlers: readHandlers(ucp, root),
  }
}

/** An object with a member for each transport (2026-01-11), or a list with one entry for each (from 2026-04-08 on). */
function findService(
  services: Fields,
  transports: readonly MerchantProfile['transport'][],
): { readonly transport: MerchantProfile['transport']; readonly fields: Fields } {
  const stated = services[SHOPPING]
  for (const transport of transports) {
    const fields = Array.isArray(stated)
      ? records(stated, SHOPPING).find((entry) => entry['transport'] === transport)
      : isFields(stated)
        ? stated[transport]
        : undefined
    if (isFields(fields)) return { transport, fields }
  }
  throw new UnreadableReply(`the merchant has no shopping service over ${transports.join(' or ')}`, 'services')
}

/** The official sample states localhost:3000, wherever it runs: its path counts, and the origin is that of the settings. */
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
    : list(value ?? [], 'capabilities').map((entry) => text(record(entry, 'capability'), 'name'))

/** `payment.handlers: [{id}]` beside `ucp` (2026-01-11), or `ucp.payment_handlers: {name: [{id}]}`. */
function readHandlers(ucp: Fields, root: Fields): readonly PaymentHandler[] {
  const { payment_handlers: byName } = ucp
  if (isFields(byName))
    return Object.entries(byName).flatMap(([name, entries]) =>
      records(entries, 'payment_handlers').map((entry) => ({ id: text(entry, 'id'), name })),
    )
  const { payment } = root
  if (!isFields(payment)) return []
  return records(payment['handlers'] ?? [], 'handlers').map((entry) => {
    const { name } = entry
    return { id: text(entry, 'id'), ...(typeof name === 'string' && { name }) }
  })
}
