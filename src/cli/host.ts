/** Access to the configuration and database of the service, for commands that run on its server. */
import { existsSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { type Config, readConfig } from '../config.ts'
import { connectionPlaces, dataFolder } from '../operator-token.ts'
import type { Store } from '../store/store.ts'
import { configuredConnections } from '../vendors/connections/configured-connections.ts'
import type { Connection } from '../vendors/connections/connection.ts'
import type { Environment } from './profiles.ts'
import { listPendingMigrations, requireUsableDatabase } from '../store/migrate.ts'
import { StoreUnavailable, StoreUnusable } from '../store/unavailable.ts'
import { CommandFailure, EXIT } from './exit.ts'

const invalidConfiguration = ({ problems }: { readonly problems: readonly string[] }) =>
  new CommandFailure(`invalid configuration: ${problems.join('; ')}`, { hint: 'vendops doctor   suggests fixes' })

export function hostConfig(env: Environment): Config {
  const read = readConfig(env, existsSync)
  if (read.ok) return read.config
  throw invalidConfiguration(read)
}

/** Those of live; the vendors of staging are inside the process of the service. */
export function hostConnections(env: Environment, config: Config): readonly Connection[] {
  const read = configuredConnections(config, env)
  if (read.ok) return read.connections
  throw invalidConfiguration(read)
}

/** With those that an owner made, as far as this host has their secrets. */
export async function allConnections(env: Environment, config: Config, store: Store): Promise<readonly Connection[]> {
  const fixed = hostConnections(env, config)
  if (config.env !== 'live') return fixed
  const { loadHosted } = await import('../route/connections/index.ts')
  const names = new Set(fixed.map(({ basics }) => basics.namespace))
  const { opened } = await loadHosted(store.db, config, connectionPlaces(config), names)
  return [...fixed, ...opened]
}

export const databaseFile = (config: Config): string | undefined =>
  config.databaseUrl.startsWith('sqlite:') ? config.databaseUrl.slice('sqlite:'.length) : undefined

/** Opens the database without creating or migrating it. */
export async function openDatabase(config: Config): Promise<Store> {
  const file = databaseFile(config)
  if (file === ':memory:' || (file !== undefined && !existsSync(file)))
    throw new CommandFailure(`no database at ${file}`, {
      hint: 'run this on the server, in the folder of the service and with its DATABASE_URL',
    })
  return file === undefined
    ? (await import('../store/postgres/open-postgres.ts')).openPostgres(config.databaseUrl, {
        dataFolder: dataFolder(config),
      })
    : (await import('../store/sqlite/open-sqlite.ts')).openSqlite(file)
}

/** What to do with a database of an older version, which the service migrates at its start. */
type Older = 'refuse' | 'use'

async function acceptOlder(store: Store, older: Older): Promise<void> {
  const pending = await listPendingMigrations(store.db)
  if (older === 'refuse' && pending.length > 0)
    throw new CommandFailure(
      `the database was written by an older version of vendops; it needs ${pending.join(', ')}`,
      {
        hint: 'start the service, which migrates it; after a restore run vendops audit --repair first',
      },
    )
}

export async function withDatabase<T>(
  env: Environment,
  work: (store: Store, config: Config) => Promise<T>,
  older: Older = 'refuse',
): Promise<T> {
  const config = hostConfig(env)
  try {
    const store = await openDatabase(config)
    try {
      await requireUsableDatabase(store.db)
      await acceptOlder(store, older)
      return await work(store, config)
    } finally {
      await store.close()
    }
  } catch (failure) {
    if (failure instanceof StoreUnusable) throw new CommandFailure(failure.message)
    if (failure instanceof StoreUnavailable)
      throw new CommandFailure(`the database cannot be used: ${failure.message}`, { exit: EXIT.unreachable })
    throw failure
  }
}

/** The user on the server, as recorded in events. */
export const actor = (): string => `${userInfo().username}@${hostname()}`
