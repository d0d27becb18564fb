/** 7 The emergency stop is not held up by other work (ADR 21). */
import { describe, expect, test } from 'vitest'
import { POOL_SIZE } from '../../src/store/postgres/open-postgres.ts'
import { DATABASE } from '../support/database.ts'
import { startService } from '../support/service.ts'

describe.runIf(DATABASE === 'postgres')('pulled while every connection of the pool is in use', () => {
  test.each([
    ['without a key', {}],
    ['with an Idempotency-Key', { 'idempotency-key': 'stop-1' }],
  ])('%s: engaged before any of them is free again', async (_, headers) => {
    const service = await startService()
    const { store } = service.ctx
    const { promise: isOver, resolve: finish } = Promise.withResolvers<void>()
    const busy = Array.from({ length: POOL_SIZE }, () => store.transaction(() => isOver))
    try {
      const stop = await service.post('/guardrails/stop', { reason: 'a test' }, { headers })
      expect([stop.status, stop.body.emergency_stop]).toMatchObject([200, { engaged: true, reason: 'a test' }])
    } finally {
      finish()
      await Promise.allSettled(busy)
    }
  })
})
