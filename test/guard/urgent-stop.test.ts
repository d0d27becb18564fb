/** 7 The emergency stop is not held up by other work (ADR 21). */
import { describe, expect, test } from 'vitest'
import { POOL_SIZE } from '../../src/store/postgres/open-postgres.ts'
import { DATABASE } from '../support/database.ts'
import { addKey } from '../people/keys.ts'
import { TOKEN, startService } from '../support/service.ts'
import type { Request, Service } from '../support/service.ts'

describe.runIf(DATABASE === 'postgres')('pulled while every connection of the pool is in use', () => {
  async function signIn(service: Service, secret: object): Promise<Request> {
    const { headers } = await service.post('//signin', secret, { token: null })
    return { token: null, headers: { cookie: String(headers['set-cookie']).split(';')[0]! } }
  }
  test.each<[string, (service: Service) => Promise<Request>]>([
    ['with the token', async () => ({})],
    ['with an Idempotency-Key', async () => ({ headers: { 'idempotency-key': 'stop-1' } })],
    // Of a key and a session the database is asked.
    ['with the key of a person', async (service) => ({ token: (await addKey(service, 'owner')).key })],
    ['in a console session', (service) => signIn(service, { token: TOKEN })],
    [
      'in a console session of a person',
      async (service) => signIn(service, { token: (await addKey(service, 'owner')).key }),
    ],
  ])('%s: engaged before any of them is free again', async (_, prepare) => {
    const service = await startService()
    const { store } = service.ctx
    const request = await prepare(service)
    // What is known in memory about keys is no longer fresh.
    service.clock.advance(60_000)
    const { promise: isOver, resolve: finish } = Promise.withResolvers<void>()
    const busy = Array.from({ length: POOL_SIZE }, () => store.transaction(() => isOver))
    try {
      const stop = await service.post('/guardrails/stop', { reason: 'a test' }, request)
      expect([stop.status, stop.body.emergency_stop]).toMatchObject([200, { engaged: true, reason: 'a test' }])
    } finally {
      finish()
      await Promise.allSettled(busy)
    }
  })
})
