/** One read of every connection, made here and not by the service: it works before the first start, too. */
import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { connectionPlaces } from '../../operator-token.ts'
import { loadHosted } from '../../route/connections/index.ts'
import type { Connection } from '../../vendors/connections/connection.ts'
import { testConnection } from '../../vendors/connections/test-connection.ts'
import type { Failure } from '../../vendors/contract.ts'
import type { Vendor, VendorCapability } from '../../vendors/registration.ts'
import { possibleCapabilities } from '../../vendors/registry.ts'
import { databaseFile, openDatabase } from '../host.ts'
import { type Finding, fail, pass } from './check.ts'

const ABILITIES = {
  catalog: 'read the catalog',
  createOrder: 'place orders',
  orderStatus: 'follow orders',
  quote: 'quote totals',
  inventory: 'read stock and prices',
  ledger: 'read sales',
  updatePrices: 'change prices',
  restockRecommend: 'send restock recommendations',
  locations: 'list its machines',
  health: 'report the health of machines',
  cash: 'count the cash in machines',
} as const satisfies Record<Exclude<VendorCapability, 'orderByHand'>, string>

const FIXES = {
  unauthorized: 'check the credentials of this connection',
  unsent: 'check its address or folder, and the network of the server',
  limited: 'wait a minute',
  rejected: 'correct the setting that it names, in VENDORS_FILE or with vendops connect',
} as const satisfies Partial<Record<Failure['reason'], string>>

/** `can …; cannot …`, of everything that a vendor of this role could do. */
export function describeCapabilities(role: Vendor['role'], capabilities: readonly VendorCapability[]): string {
  // How orders are sent is neither an ability nor a lack of one.
  const all = possibleCapabilities(role).filter((name) => name !== 'orderByHand')
  const words = (isAble: boolean) =>
    all.filter((name) => capabilities.includes(name) === isAble).map((name) => ABILITIES[name])
  const [can, cannot] = [words(true), words(false)]
  return [can.length > 0 ? `can ${can.join(', ')}` : '', cannot.length > 0 ? `cannot ${cannot.join(', ')}` : '']
    .filter((part) => part !== '')
    .join('; ')
}

/** Those that owners added, of a database that is there and of this version; another check tells what is wrong with it. */
export async function storedConnections(
  config: Config,
  fixed: readonly Connection[],
): Promise<{ readonly opened: readonly Connection[]; readonly findings: readonly Finding[] }> {
  const none = { opened: [], findings: [] }
  const file = databaseFile(config)
  if (config.env !== 'live' || (file !== undefined && (file === ':memory:' || !existsSync(file)))) return none
  try {
    const store = await openDatabase(config)
    try {
      if ((await store.pendingMigrations()).length > 0) return none
      const names = new Set(fixed.map(({ basics }) => basics.namespace))
      const { opened, unready } = await loadHosted(store.db, config, connectionPlaces(config), names)
      const findings = [...unready].map(([namespace, { reason, problems }]) =>
        reason === 'secret_missing'
          ? fail(
              `connection ${namespace}`,
              'its secrets are not on this server',
              'enter them again, or share SECRETS_DIR',
            )
          : fail(`connection ${namespace}`, problems.join('; '), `vendops connect ${namespace}   changes its settings`),
      )
      return { opened, findings }
    } finally {
      await store.close()
    }
  } catch {
    return none
  }
}

export const checkConnections = (connections: readonly Connection[], timeoutMs: number): Promise<Finding[]> =>
  Promise.all(
    connections.map(async (connection) => {
      const check = `connection ${connection.basics.namespace}`
      const { result, capabilities } = await testConnection(connection, timeoutMs)
      if (result.ok)
        return pass(check, `${result.value}; ${describeCapabilities(connection.module.role, capabilities)}`)
      const fix = (FIXES as Partial<Record<Failure['reason'], string>>)[result.reason]
      return fail(check, `${result.reason}: ${result.message}`, fix ?? 'check the log of the service')
    }),
  )
