/** 7 The emergency stop is not held up by other work (ADR 21). */
import { expect, test } from 'vitest'
import { DATABASE } from '../support/database.ts'
import { startService } from '../support/service.ts'

/** All connections of the pool. */
const BUSY = 10

test.runIf(DATABASE === 'postgres')(
  'pulled while every connection is in use: engaged at once, also with an Idempotency-Key',
  async () => {
    const service = await startService()
    const { store } = service.ctx
    const { promise: isOver, resolve: finish } = Promise.withResolvers<void>()
    const busy = Array.from({ length: BUSY }, () => store.transaction(() => isOver))
    const stop = await service.post(
      '/guardrails/stop',
      { reason: 'a test' },
      { headers: { 'idempotency-key': 'stop-1' } },
    )
    expect([stop.status, stop.body.emergency_stop.engaged]).toEqual([200, true])
    finish()
    await Promise.allSettled(busy)
  },
)
