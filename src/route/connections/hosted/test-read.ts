/** One read with settings that are stored or only typed. Nothing is kept of it, and nothing is sent. */
import type { ConnectionRequest, ConnectionTest } from '../../../contract/shapes/connections/hosted.ts'
import { parseNamespace } from '../../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import type { Connection } from '../../../vendors/connections/connection.ts'
import { testConnection } from '../../../vendors/connections/test-connection.ts'
import { testFetch } from '../../../vendors/fetch/fetch-aside.ts'
import { listStatedPacks } from '../pack-records.ts'
import { type HostedDeps, NOT_HERE, prepare } from './save-connection.ts'
import { findStored } from './records.ts'

type Body = Omit<ConnectionTest, 'ucp'>

/** Not saved yet. The secrets of a connection of this name that is there stay where they are: they are not used. */
export async function tryConnection(ctx: HostedDeps, body: ConnectionRequest): Promise<Outcome<Body>> {
  const namespace = parseNamespace(body.namespace)
  if (!namespace) return refuse('invalid', 'namespace must be a name such as depot-supply', '$.namespace')
  const { connectionsHome: home } = ctx
  if (!home) return NOT_HERE
  const prepared = prepare(home, namespace, body)
  return prepared.ok ? accept(await read(ctx, prepared.value.connection)) : prepared
}

export async function testSaved(ctx: HostedDeps, text: string): Promise<Outcome<Body>> {
  const { connectionsHome: home } = ctx
  if (!home) return NOT_HERE
  const fixed = home.fixed.find(({ basics }) => basics.namespace === text)
  if (fixed) return accept(await read(ctx, fixed))
  const stored = await findStored(ctx.store.db, text)
  if (!stored || stored.isRemoved) return refuse('not_found', `There is no connection "${text}"`)
  const checked = home.check(stored, (name) => {
    if (!home.secrets) throw new Error('There is no folder for secrets')
    return home.secrets.read(name)
  })
  return checked.ok
    ? accept(await read(ctx, checked.connection))
    : refuse('not_editable', 'This connection is not ready on this instance. Enter its secrets again')
}

async function read({ store, config, clock }: HostedDeps, connection: Connection): Promise<Body> {
  const stated = await listStatedPacks(store.db, connection.basics.namespace)
  const { result, capabilities, notices, examples } = await testConnection(connection, config.upstreamTimeoutMs, stated)
  const fetched = connection.fetch && (await testFetch(connection.fetch, clock.now()))
  const summary = result.ok ? result.value : result.message
  return {
    ok: result.ok && fetched?.ok !== false,
    summary: fetched ? [summary, ...(fetched.ok ? fetched.says : [fetched.problem])].join('. ') : summary,
    capabilities: [...capabilities],
    examples: [...examples],
    notes: notices.slice(0, NOTES_SHOWN),
  }
}
const NOTES_SHOWN = 10
