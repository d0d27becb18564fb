/** Several instances on one database: a revoked key is refused on all of them within a second. */
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { createContext } from '../../src/assemble.ts'
import { keyDirectory } from '../../src/rules/people/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Store } from '../../src/store/store.ts'
import { openStore } from '../../src/store/open.ts'
import { DATABASE, databaseUrl, freshStore } from '../support/database.ts'
import { startService } from '../support/service.ts'
import { addKey } from './keys.ts'

/** Each instance has connections of its own to PostgreSQL; SQLite has one process. */
async function twoStores(): Promise<readonly [Store, Store]> {
  if (DATABASE === 'sqlite') {
    const store = await freshStore()
    return [store, store]
  }
  const url = await databaseUrl()
  const stores = [await openStore(url), await openStore(url)] as const
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
  return stores
}

async function listening(store: Store) {
  const service = await startService({ store })
  await service.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.server.server.address() as AddressInfo
  return { service, url: `ws://127.0.0.1:${port}/ucp/v1/events/stream` }
}

async function connect(url: string, key: string) {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } })
  onTestFinished(() => socket.terminate())
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve, reject) => {
    socket.once('message', resolve)
    socket.once('error', reject)
  })
  return { closed }
}

test('a key that one instance revokes is refused by it at once and by another half a second later, its WebSockets closed', async () => {
  const stores = await twoStores()
  const one = await listening(stores[0])
  const two = await listening(stores[1])
  const owner = await addKey(one.service, 'owner')
  const { key, id } = await addKey(one.service, 'viewer')
  expect((await two.service.get('/me', { token: key })).status).toBe(200)
  const sockets = [await connect(one.url, key), await connect(two.url, key)]
  const staying = await connect(two.url, owner.key)

  expect((await one.service.call('DELETE', `/people/${id}`, { token: owner.key })).status).toBe(200)
  expect((await one.service.get('/me', { token: key })).status).toBe(401)
  // Knowledge that is half a second old is not used, whether the other instance was notified or not.
  two.service.clock.advance(500)
  expect((await two.service.get('/events?limit=1', { token: key })).status).toBe(401)
  // Notified, or by its timer.
  expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([1008, 1008])
  expect(await Promise.race([staying.closed, Promise.resolve('open')])).toBe('open')
})

test('a process that was suspended compares its keys before it accepts one', async () => {
  const { ctx } = await startService()
  // Without notifications and timers, as in a process that stood still.
  const store: Store = { ...ctx.store, listen: () => () => {} }
  let elapsed = 0
  const clock = { now: () => systemClock.now(), elapsed: () => elapsed }
  const directory = keyDirectory(createContext({ ...ctx, store, clock }))
  onTestFinished(() => directory.close())
  const { key, id } = await addKey({ ctx }, 'viewer')
  expect((await directory.findKey(key))?.identity.name).toBe('viewer')
  directory.close()
  const { revokePerson } = await import('../../src/rules/people/index.ts')
  await revokePerson(ctx, id, {}, 'root@host')
  elapsed += 500
  expect(await directory.findKey(key)).toBeUndefined()
})

test('requests with a known key cause no query', async () => {
  const { ctx } = await startService()
  const { key } = await addKey({ ctx }, 'viewer')
  const directory = keyDirectory(ctx)
  onTestFinished(() => directory.close())
  await directory.findKey(key)
  expect(directory.findKey(key)).not.toBeInstanceOf(Promise)
})
