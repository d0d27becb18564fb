/** PostgreSQL goes away and comes back under load: the service tells so, lives on, and loses or doubles no order. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DATABASE } from '../support/database.ts'
import { makePostgres } from '../support/postgres.setup.ts'
import { startDeployment, until } from './processes.ts'

const PATIENCE = 240_000
const BACK_WITHIN_MS = 30_000
const SETTLED_WITHIN_MS = 60_000
const BUYERS = 4
const AWAY_MS = 1500

async function ownServer() {
  const server = await makePostgres(['max_connections=50', 'restart_after_crash=on'])
  onTestFinished(async () => {
    await server.stop('SIGQUIT')
    server.remove()
  })
  await server.start()
  const admin = new pg.Client(`${server.url}/postgres`)
  await admin.connect()
  await admin.query('create database vendops')
  await admin.end()
  return { server, database: `${server.url}/vendops` }
}

describe.runIf(DATABASE === 'postgres')('PostgreSQL restarts', () => {
  test(
    'under load, stopped and killed: 503 with Retry-After meanwhile, then on by itself, every order exactly once',
    { timeout: PATIENCE },
    async () => {
      const { server, database } = await ownServer()
      const { simulator, start, basket, problems } = await startDeployment({ database })
      const service = await start()
      let exited = false
      void service.gone.then(() => (exited = true))

      let loading = true
      const refusals = new Map<string, number>()
      const ordered: string[] = []
      /** Creates and completes, each under its key, and repeats what was not answered for. */
      async function buy(who: number): Promise<void> {
        for (let n = 0; loading; n++) {
          const id = `PO-${who}-${n}`
          const send = async (path: string, body: object) => {
            while (true) {
              const answer = await service.call('POST', path, body, `${id} ${path}`)
              if (answer.status < 300) return
              const { code } = answer.body.messages[0]
              const kind = `${answer.status} ${code}${answer.retryAfter === null ? '' : ' after'}`
              refusals.set(kind, (refusals.get(kind) ?? 0) + 1)
              await sleep(200)
            }
          }
          await send('/checkout-sessions', { id, ...basket })
          ordered.push(id)
          await send(`/checkout-sessions/${id}/complete`, { confirm: true })
        }
      }
      const buyers = Array.from({ length: BUYERS }, (_, who) => buy(who))

      for (const signal of ['SIGINT', 'SIGKILL', 'SIGINT'] as const) {
        await sleep(AWAY_MS)
        await server.stop(signal)
        await until(async () => (await service.ready()) === 503, BACK_WITHIN_MS)
        const read = await service.call('GET', '/checkout-sessions/none')
        expect([read.status, read.body.messages[0].code, read.retryAfter]).toEqual([503, 'service_unavailable', '5'])
        expect(read.body.messages[0]).toMatchObject({ severity: 'recoverable' })
        await sleep(AWAY_MS)
        await server.start()
        await until(async () => (await service.ready()) === 200, BACK_WITHIN_MS)
      }
      await sleep(AWAY_MS)
      loading = false
      await Promise.all(buyers)

      expect(exited).toBe(false)
      expect(
        [...refusals.keys()].filter((kind) => !/^(?:503 service_unavailable after|502 |409 idemp)/.test(kind)),
      ).toEqual([])
      expect(refusals.get('503 service_unavailable after') ?? 0).toBeGreaterThan(0)
      const status = async (id: string) => (await service.call('GET', `/checkout-sessions/${id}`)).body.status
      for (const id of ordered) await until(async () => (await status(id)) === 'completed', SETTLED_WITHIN_MS)
      const orders = simulator.orders().map(({ outOrderNo }) => outOrderNo)
      expect(orders.toSorted()).toEqual(ordered.toSorted())
      expect(await problems()).toEqual([])
    },
  )

  test('going down while the service starts: the start goes on when it is back', { timeout: PATIENCE }, async () => {
    const { server, database } = await ownServer()
    const { start } = await startDeployment({ database })
    const first = await start()
    first.kill()
    await first.gone
    // Ends the connections of the start over and over, in whatever step it is: one that is not repeated ends the process.
    const admin = new pg.Client(`${server.url}/postgres`)
    await admin.connect()
    let ended = 0
    let isEnding = true
    const ending = (async () => {
      while (isEnding) {
        const { rows } = await admin.query<{ pid: number }>(
          `select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = 'vendops' and application_name like 'vendops%'`,
        )
        ended += rows.length
        await sleep(ended > 40 ? 50 : 5)
      }
    })()
    const started = await start('', 1)
    let exited = false
    void started.gone.then(() => (exited = true))
    // Some steps of the start come after the first answer.
    await sleep(AWAY_MS)
    isEnding = false
    await ending
    await admin.end()
    expect(ended).toBeGreaterThan(0)
    expect(exited).toBe(false)
    await until(async () => (await started.ready()) === 200, BACK_WITHIN_MS)
  })

  test('the service started first waits for its database', { timeout: PATIENCE }, async () => {
    const { server, database } = await ownServer()
    await server.stop('SIGINT')
    const { start } = await startDeployment({ database })
    const starting = start()
    await sleep(3000)
    await server.start()
    expect(await (await starting).ready()).toBe(200)
  })
})
