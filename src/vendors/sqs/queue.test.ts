import { createCipheriv } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../../kernel/clock.ts'
import { processMemory } from '../process-memory.ts'
import { type StoreMessages, messageQueue } from './queue.ts'
import { startQueue } from './queue-server.test-support.ts'

const KEY = { encryption_key: '0123456789abcdef', encryption_iv: 'abcdef9876543210' }

async function open(more: object = {}) {
  const server = await startQueue()
  onTestFinished(() => server.close())
  const notices: string[] = []
  const queue = messageQueue(
    { ...server.settings, ...more },
    {
      clock: manualClock(Date.UTC(2026, 8, 20)),
      memory: processMemory(),
      timeoutMs: 300,
      notice: (text) => void notices.push(text),
    },
  )
  onTestFinished(() => queue.close())
  const stored: string[] = []
  const store: StoreMessages = async (messages) => {
    for (const { text } of messages) if (!text.includes('poison')) stored.push(text)
    return new Map(messages.filter(({ text }) => text.includes('poison')).map(({ id }) => [id, 'it is poison']))
  }
  return { server, queue, stored, store, notices }
}

const encrypt = (text: string, key: string, iv: string): string => {
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, iv)
  return Buffer.concat([cipher.update(text), cipher.final()]).toString('base64')
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => ({ n: from + i }))

test('all that waits is stored and then deleted, in batches, by long polling', async () => {
  const { server, queue, stored, store } = await open()
  server.send(...numbers(1, 23))
  expect(await queue.receive(store)).toEqual({ ok: true, value: { messages: 23 } })
  expect([stored.length, server.waiting()]).toEqual([23, []])
  const waits = server.calls
    .filter(({ action }) => action === 'ReceiveMessage')
    .map(({ body }) => body['WaitTimeSeconds'])
  expect(waits).toEqual([5, 0, 0, 0])
})

test('what could not be stored stays in the queue and comes again', async () => {
  const { server, queue, stored, store } = await open()
  server.send(...numbers(1, 3))
  await expect(queue.receive(async () => Promise.reject(new Error('the database is away')))).rejects.toThrow('away')
  expect(server.waiting()).toHaveLength(3)
  expect(await queue.receive(store)).toMatchObject({ value: { messages: 0 } })
  server.pass(61)
  expect(await queue.receive(store)).toMatchObject({ value: { messages: 3 } })
  expect([stored.length, server.waiting()]).toEqual([3, []])
})

test('a delete that is lost hands the message out again', async () => {
  const { server, queue, stored, store } = await open()
  server.send({ n: 1 })
  server.state.trouble.set('DeleteMessageBatch', 'forget')
  await queue.receive(store)
  server.pass(61)
  await queue.receive(store)
  expect([stored, server.waiting()]).toEqual([['{"n":1}', '{"n":1}'], []])
})

test('a message that cannot be understood is named once and put aside, and the others are read', async () => {
  const { server, queue, stored, store, notices } = await open()
  server.send({ n: 1 }, 'poison', { n: 2 })
  await queue.receive(store)
  expect([stored, server.waiting()]).toEqual([['{"n":1}', '{"n":2}'], ['m2']])
  server.pass(11 * 3600)
  expect(await queue.receive(store)).toMatchObject({ value: { messages: 0 } })
  server.pass(3600)
  await queue.receive(store)
  expect(notices).toEqual(['Message m2 of the queue is put aside: it is poison'])
  const rows = await queue.aside()
  expect(rows).toMatchObject([{ kind: 'file', id: 'message m2', problem: 'it is poison' }])
  expect(await queue.aside()).toBe(rows)
})

test('a body that was damaged on the way is not read', async () => {
  const { server, queue, stored, store } = await open()
  server.send({ n: 1 })
  server.state.isDamaged = true
  await queue.receive(store)
  expect([stored, server.waiting()]).toEqual([[], ['m1']])
})

test('messages are decrypted, also with the key before; without a key they wait', async () => {
  const before = {
    previous_encryption_key: '63562b7245cb478cb38a509ec764e012',
    previous_encryption_iv: '1111222233334444',
  }
  const { server, queue, stored, store } = await open({ ...KEY, ...before })
  server.send(
    encrypt('{"n":1}', KEY.encryption_key, KEY.encryption_iv),
    encrypt('{"n":2}', before.previous_encryption_key, before.previous_encryption_iv),
    { n: 3 },
  )
  expect(await queue.receive(store)).toMatchObject({ value: { messages: 3 } })
  expect(stored).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'])
  const other = await open()
  other.server.send(encrypt('{"n":1}', KEY.encryption_key, KEY.encryption_iv), { n: 2 })
  expect(await other.queue.receive(other.store)).toMatchObject({ ok: false, raw: 'encrypted' })
  expect([other.stored, other.server.waiting()]).toEqual([['{"n":2}'], ['m1']])
})

test.each([
  ['refused credentials', { secret_key: 'wrong' }, undefined, 'unauthorized'],
  ['no answer', {}, 'timeout', 'unknown'],
  ['a lost connection', {}, 'close', 'unknown'],
  ['throttling', {}, 'throttle', 'limited'],
] as const)(
  '%s is a failure and loses nothing',
  async (_, more, trouble, reason) => {
    const { server, queue, stored, store } = await open({ ...more })
    server.send({ n: 1 })
    if (trouble) server.state.trouble.set('ReceiveMessage', trouble)
    // The wait of the long poll comes on top.
    expect(await queue.receive(store)).toMatchObject({ ok: false, reason })
    expect([stored, server.waiting()]).toEqual([[], ['m1']])
  },
  15_000,
)

test('a test read says whether the queue can be read and decrypted, and takes nothing out of it', async () => {
  const { server, queue } = await open()
  server.send({ n: 1 })
  expect(await queue.verify()).toMatchObject({ ok: true })
  expect(server.waiting()).toHaveLength(1)
  expect(server.calls.map(({ action }) => action)).toEqual(['ReceiveMessage'])
  const stranger = messageQueue(
    { ...server.settings, secret_key: 'another' },
    { clock: manualClock(Date.UTC(2026, 8, 20)), memory: processMemory(), timeoutMs: 300 },
  )
  onTestFinished(() => stranger.close())
  expect(await stranger.verify()).toMatchObject({ ok: false, reason: 'unauthorized' })
  const { server: encrypted, queue: keyless } = await open()
  encrypted.send(encrypt('{}', KEY.encryption_key, KEY.encryption_iv))
  expect(await keyless.verify()).toMatchObject({ ok: false, raw: 'encrypted' })
})
