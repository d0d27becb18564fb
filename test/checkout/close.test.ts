import { describe, expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../src/kernel/clock.ts'
import { checkoutEvents, codes, complete, create, DEAR, get, line, ready, start } from './support.ts'

const LIFETIME = 24 * HOUR

describe('3.1 cancel', () => {
  test.each([
    ['incomplete', { fulfillment: undefined }],
    ['requires_escalation', DEAR],
    ['ready_for_complete', {}],
  ])('%s: canceled, no supplier call, an event', async (status, more) => {
    const service = await start()
    const { body } = await create(service, more)
    expect(body.status).toBe(status)
    const called = service.supply.script.calls.length
    const { status: http, body: canceled } = await service.post(`/checkout-sessions/${body.id}/cancel`)
    expect([http, canceled.status, canceled.messages]).toEqual([200, 'canceled', []])
    expect([canceled.continue_url, canceled.actions, canceled.order]).toEqual([undefined, undefined, undefined])
    expect(service.supply.script.calls).toHaveLength(called)
    expect(await checkoutEvents(service)).toEqual([`${body.id} canceled`])
    expect((await service.get('/approvals')).body.approvals).toEqual([])
  })

  test('again, or when completed: 409 not_editable', async () => {
    const service = await start()
    const id = await ready(service)
    await complete(service, id)
    const refused = await service.post(`/checkout-sessions/${id}/cancel`)
    expect([refused.status, codes(refused)]).toEqual([409, ['not_editable']])
  })

  test('works while the rules cannot be read and the emergency stop is on: nothing is bought by it', async () => {
    const service = await start()
    const id = await ready(service)
    service.writeRules('{')
    expect((await service.post(`/checkout-sessions/${id}/cancel`)).status).toBe(200)
  })
})

describe('3.1 expiry, 24 hours after creation', () => {
  test('on read: canceled with expired, once', async () => {
    const service = await start()
    const id = await ready(service)
    service.clock.advance(LIFETIME - 1)
    expect((await get(service, id)).status).toBe('ready_for_complete')
    service.clock.advance(1)
    const [one, two] = await Promise.all([get(service, id), get(service, id)])
    expect(one).toMatchObject({ status: 'canceled', messages: [{ code: 'expired', severity: 'unrecoverable' }] })
    expect(two).toEqual(one)
    expect(await checkoutEvents(service)).toEqual([`${id} expired`])
  })

  test('by the job, also sessions that are not read; a PUT does not extend it', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    service.clock.advance(LIFETIME - MINUTE)
    await service.put(`/checkout-sessions/${body.id}`, { line_items: [line('acme-supply:SP1001', 30, 'BX')] })
    service.clock.advance(MINUTE)
    await service.job('checkout-expiry')
    expect((await service.get('/approvals')).body.approvals).toEqual([])
    expect(await checkoutEvents(service)).toEqual([`${body.id} expired`])
    const listed = (await service.get('/checkout-sessions?status=canceled')).body.checkouts
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([body.id])
  })

  test('PUT and cancel come too late: 409', async () => {
    const service = await start()
    const ids = [await ready(service), await ready(service)]
    service.clock.advance(LIFETIME)
    expect((await service.put(`/checkout-sessions/${ids[0]}`, {})).status).toBe(409)
    expect((await service.post(`/checkout-sessions/${ids[1]}/cancel`)).status).toBe(409)
    expect(codes(await get(service, ids[1] ?? ''))).toEqual(['expired'])
  })

  test('an approval comes too late: 409 already_resolved, the session is canceled', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    service.clock.advance(LIFETIME)
    const late = await service.post(`/approvals/${body.actions['com.example.vending.approval'][0].id}`, {
      approved: true,
    })
    expect([late.status, codes(late)]).toEqual([409, ['already_resolved']])
    expect((await get(service, body.id)).status).toBe('canceled')
  })

  test('a completed session does not expire', async () => {
    const service = await start()
    const id = await ready(service)
    await complete(service, id)
    service.clock.advance(10 * LIFETIME)
    await service.job('checkout-expiry')
    expect((await get(service, id)).status).toBe('completed')
  })
})

describe('GET /checkout-sessions', () => {
  test('newest first, a page at a time, stable while others arrive', async () => {
    const service = await start()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      ids.unshift(await ready(service))
      if (n % 2) service.clock.advance(1000)
    }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await service.get(`/checkout-sessions?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...body.checkouts.map(({ id }: { id: string }) => id))
      cursor = body.pagination.cursor
      expect(body.pagination.has_next_page).toBe(cursor !== undefined)
      await ready(service)
    } while (cursor)
    expect(seen).toEqual(ids)
  })

  test('by status and vendor; a cursor of somebody else is invalid', async () => {
    const service = await start()
    const [open, done] = [await ready(service), await ready(service)]
    await complete(service, done)
    const ids = async (query: string) =>
      (await service.get(`/checkout-sessions?${query}`)).body.checkouts.map(({ id }: { id: string }) => id)
    expect(await ids('status=completed')).toEqual([done])
    expect(await ids('status=ready_for_complete')).toEqual([open])
    expect(await ids('vendor=other-supply')).toEqual([])
    for (const cursor of ['x', Buffer.from('[1,"\\u0000"]').toString('base64url')])
      expect((await service.get(`/checkout-sessions?cursor=${cursor}`)).status).toBe(400)
    expect((await service.get('/checkout-sessions?status=nope')).status).toBe(400)
  })
})
