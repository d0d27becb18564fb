/** Jobs and a wall clock that is set while they run: they go on, at their pace, one at a time over all instances. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jobRunner } from '../../src/jobs/runner.ts'
import type { Job } from '../../src/jobs/runner.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import type { Store } from '../../src/store/store.ts'
import { complete, get, ready, start } from '../checkout/support.ts'
import { freshStore } from '../support/database.ts'
import { failure } from '../support/scripted-vendors.ts'
import { NOW } from '../support/service.ts'

/** A host: its wall clock can be set, the time that passed cannot. */
function host(wall = NOW) {
  let passed = 0
  let offset = wall
  return {
    clock: { now: () => offset + passed, elapsed: () => passed },
    pass: (ms: number) => void (passed += ms),
    setBy: (ms: number) => void (offset += ms),
  }
}

type Host = ReturnType<typeof host>

async function cluster(store: Store, hosts: readonly Host[], name = 'work') {
  let atWork = 0
  let runs = 0
  let most = 0
  const job: Job = {
    name,
    everyMs: MINUTE,
    run: async () => {
      runs++
      most = Math.max(most, ++atWork)
      await store.ping()
      atWork--
    },
  }
  const failures: unknown[] = []
  const start = (one: Host) =>
    jobRunner({ store, clock: one.clock }, [job], { onFailure: (_, failure) => void failures.push(failure) })
  const runners = hosts.map(start)
  return {
    /** Real seconds, in each of which every instance looks once. */
    pass: async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds; i++) {
        for (const one of hosts) one.pass(SECOND)
        await Promise.all(runners.map((runner) => runner.tick()))
      }
    },
    /** A new process on this host. */
    restart: (n: number) => void (runners[n] = start(hosts[n]!)),
    counts: () => ({ runs, most, failures }),
  }
}

describe.each([1, 2])('jobs of %i instances, every minute', (instances) => {
  test.each([
    ['back by a day', -DAY],
    ['back by an hour', -HOUR],
    ['back by ten seconds', -10 * SECOND],
    ['forward by a day', DAY],
  ])('the wall clock of one is set %s: they keep their pace', async (_, by) => {
    const hosts = Array.from({ length: instances }, () => host())
    const { pass, counts } = await cluster(await freshStore(), hosts)
    await pass(150)
    expect(counts().runs, 'at 1, 61 and 121 seconds').toBe(3)
    hosts[0]!.setBy(by)
    await pass(120)
    expect(counts()).toEqual({ runs: 5, most: 1, failures: [] })
  })

  test('a process that starts after its clock was set back waits one period at most', async () => {
    const hosts = Array.from({ length: instances }, () => host())
    const { pass, restart, counts } = await cluster(await freshStore(), hosts)
    await pass(2)
    for (const [n, one] of hosts.entries()) {
      one.setBy(-DAY)
      restart(n)
    }
    await pass(61)
    expect(counts()).toEqual({ runs: 2, most: 1, failures: [] })
  })

  test('a process that starts soon after a run does not repeat it', async () => {
    const hosts = Array.from({ length: instances }, () => host())
    const { pass, restart, counts } = await cluster(await freshStore(), hosts)
    await pass(10)
    for (const n of hosts.keys()) restart(n)
    await pass(45)
    expect(counts().runs).toBe(1)
    await pass(10)
    expect(counts().runs).toBe(2)
  })
})

test('two instances whose clocks differ by an hour run a job once a period, not once each', async () => {
  const { pass, counts } = await cluster(await freshStore(), [host(NOW), host(NOW + HOUR)])
  await pass(1)
  // An instance that first looks after the other one finished goes by the stored time, which its own clock has passed.
  const atStart = counts().runs
  expect([1, 2]).toContain(atStart)
  await pass(305)
  expect(counts()).toEqual({ runs: atStart + 5, most: 1, failures: [] })
})

test('however clocks are set, a job keeps its period and never runs twice at once', { timeout: 120_000 }, async () => {
  const store = await freshStore()
  let clusters = 0
  const step = fc.record({
    seconds: fc.integer({ min: 1, max: 60 }),
    who: fc.integer({ min: 0, max: 1 }),
    by: fc.integer({ min: -2 * DAY, max: 2 * DAY }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      const hosts = [host(), host()]
      const { pass, counts } = await cluster(store, hosts, `work ${clusters++}`)
      let seconds = 0
      for (const each of steps) {
        await pass(each.seconds)
        seconds += each.seconds
        hosts[each.who]!.setBy(each.by)
      }
      const { runs, most } = counts()
      expect(most).toBe(1)
      expect(runs).toBeGreaterThanOrEqual(Math.floor(seconds / 62))
      expect(runs).toBeLessThanOrEqual(Math.ceil(seconds / 60) + 1)
    }),
    { numRuns: 5 },
  )
})

test('the run of a dead process is repeated after 15 s, whatever its clock said, and not before', async () => {
  const store = await freshStore()
  // As it was left by a process whose clock was a day ahead.
  await store.db
    .insertInto('lease')
    .values({ name: 'work', holder: 'the dead', fence: 7, held_until: NOW + DAY, next_at: NOW - 1 })
    .execute()
  const { pass, counts } = await cluster(store, [host()])
  await pass(10)
  // It lives: it renews.
  await store.db
    .updateTable('lease')
    .set({ held_until: NOW + DAY + 1 })
    .execute()
  await pass(15)
  expect(counts().runs).toBe(0)
  await pass(2)
  expect(counts().runs).toBe(1)
})

test('3.1 recovery continues after the clock was set back and finds a pending order', async () => {
  const real = host()
  const service = await start({ clock: { ...real.clock, set: real.setBy, advance: real.pass } })
  const id = await ready(service)
  await service.tick()
  service.supply.script.next('createOrder', { afterwards: failure('unknown') })
  service.supply.script.next('orderStatus', 'pass', { instead: failure('unknown') })
  expect((await complete(service, id)).status).toBe(502)
  real.setBy(-DAY)
  for (let seconds = 0; seconds < 120; seconds += 5) {
    real.pass(5 * SECOND)
    await service.tick()
  }
  expect((await get(service, id)).status).toBe('completed')
  expect(service.supply.orders.size).toBe(1)
})
