/** A real process on a database restored from before the emergency stop: stopped before it answers its first request. */
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { startDeployment } from './processes.ts'

const PATIENCE = 120_000

test(
  'a process that starts on a restored database buys nothing until the stop is released',
  { timeout: PATIENCE },
  async () => {
    const { url, simulator, start, basket } = await startDeployment()
    const before = await start()
    await before.call('POST', '/checkout-sessions', { id: 'PO-1', ...basket })
    expect((await before.call('POST', '/guardrails/stop', { reason: 'odd prices' })).status).toBe(200)
    before.kill()
    await before.gone
    const store = await openStore(url)
    for (const table of ['emergency_stop', 'event'] as const) await store.db.deleteFrom(table).execute()

    const after = await start()
    const complete = await after.call('POST', '/checkout-sessions/PO-1/complete', { confirm: true })
    expect([complete.status, complete.body.messages[0].code]).toEqual([409, 'kill_switch_engaged'])
    expect(simulator.orders()).toEqual([])
    expect(await store.db.selectFrom('emergency_stop').select('reason').execute()).toEqual([{ reason: 'odd prices' }])
    const { events } = (await after.call('GET', '/events?kind=guardrail')).body
    expect(events).toMatchObject([{ code: 'emergency_stop_engaged' }])
    await store.close()
  },
)
