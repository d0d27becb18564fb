import { describe, expect, test } from 'vitest'
import { manualClock } from '../../kernel/clock.ts'
import { fail, succeed } from '../result.ts'
import { tokenCache } from './token-cache.ts'

function counted(lifetimeSeconds = 600) {
  let given = 0
  const ask = () => Promise.resolve(succeed({ token: `t${(given += 1)}`, lifetimeSeconds }))
  return { ask, given: () => given }
}

describe('a token', () => {
  test('refused late, after another call already got a new one, does not cost the new one', async () => {
    const { ask } = counted()
    const keeper = tokenCache(manualClock(0), ask)
    await keeper.getToken()
    keeper.discard('t1')
    expect(await keeper.getToken()).toEqual(succeed('t2'))
    keeper.discard('t1')
    expect(await keeper.getToken()).toEqual(succeed('t2'))
  })

  test('of a short life is renewed at nine tenths of it', async () => {
    const clock = manualClock(0)
    const { ask, given } = counted(10)
    const keeper = tokenCache(clock, ask)
    await keeper.getToken()
    clock.advance(8_999)
    await keeper.getToken()
    expect(given()).toBe(1)
    clock.advance(1)
    await keeper.getToken()
    expect(given()).toBe(2)
  })

  test('that cannot be obtained leaves the call unsent, with its Retry-After', async () => {
    const keeper = tokenCache(manualClock(0), () =>
      Promise.resolve(fail('limited', 'slow down', { retryAfter: 4, raw: 'LIMITED' })),
    )
    expect(await keeper.getToken()).toEqual(fail('unsent', 'slow down', { retryAfter: 4, raw: 'LIMITED' }))
    expect(keeper.heldToken()).toBeUndefined()
  })

  test('refused for our credentials stays unauthorized', async () => {
    const keeper = tokenCache(manualClock(0), () => Promise.resolve(fail('unauthorized', 'no')))
    expect(await keeper.getToken()).toMatchObject({ reason: 'unauthorized', unauthorized: true })
  })
})
