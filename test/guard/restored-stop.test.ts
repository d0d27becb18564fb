/** An emergency stop that was pulled outlives the database: a restored one gets it again before anything is sent. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { keepMarker } from '../../src/rules/guardrails/keep-marker.ts'
import { reconcileMarker, releaseKillSwitch } from '../../src/rules/guardrails/kill-switch.ts'
import { readKillSwitch } from '../../src/rules/guardrails/records.ts'
import { sendPermit } from '../../src/rules/guardrails/send-permit.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { DATABASE, databaseUrl } from '../support/database.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const pull = { reason: 'prices look wrong' }
const release = { by: 'root', reason: 'checked' }

const folderOfOwn = () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-stop-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** One instance as `main` starts it. On PostgreSQL each host has a data folder of its own. */
async function startInstance(url: string, dataFolder: string) {
  const store = await openStore(url, { dataFolder })
  onTestFinished(() => store.close())
  const service = await startService({ store })
  const keeper = await keepMarker(service.ctx)
  onTestFinished(() => keeper.stop())
  return { ...service, store, keeper, marker: `${store.sidecarPrefix}.emergency-stop` }
}

/** As if a copy from before the stop had been restored. */
async function restoreOlder({ db }: Store): Promise<void> {
  for (const table of ['emergency_stop', 'emergency_stop_release', 'event'] as const)
    await db.deleteFrom(table).execute()
}

const stopOf = async (service: Service) => (await service.get('/guardrails')).body.emergency_stop
const reasons = async (service: Service) =>
  (await service.events('guardrail')).map(({ code, reasoning }) => [code, reasoning])

describe('a restored database that lacks the stop', () => {
  test('is stopped again at the start, in the database and with an event, and nothing is sent', async () => {
    const [url, folder] = [await databaseUrl(), folderOfOwn()]
    const before = await startInstance(url, folder)
    const { emergency_stop: pulled } = (await before.post('/guardrails/stop', pull)).body
    await before.keeper.stop()
    await restoreOlder(before.store)

    const after = await startInstance(url, folder)
    expect(await stopOf(after)).toEqual(pulled)
    expect(await readKillSwitch(after.store.db)).toMatchObject({ reason: pull.reason, by: pulled.by })
    expect(await reasons(after)).toEqual([
      ['emergency_stop_engaged', expect.stringMatching(/older database was restored.*prices look wrong/)],
    ])
    const write = vi.fn<() => void>()
    expect(await sendPermit(after.ctx)(write)).toMatchObject({ code: 'kill_switch_engaged' })
    expect(write).not.toHaveBeenCalled()
    await startInstance(url, folder)
    expect(await reasons(after), 'engaged once').toHaveLength(1)
  })

  test('counts as stopped for a running instance, too, before the database has it again', async () => {
    const instance = await startInstance(await databaseUrl(), folderOfOwn())
    await instance.post('/guardrails/stop', pull)
    await restoreOlder(instance.store)
    expect(await stopOf(instance)).toMatchObject({ engaged: true, reason: pull.reason })
    const write = vi.fn<() => void>()
    expect(await sendPermit(instance.ctx)(write)).toMatchObject({ code: 'kill_switch_engaged' })
    await expect.poll(() => readKillSwitch(instance.store.db)).toBeDefined()
  })

  test.each(['', '{', '7', 'null', '{"since":"x","by":1,"id":7}'])(
    'a marker file that reads %j stops it as well',
    async (text) => {
      const [url, folder] = [await databaseUrl(), folderOfOwn()]
      const { marker } = await startInstance(url, folder)
      writeFileSync(marker, text)
      const after = await startInstance(url, folder)
      expect(await readKillSwitch(after.store.db)).toMatchObject({ by: 'unknown' })
      expect(await releaseKillSwitch(after.ctx, release)).toBe(true)
      expect(await stopOf(await startInstance(url, folder))).toEqual({ engaged: false, sources: [] })
    },
  )
})

describe('a released stop', () => {
  test('stays released after a restart', async () => {
    const [url, folder] = [await databaseUrl(), folderOfOwn()]
    const before = await startInstance(url, folder)
    await before.post('/guardrails/stop', pull)
    expect(await releaseKillSwitch(before.ctx, release)).toBe(true)
    expect(existsSync(before.marker)).toBe(false)
    const after = await startInstance(url, folder)
    expect(await stopOf(after)).toEqual({ engaged: false, sources: [] })
    expect(await reasons(after)).toHaveLength(2)
  })

  test('can be pulled again, and that one outlives a restore of the database before it', async () => {
    const [url, folder] = [await databaseUrl(), folderOfOwn()]
    const before = await startInstance(url, folder)
    await before.post('/guardrails/stop', { reason: 'the first' })
    await releaseKillSwitch(before.ctx, release)
    // The same instant, as after the clock was set back: the release covers the first stop alone.
    await before.post('/guardrails/stop', { reason: 'the second' })
    await before.keeper.stop()
    await before.store.db.deleteFrom('emergency_stop').execute()
    expect(await stopOf(await startInstance(url, folder))).toMatchObject({ engaged: true, reason: 'the second' })
  })
})

describe.runIf(DATABASE === 'postgres')('several hosts on PostgreSQL', () => {
  test('every instance has the stop on its own marker within seconds, readable by its owner only', async () => {
    const url = await databaseUrl()
    const [one, other] = [await startInstance(url, folderOfOwn()), await startInstance(url, folderOfOwn())]
    await one.post('/guardrails/stop', pull)
    expect(existsSync(one.marker), 'written before the stop is answered').toBe(true)
    await expect.poll(() => existsSync(other.marker)).toBe(true)
    for (const { marker } of [one, other]) {
      expect(statSync(marker).mode & 0o777).toBe(0o600)
      expect(readdirSync(dirname(marker))).toHaveLength(1)
    }
  })

  test('any one of them brings the stop back to a restored database, for all', async () => {
    const url = await databaseUrl()
    const folders = [folderOfOwn(), folderOfOwn()] as const
    const [one, other] = [await startInstance(url, folders[0]), await startInstance(url, folders[1])]
    await one.post('/guardrails/stop', pull)
    await reconcileMarker(other.ctx, () => {})
    for (const { keeper } of [one, other]) await keeper.stop()
    rmSync(one.marker)
    await restoreOlder(one.store)
    await startInstance(url, folders[1])
    const fresh = await startInstance(url, folderOfOwn())
    expect(await stopOf(fresh)).toMatchObject({ engaged: true, reason: pull.reason })
  })

  test('a release on one host holds on the others: running ones follow within seconds', async () => {
    const url = await databaseUrl()
    const [one, other] = [await startInstance(url, folderOfOwn()), await startInstance(url, folderOfOwn())]
    await one.post('/guardrails/stop', pull)
    await reconcileMarker(other.ctx, () => {})
    await releaseKillSwitch(one.ctx, release)
    await expect.poll(async () => (await stopOf(other)).engaged).toBe(false)
    expect(existsSync(other.marker)).toBe(false)
    expect((await stopOf(one)).engaged).toBe(false)
    expect(await reasons(one)).toHaveLength(2)
  })

  test('a release holds for an instance that was down meanwhile: its marker is out of date', async () => {
    const url = await databaseUrl()
    const folders = [folderOfOwn(), folderOfOwn()] as const
    const one = await startInstance(url, folders[0])
    const { id } = await pullAndFind(one)
    writeFileSync(join(folders[1], 'postgres.emergency-stop'), JSON.stringify({ id, since: 1, by: 'x', reason: 'y' }))
    await releaseKillSwitch(one.ctx, release)
    const late = await startInstance(url, folders[1])
    expect(existsSync(late.marker)).toBe(false)
    expect(await stopOf(late)).toEqual({ engaged: false, sources: [] })
    expect(await stopOf(one)).toEqual({ engaged: false, sources: [] })
  })

  test('stops and releases in quick succession leave every instance as the database is', async () => {
    const url = await databaseUrl()
    const instances = [await startInstance(url, folderOfOwn()), await startInstance(url, folderOfOwn())] as const
    let isOver = false
    const comparing = instances.map(async ({ ctx }) => {
      while (!isOver) {
        await reconcileMarker(ctx, () => {})
        await sleep(1)
      }
    })
    for (let turn = 0; turn < 30; turn++) {
      await instances[turn % 2]!.post('/guardrails/stop', { reason: String(turn) })
      await releaseKillSwitch(instances[(turn >> 1) % 2]!.ctx, release)
    }
    isOver = true
    await Promise.all(comparing)
    for (const instance of instances) await reconcileMarker(instance.ctx, () => {})
    for (const instance of instances) expect(await stopOf(instance)).toEqual({ engaged: false, sources: [] })
    const engagements = (await instances[0].events('guardrail')).filter(({ code }) => code === 'emergency_stop_engaged')
    expect(engagements, 'no release was undone').toHaveLength(30)
  })
})

async function pullAndFind(instance: Service & { readonly store: Store }) {
  await instance.post('/guardrails/stop', pull)
  const stop = await readKillSwitch(instance.store.db)
  if (!stop) throw new Error('not engaged')
  return stop
}
