/** A database of one's own for each test: in memory for SQLite, copied from a migrated template for PostgreSQL. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import type { Store, StoreKind } from '../../src/store/store.ts'
import { TEMPLATE } from './postgres.setup.ts'

export const DATABASE = (process.env['TEST_DATABASE'] ?? 'sqlite') as StoreKind

/** The URL of an empty, migrated database that other processes can open too; gone when the test is. */
export async function databaseUrl(): Promise<string> {
  if (DATABASE === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'vendops-db-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return `sqlite:${join(folder, 'vendops.db')}`
  }
  const name = await (nextDatabase ?? createDatabase())
  // A copy takes 0.2 s, most of it waiting: the next one is made while this test runs.
  nextDatabase = createDatabase()
  nextDatabase.catch(() => {})
  onTestFinished(() => admin(`drop database if exists ${name} with (force)`))
  return `${inject('postgresUrl')}/${name}`
}

let nextDatabase: Promise<string> | undefined

async function createDatabase(): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await admin(`create database ${name} template ${TEMPLATE}`)
  return name
}

async function admin(statement: string): Promise<void> {
  const client = new pg.Client(`${inject('postgresUrl')}/postgres`)
  // The server is stopped while the last copy may still be under way.
  client.on('error', () => {})
  await client.connect()
  await client.query(statement)
  await client.end()
}

export async function freshStore(): Promise<Store> {
  const store = await openStore(DATABASE === 'sqlite' ? 'sqlite::memory:' : await databaseUrl())
  onTestFinished(() => store.close())
  return store
}

/** As a deployment has it: SQLite in a file, where reading has a connection of its own. */
export async function deployedStore(): Promise<Store> {
  const store = await openStore(await databaseUrl())
  onTestFinished(() => store.close())
  return store
}
