/** The hash chain: transactions of eight writers at once, with and without an entry, each commit on disk. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainChange } from '../src/record/hash-chain/index.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { makePostgres } from '../test/support/postgres.setup.ts'
import { table } from './harness.ts'

const WRITERS = 8
const SECONDS = 3

/** Transactions per second that insert one row each, so that only the chain is shared. */
async function writesPerSecond(store: Store, isChained: boolean): Promise<number> {
  let count = 0
  const end = performance.now() + SECONDS * 1000
  const write = async (writer: number) => {
    for (let n = 0; performance.now() < end; n++) {
      const subject = `bench-${end}-${writer}-${n}`
      await store.transaction(async (tx) => {
        await tx.insertInto('migration').values({ name: subject }).execute()
        if (isChained)
          chainChange({ clock: systemClock, store }, tx, { kind: 'stop', subject, readFacts: async () => ({ n }) })
      })
      count += 1
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  return count / SECONDS
}

async function measure(name: string, store: Store): Promise<readonly string[]> {
  await writesPerSecond(store, true)
  const [plain, chained] = [await writesPerSecond(store, false), await writesPerSecond(store, true)]
  await store.close()
  return [name, plain.toFixed(0), chained.toFixed(0)]
}

export async function chain(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-bench-'))
  const server = await makePostgres([])
  try {
    await server.start()
    table(
      'transactions of eight writers, per second',
      ['', 'without entry', 'with entry'],
      [
        await measure('SQLite', await openStore(`sqlite:${join(folder, 'vendops.db')}`)),
        await measure('PostgreSQL', await openStore(`${server.url}/postgres`)),
      ],
    )
  } finally {
    await server.stop('SIGQUIT')
    server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await chain()
