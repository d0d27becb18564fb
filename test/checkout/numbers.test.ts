/** The numbers of orders outside the database: what a restore, another supplier or a damaged file must not let be used again. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { raiseOrderNumbers } from '../../src/acts/checkout/index.ts'
import { checkDatabase } from '../../src/cli/doctor/host-checks.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { keepMarker } from '../../src/rules/guardrails/keep-marker.ts'
import { insertKillSwitch } from '../../src/rules/guardrails/records.ts'
import { releaseKillSwitch } from '../../src/rules/guardrails/kill-switch.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { findLostOrders } from '../../src/views/audit/lost-orders.ts'
import { databaseUrl } from '../support/database.ts'
import { failure } from '../support/scripted-vendors.ts'
import { complete, create, ready, start, supplier } from './support.ts'

const folderOfOwn = () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-numbers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** One host, as `main` starts it; on PostgreSQL each has a data folder of its own. */
async function startHost(url: string, dataFolder: string) {
  const store = await openStore(url, { dataFolder })
  onTestFinished(() => store.close())
  const service = await start({ store })
  const keeper = await keepMarker(service.ctx)
  onTestFinished(() => keeper.stop())
  await raiseOrderNumbers(service.ctx)
  return { ...service, store, url, keeper, numbers: `${store.sidecarPrefix}.numbers` }
}

const startAlone = async () => startHost(await databaseUrl(), folderOfOwn())

const next = async (service: Parameters<typeof create>[0]) => (await create(service)).body.id

describe('the marker of the emergency stop has the last numbers', () => {
  /** As if a copy from before them had been restored, on a host that has the marker alone. */
  async function restoreOlder({ db }: Store, numbers: string): Promise<void> {
    rmSync(numbers, { force: true })
    for (const table of [
      'emergency_stop',
      'emergency_stop_release',
      'event',
      'checkout',
      'created',
      'counter',
    ] as const)
      await db.deleteFrom(table).execute()
  }

  async function stopAfterTwo() {
    const [url, folder] = [await databaseUrl(), folderOfOwn()]
    const before = await startHost(url, folder)
    expect([await next(before), await next(before)]).toEqual(['po_20260910_1', 'po_20260910_2'])
    // Chosen by a caller, of a day far ahead, and found at the supplier: it must not hide those of today.
    await before.store.db.insertInto('counter').values({ name: 'po:29990101', value: 7 }).execute()
    await before.post('/guardrails/stop', { reason: 'odd prices' })
    await before.keeper.stop()
    return { url, folder, before }
  }

  test('they are not assigned again by a restored database', async () => {
    const { url, folder, before } = await stopAfterTwo()
    await restoreOlder(before.store, before.numbers)
    expect(await next(await startHost(url, folder))).toBe('po_20260910_3')
  })

  test('also when the stop is released before the service starts', async () => {
    const { url, folder, before } = await stopAfterTwo()
    await restoreOlder(before.store, before.numbers)
    expect(await releaseKillSwitch(before.ctx, { by: 'root', reason: 'checked' })).toBe(true)
    expect(await next(await startHost(url, folder))).toBe('po_20260910_3')
  })

  test('also when the restored database has another stop, whose marker replaces this one', async () => {
    const { url, folder, before } = await stopAfterTwo()
    for (let round = 0; round < 2; round++) {
      await restoreOlder(before.store, before.numbers)
      const other = { id: `another ${round}`, since: 1, by: 'x', reason: 'y' }
      await before.store.transaction((tx) => insertKillSwitch(tx, other))
      const after = await startHost(url, folder)
      await after.keeper.stop()
    }
    expect(await next(before)).toBe('po_20260910_3')
  })
})

describe('a number that another supplier knows', () => {
  async function startTwo() {
    const [own, other] = [supplier(), supplier()]
    const service = await start({
      entries: [
        registerLive('acme-supply' as Namespace, own.vendor),
        registerLive('other-supply' as Namespace, other.vendor),
      ],
    })
    return { service, own, other }
  }

  test('is not used: nothing is sent, and the answer names that supplier', async () => {
    const { service, own, other } = await startTwo()
    const id = await ready(service)
    other.orders.set(id, {
      ref: id,
      externalRef: 'OTHER-1',
      lines: [],
      fulfillment: { method: 'pickup', pickupAt: 0 },
      state: 'ordered',
      rawStatus: 1,
      description: '',
      logistics: [],
    })
    const { status, body } = await complete(service, id)
    expect([status, body.messages[0].code]).toEqual([502, 'supplier_rejected'])
    expect(body.messages[0].content).toContain(`under the number ${id} to other-supply`)
    expect(own.orders.size).toBe(0)
    expect((await service.post(`/checkout-sessions/${id}/complete?dry_run=true`, { confirm: true })).status).toBe(502)
    other.orders.clear()
    expect((await complete(service, id)).body.status).toBe('completed')
  })

  test.each(['unknown', 'absent'] as const)('one that answers %s does not prevent the purchase', async (reason) => {
    const { service, other } = await startTwo()
    const id = await ready(service)
    other.script.next('orderStatus', { instead: failure(reason, 'no') })
    expect((await complete(service, id)).body.status).toBe('completed')
  })
})

describe('the file of the numbers that were sent', () => {
  const damage: readonly (readonly [string, (file: string) => void])[] = [
    ['cannot be read', (file) => mkdirSync(file)],
    ['is damaged', (file) => writeFileSync(file, '\npo_20260910_1\n\0\0\0\0\n')],
  ]

  test.each(damage)('%s: nothing is created or completed, and everybody says what to do', async (_, spoil) => {
    const host = await startAlone()
    const id = await ready(host)
    rmSync(host.numbers, { recursive: true, force: true })
    spoil(host.numbers)
    for (const answer of [await create(host), await complete(host, id)]) {
      expect([answer.status, answer.body.messages[0].code]).toEqual([503, 'service_unavailable'])
      expect(answer.body.messages[0].content).toContain('vendops doctor')
    }
    expect(host.supply.orders.size).toBe(0)
    const config = { ...host.ctx.config, databaseUrl: host.url, dataDir: join(host.numbers, '..') }
    const found = (await checkDatabase(config)).filter(({ check }) => check === 'order numbers')
    expect(found).toMatchObject([{ state: 'fail', fix: expect.stringContaining('audit --repair') }])
    expect((await findLostOrders(host.ctx, 1)).problems).toMatchObject([{ code: 'supplier_not_asked' }])
    // It still starts, and goes on once the file is repaired.
    await raiseOrderNumbers(host.ctx)
    rmSync(host.numbers, { recursive: true })
    expect((await complete(host, id)).body.status).toBe('completed')
    expect((await checkDatabase(config)).filter(({ check }) => check === 'order numbers')).toEqual([])
  })

  test('a line that a killed process left unfinished is no damage', async () => {
    const host = await startAlone()
    appendFileSync(host.numbers, '\npo_2026')
    const id = await ready(host)
    expect((await complete(host, id)).body.status).toBe('completed')
    expect(host.ctx.sentNumbers.has(id)).toBe(true)
  })
})
