/** A service whose connections an owner makes: folders of its own, and vendors that are opened while it runs. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import { silentLog } from '../../src/kernel/log.ts'
import type { Store } from '../../src/store/store.ts'
import type { Connection } from '../../src/vendors/connections/connection.ts'
import { deployVendors } from '../../src/vendors/deployment.ts'
import { addKey } from '../people/keys.ts'
import { freshStore } from '../support/database.ts'
import { NOW, startService, type Answered, type ServiceOptions } from '../support/service.ts'

export const LIST_COLUMNS = { sku: 'Item', title: 'Description', pack: 'Pack', pack_price: 'Case price' }
export const LIST_SETTINGS = { catalog: { columns: LIST_COLUMNS } }
export const PRICES_ONLY = { namespace: 'depot-supply', adapter: 'price-list', settings: LIST_SETTINGS }

export interface HostedOptions {
  readonly store?: Store
  readonly clock?: ReturnType<typeof manualClock>
  readonly fixed?: readonly Connection[]
  readonly folder?: string
  readonly hasSecretsDir?: boolean
  readonly secretsFolder?: string
  readonly options?: ServiceOptions
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-hosted-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export async function startHosted(given: HostedOptions = {}) {
  const { hasSecretsDir = true, fixed = [] } = given
  const folder = given.folder ?? temporaryFolder()
  const clock = given.clock ?? manualClock(NOW)
  const store = given.store ?? (await freshStore())
  const needs = { clock, log: silentLog, timeoutMs: 1000, ...connectionNeeds(store, silentLog) }
  const deployment = deployVendors(fixed, needs)
  onTestFinished(() => deployment.close())
  const secretsDir = given.secretsFolder ?? join(folder, 'secrets')
  const service = await startService({
    store,
    clock,
    ...given.options,
    config: { env: 'live', ...given.options?.config },
    connectionFolders: {
      deployment,
      secretsDir: hasSecretsDir ? secretsDir : undefined,
      filesDir: join(folder, 'connections'),
    },
  })
  await service.ctx.connectionsHome?.refresh()
  const owner = await addKey(service, 'owner', `owner ${folder.slice(-6)}`)
  const as =
    (token: string) =>
    (method: string, path: string, body?: unknown): Promise<Answered> =>
      service.call(method, path, { token, ...(body !== undefined && { body }) })
  return {
    ...service,
    folder,
    owner: as(owner.key),
    ownerKey: owner.key,
    as,
    secrets: (): readonly (readonly [string, string, number])[] => {
      try {
        return readdirSync(secretsDir).map((name) => [
          name,
          readFileSync(join(secretsDir, name), 'utf8'),
          statSync(join(secretsDir, name)).mode & 0o777,
        ])
      } catch {
        return []
      }
    },
    secretsDir,
    /** Everything that the database has, as text. */
    dump: async (): Promise<string> => {
      const tables = [
        'hosted_connection',
        'connection_account',
        'event',
        'chain_entry',
        'idempotency',
        'vendor_memory',
      ] as const
      const rows = await Promise.all(tables.map((name) => store.db.selectFrom(name).selectAll().execute()))
      return JSON.stringify(rows)
    },
  }
}
