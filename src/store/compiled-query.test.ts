import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from './open.ts'
import type { Store } from './store.ts'
import { compiledQuery, hasAffectedRows } from './compiled-query.ts'

const put = compiledQuery((db, row: { name: string; value: number }) =>
  db
    .insertInto('counter')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing()),
)
const byName = compiledQuery((db, { name }: { name: string }) =>
  db.selectFrom('counter').selectAll().where('name', '=', name).where('value', '<', 100),
)
const setTo = compiledQuery((db, { name, value }: { name: string; value: number }) =>
  db.updateTable('counter').set({ value }).where('name', '=', name),
)

describe('a compiled query', () => {
  let store: Store
  beforeAll(async () => void (store = await openStore('sqlite::memory:')))
  afterAll(() => store.close())

  test('takes new values at every use and keeps its constants', async () => {
    await put(store.db, { name: 'one', value: 1 })
    await put(store.db, { name: 'two', value: 2 })
    await put(store.db, { name: 'many', value: 100 })
    expect((await byName(store.db, { name: 'one' })).rows).toEqual([{ name: 'one', value: 1 }])
    expect((await byName(store.db, { name: 'two' })).rows).toEqual([{ name: 'two', value: 2 }])
    expect((await byName(store.db, { name: 'many' })).rows).toEqual([])
  })

  test('reports whether it affected rows', async () => {
    expect(hasAffectedRows(await put(store.db, { name: 'three', value: 3 }))).toBe(true)
    expect(hasAffectedRows(await put(store.db, { name: 'three', value: 4 }))).toBe(false)
    expect(hasAffectedRows(await setTo(store.db, { name: 'three', value: 5 }))).toBe(true)
    expect(hasAffectedRows(await setTo(store.db, { name: 'nobody', value: 5 }))).toBe(false)
  })

  test('runs in the transaction it is given', async () => {
    await expect(
      store.transaction(async (tx) => {
        await put(tx, { name: 'gone', value: 1 })
        expect((await byName(tx, { name: 'gone' })).rows).toHaveLength(1)
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect((await byName(store.db, { name: 'gone' })).rows).toEqual([])
  })

  test('is compiled for each database', async () => {
    const other = await openStore('sqlite::memory:')
    expect((await byName(other.db, { name: 'one' })).rows).toEqual([])
    await other.close()
  })

  test('refuses other values than it was compiled for', () => {
    const more = { name: 'one', value: 1, surprise: 2 }
    expect(() => put(store.db, more)).toThrow('compiled for')
  })
})
