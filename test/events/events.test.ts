import { describe, expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../../src/kernel/clock.ts'
import { OWN_EVENT_KINDS } from '../../src/contract/event-codes.ts'
import { recordEvent } from '../../src/record/events/records.ts'
import { eventStream } from '../../src/record/events/stream.ts'
import type { StoredEvent } from '../../src/record/events/event.ts'
import { silentLog } from '../../src/kernel/log.ts'
import { openStore } from '../../src/store/open.ts'
import { DATABASE, databaseUrl } from '../support/database.ts'
import { NOW, startService } from '../support/service.ts'

const event = { kind: 'note', summary: 'shelf checked', reasoning: 'weekly round' }
/** Of the service. */
const ordered = { kind: 'order', code: 'purchase_ordered', params: { purchase: 'po-1' }, reasoning: '' } as const

describe('4.9 events', () => {
  test('POST /events stores the event and answers 201 with id and occurred_at in the operator zone', async () => {
    const service = await startService()
    const { status, body } = await service.post('/events', { ...event, location: 'M1001' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...event, location: 'M1001', occurred_at: '2026-09-10T08:00:00.000+08:00' })
    expect(body.id).toMatch(/^evt-1788998400000-\d+$/)
  })

  test('there is no de-duplication: the same event twice is two events', async () => {
    const service = await startService()
    await service.post('/events', event)
    await service.post('/events', event)
    const events = await service.events()
    expect(events).toHaveLength(2)
    expect(new Set(events.map(({ id }) => id)).size).toBe(2)
  })

  test('kind, summary and reasoning are required', async () => {
    const service = await startService()
    for (const field of ['kind', 'summary', 'reasoning'] as const) {
      const { status, body } = await service.post('/events', { ...event, [field]: undefined })
      expect([status, body.messages[0].code, body.messages[0].path]).toEqual([400, 'missing', `$.${field}`])
    }
  })

  test('GET /events lists newest stored first, 50 by default, filtered by location and kind', async () => {
    const service = await startService()
    for (let i = 0; i < 60; i++)
      await service.post('/events', {
        ...event,
        summary: `n${i}`,
        ...(i % 2 ? { location: 'M1' } : {}),
        kind: i % 3 ? 'a' : 'b',
      })
    const all = (await service.get('/events')).body.events
    expect(all).toHaveLength(50)
    expect([all[0].summary, all[49].summary]).toEqual(['n59', 'n10'])
    const some = (await service.get('/events?limit=3&location=M1&kind=b')).body.events
    expect(some.map(({ summary }: { summary: string }) => summary)).toEqual(['n57', 'n51', 'n45'])
  })

  test('since a time, and page by page', async () => {
    const service = await startService()
    const { ctx } = service
    for (let i = 0; i < 7; i++) {
      await service.post('/events', { ...event, summary: `n${i}` })
      service.clock.advance(40 * 60_000)
    }
    // Stored last, and happened long before.
    await ctx.store.transaction((tx) =>
      recordEvent(ctx, tx, { ...ordered, summary: 'late', occurredAt: NOW - 9_000_000 }),
    )
    const seen: string[] = []
    const since = encodeURIComponent('2026-09-10T09:20:00+08:00')
    for (let cursor = ''; ;) {
      const { body } = await service.get(`/events?since=${since}&limit=2${cursor}`)
      seen.push(...body.events.map(({ summary }: { summary: string }) => summary))
      if (!body.pagination.has_next_page) break
      cursor = `&cursor=${body.pagination.cursor}`
    }
    expect(seen).toEqual(['late', 'n6', 'n5', 'n4', 'n3', 'n2'])
    const listed = async (query: string) =>
      (await service.get(`/events?${query}`)).body.events.map(({ summary }: { summary: string }) => summary)
    const until = encodeURIComponent('2026-09-10T10:40:00+08:00')
    expect(await listed(`since=${since}&until=${until}`)).toEqual(['n3', 'n2'])
    // Who wrote it, or did what it tells of; what a job did is nobody's.
    expect(await listed('by=operator&limit=2')).toEqual(['n6', 'n5'])
    expect(await listed('by=nobody')).toEqual([])
    for (const query of ['since=2026-09-10', 'until=tomorrow', 'since=yesterday', 'cursor=abc']) {
      const { status, body } = await service.get(`/events?${query}`)
      expect([status, body.messages[0].path], query).toEqual([400, `$.${query.split('=')[0]}`])
    }
  })

  test('6.1 occurred_at is when it happened; the order is that of storing', async () => {
    const service = await startService()
    const { ctx } = service
    await ctx.store.transaction((tx) =>
      recordEvent(ctx, tx, { ...ordered, summary: 'old', occurredAt: NOW - 5_000_000 }),
    )
    await service.post('/events', event)
    await ctx.store.transaction((tx) =>
      recordEvent(ctx, tx, { ...ordered, summary: 'older', occurredAt: NOW - 9_000_000 }),
    )
    expect((await service.events()).map(({ summary }) => summary)).toEqual(['older', 'shelf checked', 'old'])
  })

  test('6.4 events of the service carry source service; those of a caller source caller and who wrote them', async () => {
    const service = await startService()
    const own = await service.post('/events', event)
    expect(own.body).toMatchObject({ source: 'caller', author: 'operator' })
    const profile = 'https://agent.example/profile'
    const headers = { 'ucp-agent': `profile="${profile}"` }
    expect((await service.post('/events', event, { headers })).body.author).toBe(profile)
    await service.put('/locations/M1', { name: 'one' })
    const [written] = await service.events('location')
    expect([written.source, written.author]).toEqual(['service', undefined])
  })

  test.each(['оrder', 'Ｏrder', 'ОRDER', 'or\u200bder', 'price-change', 'sуnc'])(
    '6.2 nor of a kind that looks like one: %s',
    async (kind) => {
      const service = await startService()
      const { status, body } = await service.post('/events', { ...event, kind })
      expect([status, body.messages[0].code, body.messages[0].path]).toEqual([400, 'invalid', '$.kind'])
    },
  )

  test('a location that cannot be an id is refused', async () => {
    const service = await startService()
    const { status, body } = await service.post('/events', { ...event, location: 'no id: at all' })
    expect([status, body.messages[0].path]).toEqual([400, '$.location'])
    expect((await service.post('/events', { ...event, location: 'M1001' })).status).toBe(201)
  })

  test('6.2 a caller cannot write an event of a kind that the service writes', async () => {
    const service = await startService()
    for (const kind of OWN_EVENT_KINDS) {
      const { status, body } = await service.post('/events', { ...event, kind })
      expect([status, body.messages[0].code, body.messages[0].path], kind).toEqual([400, 'invalid', '$.kind'])
    }
    expect(await service.events()).toEqual([])
  })

  test('websocket_url leads to the event stream at the public address', async () => {
    const service = await startService()
    expect((await service.get('/events')).body.websocket_url).toBe('wss://vending.example.com/ucp/v1/events/stream')
  })
})

describe('the stream delivers what was committed, once, on every instance', () => {
  const until = async (done: () => boolean): Promise<void> => {
    await expect.poll(done, { interval: 10 }).toBe(true)
  }

  test('events of one instance reach the listeners of another', async () => {
    const url = await databaseUrl()
    const stores = [await openStore(url), await openStore(url)] as const
    const clock = manualClock(NOW)
    const received: [StoredEvent[], StoredEvent[]] = [[], []]
    const streams = stores.map((store) => eventStream({ store, log: silentLog }))
    streams.forEach((stream, i) => stream.subscribe((heardEvent) => received[i as 0 | 1].push(heardEvent)))
    await Promise.all(streams.map((stream) => stream.catchUp()))
    for (let i = 0; i < 30; i++) {
      const store = stores[i % 2 === 0 ? 0 : 1]
      await store.transaction((tx) => recordEvent({ store, clock }, tx, { ...ordered, summary: `e${i}` }))
    }
    await until(() => received.every((list) => list.length >= 30))
    for (const list of received)
      expect(list.map(({ summary }) => summary)).toEqual(Array.from({ length: 30 }, (_, i) => `e${i}`))
    await Promise.all(streams.map((stream) => stream.close()))
    await Promise.all(stores.map((store) => store.close()))
  })

  test('an event that is rolled back is never delivered', async () => {
    const service = await startService()
    const { ctx } = service
    const received: string[] = []
    const stream = eventStream(ctx)
    stream.subscribe(({ summary }) => received.push(summary))
    await stream.catchUp()
    const failing = ctx.store.transaction(async (tx) => {
      await recordEvent(ctx, tx, { ...ordered, summary: 'ghost' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await service.post('/events', event)
    await stream.catchUp()
    expect(received).toEqual(['shelf checked'])
    await stream.close()
  })

  test('nothing is read without a subscriber; the next one gets what is committed after it started, once', async () => {
    const service = await startService()
    const { ctx } = service
    const received: string[] = []
    const subscriber = ({ summary }: StoredEvent) => void received.push(summary)
    const stream = eventStream(ctx)
    onTestFinished(() => stream.close())
    const append = (summary: string) => service.post('/events', { ...event, summary })

    const unsubscribe = stream.subscribe(subscriber)
    await stream.start()
    await append('first')
    await stream.catchUp()
    unsubscribe()
    await append('unheard')
    await stream.catchUp()
    stream.subscribe(subscriber)
    await stream.start()
    await append('second')
    await stream.catchUp()
    expect(received).toEqual(['first', 'second'])
  })

  test.runIf(DATABASE === 'postgres')(
    'a transaction that took an earlier number and commits late is still sent',
    async () => {
      const url = await databaseUrl()
      const store = await openStore(url)
      const clock = manualClock(NOW)
      const received: string[] = []
      const stream = eventStream({ store, log: silentLog })
      stream.subscribe(({ summary }) => received.push(summary))
      await stream.catchUp()
      let commit = () => {}
      const mayCommit = new Promise<void>((resolve) => (commit = resolve))
      const late = store.transaction(async (tx) => {
        await recordEvent({ store, clock }, tx, { ...ordered, summary: 'late' })
        await mayCommit
      })
      await store.transaction((tx) => recordEvent({ store, clock }, tx, { ...ordered, summary: 'early' }))
      await stream.catchUp()
      expect(received).toEqual(['early'])
      commit()
      await late
      await stream.catchUp()
      await until(() => received.length === 2)
      expect(received).toEqual(['early', 'late'])
      await stream.close()
      await store.close()
    },
  )
})
