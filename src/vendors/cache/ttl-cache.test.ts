import { describe, expect, test } from 'vitest'
import { manualClock } from '../../kernel/clock.ts'
import { fail, succeed } from '../result.ts'
import type { Result } from '../contract.ts'
import { ttlCache } from './ttl-cache.ts'

/** Loads that the test ends. */
function loads() {
  const ends: ((answer: Result<string>) => void)[] = []
  const load = () => new Promise<Result<string>>((resolve) => ends.push(resolve))
  const end = (i: number, answer: Result<string>) => ends[i]?.(answer)
  return { load, end, begun: () => ends.length }
}

const setUp = (entries = 10) => {
  const clock = manualClock(0)
  return { clock, kept: ttlCache<string>({ clock, ttlMs: 1_000, entries }), ...loads() }
}

describe('cached results', () => {
  test('concurrent callers share one request and one result', async () => {
    const { kept: cached, load, end, begun } = setUp()
    const asking = [cached.get('k', load), cached.get('k', load), cached.get('k', load)]
    end(0, succeed('a'))
    const [first, ...others] = await Promise.all(asking)
    expect(begun()).toBe(1)
    for (const other of others) expect(other).toBe(first)
    expect(await cached.get('k', load)).toBe(first)
  })

  test('the time runs from the question, and ends', async () => {
    const { clock, kept: cached, load, end, begun } = setUp()
    const asking = cached.get('k', load)
    clock.advance(400)
    end(0, succeed('a'))
    await asking
    clock.advance(599)
    await cached.get('k', load)
    expect(begun()).toBe(1)
    clock.advance(1)
    void cached.get('k', load)
    expect(begun()).toBe(2)
  })

  test('expired and the upstream fails: the failure, never the old result; and it is not cached', async () => {
    const { clock, kept: cached } = setUp()
    await cached.get('k', () => Promise.resolve(succeed('old')))
    clock.advance(1_000)
    expect(await cached.get('k', () => Promise.resolve(fail('unknown', 'gone')))).toMatchObject({ ok: false })
    expect(await cached.get('k', () => Promise.resolve(succeed('new')))).toEqual(succeed('new'))
  })

  test('live loads again, whatever is cached or loading, and an older load never replaces a newer one', async () => {
    const { kept: cached, load, end } = setUp()
    const older = cached.get('k', load)
    const newer = cached.live('k', load)
    end(1, succeed('newer'))
    await newer
    end(0, succeed('older'))
    expect(await older).toEqual(succeed('older'))
    expect(await cached.get('k', load)).toEqual(succeed('newer'))
  })

  test('live readings of many are two: the one under way, and one begun after it for all who came meanwhile', async () => {
    const { kept: cached, load, end, begun } = setUp()
    const first = cached.live('k', load)
    const others = [cached.live('k', load), cached.live('k', load), cached.live('k', load)]
    expect(begun()).toBe(1)
    end(0, fail('unknown', 'too slow'))
    expect(await first).toMatchObject({ ok: false })
    await expect.poll(begun).toBe(2)
    const later = cached.live('k', load)
    end(1, succeed('second'))
    expect(await Promise.all(others)).toEqual(others.map(() => succeed('second')))
    await expect.poll(begun).toBe(3)
    end(2, succeed('third'))
    expect(await later).toEqual(succeed('third'))
    void cached.live('k', load)
    expect(begun()).toBe(4)
  })

  test('after a drop neither the cached result nor the one loading is used', async () => {
    const { kept: cached, load, end, begun } = setUp()
    const before = cached.get('k', load)
    cached.drop('k')
    end(0, succeed('before'))
    await before
    void cached.get('k', load)
    expect(begun()).toBe(2)
  })

  test('an exception is not remembered', async () => {
    const { kept: cached } = setUp()
    await expect(cached.get('k', () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
    expect(await cached.get('k', () => Promise.resolve(succeed('a')))).toEqual(succeed('a'))
  })

  test('no more keys are cached than the limit; the least recently used is evicted', async () => {
    const { kept: cached, load, begun } = setUp(2)
    const load1 = () => Promise.resolve(succeed('x'))
    await cached.get('a', load1)
    await cached.get('b', load1)
    await cached.get('a', load1)
    await cached.get('c', load1)
    await cached.get('a', load)
    expect(begun()).toBe(0)
    void cached.get('b', load)
    expect(begun()).toBe(1)
  })
})
