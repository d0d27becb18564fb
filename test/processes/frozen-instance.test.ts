/** One instance is suspended in the middle of its transactions: it does not hold up the emergency stop of the others. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { auditChain } from '../../src/views/audit/index.ts'
import { openStore } from '../../src/store/open.ts'
import { GIVE_WAY_MS } from '../../src/store/postgres/open-postgres.ts'
import { DATABASE, databaseUrl } from '../support/database.ts'
import { startDeployment, until } from './processes.ts'

const PURCHASES = 40
/** What a suspended process held before: its statement and idle time-outs of 30 s. Half of that also on a busy machine. */
const FORMERLY_HELD_MS = 30_000
const PATIENCE = 300_000
const SETTLED_WITHIN_MS = 90_000
const ORDER_CALL = 'POST /open/orders'

/** Transactions that wait for their client and hold the head of the hash chain, which every other one needs. */
const SILENT_HOLDERS = `
  select count(*)::int as count from pg_stat_activity join pg_locks using (pid)
  where relation = 'chain_head'::regclass and mode = 'RowExclusiveLock' and state = 'idle in transaction'
    and clock_timestamp() - state_change > interval '100 ms'`

describe.runIf(DATABASE === 'postgres')('an instance suspended with purchases under way', () => {
  test(
    'the emergency stop of another instance is engaged soon, and nothing is sent after it',
    { timeout: PATIENCE },
    async () => {
      const database = await databaseUrl()
      const { simulator, start, basket, problems } = await startDeployment({ database })
      const observer = new pg.Client(database)
      await observer.connect()
      onTestFinished(() => observer.end())
      const [frozen, other, third] = [await start(), await start(), await start()]

      const buy = async ({ call }: typeof frozen, id: string) => {
        await call('POST', '/checkout-sessions', { id, ...basket })
        return call('POST', `/checkout-sessions/${id}/complete`, { confirm: true })
      }
      const isHolding = async () => (await observer.query<{ count: number }>(SILENT_HOLDERS)).rows[0]!.count > 0
      const pending: Promise<unknown>[] = []
      // Suspended at a random moment; nearly always one of its transactions is about to commit. If not, once more.
      for (let round = 0; ; round++) {
        for (let n = 0; n < PURCHASES; n++) pending.push(buy(frozen, `PO-${round}-${n}`).catch(() => {}))
        const before = simulator.orders().length
        await until(async () => simulator.orders().length > before + 3, SETTLED_WITHIN_MS)
        frozen.signal('SIGSTOP')
        await sleep(300)
        if (await isHolding()) break
        frozen.signal('SIGCONT')
        if (round === 20) throw new Error('no transaction was suspended while it held the chain')
      }
      for (let n = 0; n < 5; n++) pending.push(buy(third, `PO-third-${n}`).catch(() => {}))

      const startedAt = performance.now()
      const stop = await other.call('POST', '/guardrails/stop', { reason: 'a test' })
      const tookMs = performance.now() - startedAt
      expect([stop.status, stop.body.emergency_stop?.engaged]).toEqual([200, true])
      expect(tookMs).toBeLessThan(FORMERLY_HELD_MS / 2)
      // What was written before arrives within this; what was claimed is denied its permit.
      await sleep(500)
      const sent = simulator.calls()[ORDER_CALL]
      await sleep(GIVE_WAY_MS)
      frozen.signal('SIGCONT')
      await Promise.all(pending)
      expect(simulator.calls()[ORDER_CALL]).toBe(sent)

      for (const instance of [frozen, other, third])
        expect((await instance.call('GET', '/guardrails')).body.emergency_stop.engaged).toBe(true)
      const numbers = simulator.orders().map(({ outOrderNo }) => outOrderNo)
      expect(new Set(numbers).size).toBe(numbers.length)
      // What was interrupted is asked about first.
      await until(async () => (await problems()).length === 0, SETTLED_WITHIN_MS)
      expect(simulator.calls()[ORDER_CALL]).toBe(sent)
      const store = await openStore(database)
      onTestFinished(() => store.close())
      const chain = await auditChain(store, undefined)
      expect([chain.entries > 0, chain.problems]).toEqual([true, []])
    },
  )
})
