/**
 * The connections that owners made, opened beside those of the configuration. Every instance compares a counter in the store
 * with what it has opened: a change counts at once where it was made, and within two seconds elsewhere.
 */
import { join } from 'node:path'
import type { Config } from '../../../config.ts'
import { SECOND } from '../../../kernel/clock.ts'
import type { Namespace } from '../../../kernel/ids.ts'
import { repeated } from '../../../lib/repeat.ts'
import type { Context } from '../../../context.ts'
import type { Queryable } from '../../../store/store.ts'
import type { Connection } from '../../../vendors/connections/connection.ts'
import {
  type HostedConnection,
  type HostedFacts,
  toConnection,
} from '../../../vendors/connections/hosted-connection.ts'
import type { ConnectionFolders } from '../../../vendors/deployment.ts'
import { copyFiles } from './file-copies.ts'
import { listUsedFiles } from './file-records.ts'
import { type SecretFiles, secretFiles } from './secret-files.ts'
import { type StoredConnection, findAccount, listStored, readVersion, saveAccount } from './records.ts'

declare module '../../../context.ts' {
  interface Context {
    /** Absent: the connections are those of the configuration only, as in staging. */
    readonly connectionsHome?: ConnectionsHome
  }
}

const POLL_MS = 2 * SECOND

/** Why a connection that was made cannot be used on this instance. */
export type NotReady = { readonly reason: 'secret_missing' | 'settings'; readonly problems: readonly string[] }

export interface ConnectionsHome {
  readonly fixed: readonly Connection[]
  readonly secrets: SecretFiles | undefined
  /** As last compared. */
  stored(): readonly StoredConnection[]
  notReady(namespace: Namespace): NotReady | undefined
  /** Settings as they would be opened. Nothing is opened. */
  check(hosted: HostedConnection, readSecret: (name: string) => string): ReturnType<typeof toConnection>
  /** Opens what is in the store now. */
  refresh(): Promise<void>
  start(): void
  close(): void
}

type Needs = Pick<Context, 'store' | 'config' | 'log'>

export function connectionsHome({ store, config, log }: Needs, folders: ConnectionFolders): ConnectionsHome {
  const { deployment, secretsDir, filesDir } = folders
  const secrets = secretsDir === undefined ? undefined : secretFiles(secretsDir)
  const fixedNames = new Set(deployment.fixed.map(({ basics }) => basics.namespace))
  let version: string | undefined
  let stored: readonly StoredConnection[] = []
  let waiting: ReadonlyMap<Namespace, NotReady> = new Map()
  let running: Promise<void> = Promise.resolve()

  async function compare(): Promise<void> {
    // Adapters are opened with the currency and the zone.
    const { currency, timeZone } = config
    const current = `${await readVersion(store.db)} ${currency} ${timeZone}`
    // A secret may arrive later than the settings that name it.
    if (current === version && waiting.size === 0) return
    const loaded = await loadHosted(store.db, config, { secretsDir, filesDir }, fixedNames)
    const { opened, unready } = loaded
    for (const [namespace, { problems }] of unready)
      if (!waiting.has(namespace)) log.warn({ namespace, problems }, 'a connection is not ready on this instance')
    const used = await listUsedFiles(store.db)
    for (const connection of loaded.stored)
      await copyFiles(
        store.db,
        filesDir,
        connection,
        used.filter(({ namespace }) => namespace === connection.namespace),
      ).catch((err: unknown) =>
        log.error({ namespace: connection.namespace, err }, 'the files of a connection could not be written'),
      )
    deployment.replace(opened, [...unready.keys()], { currency, timeZone })
    stored = loaded.stored
    waiting = unready
    version = current
  }

  /** One after the other: an older state must not be opened after a newer one. */
  function refresh(): Promise<void> {
    running = running.catch(() => {}).then(compare)
    return running
  }

  const poll = repeated(POLL_MS, refresh, (err) =>
    log.warn({ err }, 'could not compare the connections with the store'),
  )

  return {
    fixed: deployment.fixed,
    secrets,
    stored: () => stored,
    notReady: (namespace) => waiting.get(namespace),
    check: (hosted, read) => toConnection(hosted, factsOf(hosted, config, filesDir, read)),
    async refresh() {
      await refresh()
    },
    start: poll.start,
    close: poll.close,
  }
}

type Places = Omit<ConnectionFolders, 'deployment'>
type Facts = Pick<Config, 'currency' | 'timeZone'>

/** What is in the store, as it can be opened here. */
export async function loadHosted(
  db: Queryable,
  config: Facts,
  { secretsDir, filesDir }: Places,
  without: ReadonlySet<Namespace> = new Set(),
) {
  const secrets = secretsDir === undefined ? undefined : secretFiles(secretsDir)
  const readSecret = (name: string): string => {
    if (!secrets) throw new Error('There is no folder for secrets')
    return secrets.read(name)
  }
  const stored = (await listStored(db)).filter(({ namespace }) => !without.has(namespace))
  const opened: Connection[] = []
  const unready = new Map<Namespace, NotReady>()
  const kinds = new Set((await listUsedFiles(db)).map(({ namespace, kind }) => `${namespace} ${kind}`))
  for (const hosted of stored) {
    const hasFile = (kind: string) => kinds.has(`${hosted.namespace} ${kind}`)
    const facts = { ...factsOf(hosted, config, filesDir, readSecret), hasFile }
    // A place that is set once something was uploaded changes the settings.
    const checked = toConnection(hosted, { ...facts, revision: revisionOf(hosted, config, hasFile('planogram')) })
    if (checked.ok) opened.push(checked.connection)
    else unready.set(hosted.namespace, toNotReady(checked.problems))
  }
  return { stored, opened, unready }
}

const revisionOf = ({ revision }: StoredConnection, { currency, timeZone }: Facts, hasPlanogram: boolean): string =>
  `${revision} ${hasPlanogram} ${currency} ${timeZone}`

const factsOf = (
  { namespace }: HostedConnection,
  { currency, timeZone }: Facts,
  filesDir: string,
  readSecret: (name: string) => string,
): HostedFacts => ({ currency, timeZone, folder: join(filesDir, namespace), readSecret, hasFile: () => false })

const toNotReady = (problems: readonly string[]): NotReady => ({
  reason: problems.some((problem) => problem.includes('names the file')) ? 'secret_missing' : 'settings',
  problems,
})

/** So that nobody gives the namespace of a connection of the configuration to another account later. */
export async function rememberAccounts({ store }: Pick<Context, 'store'>, fixed: readonly Connection[]): Promise<void> {
  for (const { basics, module, settings } of fixed) {
    if (!module.hosted) continue
    const account = { adapter: module.adapter, account: module.hosted.account(settings) }
    const known = await findAccount(store.db, basics.namespace)
    if (known?.adapter !== account.adapter || known.account !== account.account)
      await saveAccount(store.db, basics.namespace, account)
  }
}
