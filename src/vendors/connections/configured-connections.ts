/** The connections that the configuration names: ACME_*, then VENDORS_FILE. None in staging, which cannot spend. */
import { readFileSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { acmeConnections } from './connection.ts'
import { type ConnectionsResult, readConnections } from './read-connections.ts'

type Settings = Pick<Config, 'env' | 'acmeSupply' | 'acmeMachine' | 'currency' | 'timeZone' | 'vendorsFile'>

export function configuredConnections(
  config: Settings,
  variables: Readonly<Record<string, string | undefined>>,
): ConnectionsResult {
  if (config.env === 'staging') return { ok: true, connections: [] }
  const connections = acmeConnections(config)
  if (config.vendorsFile === undefined) return { ok: true, connections }
  const facts = { currency: config.currency, timeZone: config.timeZone, connections }
  const readFile = (path: string) => readFileSync(path, 'utf8')
  const read = readConnections(config.vendorsFile, facts, { variables, readFile })
  return read.ok ? { ok: true, connections: [...connections, ...read.connections] } : read
}
