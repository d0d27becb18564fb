/** Connections and kinds as callers see them. Secrets are never among them. */
import type { ConnectionDetails, ConnectionKind } from '../../../contract/shapes/connections/hosted.ts'
import { rfc3339 } from '../../../kernel/clock.ts'
import { roleOf } from '../../../kernel/ids.ts'
import { clearMember, hasMember } from '../../../lib/members.ts'
import type { SettingPrompt } from '../../../vendors/adapter-module.ts'
import { ADAPTERS } from '../../../vendors/adapters.ts'
import {
  type HostedModule,
  findHostedModule,
  isHosted,
  promptsOf,
  secretsOf,
} from '../../../vendors/connections/hosted-connection.ts'
import type { ConnectionsHome } from './home.ts'
import type { StoredConnection } from './records.ts'

export function connectionView(
  stored: StoredConnection,
  home: Pick<ConnectionsHome, 'notReady'>,
  timeZone: string,
): Omit<ConnectionDetails, 'ucp'> {
  const { namespace, adapter, isReadOnly, timeZone: own, idPrefix, createdAt, changedAt } = stored
  const found = findHostedModule(adapter, namespace)
  const paths = 'module' in found ? secretsOf(found.module) : []
  const settings = structuredClone(stored.settings) as Record<string, unknown>
  const secrets = paths.filter((path) => hasMember(settings, path))
  for (const path of paths) clearMember(settings, path)
  const unready = home.notReady(namespace)
  return {
    namespace,
    role: roleOf(namespace),
    adapter,
    settings,
    secrets,
    read_only: isReadOnly,
    ...(own !== undefined && { time_zone: own }),
    ...(idPrefix !== undefined && { id_prefix: idPrefix }),
    created_at: rfc3339(createdAt, timeZone),
    changed_at: rfc3339(changedAt, timeZone),
    ready: unready === undefined,
    problems: unready ? [problemOf(unready)] : [],
  }
}

/** Without the names of files. */
export const problemOf = ({ reason, problems }: NonNullable<ReturnType<ConnectionsHome['notReady']>>): string =>
  reason === 'secret_missing'
    ? 'A secret of this connection is not on this instance (SECRETS_DIR). Enter it again, or share the folder'
    : problems.join('; ')

/** What most people answer: they send the orders themselves, and their name stands in the settings. */
const usualAnswers = (buyerName: string | undefined): Readonly<Record<string, string | undefined>> => ({
  'order.via': 'hand',
  'order.buyer.name': buyerName,
})

export const listKinds = (buyerName: string | undefined): ConnectionKind[] =>
  ADAPTERS.filter(isHosted).map((module) => {
    const kind = kindView(module)
    return {
      ...kind,
      prompts: kind.prompts.map((prompt) => {
        const usual = usualAnswers(buyerName)[prompt.path]
        return usual === undefined ? prompt : { ...prompt, default: usual }
      }),
    }
  })

function kindView(module: HostedModule): ConnectionKind {
  const { adapter, role, hosted } = module
  const secrets = secretsOf(module)
  const hidden = new Set([...hosted.files.map(({ path }) => path), ...(hosted.serverOnly ?? []), 'time_zone'])
  return {
    adapter,
    role,
    files: hosted.files.map(({ kind }) => kind),
    prompts: promptsOf(module)
      .filter(({ path, onlyIf }) => !hidden.has(path) && !(onlyIf && hidden.has(onlyIf.path)))
      .map((prompt) => promptView(prompt, secrets.includes(prompt.path), hosted.serverOnly ?? [])),
  }
}

function promptView(
  {
    path,
    question,
    kind,
    parse,
    choices,
    isOptional,
    default: fallback,
    onlyIf,
    isInGuess,
    isOnRequest,
  }: SettingPrompt,
  isSecret: boolean,
  serverOnly: readonly string[],
): ConnectionKind['prompts'][number] {
  // Orders into a folder of the server need the server.
  const possible = path === 'order.via' && serverOnly.length > 0 ? choices?.filter((way) => way !== 'folder') : choices
  return {
    path,
    question,
    kind: parse && path === 'machines' ? 'machines' : (kind ?? 'text'),
    ...(isSecret && { secret: true }),
    ...(possible && { choices: [...possible] }),
    ...(isOptional && { optional: true }),
    ...(fallback !== undefined && { default: fallback }),
    ...(onlyIf && {
      only_if: { path: onlyIf.path, ...(onlyIf.isOneOf && { is_one_of: [...onlyIf.isOneOf] }) },
    }),
    ...((isInGuess || isOnRequest) && { in_file: true }),
  }
}
