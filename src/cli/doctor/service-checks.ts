/** The checks of the running service and of each vendor behind it. */
import { VendopsError } from '../../client/index.ts'
import type { Client } from '../../client/index.ts'
import type { Config } from '../../config.ts'
import type { NamespaceEntry } from '../../contract/catalog.ts'
import { systemClock } from '../../kernel/clock.ts'
import { fail, ok, skipped, warn } from './check.ts'
import type { Finding } from './check.ts'
import { skewFinding } from './host-checks.ts'

const WAIT_MS = 5000
/** A `Date` header has whole seconds: the true time lies half of one later on average. */
const HALF_SECOND_MS = 500

async function head(url: string): Promise<Response | undefined> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(WAIT_MS), redirect: 'manual' })
  } catch {
    return undefined
  }
}

export async function checkService(url: string): Promise<Finding[]> {
  const ready = await head(`${url}/readyz`)
  if (!ready)
    return [fail('service', `nothing answers at ${url}`, 'vendops serve   starts it here; VENDOPS_URL names another')]
  if (ready.ok) return [ok('service', `${url} is ready`)]
  const told = (await ready.json().catch(() => ({}))) as { reasons?: string[] }
  const why = told.reasons?.join('; ') ?? `HTTP ${ready.status}`
  return [fail('service', `${url} is not ready: ${why}`, 'look at its log; a restart also migrates the database')]
}

/** Signed calls carry our time: an upstream whose clock disagrees refuses them. */
export async function checkClock(url: string, check: string): Promise<Finding> {
  const asked = systemClock.now()
  const answer = await head(url)
  const told = Date.parse(answer?.headers.get('date') ?? '')
  await answer?.body?.cancel()
  if (Number.isNaN(told)) return skipped(check, 'no answer to compare with')
  const middle = (asked + systemClock.now()) / 2
  return skewFinding(check, middle - (told + HALF_SECOND_MS))
}

const MEND: Readonly<Record<string, string>> = {
  unauthorized: 'check the credentials of this vendor in the environment of the service',
  upstream_unreachable: 'check its URL and the network of the host; the service tries again by itself',
  rate_limited: 'wait a little',
}

/** Asks the service to ask the vendor the smallest thing: what works here works for everyone. */
async function checkVendor(client: Client, { namespace, role, status }: NamespaceEntry): Promise<Finding> {
  const check = `vendor ${namespace}`
  if (status === 'planned')
    return warn(check, 'planned: it has no credentials', `set the variables of ${namespace} to make it live`)
  try {
    if (role === 'supply') {
      await client.searchCatalog({ body: { filters: { namespace }, pagination: { limit: 1 } }, attempts: 1 })
      return ok(check, 'its catalog answers')
    }
    await client.listOrders({ query: { limit: 1 }, attempts: 1 })
    return ok(check, 'its ledger answers')
  } catch (problem) {
    if (!(problem instanceof VendopsError)) throw problem
    const mend = MEND[problem.code] ?? 'look at the log of the service'
    return fail(check, `${problem.code}: ${problem.message}`, mend)
  }
}

export async function checkVendors(client: Client | undefined): Promise<Finding[]> {
  if (!client) return [skipped('vendors', 'asked through the service, which has no token for us')]
  try {
    const { namespaces } = await client.listNamespaces({ attempts: 1 })
    return await Promise.all(namespaces.map((entry) => checkVendor(client, entry)))
  } catch (problem) {
    if (!(problem instanceof VendopsError)) throw problem
    if (problem.code === 'unauthorized')
      return [fail('token', 'the service refuses it', 'set OPERATOR_TOKEN to the token the service was started with')]
    return [skipped('vendors', 'asked through the service, which does not answer')]
  }
}

export const upstreamUrls = ({ acmeSupply, acmeMachine }: Config): readonly (readonly [string, string])[] => [
  ...(acmeSupply ? [['acme-supply', acmeSupply.url] as const] : []),
  ...(acmeMachine ? [['acme-machine', acmeMachine.url] as const] : []),
]

/** An entry that matches nothing is misspelt, or forbids what nobody sells. */
export async function checkNoGos(client: Client | undefined): Promise<Finding[]> {
  const check = 'no-go list'
  if (!client) return []
  try {
    const { rules, unmatched_no_gos: unmatched } = await client.getGuardrails({ attempts: 1 })
    if (!unmatched) return [skipped(check, 'not every product is known now; try again in a minute')]
    if (unmatched.length === 0) return [ok(check, `all ${rules.hardNoGos.length} entries match a known product`)]
    const named = unmatched.map((entry) => JSON.stringify(entry)).join(', ')
    return [warn(check, `no known product matches ${named}`, 'check the spelling in hardNoGos of the guardrails file')]
  } catch (problem) {
    if (!(problem instanceof VendopsError)) throw problem
    return [skipped(check, 'asked through the service, which does not answer')]
  }
}
