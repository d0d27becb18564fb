import { describe, expect, test } from 'vitest'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import { openStore } from '../../src/store/open.ts'
import type { VendorMemory } from '../../src/vendors/memory.ts'
import { processMemory } from '../../src/vendors/process-memory.ts'
import { databaseUrl, freshStore } from '../support/database.ts'

const NAMESPACE = 'bolt-supply' as Namespace

const durable = async () => connectionNeeds(await freshStore(), silentLog).memory(NAMESPACE)

describe.each<[string, () => Promise<VendorMemory>]>([
  ['in the database', durable],
  ['in the process, for a test read', async () => processMemory()],
])('the memory of an adapter, %s', (_name, open) => {
  test('a value is found again as JSON reads it, with its version', async () => {
    const memory = await open()
    expect(await memory.get('order/po_1')).toBeUndefined()
    expect(await memory.put('order/po_1', { state: 'writing', at: 1, none: undefined }, 0)).toBe(1)
    expect(await memory.get('order/po_1')).toEqual({ value: { state: 'writing', at: 1 }, version: 1 })
    expect(await memory.put('order/po_1', 'sent', 1)).toBe(2)
    expect(await memory.get('order/po_1')).toEqual({ value: 'sent', version: 2 })
  })

  test('a write that names an old version changes nothing', async () => {
    const memory = await open()
    await memory.put('k', 'first', 0)
    await memory.put('k', 'second', 1)
    for (const version of [0, 1, 3]) expect(await memory.put('k', 'late', version), `${version}`).toBeUndefined()
    expect(await memory.put('new', 'x', 1)).toBeUndefined()
    expect(await memory.get('k')).toEqual({ value: 'second', version: 2 })
    expect(await memory.get('new')).toBeUndefined()
  })

  test('of several writers of one version exactly one wins', async () => {
    const memory = await open()
    for (const version of [0, 1]) {
      const written = await Promise.all([1, 2, 3, 4, 5].map((writer) => memory.put('k', writer, version)))
      expect(written.filter((each) => each !== undefined)).toEqual([version + 1])
    }
  })

  test('entries are listed by the start of their key, in the order of their keys', async () => {
    const memory = await open()
    for (const key of ['a/b', 'a/B', 'a/é', 'a/10', 'a_x', 'ab', 'b/1', 'A/1']) await memory.put(key, key, 0)
    expect((await memory.list('a/')).map(({ key }) => key)).toEqual(['a/10', 'a/B', 'a/b', 'a/é'])
    expect(await memory.list('a_')).toEqual([{ key: 'a_x', value: 'a_x', version: 1 }])
    expect(await memory.list('%')).toEqual([])
    expect(await memory.list('')).toHaveLength(8)
  })
})

test('a dry run reads what is stored, and stores nothing', async () => {
  const stored = await durable()
  await stored.put('order/1', 'sent', 0)
  await stored.put('order/2', 'sent', 0)
  const memory = processMemory(stored)
  expect(await memory.put('order/1', 'late', 0)).toBeUndefined()
  const written = await Promise.all([1, 2, 3].map((writer) => memory.put('order/1', writer, 1)))
  expect(written).toEqual([2, undefined, undefined])
  expect(await memory.put('order/0', 'new', 0)).toBe(1)
  expect(await memory.list('order/')).toEqual([
    { key: 'order/0', value: 'new', version: 1 },
    { key: 'order/1', value: 1, version: 2 },
    { key: 'order/2', value: 'sent', version: 1 },
  ])
  expect(await stored.list('')).toEqual([
    { key: 'order/1', value: 'sent', version: 1 },
    { key: 'order/2', value: 'sent', version: 1 },
  ])
})

test('two instances see the same memory, two connections do not', async () => {
  const url = await databaseUrl()
  const [one, two] = [await openStore(url), await openStore(url)]
  const memoryOf = (store: typeof one, namespace: string) =>
    connectionNeeds(store, silentLog).memory(namespace as Namespace)
  expect(await memoryOf(one, 'bolt-supply').put('k', 'x', 0)).toBe(1)
  expect(await memoryOf(two, 'bolt-supply').get('k')).toEqual({ value: 'x', version: 1 })
  expect(await memoryOf(two, 'bolt-supply').put('k', 'y', 0)).toBeUndefined()
  expect(await memoryOf(one, 'other-supply').get('k')).toBeUndefined()
  expect(await memoryOf(one, 'other-supply').list('')).toEqual([])
  await one.close()
  await two.close()
})
