import { expect, test } from 'vitest'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import { requestReread } from '../../src/route/sales/index.ts'
import { DAY, HOUR, SECOND } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const NAMESPACE = 'acme-machine' as Namespace
const report = (service: Service, fromMs?: number) => requestReread(service.ctx.store.db, NAMESPACE, fromMs)
const backfill = async (service: Service) => {
  service.clock.advance(15 * SECOND)
  await service.job('backfill-ledger')
}
const listed = async (service: Service): Promise<string[]> =>
  (await service.ctx.store.db.selectFrom('sale_transaction').select('order_no').orderBy('order_no').execute()).map(
    ({ order_no }) => order_no,
  )
const reads = (service: Service) =>
  service.machine.script.calls
    .filter(({ name }) => name === 'ledger')
    .map(({ args }) => (args[0] as { fromMs: number }).fromMs)

const start = async () => {
  const service = await startService({ machine: scriptedMachine({}, [trade('T1', NOW - HOUR)]) })
  await service.get('/orders')
  return service
}

test('a sale of three days ago that a platform reports late is found within half a minute, without a sync', async () => {
  const service = await start()
  service.machine.trades.push(trade('T-late', NOW - 3 * DAY))
  await backfill(service)
  expect(await listed(service)).toEqual(['T1'])
  // As the deployment hands it to an adapter, which does not wait for the database.
  connectionNeeds(service.ctx.store, service.ctx.log).ledgerChanged(NAMESPACE)
  await expect
    .poll(() => service.ctx.store.db.selectFrom('ledger_mirror').select('changed_from').execute())
    .toEqual([{ changed_from: 0 }])
  await backfill(service)
  expect(await listed(service)).toEqual(['T-late', 'T1'])
  const count = reads(service).length
  await backfill(service)
  expect(reads(service), 'the mark is gone once the ledger was re-read').toHaveLength(count)
})

test('only what may have changed is read again: from the oldest time that was reported', async () => {
  const service = await start()
  for (const days of [4, 3, 5, 2]) await report(service, NOW - days * DAY)
  await backfill(service)
  expect(Math.min(...reads(service).slice(1))).toBe(NOW - 5 * DAY)
})

test('a change that is reported while the ledger is being read is not lost', async () => {
  const machine = scriptedMachine({}, [trade('T1', NOW - HOUR)])
  let onRead: (() => Promise<void>) | undefined
  const vendor = {
    ...machine.vendor,
    async ledger(query: Parameters<typeof machine.vendor.ledger>[0]) {
      const page = await machine.vendor.ledger(query)
      // After the page was read, so that it does not hold the sale.
      await onRead?.()
      return page
    },
  }
  const service = await startService({ machine, entries: [registerLive(NAMESPACE, vendor)] })
  await service.get('/orders')
  await report(service, NOW - DAY)
  let reported = 0
  onRead = async () => {
    if (reported > 0) return
    reported += 1
    machine.trades.push(trade('T-late', NOW - 3 * DAY))
    await report(service, NOW - 3 * DAY)
  }
  await backfill(service)
  expect(reported).toBe(1)
  await backfill(service)
  expect(await listed(service)).toEqual(['T-late', 'T1'])
})
