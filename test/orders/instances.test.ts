import { expect, onTestFinished, test } from 'vitest'
import { SECOND } from '../../src/kernel/clock.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { DATABASE, databaseUrl, freshStore } from '../support/database.ts'
import { scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'

/** Several instances share a PostgreSQL; SQLite has one process and one connection. */
async function twoStores(): Promise<readonly [Store, Store]> {
  if (DATABASE === 'sqlite') {
    const store = await freshStore()
    return [store, store]
  }
  const url = await databaseUrl()
  const stores = [await openStore(url), await openStore(url)] as const
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
  return stores
}

test('two instances that mirror the same ledger at once count each sale once and announce it once', async () => {
  const stores = await twoStores()
  const sales = Array.from({ length: 600 }, (_, i) =>
    trade(`T${i}`, NOW - i * SECOND, { locationId: `M${i % 2}`, locationName: 'Hall' }),
  )
  // Each gets the sales in another order, so that their transactions touch the same slots from both ends.
  const [one, other] = await Promise.all([
    startService({ store: stores[0], machine: scriptedMachine({}, sales) }),
    startService({ store: stores[1], machine: scriptedMachine({}, sales.toReversed()) }),
  ])
  await Promise.all([one.job('poll-ledger'), other.job('poll-ledger'), one.get('/orders'), other.get('/orders')])
  await Promise.all([one.job('poll-ledger'), other.job('poll-ledger')])

  const { db } = stores[0]
  const days = await db.selectFrom('sales_daily').selectAll().execute()
  expect(days.reduce((sum, { units }) => sum + units, 0)).toBe(600)
  const events = await db.selectFrom('event').select('summary').where('kind', '=', 'order').execute()
  expect(events).toHaveLength(600)
  expect(new Set(events.map(({ summary }) => summary)).size).toBe(600)
})
