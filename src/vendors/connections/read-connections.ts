/**
 * VENDORS_FILE: read and checked whole at the start. One problem makes the file invalid, because a connection that is
 * left out would look like a vendor without products or sales; all problems are named at once.
 */
import { Type } from 'typebox'
import { isTimeZone } from '../../kernel/clock.ts'
import { parseNamespace, roleOf } from '../../kernel/ids.ts'
import { type SecretSources, resolveSecrets, describeEntry, readSettingsFile } from '../../lib/files.ts'
import { text, validator } from '../../lib/validator.ts'
import { type AdapterModule, type ConnectionBasics, isNamed } from '../adapter-module.ts'
import { ADAPTERS } from '../adapters.ts'
import { type Fields, isFields } from '../upstream/read-json.ts'
import type { Connection } from './connection.ts'

export interface DeploymentFacts {
  readonly currency: string
  readonly timeZone: string
  /** Connections that are there without the file. */
  readonly connections: readonly Connection[]
}

export type ConnectionsResult =
  | { readonly ok: true; readonly connections: readonly Connection[] }
  | { readonly ok: false; readonly problems: readonly string[] }

const ID_PREFIX = /^[A-Za-z0-9._-]{1,32}$/

const Basics = Type.Object({
  namespace: text('<name>-supply or <name>-machine, in small letters and digits', (name) => !!parseNamespace(name)),
  adapter: text('text'),
  currency: Type.Optional(text('text')),
  time_zone: Type.Optional(text('an IANA time zone name', isTimeZone)),
  read_only: Type.Optional(Type.Boolean({ expected: 'true or false' })),
  id_prefix: Type.Optional(
    text('up to 32 letters, digits, dots, hyphens and underscores', (prefix) => ID_PREFIX.test(prefix)),
  ),
})
export const BASIC_NAMES: ReadonlySet<string> = new Set(Object.keys(Basics.properties))

/** `adapters`: those of the service, unless a test names others. */
export function readConnections(
  path: string,
  facts: DeploymentFacts,
  sources: SecretSources,
  adapters: readonly AdapterModule[] = ADAPTERS,
): ConnectionsResult {
  const file = readSettingsFile(path, { list: 'connections' }, sources)
  if (!file.ok) return { ok: false, problems: [`VENDORS_FILE ${path} ${file.problem}`] }
  const taken = new Set(facts.connections.map(({ basics }) => basics.namespace as string))
  const problems = file.problems.map((problem) => `${path} ${problem}`)
  const connections: Connection[] = []
  for (const [index, given] of file.entries.entries()) {
    const read = checkConnection(given, facts, file.sources, adapters)
    const namespace = isFields(given) && typeof given['namespace'] === 'string' ? given['namespace'] : undefined
    const where = describeEntry('connections', index, given, 'namespace')
    problems.push(...read.problems.map((problem) => `${where}: ${problem}`))
    if (namespace !== undefined && taken.has(namespace)) problems.push(`${where}: namespace is used twice`)
    if (namespace !== undefined) taken.add(namespace)
    if (read.connection) connections.push({ ...read.connection, folder: file.folder })
  }
  return problems.length === 0
    ? { ok: true, connections }
    : { ok: false, problems: problems.map((problem) => `VENDORS_FILE ${problem}`) }
}

let basicsValidator: ReturnType<typeof validator<typeof Basics>> | undefined

/** One connection, as VENDORS_FILE lists it. */
export function checkConnection(
  given: unknown,
  facts: Pick<DeploymentFacts, 'currency' | 'timeZone'>,
  sources: SecretSources,
  adapters: readonly AdapterModule[] = ADAPTERS,
): { readonly problems: readonly string[]; readonly connection?: Omit<Connection, 'folder'> } {
  if (!isFields(given)) return { problems: ['must be an object'] }
  const members = (isBasic: boolean): Fields =>
    Object.fromEntries(Object.entries(given).filter(([name]) => BASIC_NAMES.has(name) === isBasic))
  const basics = (basicsValidator ??= validator(Basics))(members(true))
  const named = findModule(given, adapters)
  const problems = [
    ...(basics.ok ? [] : basics.problems.map(({ path, text: problem }) => `${path.join('.')} ${problem}`)),
    ...differingCurrency(given['currency'], facts.currency),
    ...named.problems,
  ]
  const { module } = named
  if (!module) return { problems }
  if (module.role === 'supply' && given['id_prefix'] !== undefined)
    problems.push('id_prefix is for machine platforms only')

  const resolved = resolveSecrets(members(false), module.secrets, sources)
  const connection: ConnectionBasics = {
    // A connection with a wrong namespace is checked too, so that all of its problems are named; it is never opened.
    namespace: given['namespace'] as ConnectionBasics['namespace'],
    currency: facts.currency,
    timeZone: basics.ok ? (basics.value.time_zone ?? facts.timeZone) : facts.timeZone,
    isReadOnly: given['read_only'] === true,
  }
  const checked = module.check(resolved.settings, connection)
  const isAboutUnresolved = (problem: string) => resolved.unresolved.some((path) => problem.startsWith(`${path} `))
  problems.push(...resolved.problems)
  if (!checked.ok)
    problems.push(
      ...checked.problems
        .filter((problem) => !isAboutUnresolved(problem))
        .map((problem) => hideSecrets(problem, resolved.secrets)),
    )
  if (!checked.ok || !basics.ok || problems.length > 0) return { problems }
  const { id_prefix: idPrefix = '', time_zone: ownZone } = basics.value
  const followsZone = ownZone === undefined
  return { problems, connection: { basics: connection, module, settings: checked.settings, idPrefix, followsZone } }
}

/** Undefined together with the reason. A namespace that is no namespace is named elsewhere. */
export function findModule(
  { adapter, namespace }: Fields,
  adapters: readonly AdapterModule[] = ADAPTERS,
): { readonly module?: AdapterModule; readonly problems: readonly string[] } {
  if (typeof adapter !== 'string') return { problems: [] }
  const known = adapters.filter((module) => isNamed(module, adapter))
  if (known.length === 0) {
    const names = [...new Set(adapters.map((module) => module.adapter))].join(', ')
    return { problems: [`adapter must be one of ${names}`] }
  }
  const id = typeof namespace === 'string' ? parseNamespace(namespace) : undefined
  // Without a readable namespace the settings are still checked where the name of the adapter alone decides.
  if (!id) return known.length === 1 && known[0] ? { module: known[0], problems: [] } : { problems: [] }
  const module = known.find(({ role }) => role === roleOf(id))
  if (module) return { module, problems: [] }
  return { problems: [`namespace must end in -${known[0]?.role}: the adapter ${adapter} has no ${roleOf(id)} role`] }
}

const differingCurrency = (given: unknown, currency: string): readonly string[] =>
  typeof given === 'string' && given !== currency
    ? [`currency must be ${currency}, the CURRENCY of this deployment`]
    : []

const hideSecrets = (problem: string, secrets: readonly string[]): string =>
  secrets.reduce((text, secret) => text.replaceAll(secret, '…'), problem)
