import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import type { EventOrigin, StreamState, VendopsError } from '../../src/client/index.ts'
import { startService, TOKEN } from '../support/service.ts'
import { freePort } from '../support/free-port.ts'

async function listening(port = 0) {
  const service = await startService()
  await service.server.listen({ host: '127.0.0.1', port })
  const address = service.server.server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${address.port}`
  return { service, baseUrl, port: address.port, client: createClient({ baseUrl, token: TOKEN }) }
}

const until = async (done: () => boolean): Promise<void> => {
  await expect.poll(done, { interval: 10 }).toBe(true)
}

/** A port nobody listens on. */
const note = (summary: string) => ({ body: { kind: 'note', summary, reasoning: '' } })

const failed = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it should fail'),
    (error: VendopsError) => error,
  )

describe('the client against the service', () => {
  test('reads and writes, and a write sent twice with one key is executed once', async () => {
    const { client } = await listening()
    expect((await client.discovery()).ucp.version).toBe('2026-08-25')
    const first = await client.appendEvent({ ...note('once'), idempotencyKey: 'k-1' })
    const again = await client.appendEvent({ ...note('once'), idempotencyKey: 'k-1' })
    expect(again.id).toBe(first.id)
    expect((await client.listEvents()).events).toHaveLength(1)
  })

  test('5 a wrong token is unauthorized, and no response is unreachable', async () => {
    const { baseUrl } = await listening()
    const error = await failed(createClient({ baseUrl, token: 'wrong' }).listEvents())
    expect(error).toMatchObject({ status: 401, code: 'unauthorized' })
    expect(error.requestId).toBeDefined()
    const nowhere = createClient({ baseUrl: `http://127.0.0.1:${await freePort()}`, attempts: 2 })
    expect(await failed(nowhere.listEvents())).toMatchObject({ status: 0, code: 'unreachable' })
  })

  test('7 an invalid request is refused with the path of the mistake', async () => {
    const { client } = await listening()
    const error = await failed(client.appendEvent({ body: { kind: 'note' } as never }))
    expect(error).toMatchObject({ status: 400, code: 'missing' })
    expect(error.messages.map(({ path }) => path)).toEqual(['$.summary', '$.reasoning'])
  })
})

/** Everything one listener hears. */
function listener() {
  const heard: [string, EventOrigin][] = []
  const states: StreamState[] = []
  return {
    heard,
    states,
    onEvent: (event: { summary: string }, origin: EventOrigin) => void heard.push([event.summary, origin]),
    onState: (state: StreamState) => void states.push(state),
  }
}

describe('4.9 the event stream of the client', () => {
  test('delivers the history oldest first, then live events, each once', async () => {
    const { client } = await listening()
    await client.appendEvent(note('old 1'))
    await client.appendEvent(note('old 2'))
    const ear = listener()
    const subscription = client.events(ear)
    onTestFinished(() => subscription.close())
    await until(() => ear.heard.length === 2)
    await client.appendEvent(note('new'))
    await until(() => ear.heard.length === 3)
    expect(ear.heard).toEqual([
      ['old 1', 'history'],
      ['old 2', 'history'],
      ['new', 'live'],
    ])
    subscription.close()
    expect(ear.states.map(({ state }) => state)).toEqual(['connecting', 'live', 'closed'])
  })

  test('reconnects and delivers missed events, also beyond the history', async () => {
    const { client, service } = await listening()
    await client.appendEvent(note('before'))
    const ear = listener()
    const subscription = client.events(ear)
    onTestFinished(() => subscription.close())
    await until(() => ear.heard.length === 1)
    const rows = Array.from({ length: 70 }, (_, n) => ({
      stored_at: 1,
      occurred_at: 1,
      kind: 'note',
      summary: `missed ${n}`,
      reasoning: '',
      location: null,
    }))
    // Written behind the stream's back, as during an outage, then the line is cut and taken up again.
    subscription.reconnect()
    await service.ctx.store.db.insertInto('event').values(rows).execute()
    subscription.reconnect()
    await until(() => ear.heard.length >= 71)
    expect(ear.heard.filter(([summary]) => summary.startsWith('missed'))).toHaveLength(70)
    expect(new Set(ear.heard.map(([summary]) => summary)).size).toBe(ear.heard.length)
    await client.appendEvent(note('after'))
    await until(() => ear.heard.at(-1)?.[0] === 'after')
  })

  test('a refused token ends it; an unreachable service is retried', async () => {
    const { baseUrl } = await listening()
    const refused = listener()
    createClient({ baseUrl, token: 'wrong' }).events(refused)
    await until(() => refused.states.at(-1)?.state === 'refused')

    const port = await freePort()
    const ear = listener()
    const subscription = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: TOKEN }).events(ear)
    onTestFinished(() => subscription.close())
    await until(() => ear.states.some(({ state }) => state === 'waiting'))
    const { client } = await listening(port)
    await until(() => ear.states.at(-1)?.state === 'live')
    await client.appendEvent(note('hello'))
    await until(() => ear.heard.length === 1)
  })
})
