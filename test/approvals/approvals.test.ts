import { describe, expect, test } from 'vitest'
import { approvalsHandlers } from '../../src/rules/approvals/index.ts'
import { findDecision, createPending, recordApproved, withdrawDecision } from '../../src/rules/approvals/records.ts'
import type { NewDecision } from '../../src/rules/approvals/records.ts'
import type { Subject } from '../../src/rules/approvals/subjects.ts'
import { recordEvent } from '../../src/record/events/records.ts'
import { releaseKillSwitch } from '../../src/rules/guardrails/kill-switch.ts'
import { runAs } from '../../src/kernel/caller.ts'
import { error } from '../../src/kernel/message.ts'
import { RULES, loseReplies, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const noSubjectEffect: Subject = { applyDecision: () => Promise.resolve() }

let slots = 0
const about = (more: Partial<NewDecision> = {}): NewDecision => ({
  kind: 'swap',
  summary: 'Swap lane 3',
  reasoning: 'It sold nothing for a month.',
  subject: { type: 'slot', id: `M1001-G-${(slots += 1)}` },
  ...more,
})

const open = (service: Service, more?: Partial<NewDecision>) =>
  service.ctx.store.transaction((tx) => createPending(service.ctx, tx, about(more)))

const resolve = (service: Service, id: string, body: object) => service.post(`/approvals/${id}`, body)

describe('4.8 GET /approvals', () => {
  test('lists those that wait, oldest first; other states, newest first, when asked', async () => {
    const service = await startService()
    const [yes, no, first, second] = [
      await open(service),
      await open(service),
      await open(service),
      await open(service, { kind: 'note' }),
    ]
    await resolve(service, yes, { approved: true })
    await resolve(service, no, { approved: false })
    const ids = async (query: string) =>
      (await service.get(`/approvals${query}`)).body.approvals.map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual([first, second])
    expect(await ids('?status=pending')).toEqual([first, second])
    expect(await ids('?status=approved')).toEqual([yes])
    expect(await ids('?status=rejected')).toEqual([no])
    expect(await ids('?status=all')).toEqual([second, first, no, yes])
    expect(await ids('?status=all&kind=swap')).toEqual([first, no, yes])
    expect(await ids('?kind=note')).toEqual([second])
    expect(await ids('?kind=price_change')).toEqual([])
  })

  test('a page ends with a cursor from which the next goes on, also when new ones arrive', async () => {
    const service = await startService()
    const opened = []
    for (let n = 0; n < 5; n += 1) opened.push(await open(service))
    const one = (await service.get('/approvals?limit=2')).body
    const late = await open(service)
    const two = (await service.get(`/approvals?limit=2&cursor=${one.pagination.cursor}`)).body
    const three = (await service.get(`/approvals?limit=2&cursor=${two.pagination.cursor}`)).body
    expect([one, two, three].flatMap((page) => page.approvals.map(({ id }: { id: string }) => id))).toEqual([
      ...opened,
      late,
    ])
    expect(three.pagination).toEqual({ has_next_page: false })
  })

  test.each([
    ['status=done', '$.status'],
    ['kind=purchase', '$.kind'],
    ['cursor=nonsense', '$.cursor'],
    ['limit=0', '$.limit'],
  ])('%s is invalid', async (query, path) => {
    const service = await startService()
    const { status, body } = await service.get(`/approvals?${query}`)
    expect(status).toBe(400)
    expect(body.messages[0]).toMatchObject({ code: 'invalid', path })
  })
})

describe('4.8 GET /approvals/{id}', () => {
  test('gives the decision with its subject and evidence', async () => {
    const service = await startService()
    const id = await open(service, { subject: { type: 'slot', id: 'M1001-G-0001' } })
    expect(id).toMatch(/^dec-\d+-\d+$/)
    const { status, body } = await service.get(`/approvals/${id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      kind: 'swap',
      at: '2026-09-10T08:00:00.000+08:00',
      summary: 'Swap lane 3',
      reasoning: 'It sold nothing for a month.',
      subject: { type: 'slot', id: 'M1001-G-0001' },
      status: 'pending',
      approved: null,
    })
  })

  test.each(['dec-1-1', 'dec-1789000000000-99', 'nonsense', 'dec-1e3-1', 'dec-9999999999999999-9999999999999999'])(
    '404 for %s',
    async (id) => {
      const service = await startService()
      await open(service)
      expect((await service.get(`/approvals/${id}`)).status).toBe(404)
      expect((await resolve(service, id, { approved: true })).status).toBe(404)
    },
  )

  test('the number alone does not find it: the whole id is the identity', async () => {
    const service = await startService()
    const id = await open(service)
    const wrong = id.replace(/^dec-\d+/, 'dec-1')
    expect((await service.get(`/approvals/${wrong}`)).status).toBe(404)
  })
})

describe('3.3 resolving', () => {
  test.each([
    [true, 'approved'],
    [false, 'rejected'],
  ])('approved: %s makes it %s, with an event', async (approved, status) => {
    const service = await startService()
    const id = await open(service)
    service.clock.advance(5000)
    const answer = await resolve(service, id, { approved })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id, status, approved, resolved_at: '2026-09-10T08:00:05.000+08:00' })
    expect((await service.get(`/approvals/${id}`)).body).toMatchObject({ status, approved })
    const events = await service.events('approval')
    expect(events).toHaveLength(1)
    expect(events[0].summary).toContain(id)
    expect(events[0].summary).toContain(status)
  })

  test('sent again with its Idempotency-Key after the process died before it could answer: the same answer, one event', async () => {
    const service = await startService()
    const id = await open(service)
    const send = (key: string) =>
      service.post(`/approvals/${id}`, { approved: true }, { headers: { 'idempotency-key': key } })
    const first = await send('decision-1')
    await loseReplies(service)
    const again = await send('decision-1')
    expect([again.status, again.body]).toEqual([200, first.body])
    const other = await send('decision-2')
    expect([other.status, other.body.messages[0].code]).toEqual([409, 'already_resolved'])
    expect((await service.events('approval')).filter(({ code }) => code === 'decision_approved')).toHaveLength(1)
  })

  test.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])('once resolved (%s) it stays so: 409 for %s', async (first, second) => {
    const service = await startService()
    const id = await open(service)
    await resolve(service, id, { approved: first })
    const again = await resolve(service, id, { approved: second })
    expect(again.status).toBe(409)
    expect(again.body.messages[0].code).toBe('already_resolved')
    expect((await service.get(`/approvals/${id}`)).body.approved).toBe(first)
    expect(await service.events('approval')).toHaveLength(1)
  })

  test('of many at the same moment one decides', async () => {
    const one = await startService()
    const other = await startService({ store: one.ctx.store })
    const id = await open(one)
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) => resolve(n % 2 ? one : other, id, { approved: n % 3 === 0 })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(15)
    const won = answers.find(({ status }) => status === 200)
    expect((await one.get(`/approvals/${id}`)).body.approved).toBe(won?.body.approved)
    expect(await one.events('approval')).toHaveLength(1)
  })

  test.each([
    [{}, 'missing'],
    [{ approved: null }, 'missing'],
    [{ approved: 'true' }, 'invalid'],
    [{ approved: 1 }, 'invalid'],
    [{ approved: true, resolver: { channel: 'mail' } }, 'invalid'],
    [{ approved: true, resolver: {} }, 'missing'],
  ])('%j is %s and decides nothing', async (body, code) => {
    const service = await startService()
    const id = await open(service)
    const answer = await resolve(service, id, body)
    expect(answer.status).toBe(400)
    expect(answer.body.messages[0].code).toBe(code)
    expect((await service.get(`/approvals/${id}`)).body.status).toBe('pending')
  })
})

describe('3.3 under the emergency stop', () => {
  const stops: readonly (readonly [string, (service: Service) => Promise<unknown>])[] = [
    ['pulled', (service) => service.post('/guardrails/stop', { reason: 'smoke' })],
    [
      'in the file',
      async (service) => service.writeRules({ ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } }),
    ],
    [
      'pulled while the rules cannot be read',
      async (service) => {
        service.writeRules('broken')
        await service.post('/guardrails/stop', { reason: 'smoke' })
      },
    ],
  ]
  test.each(stops)('%s: approving is 409 and the decision stays pending', async (_name, stop) => {
    const service = await startService()
    const id = await open(service)
    await stop(service)
    const { status, body } = await resolve(service, id, { approved: true })
    expect([status, body.messages[0].code]).toEqual([409, 'kill_switch_engaged'])
    expect((await service.get(`/approvals/${id}`)).body.status).toBe('pending')
    expect(await service.events('approval')).toEqual([])
  })

  test.each(stops)('%s: rejecting is possible', async (_name, stop) => {
    const service = await startService()
    const id = await open(service)
    await stop(service)
    expect((await resolve(service, id, { approved: false })).body.status).toBe('rejected')
  })

  test('released, the same decision can be approved', async () => {
    const service = await startService()
    const id = await open(service)
    await service.post('/guardrails/stop', { reason: 'smoke' })
    await resolve(service, id, { approved: true })
    await releaseKillSwitch(service.ctx, { by: 'host', reason: 'checked' })
    expect((await resolve(service, id, { approved: true })).body.status).toBe('approved')
  })
})

describe('3.3 the resolver must be a registered administrator', () => {
  test.each([
    ['an administrator at the dashboard', { channel: 'dashboard', sender_id: 'ou_owner' }, 200],
    ['an administrator in a registered chat', { channel: 'chat', sender_id: 'ou_owner', chat_id: 'oc_ops' }, 200],
    ['somebody else at the dashboard', { channel: 'dashboard', sender_id: 'ou_guest' }, 403],
    ['nobody in particular', { channel: 'dashboard' }, 403],
    ['an administrator in another chat', { channel: 'chat', sender_id: 'ou_owner', chat_id: 'oc_else' }, 403],
    ['an administrator in no chat', { channel: 'chat', sender_id: 'ou_owner' }, 403],
    ['somebody else in a registered chat', { channel: 'chat', sender_id: 'ou_guest', chat_id: 'oc_ops' }, 403],
    ['another spelling', { channel: 'dashboard', sender_id: 'OU_OWNER' }, 403],
    ['a name of every object', { channel: 'dashboard', sender_id: 'constructor' }, 403],
  ])('%s', async (_name, resolver, status) => {
    const service = await startService()
    const id = await open(service)
    const answer = await resolve(service, id, { approved: true, resolver })
    expect(answer.status).toBe(status)
    const read = (await service.get(`/approvals/${id}`)).body
    expect(read.status).toBe(status === 200 ? 'approved' : 'pending')
    if (status === 200) expect(read.resolved_by).toContain('ou_owner')
    else expect(answer.body.messages[0]).toMatchObject({ code: 'forbidden', severity: 'unrecoverable' })
    expect(await service.events('approval')).toHaveLength(status === 200 ? 1 : 0)
  })

  test('a resolver cannot be checked while the rules are unreadable: 503, still pending', async () => {
    const service = await startService()
    const id = await open(service)
    service.writeRules('broken')
    const named = await resolve(service, id, {
      approved: true,
      resolver: { channel: 'dashboard', sender_id: 'ou_owner' },
    })
    expect(named.status).toBe(503)
    expect(named.body.messages[0].code).toBe('guard_unverifiable')
    expect((await service.get(`/approvals/${id}`)).body.status).toBe('pending')
  })

  test('approving while the rules are unreadable: 503, still pending; rejecting is possible', async () => {
    const service = await startService()
    const id = await open(service)
    service.writeRules('broken')
    const { status, body } = await resolve(service, id, { approved: true })
    expect([status, body.messages[0].code]).toEqual([503, 'guard_unverifiable'])
    expect((await service.get(`/approvals/${id}`)).body.status).toBe('pending')
    expect((await resolve(service, id, { approved: false })).status).toBe(200)
  })

  test('who is removed from the file can no longer decide', async () => {
    const service = await startService()
    const id = await open(service)
    service.writeRules({ ...RULES, administrators: [] })
    const resolver = { channel: 'dashboard', sender_id: 'ou_owner' }
    expect((await resolve(service, id, { approved: true, resolver })).status).toBe(403)
  })
})

describe('the subject moves with the decision', () => {
  const withSubject = (service: Service, slot: Subject) => {
    const subjects = {
      slot,
      checkout: noSubjectEffect,
      price_change: noSubjectEffect,
      replenishment_run: noSubjectEffect,
      note: noSubjectEffect,
    }
    const { resolveApproval } = approvalsHandlers(service.ctx, subjects)
    return (id: string, approved: boolean) =>
      resolveApproval({ params: { id }, query: {}, body: { approved }, context: { requestId: 'r', headers: {} } })
  }

  test('in the same transaction, and what follows only once it is committed', async () => {
    const service = await startService()
    const id = await open(service)
    const seen: string[] = []
    const decide = withSubject(service, {
      async applyDecision(tx, decision, approved) {
        const inside = await findDecision(tx, decision.id)
        seen.push(`move ${inside?.status} ${decision.status} ${approved}`)
      },
      async afterCommit(decision, approved) {
        const outside = await findDecision(service.ctx.store.db, decision.id)
        seen.push(`after ${outside?.status} ${approved}`)
        return [error('supplier_rejected', 'the machine is asleep')]
      },
    })
    const outcome = await decide(id, true)
    expect(seen).toEqual(['move approved approved true', 'after approved true'])
    expect(outcome).toMatchObject({ ok: true, value: { body: { messages: [{ code: 'supplier_rejected' }] } } })
  })

  test('the earlier run of the same write commits in between: its answer, with what followed, and one event', async () => {
    const service = await startService()
    const id = await open(service)
    const asSameWrite = <T>(work: () => T): T => runAs({ requestId: 'r', writeId: 'write-1' }, work)
    const followed = [error('supplier_rejected', 'the machine is asleep')]
    const first = withSubject(service, noSubjectEffect)
    const second = withSubject(service, {
      prepare: async () => void (await asSameWrite(() => first(id, true))),
      applyDecision: () => expect.fail('it was decided'),
      afterCommit: () => Promise.resolve(followed),
    })
    const outcome = await asSameWrite(() => second(id, true))
    expect(outcome).toMatchObject({ ok: true, value: { body: { id, status: 'approved', messages: followed } } })
    expect(await service.events('approval')).toHaveLength(1)
  })

  test('a subject that cannot move leaves the decision open, and no event', async () => {
    const service = await startService()
    const id = await open(service)
    const decide = withSubject(service, {
      async applyDecision(tx) {
        await recordEvent(service.ctx, tx, {
          kind: 'order',
          code: 'purchase_ordered',
          params: { purchase: 'po-1' },
          summary: 'half a move',
          reasoning: '',
        })
        throw new Error('stuck')
      },
      afterCommit: () => expect.fail('nothing was committed'),
    })
    await expect(decide(id, true)).rejects.toThrow('stuck')
    expect((await service.get(`/approvals/${id}`)).body.status).toBe('pending')
    expect(await service.events()).toEqual([])
  })

  test('a subject that closes itself beforehand cannot be approved any more', async () => {
    const service = await startService()
    const id = await open(service)
    const decide = withSubject(service, {
      prepare: (decision) =>
        service.ctx.store.transaction(async (tx) => {
          await withdrawDecision(service.ctx, tx, decision.id, 'It expired.')
        }),
      applyDecision: () => expect.fail('it was closed'),
    })
    expect(await decide(id, true)).toMatchObject({ ok: false, refusal: { messages: [{ code: 'already_resolved' }] } })
  })
})

describe('decisions of the service itself', () => {
  test('a withdrawn decision is rejected, with an event, and cannot be approved', async () => {
    const service = await startService()
    const id = await open(service)
    const { store } = service.ctx
    const withdraw = () => store.transaction((tx) => withdrawDecision(service.ctx, tx, id, 'The basket changed.'))
    expect(await withdraw()).toBe(true)
    expect(await withdraw(), 'already resolved: nothing happens').toBe(false)
    expect((await resolve(service, id, { approved: true })).status).toBe(409)
    expect((await service.get(`/approvals/${id}`)).body).toMatchObject({ status: 'rejected', resolved_by: 'service' })
    expect(await service.events('approval')).toMatchObject([{ reasoning: 'The basket changed.' }])
  })

  test('an approved decision is not withdrawn', async () => {
    const service = await startService()
    const id = await open(service)
    await resolve(service, id, { approved: true })
    const { store } = service.ctx
    expect(await store.transaction((tx) => withdrawDecision(service.ctx, tx, id, 'late'))).toBe(false)
    expect((await service.get(`/approvals/${id}`)).body.status).toBe('approved')
    expect(await service.events('approval')).toHaveLength(1)
  })

  test('a decision can be recorded as already taken by the rules', async () => {
    const service = await startService()
    const id = await service.ctx.store.transaction((tx) =>
      recordApproved(service.ctx, tx, about({ kind: 'restock_plan' })),
    )
    expect((await service.get(`/approvals/${id}`)).body).toMatchObject({ status: 'approved', approved: true })
    expect((await resolve(service, id, { approved: false })).status).toBe(409)
  })

  test('a subject has at most one decision that waits, and a new one once that is closed', async () => {
    const service = await startService()
    const subject = { type: 'slot', id: 'M1001-once' } as const
    const id = await open(service, { subject })
    await expect(open(service, { subject })).rejects.toThrow(/unique/i)
    await resolve(service, id, { approved: false })
    expect(await open(service, { subject })).not.toBe(id)
  })

  test('ids are unique within one millisecond', async () => {
    const service = await startService()
    const ids = await Promise.all(Array.from({ length: 20 }, () => open(service)))
    expect(new Set(ids).size).toBe(20)
  })
})
