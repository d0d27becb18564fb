import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../open.ts'
import { type Store, type Tx, afterCommit } from '../store.ts'
import { propertyRuns } from '../../../test/support/property-runs.ts'

const put = (tx: Tx, name: string) => tx.insertInto('counter').values({ name, value: 1 }).execute()

describe('group commit', () => {
  let folder: string
  let store: Store
  let outside: DatabaseSync
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vendops-group-'))
    store = await openStore(`sqlite:${join(folder, 'vendops.db')}`)
    // Another process: it sees only what is committed.
    outside = new DatabaseSync(join(folder, 'vendops.db'), { readOnly: true })
  })
  afterEach(async () => {
    outside.close()
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const committed = () =>
    outside
      .prepare('select name from counter order by name')
      .all()
      .map(({ name }) => name)

  test('success is reported only after the shared commit', async () => {
    const heard: string[] = []
    const seen: unknown[] = []
    const one = (name: string) =>
      store
        .transaction(async (tx) => {
          await put(tx, name)
          await nextTurn()
          seen.push([name, [...heard], committed()])
        })
        .then(() => heard.push(name))
    await Promise.all(['a', 'b', 'c'].map(one))
    // `a` ended when `b` and `c` were waiting: all three were written before anyone was told.
    expect(seen).toEqual([
      ['a', [], []],
      ['b', [], []],
      ['c', [], []],
    ])
    expect(heard.toSorted()).toEqual(['a', 'b', 'c'])
    expect(committed()).toEqual(['a', 'b', 'c'])
  })

  test.each([0, 1, 2])('a failing member rolls back only its own work (%i)', async (bad) => {
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c'].map((name, i) =>
        store.transaction(async (tx) => {
          await put(tx, name)
          await nextTurn()
          if (i === bad) throw new Error('no')
          return name
        }),
      ),
    )
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([0, 1, 2].map((i) => i !== bad))
    expect(committed()).toEqual(['a', 'b', 'c'].filter((_, i) => i !== bad))
  })

  test('a failure caused by an earlier member is reported once that member can be read', async () => {
    const found = await Promise.all(
      ['first', 'second', 'third'].map(async (who) => {
        try {
          await store.transaction(async (tx) => {
            const { value } = await tx
              .selectFrom('counter')
              .select((at) => at.fn.countAll<number>().as('value'))
              .executeTakeFirstOrThrow()
            if (value > 0) throw new Error('taken')
            await put(tx, who)
          })
          return who
        } catch {
          return (await store.db.selectFrom('counter').select('name').executeTakeFirst())?.name
        }
      }),
    )
    expect(found).toEqual(['first', 'first', 'first'])
  })

  test('when the commit fails, all members fail and nothing is stored', async () => {
    const orphan = (tx: Tx) =>
      tx.insertInto('purchase_event').values({ purchase: 'nobody', n: 1, state: 'ordered', occurred_at: 1 }).execute()
    await store.transaction((tx) => tx.insertInto('counter').values({ name: 'before', value: 1 }).execute())
    const outcomes = await Promise.allSettled([
      store.transaction(async (tx) => {
        await put(tx, 'a')
        await nextTurn()
      }),
      store.transaction(async (tx) => {
        // Looked at only when the transaction commits.
        await tx.executeQuery({ ...tx.selectFrom('counter').compile(), sql: 'pragma defer_foreign_keys = on' })
        await orphan(tx)
      }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(committed()).toEqual(['before'])
    await store.transaction((tx) => put(tx, 'after'))
    expect(committed()).toEqual(['after', 'before'])
  })

  test('when the database rolls back everything, earlier members fail too', async () => {
    const outcomes = await Promise.allSettled([
      store.transaction(async (tx) => {
        await put(tx, 'a')
        await nextTurn()
      }),
      store.transaction(async (tx) => {
        await put(tx, 'b')
        await tx.executeQuery({ ...tx.selectFrom('counter').compile(), sql: 'rollback' })
        throw new Error('the disk is full')
      }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(committed()).toEqual([])
    await store.transaction((tx) => put(tx, 'c'))
    expect(committed()).toEqual(['c'])
  })

  test('afterCommit callbacks run for their own transaction and not after a failure', async () => {
    const followed: string[] = []
    const one = (name: string, fails: boolean) =>
      store.transaction(async (tx) => {
        await put(tx, name)
        afterCommit(tx, () => followed.push(`${name} ${committed().join()}`))
        await nextTurn()
        if (fails) throw new Error('no')
      })
    await Promise.allSettled([one('a', false), one('b', true), one('c', false)])
    expect(followed).toEqual(['a a,c', 'c a,c'])
  })

  test('a waiting statement is not starved by transactions', async () => {
    const order: string[] = []
    const tell = () => void order.push('transaction')
    const first = store.transaction(async (tx) => {
      await put(tx, 'first')
      for (let turn = 0; turn < 5; turn++) await nextTurn()
    })
    const write = store.db
      .insertInto('counter')
      .values({ name: 'single', value: 1 })
      .execute()
      .then(() => order.push('single'))
    await nextTurn()
    const many = Array.from({ length: 60 }, (_, i) => store.transaction((tx) => put(tx, `t${i}`)).then(tell))
    await Promise.all([first.then(tell), ...many, write])
    // One group passed it by.
    expect(order.indexOf('single')).toBe(16)
  })

  test('reads do not wait and see only committed data', async () => {
    await store.transaction((tx) => put(tx, 'before'))
    const names = async () => (await store.db.selectFrom('counter').select('name').execute()).map(({ name }) => name)
    const steps: (readonly string[])[] = []
    const look = Promise.withResolvers<void>()
    const looked = Promise.withResolvers<void>()
    const writing = store.transaction(async (tx) => {
      await put(tx, 'during')
      look.resolve()
      await looked.promise
    })
    await look.promise
    steps.push(await names())
    looked.resolve()
    await writing
    steps.push(await names())
    expect(steps).toEqual([['before'], ['before', 'during']])
  })

  test('using a transaction after its end throws', async () => {
    let kept: Tx | undefined
    let late: Promise<unknown> | undefined
    await store.transaction(async (tx) => {
      kept = tx
      late = nextTurn().then(() => nextTurn().then(() => put(tx, 'late')))
      late.catch(() => {})
    })
    await expect(late).rejects.toThrow('after it ended')
    await expect(put(kept!, 'later')).rejects.toThrow('after it ended')
    expect(committed()).toEqual([])
  })

  test('whichever members fail, exactly the successful ones are on disk', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ fails: fc.boolean(), turns: fc.nat(2) }), { maxLength: 30 }),
        async (all) => {
          await store.db.deleteFrom('counter').execute()
          const outcomes = await Promise.allSettled(
            all.map(({ fails, turns }, i) =>
              store.transaction(async (tx) => {
                await put(tx, String(i).padStart(2, '0'))
                for (let n = 0; n < turns; n++) await nextTurn()
                if (fails) throw new Error('no')
              }),
            ),
          )
          expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(all.map(({ fails }) => fails))
          expect(committed()).toEqual(all.flatMap(({ fails }, i) => (fails ? [] : [String(i).padStart(2, '0')])))
        },
      ),
      { numRuns: propertyRuns(50) },
    )
  })
})
