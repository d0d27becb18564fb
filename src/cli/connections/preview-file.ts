/** `vendops import --dry-run`: a file read with the settings of a connection; nothing is stored or sent. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { connectionNeeds } from '../../route/connections/index.ts'
import { systemClock } from '../../kernel/clock.ts'
import { silentLog } from '../../kernel/log.ts'
import type { Preview } from '../../vendors/adapter-module.ts'
import { type DeploymentNeeds, adapterNeeds } from '../../vendors/deployment.ts'
import { processMemory } from '../../vendors/process-memory.ts'
import type { Environment } from '../profiles.ts'
import { CommandFailure } from '../exit.ts'
import { databaseFile, hostConfig, hostConnections, withDatabase } from '../host.ts'

export async function previewFile(env: Environment, namespace: string, file: string): Promise<Preview> {
  const config = hostConfig(env)
  // A dry run spends nothing, so it also works where the service runs in staging.
  const connections = hostConnections(env, { ...config, env: 'live' })
  const connection = connections.find(({ basics }) => basics.namespace === namespace)
  if (!connection)
    throw new CommandFailure(`no connection ${namespace} in VENDORS_FILE`, {
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
  const database = databaseFile(config)
  if (database !== undefined && !existsSync(database)) return run({ memory: () => processMemory() })
  return withDatabase(env, (store) => run(connectionNeeds(store, silentLog)))
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (problem) {
    throw new CommandFailure(`${path} cannot be read (${(problem as NodeJS.ErrnoException).code ?? 'unknown'})`)
  }
}
