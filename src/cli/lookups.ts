/** Lookups and parsing shared by several commands. */
import type { Client } from '../client/index.ts'
import type { Product } from '../contract/shapes/catalog.ts'
import { CommandFailure, UsageError } from './exit.ts'
import type { Context } from './context.ts'

/** Collects up to `limit` entries from as many pages as needed. */
export async function collect<T>(entries: AsyncIterable<T>, limit: number): Promise<{ found: T[]; hasMore: boolean }> {
  const found: T[] = []
  for await (const entry of entries) {
    if (found.length === limit) return { found, hasMore: true }
    found.push(entry)
  }
  return { found, hasMore: false }
}

async function findDefaultNamespace(client: Client, role: 'supply' | 'machine'): Promise<string> {
  const namespace = (await client.listNamespaces()).defaults[role]
  if (!namespace)
    throw new CommandFailure(role === 'supply' ? 'no supplier is connected' : 'no machine platform is connected')
  return namespace
}

/** A machine that is not on the roster is a mistake, not an empty answer. */
export async function requireMachine(client: Client, id: string) {
  const found = await client.lookupLocations({ body: { ids: [id] } })
  if (found.locations.length === 0)
    throw new CommandFailure(`no machine ${id}`, {
      code: 'not_found',
      hint: 'vendops machines   lists the machines of the route',
    })
  return found
}

/** The platform of a registered machine, else the default one. */
async function findPlatform(client: Client, location: string): Promise<string> {
  const { locations } = await client.lookupLocations({ body: { ids: [location] } })
  return locations[0]?.namespace ?? findDefaultNamespace(client, 'machine')
}

/**
 * Completes `SP1001` with the namespace of the default supplier, or of the platform of a machine; a full `namespace:code`
 * stays as it is.
 */
export async function createSkuResolver(client: Client, typed: readonly string[], machine?: string) {
  const isComplete = typed.every((text) => text.includes(':'))
  const namespace = isComplete
    ? ''
    : machine === undefined
      ? await findDefaultNamespace(client, 'supply')
      : await findPlatform(client, machine)
  return (text: string): string => (text.includes(':') ? text : `${namespace}:${text}`)
}

const MACHINE_PRODUCTS_MAX = 5000

/** All products of a machine, as its platform reports them now. */
export async function listMachineProducts(context: Context, location: string): Promise<Product[]> {
  const { client, signal } = context
  const namespace = await findPlatform(client, location)
  const body = { filters: { namespace, location }, pagination: { limit: 100 } }
  return context.withProgress(`reading ${location}`, async () => {
    const { found } = await collect(client.all.searchCatalog({ body, signal }), MACHINE_PRODUCTS_MAX)
    return found
  })
}

/** Parses `key=value` arguments. */
export const parsePairs = (
  typed: readonly string[],
  example: string,
): { readonly key: string; readonly value: string }[] =>
  typed.map((text) => {
    const at = text.lastIndexOf('=')
    if (at < 1 || at === text.length - 1) throw new UsageError(`"${text}" should look like ${example}`)
    return { key: text.slice(0, at), value: text.slice(at + 1) }
  })

export function parseWholeNumber(text: string, what: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new UsageError(`"${text}" is not a whole number of ${what}`)
  return Number(text)
}
