/**
 * A connection that an owner made while the service runs. Its settings are those of VENDORS_FILE, with two differences: secrets
 * are typed and kept in files of the deployment, and nobody names a file or folder of the server.
 */
import { type Fields, isFields } from '../../lib/objects.ts'
import { clearMember, hasMember, memberAt, setMember } from '../../lib/members.ts'
import { resolveSecrets } from '../../lib/files.ts'
import type { AdapterModule, FileKind, FilePlace, SettingPrompt } from '../adapter-module.ts'
import { type FetchSettings, FETCH_SECRETS, checkFetch, fetchPrompts } from '../fetch/settings.ts'
import type { Connection } from './connection.ts'
import { BASIC_NAMES, checkConnection, findModule } from './read-connections.ts'

/** As it is stored: the secrets are names of files. */
export interface HostedConnection {
  readonly namespace: string
  readonly adapter: string
  readonly isReadOnly: boolean
  readonly timeZone?: string | undefined
  readonly idPrefix?: string | undefined
  readonly settings: Fields
}

export interface HostedFacts {
  readonly currency: string
  readonly timeZone: string
  /** Of its files. */
  readonly folder: string
  readonly revision?: string
  /** The text of a secret by the name that the settings have; throws when there is none. */
  readonly readSecret: (name: string) => string
  readonly hasFile: (kind: FileKind) => boolean
}

export type HostedModule = AdapterModule & { readonly hosted: NonNullable<AdapterModule['hosted']> }

/** The adapter, where an owner may use it; otherwise why not. */
export function findHostedModule(
  adapter: string,
  namespace: string,
): { readonly module: HostedModule } | { readonly problems: readonly string[] } {
  const { module, problems } = findModule({ adapter, namespace })
  if (!module) return { problems: problems.length > 0 ? problems : ['adapter does not fit the namespace'] }
  return isHosted(module) ? { module } : { problems: ['adapter can only be used in VENDORS_FILE, on the server'] }
}

/** Members of its settings that hold secrets, with those of what it fetches. */
export const secretsOf = ({ secrets, hosted }: HostedModule): readonly string[] =>
  hosted.files.length === 0 ? secrets : [...secrets, ...FETCH_SECRETS]

export const promptsOf = ({ prompts = [], hosted }: HostedModule): readonly SettingPrompt[] => [
  ...prompts,
  ...fetchPrompts(hosted.files.map(({ kind }) => kind)),
]

export const isHosted = (module: AdapterModule): module is HostedModule => module.hosted !== undefined

/** Takes typed secrets out of settings. A secret is text: a reference would let a caller read what is on the server. */
export function splitSecrets(given: Fields, module: HostedModule) {
  const settings = structuredClone(given) as Record<string, unknown>
  const secrets = new Map<string, string | null>()
  const problems: string[] = []
  for (const path of secretsOf(module)) {
    if (!isHeld(settings, path)) continue
    const given = memberAt(settings, path)
    // The lines of a key are found again.
    const value =
      typeof given === 'string' && given.startsWith('-----BEGIN ') ? given.replaceAll(/[\r\n]+/g, ' ') : given
    if (value === null || (typeof value === 'string' && value !== '' && !/[\r\n\0]/.test(value)))
      secrets.set(path, value)
    else problems.push(`${path} must be text of one line`)
    clearMember(settings, path)
  }
  return { settings, secrets, problems }
}

/** Also where the value is null. */
function isHeld(settings: Fields, path: string): boolean {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const holder = names.length === 0 ? settings : memberAt(settings, names.join('.'))
  return isFields(holder) && Object.hasOwn(holder, last)
}

/** Of a folder inside that of the connection. */
const placeOf = ({ kind, holds }: FilePlace): string => (holds === 'all' ? `${kind}/*` : kind)

/** Problems are sentences that begin with the path of a setting. */
export function toConnection(
  hosted: HostedConnection,
  facts: HostedFacts,
):
  | { readonly ok: true; readonly connection: Connection; readonly account: string }
  | { readonly ok: false; readonly problems: readonly string[] } {
  const { namespace, adapter, settings, isReadOnly, timeZone, idPrefix } = hosted
  const found = findHostedModule(adapter, namespace)
  if ('problems' in found) return { ok: false, problems: found.problems }
  const { module } = found
  const forbidden = forbiddenMembers(settings, module)
  if (forbidden.length > 0) return { ok: false, problems: forbidden }
  const { fetch: stated, ...own } = settings
  const fetched = readFetch(stated, module, facts)
  const given = {
    ...withPlaces(own, module, facts),
    namespace,
    adapter,
    ...(isReadOnly && { read_only: true }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(idPrefix !== undefined && { id_prefix: idPrefix }),
  }
  const { problems, connection } = checkConnection(given, facts, { variables: {}, readFile: facts.readSecret })
  if (!connection || fetched.problems.length > 0) return { ok: false, problems: [...problems, ...fetched.problems] }
  const { folder, revision } = facts
  return {
    ok: true,
    connection: {
      ...connection,
      folder,
      ...(revision !== undefined && { revision }),
      ...(fetched.fetch && { fetch: fetched.fetch }),
    },
    account: module.hosted.account(connection.settings),
  }
}

function readFetch(
  stated: unknown,
  { hosted }: HostedModule,
  { readSecret }: HostedFacts,
): { readonly problems: readonly string[]; readonly fetch?: FetchSettings } {
  if (stated === undefined) return { problems: [] }
  if (hosted.files.length === 0) return { problems: ['fetch is not possible: this connection takes no files'] }
  const resolved = resolveSecrets({ fetch: stated }, FETCH_SECRETS, { variables: {}, readFile: readSecret })
  if (resolved.problems.length > 0) return { problems: resolved.problems }
  return checkFetch(
    (resolved.settings as { readonly fetch: unknown }).fetch,
    hosted.files.map(({ kind }) => kind),
  )
}

function forbiddenMembers(settings: Fields, { hosted }: HostedModule): readonly string[] {
  const basics = Object.keys(settings).filter((name) => BASIC_NAMES.has(name))
  const named = hosted.files.map(({ path }) => path).filter((path) => hasMember(settings, path))
  const folders = (hosted.serverOnly ?? []).filter((path) => hasMember(settings, path))
  return [
    ...basics.map((name) => `${name} does not belong into the settings`),
    ...named.map((path) => `${path} must not be stated: files are uploaded`),
    ...folders.map((path) => `${path} must not be stated: folders of the server are set in VENDORS_FILE`),
  ]
}

function withPlaces(settings: Fields, { hosted }: HostedModule, { hasFile }: HostedFacts): Fields {
  const filled = structuredClone(settings) as Record<string, unknown>
  for (const place of hosted.files) {
    const { onlyIf, onlyIfUploaded, kind, path } = place
    const isWanted = onlyIfUploaded ? hasFile(kind) : onlyIf === undefined || hasMember(settings, onlyIf)
    if (isWanted) setMember(filled, path, placeOf(place))
  }
  return filled
}
