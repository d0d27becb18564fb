import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../src/kernel/clock.ts'
import { leaseMonitor, tryLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { databaseUrl, freshStore } from '../support/database.ts'

const execFileAsync = promisify(execFile)
const event = { occurred_at: 1, kind: 'note', summary: 's', reasoning: 'r', location: null }

describe('the store, on either database', () => {
  test('integers beyond 32 bits come back as numbers', async () => {
    const { db } = await freshStore()
    await db
      .insertInto('event')
      .values({ ...event, stored_at: 1_789_000_000_000 })
      .execute()
    const row = await db.selectFrom('event').selectAll().executeTakeFirstOrThrow()
    expect(row.stored_at).toBe(1_789_000_000_000)
    const { sum } = await db
      .selectFrom('event')
      .select((at) => at.fn.sum<number>('stored_at').as('sum'))
      .executeTakeFirstOrThrow()
    expect(sum).toBe(1_789_000_000_000)
  })

  test('a transaction that throws leaves nothing behind', async () => {
    const store = await freshStore()
    const failing = store.transaction(async (tx) => {
      await tx
        .insertInto('event')
        .values({ ...event, stored_at: 1 })
        .execute()
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect(await store.db.selectFrom('event').selectAll().execute()).toEqual([])
  })

  test('using the outer database inside a transaction throws at once instead of waiting forever', async () => {
    const store = await freshStore()
    const misuse = store.transaction(async () => store.db.selectFrom('event').selectAll().execute())
    await expect(misuse).rejects.toThrow('pass the tx')
    expect(await store.db.selectFrom('event').selectAll().execute()).toEqual([])
  })

  test('concurrent transactions do not lose updates of a counter', async () => {
    const store = await freshStore()
    const next = () =>
      store.db
        .insertInto('counter')
        .values({ name: 'n', value: 1 })
        .onConflict((conflict) => conflict.column('name').doUpdateSet((at) => ({ value: at('counter.value', '+', 1) })))
        .returning('value')
        .executeTakeFirstOrThrow()
    const values = await Promise.all(Array.from({ length: 50 }, next))
    expect(values.map(({ value }) => value).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
  })

  test('a lease has one holder, can be released, and is taken over from a dead holder', async () => {
    const needs = { store: await freshStore(), clock: manualClock(1_000_000) }
    const watch = leaseMonitor(needs.clock)
    const first = await tryLease(needs, 'sync', watch)
    expect(first?.fence).toBe(1)
    for (let seconds = 0; seconds < 15; seconds += 5) {
      expect(await tryLease(needs, 'sync', watch)).toBeUndefined()
      needs.clock.advance(5000)
    }
    const second = await tryLease(needs, 'sync', watch)
    expect(second?.fence).toBe(2)
    // The first comes back from the dead: it must not free what is no longer its own.
    await first?.release()
    expect(await tryLease(needs, 'sync', watch)).toBeUndefined()
    await second?.release(7)
    const third = await tryLease(needs, 'sync', watch, ({ fence, nextAt, holder }) => {
      expect({ fence, nextAt, holder }).toEqual({ fence: 2, nextAt: 7, holder: 'nobody' })
      return true
    })
    expect(third?.fence).toBe(3)
    await third?.release()
  })

  test('committed data is there after reopening, and no migration is pending', async () => {
    const url = await databaseUrl()
    const first = await openStore(url)
    await first.db
      .insertInto('event')
      .values({ ...event, stored_at: 7 })
      .execute()
    await first.close()
    const second = await openStore(url)
    expect(await second.db.selectFrom('event').select('stored_at').execute()).toEqual([{ stored_at: 7 }])
    expect(await second.pendingMigrations()).toEqual([])
    await second.close()
  })

  test('two processes opening an empty database at once both find it migrated', async () => {
    const url = await databaseUrl()
    const script = `import { openStore } from '${new URL('../../src/store/open.ts', import.meta.url).href}'
      const store = await openStore('${url}')
      console.log(JSON.stringify(await store.pendingMigrations()))
      await store.close()`
    const open = () => execFileAsync(process.execPath, ['--input-type=module', '-e', script])
    const answers = await Promise.all([open(), open(), open()])
    expect(answers.map(({ stdout }) => stdout.trim())).toEqual(['[]', '[]', '[]'])
  })

  test('a notification reaches every listener of its channel', async () => {
    const url = await databaseUrl()
    const [speaker, hearer] = [await openStore(url), await openStore(url)]
    const own = new Promise<void>((resolve) => void speaker.listen('events', resolve))
    const other =
      hearer.kind === 'postgres' ? new Promise<void>((resolve) => void hearer.listen('events', resolve)) : undefined
    const nudge = setInterval(() => speaker.notify('events'), 50)
    await Promise.all([own, other])
    clearInterval(nudge)
    expect(own).toBeDefined()
    await Promise.all([speaker.close(), hearer.close()])
  })
})
