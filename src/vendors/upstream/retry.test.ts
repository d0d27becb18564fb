import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fail, succeed } from '../result.ts'
import type { Result, FailureReason } from '../contract.ts'
import { type Pacing, retryRead } from './retry.ts'

/** Time that passes only while asleep or while an attempt takes it. */
function paced(over: Partial<Pacing> = {}) {
  let now = 0
  const slept: number[] = []
  const pacing: Pacing = {
    withinMs: 10_000,
    random: () => 0.5,
    elapsed: () => now,
    sleep(ms) {
      slept.push(ms)
      now += ms
      return Promise.resolve()
    },
    ...over,
  }
  return { pacing, slept, pass: (ms: number) => (now += ms) }
}

const scripted = (...answers: Result<string>[]) => {
  let made = 0
  const attempt = () => Promise.resolve(answers[Math.min(made++, answers.length - 1)] ?? succeed('end'))
  return { attempt, made: () => made }
}

describe('asking again', () => {
  test.each(['unsent', 'limited', 'unknown'] as const)('%s passes: three attempts, and no more', async (reason) => {
    const { pacing, slept } = paced()
    const { attempt, made } = scripted(fail(reason, 'no'))
    expect(await retryRead(attempt, pacing)).toMatchObject({ reason })
    expect(made()).toBe(3)
    expect(slept).toEqual([100, 200])
  })

  test.each(['rejected', 'unauthorized', 'absent', 'unsupported'] satisfies FailureReason[])(
    '%s is an answer and is not asked again',
    async (reason) => {
      const { attempt, made } = scripted(fail(reason, 'no'))
      await retryRead(attempt, paced().pacing)
      expect(made()).toBe(1)
    },
  )

  test('the first success ends it', async () => {
    const { attempt, made } = scripted(fail('unknown', 'no'), succeed('yes'))
    expect(await retryRead(attempt, paced().pacing)).toEqual(succeed('yes'))
    expect(made()).toBe(2)
  })

  test('a short Retry-After is waited for', async () => {
    const { pacing, slept } = paced()
    await retryRead(scripted(fail('limited', 'no', { retryAfter: 3 }), succeed('yes')).attempt, pacing)
    expect(slept).toEqual([3_100])
  })

  test('a long rest is handed on to the caller instead', async () => {
    const { pacing, slept } = paced({ withinMs: 1_000_000 })
    const { attempt, made } = scripted(fail('limited', 'no', { retryAfter: 60 }))
    expect(await retryRead(attempt, pacing)).toMatchObject({ retryAfter: 60 })
    expect([made(), slept]).toEqual([1, []])
  })

  test('a read that already took too long is not retried', async () => {
    const { pacing, pass } = paced()
    let made = 0
    await retryRead(() => {
      made += 1
      pass(10_000)
      return Promise.resolve(fail('unknown', 'time-out'))
    }, pacing)
    expect(made).toBe(1)
  })

  test('jitter is full: any pause from nothing up to the bound, which doubles', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 0.999, noNaN: true }), async (random) => {
        const { pacing, slept } = paced({ random: () => random })
        await retryRead(scripted(fail('unknown', 'no')).attempt, pacing)
        expect(slept).toEqual([random * 200, random * 400])
      }),
    )
  })

  test('when the service stops, nothing is retried and no pause is waited for', async () => {
    const stopping = new AbortController()
    const { attempt, made } = scripted(fail('limited', 'no', { retryAfter: 5 }))
    const asking = retryRead(attempt, { withinMs: 60_000, signal: stopping.signal })
    await Promise.resolve()
    stopping.abort()
    expect(await asking).toMatchObject({ reason: 'limited' })
    expect(made()).toBe(1)
  })
})
