/** The id of a database, to which the journal of orders outside it is tied (ADR 36). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import { checkDatabase } from '../../src/cli/doctor/host-checks.ts'
import { readConfig } from '../../src/config.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import { readDatabaseId } from '../../src/store/database-id.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { databaseUrl } from '../support/database.ts'

const NAMESPACE = 'wholesale-supply' as Namespace
const ORDER = { ref: 'po_1', attempt: 1, step: 9, order: { startedAt: 1 } }

function folderOfOwn(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-id-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function opened(url: string, dataFolder = folderOfOwn()): Promise<Store> {
  const store = await openStore(url, { dataFolder })
  onTestFinished(() => store.close())
  return store
}

const journalOf = async (store: Store) =>
  connectionNeeds(store, silentLog, await readDatabaseId(store.db)).journal?.(NAMESPACE)

test('a new database has an id for good', async () => {
  const url = await databaseUrl()
  const id = await readDatabaseId((await opened(url)).db)
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(await readDatabaseId((await opened(url)).db)).toBe(id)
})

test('orders that another database left in the same data folder are not ours, and doctor says so', async () => {
  const [url, folder] = [await databaseUrl(), folderOfOwn()]
  const one = await opened(url, folder)
  await (await journalOf(one))?.append(ORDER)
  const config = readConfig({ DATABASE_URL: url, DATA_DIR: folder }, () => true)
  if (!config.ok) throw new Error(config.problems.join())
  expect((await checkDatabase(config.config)).map(({ check }) => check)).not.toContain('journal of orders')

  // On PostgreSQL another database of this host; on SQLite a new one under the name of one that was removed.
  await one.db.updateTable('deployment').set({ value: 'another' }).where('name', '=', 'id').execute()
  const other = await journalOf(await opened(url, folder))
  expect([other?.find('po_1'), other?.refs(0), other?.isOfAnotherDatabase('po_1')]).toEqual([undefined, [], true])
  expect(await checkDatabase(config.config)).toContainEqual({
    check: 'journal of orders',
    state: 'warn',
    found: expect.stringContaining('1 order of another database'),
    fix: expect.stringContaining('DATA_DIR'),
  })
})
