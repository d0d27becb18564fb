/** `vendops import --dry-run`: a file read with the settings of a connection; nothing is stored or sent. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import type { Connection } from '../../vendors/connections/connection.ts'
import { connectionNeeds } from '../../route/connections/index.ts'
import { systemClock } from '../../kernel/clock.ts'
import { silentLog } from '../../kernel/log.ts'
import type { Preview } from '../../vendors/adapter-module.ts'
import { type DeploymentNeeds, adapterNeeds } from '../../vendors/deployment.ts'
import { processMemory } from '../../vendors/process-memory.ts'
import type { Environment } from '../profiles.ts'
import { CommandFailure } from '../exit.ts'
import { allConnections, databaseFile, hostConfig, hostConnections, withDatabase } from '../host.ts'

export async function previewFile(env: Environment, namespace: string, file: string): Promise<Preview> {
  // A dry run spends nothing, so it also works where the service runs in staging.
  const config: Config = { ...hostConfig(env), env: 'live' }
  const database = databaseFile(config)
  const hasDatabase = database === undefined || existsSync(database)
  const configured = hostConnections(env, config)
  const connection =
    configured.find(({ basics }) => basics.namespace === namespace) ??
    (hasDatabase ? await findStored(env, config, namespace) : undefined)
  if (!connection)
    throw new CommandFailure(`no connection ${namespace}, neither in VENDORS_FILE nor added by an owner`, {
      hint: 'vendops connect   adds a connection',
    })
  const { module, settings } = connection
  const preview = module.preview?.bind(module)
  if (!preview) throw new CommandFailure(`the adapter ${module.adapter} reads no files`)
  const path = resolve(file)
  const bytes = readBytes(path)
  const run = (needs: Pick<DeploymentNeeds, 'memory' | 'statedPacks'>) =>
    preview({ path, bytes }, settings, {
      ...adapterNeeds(connection, {
        clock: systemClock,
        log: silentLog,
        timeoutMs: config.upstreamTimeoutMs,
        ...needs,
        memory: (each) => processMemory(needs.memory(each)),
        ledgerChanged: () => {},
      }),
    })
  // The counters of earlier files are part of what a file becomes; before the first start there are none.
  if (!hasDatabase) return run({ memory: () => processMemory() })
  return withDatabase(env, (store) => run(connectionNeeds(store, silentLog)))
}

/** Where its secrets are on another computer, it is not among them. */
const findStored = (env: Environment, config: Config, namespace: string): Promise<Connection | undefined> =>
  withDatabase(env, async (store) =>
    (await allConnections(env, config, store)).find(({ basics }) => basics.namespace === namespace),
  )

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (problem) {
    throw new CommandFailure(`${path} cannot be read (${(problem as NodeJS.ErrnoException).code ?? 'unknown'})`)
  }
}
