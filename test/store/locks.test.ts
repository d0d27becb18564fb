/** What `actUnderLock` promises: nobody who takes the lock exclusively commits between the read and the act. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import type { Row, Store } from '../../src/store/store.ts'
import { DATABASE, databaseUrl, freshStore } from '../support/database.ts'

const COUNT = `select value from counter where name = 'n'`
const valueOf = (rows: readonly Row[]) => rows[0]?.['value'] as number | undefined

const count = (store: Store, value: number) =>
  store.transaction(async (tx) => {
    await store.lock(tx, 'emergencyStop', 'exclusive')
    await tx
      .insertInto('counter')
      .values({ name: 'n', value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
  })

const increment = (store: Store) =>
  store.transaction(async (tx) => {
    await store.lock(tx, 'emergencyStop', 'exclusive')
    await tx
      .insertInto('counter')
      .values({ name: 'n', value: 1 })
      .onConflict((conflict) => conflict.column('name').doUpdateSet((at) => ({ value: at('counter.value', '+', 1) })))
      .execute()
  })

const read = (store: Store) => store.actUnderLock('emergencyStop', COUNT, valueOf)

describe('a lock shared by all processes', () => {
  test('actUnderLock sees committed data', async () => {
    const store = await freshStore()
    expect(await read(store)).toBeUndefined()
    await count(store, 1)
    expect(await read(store)).toBe(1)
  })

  test('an error of `act` is rethrown and releases the lock', async () => {
    const store = await freshStore()
    const failing = store.actUnderLock('emergencyStop', COUNT, () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await count(store, 2)
    expect(await read(store)).toBe(2)
  })

  test('throws when used inside a transaction', async () => {
    const store = await freshStore()
    await expect(store.transaction(() => read(store))).rejects.toThrow('pass the tx')
  })

  test('concurrent readers and writers: after a commit nobody acts on older data', async () => {
    const url = await databaseUrl()
    const stores = [await openStore(url), ...(DATABASE === 'postgres' ? [await openStore(url)] : [])]
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
    let committed = 0
    const late: number[] = []
    const reading = Array.from({ length: 60 }, (_, n) =>
      (stores[n % stores.length] as Store).actUnderLock('emergencyStop', COUNT, (rows) => {
        if ((valueOf(rows) ?? 0) < committed) late.push(valueOf(rows) ?? 0)
      }),
    )
    const writing = Array.from({ length: 10 }, async (_, n) => {
      await sleep(n)
      // Adds one: writers may take the lock in any order, and the value must never fall.
      await increment(stores.at(-1) as Store)
      committed++
    })
    await Promise.all([...reading, ...writing])
    expect(late).toEqual([])
  })
})

describe.runIf(DATABASE === 'postgres')('on PostgreSQL', () => {
  test('the read waits for an exclusive holder and sees what it committed', async () => {
    const url = await databaseUrl()
    const [one, other] = [await openStore(url), await openStore(url)]
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])))
    await count(one, 1)
    const locked = Promise.withResolvers<void>()
    const writing = one.transaction(async (tx) => {
      await one.lock(tx, 'emergencyStop', 'exclusive')
      locked.resolve()
      await tx.updateTable('counter').set({ value: 7 }).where('name', '=', 'n').execute()
      await sleep(200)
    })
    await locked.promise
    expect(await read(other)).toBe(7)
    await writing
  })

  test('a lock granted too late is not used: `act` is not called', async () => {
    const url = await databaseUrl()
    const [one, other] = [await openStore(url), await openStore(url)]
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])))
    const locked = Promise.withResolvers<void>()
    const writing = one.transaction(async (tx) => {
      await one.lock(tx, 'emergencyStop', 'exclusive')
      locked.resolve()
      await sleep(2700)
    })
    await locked.promise
    let isDone = false
    const acting = other.actUnderLock('emergencyStop', COUNT, () => (isDone = true))
    await expect(acting).rejects.toThrow('arrived too late')
    await writing
    expect(isDone).toBe(false)
    expect(await read(other)).toBeUndefined()
  })
})
