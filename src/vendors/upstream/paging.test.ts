import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectFailure, expectUnique, expectValue } from '../../../test/contracts/adapter-kit.ts'
import { fail, succeed } from '../result.ts'
import { readAllPages } from './paging.ts'
import { propertyRuns } from '../../../test/support/property-runs.ts'

const PER_PAGE = 5

/** A listing that changes by one entry between two questions, where the script says so. */
function listing(size: number, script: readonly Change[]) {
  const entries = Array.from({ length: size }, (_, i) => `e${i}`)
  const states: string[][] = []
  let calls = 0
  const ask = async (page: number) => {
    for (const change of script.filter(({ before }) => before === calls)) {
      const at = Math.floor(change.at * entries.length)
      if (change.add) entries.splice(at, 0, `new${calls}`)
      else entries.splice(at, 1)
    }
    states.push([...entries])
    calls += 1
    const reply = succeed({
      entries: entries.slice((page - 1) * PER_PAGE, page * PER_PAGE),
      total: entries.length,
      perPage: PER_PAGE,
    })
    await Promise.resolve()
    return reply
  }
  return { states: () => states, ask, asked: () => calls }
}

interface Change {
  readonly before: number
  readonly add: boolean
  readonly at: number
}
const change = fc.record({
  before: fc.integer({ min: 1, max: 30 }),
  add: fc.boolean(),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
})
const changes = (maxLength: number) => fc.uniqueArray(change, { maxLength, selector: ({ before }) => before })
const key = (entry: string) => entry

describe('a listing that moves', () => {
  test('one that stops changing is read as a consistent snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), changes(2), async (size, script) => {
        const { states, ask } = listing(size, script)
        expect(states()).toContainEqual(expectValue(await readAllPages(ask, key)))
      }),
      { numRuns: propertyRuns(500) },
    )
  })

  test('one that never rests is still an answer, without doubles and without inventions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 6, max: 60 }), changes(30), async (size, script) => {
        const { states, ask } = listing(size, script)
        const answer = await readAllPages(ask, key)
        const read = answer.ok ? answer.value : []
        expect(answer).toMatchObject(answer.ok ? { ok: true } : { reason: 'unknown' })
        expectUnique(read)
        expect(new Set(states().flat()).isSupersetOf(new Set(read))).toBe(true)
      }),
      { numRuns: propertyRuns(300) },
    )
  })

  test('a quiet listing is walked once', async () => {
    const { ask, asked: calls } = listing(42, [])
    expectValue(await readAllPages(ask, key))
    expect(calls()).toBe(9)
  })

  test('the newest version of an entry is returned', async () => {
    let calls = 0
    const ask = (page: number) => {
      calls += 1
      const total = calls === 2 ? 2 : 3
      return Promise.resolve(succeed({ entries: [{ id: page, asked: calls }], total, perPage: 1 }))
    }
    const read = expectValue(await readAllPages(ask, ({ id }) => String(id)))
    expect(read).toEqual([
      { id: 1, asked: 4 },
      { id: 2, asked: 5 },
      { id: 3, asked: 6 },
    ])
  })

  test('fewer entries than counted, again and again, is not a shorter catalog', async () => {
    const short = () => Promise.resolve(succeed({ entries: ['a'], total: 2, perPage: 100 }))
    expectFailure(await readAllPages(short, key), 'unknown')
  })

  test('one page that fails fails the whole', async () => {
    const { ask } = listing(42, [])
    const faulty = (page: number) => (page === 7 ? Promise.resolve(fail('limited', 'slow down')) : ask(page))
    expectFailure(await readAllPages(faulty, key), 'limited')
  })

  test('a listing beyond the bound is given up before it is read', async () => {
    let calls = 0
    const endless = () => ((calls += 1), Promise.resolve(succeed({ entries: ['a'], total: 1_001, perPage: 1 })))
    expectFailure(await readAllPages(endless, key), 'unknown')
    expect(calls).toBe(1)
  })
})
