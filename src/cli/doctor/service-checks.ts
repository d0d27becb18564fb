/** Checks of the running service and of its vendors. */
import { type Client, VendopsError } from '../../client/index.ts'
import type { NamespaceEntry } from '../../contract/shapes/catalog.ts'
import { systemClock } from '../../kernel/clock.ts'
import { type Connection, upstreamUrl } from '../../vendors/connections/connection.ts'
import { type Finding, fail, pass, skippedFinding, warn } from './check.ts'
import { skewFinding } from './host-checks.ts'

const WAIT_MS = 5000
/** A `Date` header has whole seconds, so the exact time is half a second later on average. */
const HALF_SECOND_MS = 500

async function request(url: string): Promise<Response | undefined> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(WAIT_MS), redirect: 'manual' })
  } catch {
    return undefined
  }
}

export async function checkService(url: string): Promise<Finding[]> {
  const ready = await request(`${url}/readyz`)
  if (!ready)
    return [
      fail('service', `no response from ${url}`, 'vendops serve   starts it here; VENDOPS_URL selects another service'),
    ]
  if (ready.ok) return [pass('service', `${url} is ready`)]
  const body = (await ready.json().catch(() => ({}))) as { reasons?: string[] }
  const why = body.reasons?.join('; ') ?? `HTTP ${ready.status}`
  return [fail('service', `${url} is not ready: ${why}`, 'check its log; a restart also migrates the database')]
}

/** Signed calls carry a timestamp; a vendor refuses them if the clocks differ too much. */
export async function checkClock(url: string, check: string): Promise<Finding> {
  const sentAt = systemClock.now()
  const response = await request(url)
  const remoteTime = Date.parse(response?.headers.get('date') ?? '')
  await response?.body?.cancel()
  if (Number.isNaN(remoteTime)) return skippedFinding(check, 'no response to compare with')
  const midpoint = (sentAt + systemClock.now()) / 2
  return skewFinding(check, midpoint - (remoteTime + HALF_SECOND_MS))
}

const FIXES: Readonly<Record<string, string>> = {
  unauthorized: 'check the credentials of this vendor in the environment of the service',
  upstream_unreachable: 'check its URL and the network of the server; the service retries by itself',
  rate_limited: 'wait a minute',
}

/** Calls the vendor through the service, with the smallest request there is. */
async function checkVendor(client: Client, { namespace, role }: NamespaceEntry): Promise<Finding> {
  const check = `connection ${namespace}`
  try {
    if (role === 'supply') {
      await client.searchCatalog({ body: { filters: { namespace }, pagination: { limit: 1 } }, attempts: 1 })
      return pass(check, 'catalog is readable')
    }
    await client.listOrders({ query: { limit: 1 }, attempts: 1 })
    return pass(check, 'sales are readable')
  } catch (problem) {
    if (!(problem instanceof VendopsError)) throw problem
    const fix = FIXES[problem.code] ?? 'check the log of the service'
    return fail(check, `${problem.code}: ${problem.message}`, fix)
  }
}

/** A role without a vendor is a warning; a planned namespace next to a connected one is not. */
function checkPlanned({ namespace, role }: NamespaceEntry, namespaces: readonly NamespaceEntry[]): Finding[] {
  if (namespaces.some((other) => other.role === role && other.status === 'live')) return []
  const fix = `set the environment variables of ${namespace}, or add a connection: vendops connect`
  return [warn(`connection ${namespace}`, 'not connected: no credentials', fix)]
}

/** `checked`: connections of the configuration, which were read without the service. */
export async function checkVendors(client: Client | undefined, checked: readonly string[] = []): Promise<Finding[]> {
  if (!client) return [skippedFinding('vendors', 'not checked: no token for the service')]
  try {
    const { namespaces } = await client.listNamespaces({ attempts: 1 })
    const live = namespaces.filter(({ status }) => status === 'live')
    const missing = checked.filter((name) => !live.some(({ namespace }) => namespace === name))
    return [
      ...(await Promise.all(
        live.filter(({ namespace }) => !checked.includes(namespace)).map((entry) => checkVendor(client, entry)),
      )),
      ...namespaces
        .filter(({ status }) => status === 'planned')
        .filter(({ namespace }) => !checked.includes(namespace))
        .flatMap((entry) => checkPlanned(entry, namespaces)),
      ...missing.map((name) =>
        warn(`connection ${name}`, 'configured, but the running service does not know it', 'restart the service'),
      ),
    ]
  } catch (problem) {
    if (!(problem instanceof VendopsError)) throw problem
    if (problem.code === 'unauthorized')
      return [fail('token', 'the service refuses the token', 'set OPERATOR_TOKEN to the token of the service')]
    return [skippedFinding('vendors', 'not checked: the service does not respond')]
  }
}

/** Of the connections over HTTP, by namespace. */
export const upstreamUrls = (connections: readonly Connection[]): readonly (readonly [string, string])[] =>
  connections.flatMap((connection) => {
    const url = upstreamUrl(connection)
    return url === undefined ? [] : [[connection.basics.namespace, url] as const]
  })

/** An entry that matches no product may be misspelled. */
export async function checkNoGos(client: Client | undefined): Promise<Finding[]> {
  const check = 'no-go list'
  if (!client) return []
  try {
    const { rules, unmatched_no_gos: unmatched } = await client.getGuardrails({ attempts: 1 })
    if (!unmatched) return [skippedFinding(check, 'not all products are known yet; try again in a minute')]
    if (unmatched.length === 0) return [pass(check, `all ${rules.hardNoGos.length} entries match a known product`)]
    const entries = unmatched.map((entry) => JSON.stringify(entry)).join(', ')
    return [warn(check, `no known product matches ${entries}`, 'check the spelling in hardNoGos of the rules file')]
  } catch (problem) {
    if (!(problem instanceof VendopsError)) throw problem
    return [skippedFinding(check, 'not checked: the service does not respond')]
  }
}
