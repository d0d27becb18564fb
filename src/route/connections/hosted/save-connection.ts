/** Adding, changing and removing a connection, by an owner. Secrets go to files, settings to the store, and both take effect at once. */
import type { ConnectionChange, ConnectionRequest } from '../../../contract/shapes/connections/hosted.ts'
import { type Namespace, parseNamespace } from '../../../kernel/ids.ts'
import { type ErrorMessage, error } from '../../../kernel/message.ts'
import { type Outcome, RefusedError, accept, catchRefusal, refuse, refuseAll } from '../../../kernel/outcome.ts'
import { type Fields, isFields } from '../../../lib/objects.ts'
import { memberAt, setMember } from '../../../lib/members.ts'
import type { Context } from '../../../context.ts'
import type { Queryable, Tx } from '../../../store/store.ts'
import type { Connection } from '../../../vendors/connections/connection.ts'
import {
  type HostedConnection,
  type HostedModule,
  findHostedModule,
  promptsOf,
  secretsOf,
  splitSecrets,
} from '../../../vendors/connections/hosted-connection.ts'
import { BASIC_NAMES } from '../../../vendors/connections/read-connections.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { listLocations } from '../../locations/index.ts'
import { hasMemory } from '../records.ts'
import { connectionEvent } from '../texts.ts'
import type { ConnectionsHome } from './home.ts'
import {
  type StoredConnection,
  countChange,
  findAccount,
  findStored,
  markRemoved,
  saveAccount,
  saveStored,
} from './records.ts'

/** What the rest of the service knows about a namespace. */
export interface ConnectionUse {
  /** Why it cannot be removed now, as a sentence; undefined: nothing is under way. */
  readonly findOpenWork: (db: Queryable, namespace: Namespace) => Promise<string | undefined>
  /** Whether anything was ever bought, sold or priced through it. */
  readonly hasHistory: (db: Queryable, namespace: Namespace) => Promise<boolean>
}

export type HostedDeps = Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'log' | 'connectionsHome'> & {
  readonly use: ConnectionUse
}

export const NOT_HERE = refuse(
  'not_editable',
  'This deployment uses simulated vendors. Connections are added where VENDOPS_ENV is live',
)

/** Connections of the configuration are changed on the server only. */
function findHome(ctx: HostedDeps, namespace: string): Outcome<ConnectionsHome> {
  const { connectionsHome: home } = ctx
  if (!home) return NOT_HERE
  const isFixed = home.fixed.some(({ basics }) => basics.namespace === namespace)
  return isFixed
    ? refuse('not_editable', `${namespace} is set on the server (VENDORS_FILE or ACME_*) and cannot be changed here`)
    : accept(home)
}

export async function findHosted(ctx: HostedDeps, namespace: string): Promise<Outcome<StoredConnection>> {
  const home = findHome(ctx, namespace)
  if (!home.ok) return home
  const stored = await findStored(ctx.store.db, namespace)
  return stored && !stored.isRemoved ? accept(stored) : refuse('not_found', `There is no connection "${namespace}"`)
}

/** A connection as it would be stored, and what has to be written and deleted for it. */
export interface Prepared {
  readonly hosted: HostedConnection & { readonly namespace: Namespace }
  readonly module: HostedModule
  readonly account: string
  /** By path: secrets that were typed. The settings already name them by their paths. */
  readonly typed: ReadonlyMap<string, string>
  readonly connection: Connection
}

type Given = ConnectionChange & { readonly adapter: string }

/** Checks everything without writing. Secrets that are not typed again stay those of `before`; null takes one away. */
export function prepare(
  home: ConnectionsHome,
  namespace: Namespace,
  { adapter, settings: given, read_only: isReadOnly = false, time_zone: timeZone, id_prefix: idPrefix }: Given,
  before?: StoredConnection,
): Outcome<Prepared> {
  const found = findHostedModule(adapter, namespace)
  if ('problems' in found) return refuseProblems(found.problems, undefined)
  const { module } = found
  const { settings, secrets, problems } = splitSecrets(given, module)
  const typed = new Map([...secrets].flatMap(([path, secret]) => (secret === null ? [] : [[path, secret] as const])))
  for (const path of secretsOf(module)) {
    const kept = before && !secrets.has(path) ? memberAt(before.settings, path) : undefined
    if (typed.has(path)) setMember(settings, path, { file: typedName(path) })
    else if (kept !== undefined) setMember(settings, path, kept)
  }
  const hosted = { namespace, adapter: module.adapter, isReadOnly, timeZone, idPrefix, settings }
  const readSecret = (name: string): string => {
    const path = name.startsWith(TYPED) ? name.slice(TYPED.length) : undefined
    const secret = path === undefined ? home.secrets?.read(name) : typed.get(path)
    if (secret === undefined) throw new Error('There is no such secret')
    return secret
  }
  const checked = home.check(hosted, readSecret)
  const all = [...problems, ...(checked.ok ? [] : checked.problems)]
  if (!checked.ok || all.length > 0) return refuseProblems(all, module)
  if (typed.size > 0 && !home.secrets)
    return refuse(
      'not_enabled',
      'There is no folder for secrets. Set SECRETS_DIR in the environment of the service to a folder that all instances share',
    )
  return accept({ hosted, module, account: checked.account, typed, connection: checked.connection })
}

const TYPED = 'typed:'
const typedName = (path: string): string => TYPED + path

/** Adapters name a setting by its path; people know it by its question. */
function refuseProblems(problems: readonly string[], module: HostedModule | undefined) {
  return refuseAll(
    problems.slice(0, PROBLEMS_SHOWN).map((problem): ErrorMessage => {
      const [, path = '', stated = ''] = /^([a-z0-9_]+(?:\.[A-Za-z0-9_]+)*) (.*)$/s.exec(problem) ?? []
      // Without the name of the file.
      const rest = stated.startsWith('names the file ') ? 'is not on this instance. Enter it again' : stated
      if (path === '') return error('invalid', problem, '$.settings')
      const code = rest === 'is missing' ? 'missing' : 'invalid'
      if (BASIC_NAMES.has(path)) return error(code, problem, `$.${path}`)
      const question = (module ? promptsOf(module) : []).find((prompt) => prompt.path === path)?.question
      const isPlain = /^(?:is missing$|must be |is not on )/.test(rest)
      const content = question !== undefined && isPlain ? `${question} (${path}) ${rest}` : `${path} ${rest}`
      return error(code, content, `$.settings.${path}`, { field: path, problem: rest })
    }),
  )
}
const PROBLEMS_SHOWN = 20

export async function addConnection(ctx: HostedDeps, body: ConnectionRequest): Promise<Outcome<StoredConnection>> {
  const namespace = parseNamespace(body.namespace)
  if (!namespace) return refuse('invalid', 'namespace must be a name such as depot-supply', '$.namespace')
  const home = findHome(ctx, namespace)
  if (!home.ok) return home
  const prepared = prepare(home.value, namespace, body)
  if (!prepared.ok) return prepared
  return save(ctx, home.value, prepared.value, async (tx) => {
    const there = await findStored(tx, namespace)
    if (there && !there.isRemoved)
      throw new RefusedError(refuse('conflict', `There is already a connection ${namespace}`, '$.namespace').refusal)
    await refuseOtherAccount(ctx, tx, prepared.value)
    return 'connection_added'
  })
}

export async function changeConnection(
  ctx: HostedDeps,
  namespace: string,
  body: ConnectionChange,
): Promise<Outcome<StoredConnection>> {
  const found = await findHosted(ctx, namespace)
  if (!found.ok) return found
  const home = findHome(ctx, namespace)
  if (!home.ok) return home
  const before = found.value
  const prepared = prepare(home.value, before.namespace, { ...body, adapter: before.adapter }, before)
  if (!prepared.ok) return prepared
  return save(ctx, home.value, prepared.value, async (tx) => {
    const now = await findStored(tx, namespace)
    if (!now || now.isRemoved || now.revision !== before.revision)
      throw new RefusedError(refuse('conflict', 'Somebody else has just changed this connection. Look again').refusal)
    await refuseOtherAccount(ctx, tx, prepared.value)
    return 'connection_changed'
  })
}

/**
 * Orders of a namespace are asked about at the account they were sent to. With another account under the same name they would
 * not be found there, and be sent again.
 */
async function refuseOtherAccount({ use }: HostedDeps, tx: Tx, { hosted, account }: Prepared): Promise<void> {
  const { namespace, adapter } = hosted
  const known = await findAccount(tx, namespace)
  if (!known || (known.adapter === adapter && (known.account === account || known.account === ''))) return
  if (!(await hasMemory(tx, namespace)) && !(await use.hasHistory(tx, namespace))) return
  throw new RefusedError(
    refuse(
      'not_editable',
      known.adapter === adapter
        ? `${namespace} has a history with another account of this vendor. Choose another name`
        : `${namespace} has a history as ${known.adapter}. Choose another name`,
      '$.namespace',
    ).refusal,
  )
}

type SavedCode = 'connection_added' | 'connection_changed'

async function save(
  ctx: HostedDeps,
  home: ConnectionsHome,
  { hosted, module, account, typed }: Prepared,
  check: (tx: Tx) => Promise<SavedCode>,
): Promise<Outcome<StoredConnection>> {
  const { namespace } = hosted
  // Before the settings that name them; what nobody names in the end is deleted.
  const settings = structuredClone(hosted.settings) as Record<string, unknown>
  const written: string[] = []
  let replaced: readonly string[] = []
  try {
    for (const [path, secret] of typed) {
      const name = await home.secrets?.write(namespace, path, secret)
      if (name === undefined) throw new Error('There is no folder for secrets')
      written.push(name)
      setMember(settings, path, { file: name })
    }
    const saved = await catchRefusal(async () =>
      accept(
        await ctx.store.transaction(async (tx) => {
          await countChange(tx)
          const code = await check(tx)
          const before = await findStored(tx, namespace)
          replaced = before ? secretNames(before.settings, module) : []
          await saveStored(ctx, tx, { ...hosted, settings })
          await saveAccount(tx, namespace, { adapter: module.adapter, account })
          await recordEvent(ctx, tx, connectionEvent(code, namespace, module.adapter))
        }),
      ),
    )
    if (!saved.ok) {
      await home.secrets?.remove(written)
      return saved
    }
  } catch (failure) {
    // The commit may have happened although its answer was lost: then the files are needed.
    const stored = await findStored(ctx.store.db, namespace).catch(() => undefined)
    const named = new Set(stored ? secretNames(stored.settings, module) : written)
    await home.secrets?.remove(written.filter((name) => !named.has(name)))
    throw failure
  }
  const named = new Set(secretNames(settings, module))
  await home.refresh()
  await home.secrets?.remove(replaced.filter((name) => !named.has(name)))
  const stored = await findStored(ctx.store.db, namespace)
  if (!stored) throw new Error(`The connection ${namespace} is gone`)
  return accept(stored)
}

function secretNames(settings: Fields, module: HostedModule): readonly string[] {
  return secretsOf(module).flatMap((path) => {
    const reference = memberAt(settings, path)
    const name = isFields(reference) ? reference['file'] : undefined
    return typeof name === 'string' ? [name] : []
  })
}

export async function removeConnection(ctx: HostedDeps, namespaceText: string): Promise<Outcome<StoredConnection>> {
  const found = await findHosted(ctx, namespaceText)
  if (!found.ok) return found
  const home = findHome(ctx, namespaceText)
  if (!home.ok) return home
  const { namespace, adapter } = found.value
  const removed = await catchRefusal(async () =>
    accept(
      await ctx.store.transaction(async (tx) => {
        await countChange(tx)
        const now = await findStored(tx, namespace)
        if (!now || now.isRemoved)
          throw new RefusedError(refuse('not_found', `There is no connection "${namespace}"`).refusal)
        const reason = (await machinesOf(tx, namespace)) ?? (await ctx.use.findOpenWork(tx, namespace))
        if (reason !== undefined) throw new RefusedError(refuse('not_editable', reason).refusal)
        await markRemoved(ctx, tx, now)
        await recordEvent(ctx, tx, connectionEvent('connection_removed', namespace, adapter))
        return now
      }),
    ),
  )
  if (!removed.ok) return removed
  await home.value.refresh()
  const module = findHostedModule(adapter, namespace)
  if ('module' in module) await home.value.secrets?.remove(secretNames(removed.value.settings, module.module))
  return removed
}

async function machinesOf(db: Queryable, namespace: Namespace): Promise<string | undefined> {
  const own = (await listLocations(db)).filter((location) => location.namespace === namespace)
  if (own.length === 0) return undefined
  const names = own.slice(0, MACHINES_NAMED).map(({ id }) => id)
  const more = own.length > names.length ? ` and ${own.length - names.length} more` : ''
  return `Machines of your route belong to it: ${names.join(', ')}${more}. Remove them first`
}
const MACHINES_NAMED = 3
