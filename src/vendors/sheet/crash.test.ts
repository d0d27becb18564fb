/** Money: whatever ends in between, an order is sent at most once, and one that was reported as placed exists. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { manualClock, MINUTE } from '../../kernel/clock.ts'
import type { Remembered } from '../memory.ts'
import type { SendPermit } from '../contract.ts'
import type { SupplyVendor } from '../supply-vendor.ts'
import { fileMemory } from './crash.test-support.ts'
import { testMemory } from './memory.test-support.ts'
import { granted, NOW, openSheet, order, workFolder } from './sheet.test-support.ts'
import { startSmtp } from './send/smtp-server.test-support.ts'
import { propertyRuns } from '../../../test/support/property-runs.ts'

/** The steps of one order: before and after each write of memory, and around the write inside the permit. */
const STEPS = 8

interface Started {
  readonly vendor: SupplyVendor
  readonly permit: SendPermit
  readonly atStep: Promise<void>
  readonly release: () => void
}

interface World {
  /** A process: its steps are counted, and it stops at the given one until it is released. */
  readonly start: (at?: number) => Started
  /** Orders that the supplier has. */
  readonly received: () => number
  readonly clock: ReturnType<typeof manualClock>
}

function world(open: Parameters<typeof openSheet>[0], received: (folder: string) => number): World {
  const folder = workFolder()
  const entries = new Map<string, Remembered>()
  const clock = manualClock(NOW)
  return {
    clock,
    received: () => received(folder),
    start(at) {
      let steps = 0
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const step = async () => {
        steps += 1
        if (steps !== at) return
        reached.resolve()
        await released.promise
      }
      const { vendor } = openSheet({
        ...open,
        folder,
        clock,
        memory: testMemory({ before: step, after: step }, entries),
        needs: { timeoutMs: 60_000 },
      })
      const permit: SendPermit = async (write) => {
        await step()
        write()
        await step()
        return undefined
      }
      return { vendor, permit, atStep: reached.promise, release: () => released.resolve() }
    },
  }
}

const folderWorld = async (): Promise<World> =>
  world({}, (folder) => readdirSync(join(folder, 'out')).filter((name) => name.endsWith('.csv')).length)

async function emailWorld(): Promise<World> {
  const server = await startSmtp()
  const email = { via: 'email', to: 'desk@wholesale.example', from: 'orders@route.example', smtp: server.url }
  return world({ order: email }, () => server.mails.length)
}

const WORLDS = { folder: folderWorld, email: emailWorld } as const

describe.each(['folder', 'email'] as const)('a crash while an order is sent by %s', (via) => {
  test('there are as many steps as the tests below assume', async () => {
    const { start } = await WORLDS[via]()
    const last = start(STEPS)
    await Promise.race([last.vendor.createOrder(order(), last.permit), last.atStep])
    await last.atStep
    const beyond = await WORLDS[via]()
    const free = beyond.start(STEPS + 1)
    expect(await free.vendor.createOrder(order(), free.permit)).toMatchObject({ ok: true })
  })

  test.each(Array.from({ length: STEPS }, (_, i) => i + 1))('at step %i is neither doubled nor lost', async (at) => {
    const { start, received, clock } = await WORLDS[via]()
    const dying = start(at)
    void dying.vendor.createOrder(order(), dying.permit)
    await dying.atStep
    // What is on its way when a process ends still arrives.
    if (via === 'email') await new Promise((resolve) => setTimeout(resolve, 50))
    clock.advance(3 * MINUTE)
    const restarted = start()
    const status = await restarted.vendor.orderStatus('po_1')
    if (status.ok) expect(received()).toBe(1)
    else if (status.reason === 'absent') expect(received()).toBe(0)
    else expect(status).toMatchObject({ reason: 'unknown', onlyPersonKnows: true })

    // Where we are unsure, a person looks into the mailbox.
    const isUnsure = !status.ok && status.reason === 'unknown'
    const isMissing = received() === 0
    const again = await restarted.vendor.createOrder(
      order('po_1', isUnsure && isMissing ? { isRecordedAsNotPlaced: true } : {}),
      restarted.permit,
    )
    expect(again.ok).toBe(!isUnsure || isMissing)
    expect(received()).toBe(1)
  })

  test.each(Array.from({ length: STEPS }, (_, i) => i + 1))(
    'a process that stops at step %i and continues after others have settled its order does not double it',
    async (at) => {
      const { start, received, clock } = await WORLDS[via]()
      const sleeping = start(at)
      const late = sleeping.vendor.createOrder(order(), sleeping.permit)
      await sleeping.atStep
      if (via === 'email') await new Promise((resolve) => setTimeout(resolve, 50))
      clock.advance(3 * MINUTE)
      const other = start()
      const status = await other.vendor.orderStatus('po_1')
      const again = await other.vendor.createOrder(order(), other.permit)
      sleeping.release()
      const first = await late
      expect(received()).toBeLessThanOrEqual(1)
      if (!status.ok && status.reason === 'absent') expect(again.ok || received() === 0).toBe(true)
      if (first.ok || again.ok) expect(received()).toBe(1)
      // At the end all know the same.
      expect((await start().vendor.orderStatus('po_1')).ok).toBe(received() === 1)
    },
  )
})

test(
  'instances that place the same order at once, some of which crash, send it at most once',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.option(fc.integer({ min: 1, max: STEPS })), fc.boolean()), { minLength: 2, maxLength: 4 }),
        async (instances) => {
          const { start, received, clock } = await folderWorld()
          const answers = instances.map(async ([at, waits]) => {
            const { vendor, permit, atStep } = start(at ?? undefined)
            if (waits) await new Promise((resolve) => setImmediate(resolve))
            return Promise.race([vendor.createOrder(order(), permit), atStep.then(() => undefined)])
          })
          const ended = await Promise.all(answers)
          expect(received()).toBeLessThanOrEqual(1)
          if (ended.some((answer) => answer?.ok)) expect(received()).toBe(1)
          clock.advance(3 * MINUTE)
          const last = start()
          const status = await last.vendor.orderStatus('po_1')
          expect(status.ok).toBe(received() === 1)
          expect(await last.vendor.createOrder(order(), last.permit)).toMatchObject({ ok: true })
          expect(received()).toBe(1)
        },
      ),
      { numRuns: propertyRuns(60) },
    )
  },
)

describe('a process that is killed', () => {
  const program = new URL('crash.test-support.ts', import.meta.url).pathname

  // After the intent, after the second record, before and after the rename, before the last record; and not at all.
  test.each([2, 4, 5, 6, 7, STEPS + 1])('at step %i', async (at) => {
    const folder = workFolder()
    const { status, signal, stdout } = spawnSync(process.execPath, [program, folder, String(at)], { encoding: 'utf8' })
    if (at > STEPS) expect([status, JSON.parse(stdout)]).toMatchObject([0, { ok: true }])
    else expect(signal).toBe('SIGKILL')
    const clock = manualClock(Date.now() + 3 * MINUTE)
    const restarted = openSheet({ folder, clock, memory: fileMemory(join(folder, 'memory.json')) })
    const received = () => restarted.out().filter((name) => name === 'po_1.csv').length
    const found = await restarted.vendor.orderStatus('po_1')
    expect(found.ok ? 1 : found.reason).toBe(received() === 1 ? 1 : 'absent')
    expect(await restarted.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    expect(restarted.out()).toEqual(['po_1.csv'])
  })
})
