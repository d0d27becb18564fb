/** Small questions several commands ask the service. */
import type { Client } from '../client/index.ts'
import type { Product } from '../contract/catalog.ts'
import { CommandFailure, UsageError } from './exit.ts'
import type { Context } from './context.ts'

/** At most so many entries of a listing, over as many pages as that takes. */
export async function take<T>(entries: AsyncIterable<T>, limit: number): Promise<{ found: T[]; more: boolean }> {
  const found: T[] = []
  for await (const entry of entries) {
    if (found.length === limit) return { found, more: true }
    found.push(entry)
  }
  return { found, more: false }
}

export async function defaultNamespace(client: Client, role: 'supply' | 'machine'): Promise<string> {
  const namespace = (await client.listNamespaces()).defaults[role]
  if (!namespace) throw new CommandFailure(`no ${role} vendor is live in this deployment`)
  return namespace
}

/** `SP1001` means the default vendor's; a full `namespace:code` is taken as it is. */
export async function skuReader(client: Client, role: 'supply' | 'machine', typed: readonly string[]) {
  const namespace = typed.every((text) => text.includes(':')) ? '' : await defaultNamespace(client, role)
  return (text: string): string => (text.includes(':') ? text : `${namespace}:${text}`)
}

const SHELF_MAX = 5000

/** Everything a machine holds, as its platform tells it now. */
export async function shelfOf(context: Context, location: string): Promise<Product[]> {
  const { client, signal } = context
  const namespace = await defaultNamespace(client, 'machine')
  const body = { filters: { namespace, location }, pagination: { limit: 100 } }
  return context.during(`reading ${location}`, async () => {
    const { found } = await take(client.all.searchCatalog({ body, signal }), SHELF_MAX)
    return found
  })
}

/** `sku=amount` pairs as typed. */
export function pairsOf(typed: readonly string[], example: string): { readonly key: string; readonly value: string }[] {
  return typed.map((text) => {
    const at = text.lastIndexOf('=')
    if (at < 1 || at === text.length - 1) throw new UsageError(`"${text}" should look like ${example}`)
    return { key: text.slice(0, at), value: text.slice(at + 1) }
  })
}

export function wholeOf(text: string, what: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new UsageError(`"${text}" is not a whole number of ${what}`)
  return Number(text)
}
