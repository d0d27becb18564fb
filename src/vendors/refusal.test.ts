import { describe, expect, test } from 'vitest'
import type { Namespace } from '../kernel/ids.ts'
import { failDenied, fail } from './result.ts'
import { toRefusal } from './refusal.ts'

describe('an upstream failure as a refusal', () => {
  test.each([
    ['rejected', 'supplier_rejected'],
    ['absent', 'not_found'],
    ['unsupported', 'namespace_unsupported'],
    ['unsent', 'upstream_unreachable', 5],
    ['limited', 'upstream_unreachable', 5],
    ['unknown', 'upstream_unreachable', 5],
  ] as const)('7 %s is %s, with the upstream text', (reason, code, retryAfter?: number) => {
    expect(toRefusal(fail(reason, '库存不足'))).toEqual({
      ok: false,
      refusal: {
        messages: [{ type: 'error', code, content: '库存不足', severity: 'unrecoverable' }],
        ...(retryAfter !== undefined && { retryAfter }),
      },
    })
  })

  test('7 credentials that a vendor refused are named as those of the connection', () => {
    const failure = { ...fail('unauthorized', 'bad sign'), namespace: 'acme-supply' as Namespace }
    const [message] = toRefusal(failure).refusal.messages
    expect(message).toMatchObject({ code: 'unauthorized', params: { whose: 'supplier', connection: 'acme-supply' } })
    expect(message?.content).toMatch(/acme-supply.*bad sign/)
  })

  test.each(['kill_switch_engaged', 'guard_unverifiable'] as const)(
    '7 a permit denied with %s is reported as such',
    (code) => {
      expect(toRefusal(failDenied({ code, message: 'no' }))).toMatchObject({
        refusal: { messages: [{ code, content: 'no' }] },
      })
    },
  )

  test('7 the path and the time to wait come along', () => {
    expect(toRefusal(fail('limited', 'slow down', { retryAfter: 9 }), '$.ids[0]')).toMatchObject({
      refusal: { messages: [{ path: '$.ids[0]' }], retryAfter: 9 },
    })
  })
})
