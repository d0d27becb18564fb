import { describe, expect, test } from 'vitest'
import { DATABASE } from '../support/database.ts'
import { sample } from '../support/sample.ts'
import { startDeployment, until } from './processes.ts'

const SETTLED_WITHIN_MS = 60_000
const PATIENCE = 300_000
/** Each case on one of the databases, with another commit on the other. */
const onEither = <T>(cases: readonly T[]) =>
  sample('databases of processes and suppliers', cases, DATABASE === 'postgres' ? 1 : 0)

describe('kill -9 on the way to an order, then a restart', () => {
  const points: readonly (readonly [string, number])[] = [
    ['assessed', 0],
    ['claimed', 0],
    ['answered', 1],
    ['settled', 1],
  ]
  test.each(onEither(points))(
    'at %s: the supplier has %i orders, and in the end exactly one',
    { timeout: PATIENCE },
    async (point, orders) => {
      const { simulator, start, basket, problems } = await startDeployment()
      const doomed = await start(point)
      const { body } = await doomed.call('POST', '/checkout-sessions', basket)
      expect(body.status).toBe('ready_for_complete')
      await Promise.all([
        doomed.call('POST', `/checkout-sessions/${body.id}/complete`, { confirm: true }).catch(() => {}),
        doomed.gone,
      ])
      expect(simulator.orders()).toHaveLength(orders)

      const { call } = await start()
      const session = async () => (await call('GET', `/checkout-sessions/${body.id}`)).body
      await until(async () => (await session()).status !== 'complete_in_progress', SETTLED_WITHIN_MS)
      expect((await session()).status).toBe(orders === 0 ? 'ready_for_complete' : 'completed')
      const done = await call('POST', `/checkout-sessions/${body.id}/complete`, { confirm: true })
      expect([done.status, done.body.status]).toEqual([200, 'completed'])
      expect(simulator.orders().map(({ orderNo, outOrderNo }) => [orderNo, outOrderNo])).toEqual([
        [done.body.order.label, body.id],
      ])
      expect(await problems()).toEqual([])
    },
  )

  test('while the supplier is at work: its order is found', { timeout: PATIENCE }, async () => {
    const { simulator, start, basket, problems } = await startDeployment()
    const doomed = await start()
    const { body } = await doomed.call('POST', '/checkout-sessions', basket)
    simulator.faults.add({ match: { method: 'POST', path: '/open/orders' }, do: 'slow', ms: 400 })
    void doomed.call('POST', `/checkout-sessions/${body.id}/complete`, { confirm: true }).catch(() => {})
    await until(async () => (simulator.calls()['POST /open/orders'] ?? 0) > 0, SETTLED_WITHIN_MS)
    doomed.kill()
    await doomed.gone

    const { call } = await start()
    await until(
      async () => (await call('GET', `/checkout-sessions/${body.id}`)).body.status === 'completed',
      SETTLED_WITHIN_MS,
    )
    expect(simulator.orders()).toHaveLength(1)
    expect(simulator.calls()['POST /open/orders']).toBe(1)
    expect(await problems()).toEqual([])
  })
})

test(
  'kill -9 while a keyed complete is at the supplier: the same key is taken over and answers with the one order',
  { timeout: PATIENCE },
  async () => {
    const { simulator, start, basket, problems } = await startDeployment()
    const doomed = await start()
    const { body } = await doomed.call('POST', '/checkout-sessions', basket)
    simulator.faults.add({ match: { method: 'POST', path: '/open/orders' }, do: 'slow', ms: 400 })
    const path = `/checkout-sessions/${body.id}/complete`
    void doomed.call('POST', path, { confirm: true }, 'key-1').catch(() => {})
    await until(async () => (simulator.calls()['POST /open/orders'] ?? 0) > 0, SETTLED_WITHIN_MS)
    doomed.kill()
    await doomed.gone

    const { call } = await start()
    // A claim that did not lapse while it waits would be answered with 409.
    const done = await call('POST', path, { confirm: true }, 'key-1')
    expect([done.status, done.body.status]).toEqual([200, 'completed'])
    expect(await call('POST', path, { confirm: true }, 'key-1')).toMatchObject({ status: 200, body: done.body })
    expect(simulator.orders().map(({ orderNo }) => orderNo)).toEqual([done.body.order.label])
    expect(simulator.calls()['POST /open/orders']).toBe(1)
    expect(await problems()).toEqual([])
  },
)

test.each(
  onEither([
    ['a gateway’s 403', { do: 'reply', status: 403, body: '<h1>Forbidden</h1>' }],
    ['a gateway’s 401', { do: 'reply', status: 401, body: '' }],
    ['a rejection in its own words', { do: 'code', code: 60003, text: '信用额度不足' }],
    ['refused credentials in its own words', { do: 'code', code: 40101, text: 'invalid sign' }],
  ] as const),
)(
  '2 the supplier placed the order and answered with %s: one order, on record, and the audit is clean',
  { timeout: PATIENCE },
  async (_, fault) => {
    const { simulator, start, basket, problems } = await startDeployment({ timeoutMs: 10_000 })
    const { call } = await start()
    const { body } = await call('POST', '/checkout-sessions', basket)
    simulator.faults.add({ match: { method: 'POST', path: '/open/orders' }, after: true, ...fault })
    const answer = await call('POST', `/checkout-sessions/${body.id}/complete`, { confirm: true })
    const [order] = simulator.orders()
    expect([answer.status, answer.body.status, answer.body.order?.label]).toEqual([200, 'completed', order?.orderNo])
    expect(simulator.orders()).toHaveLength(1)
    expect(await problems()).toEqual([])
  },
)

/** Several processes share a PostgreSQL; the embedded database belongs to one. */
const PROCESSES = DATABASE === 'postgres' ? 2 : 1

test(
  `50 concurrent completes through ${PROCESSES} of them on one database: one order`,
  { timeout: PATIENCE },
  async () => {
    const { simulator, start, basket, problems } = await startDeployment({ timeoutMs: 10_000 })
    const processes = await Promise.all(Array.from({ length: PROCESSES }, () => start()))
    const through = (n: number) => processes[n % PROCESSES] ?? expect.fail('no process')
    const { body } = await through(0).call('POST', '/checkout-sessions', basket)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        through(n).call('POST', `/checkout-sessions/${body.id}/complete`, { confirm: true }),
      ),
    )
    const [order] = simulator.orders()
    expect(answers.map((answer) => [answer.status, answer.body.order?.label])).toEqual(
      Array.from({ length: 50 }, () => [200, order?.orderNo]),
    )
    expect(simulator.orders()).toHaveLength(1)
    expect(simulator.calls()['POST /open/orders']).toBe(1)
    expect(await problems()).toEqual([])
  },
)
