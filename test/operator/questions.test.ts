/** Questions to the owner, notes and reminders: what every agent may keep and ask. */
import { describe, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/kernel/clock.ts'
import { addKey } from '../people/keys.ts'
import { startService } from '../support/service.ts'

const QUESTION = { kind: 'note', summary: 'Which water?', reasoning: 'Two are listed.', options: ['Small', 'Large'] }

describe('asking the owner', () => {
  test('one of the options is the answer; it is in the approval and in an event', async () => {
    const service = await startService()
    const asked = await service.post('/approvals', QUESTION)
    expect(asked.status).toBe(201)
    expect(asked.body).toMatchObject({ kind: 'note', status: 'pending', options: ['Small', 'Large'], approved: null })
    const { id } = asked.body
    expect(asked.body.subject).toEqual({ type: 'note', id })
    const answered = await service.post(`/approvals/${id}`, { approved: true, option: 'Large', comment: 'for summer' })
    expect(answered.status).toBe(200)
    const { body } = await service.get(`/approvals/${id}`)
    expect(body).toMatchObject({ status: 'approved', answer: { option: 'Large', comment: 'for summer' } })
    const [told] = (await service.get('/events?kind=approval')).body.events
    expect(told).toMatchObject({ code: 'question_answered', params: { answer: 'Large', summary: 'Which water?' } })
    expect((await service.post(`/approvals/${id}`, { approved: true })).status).toBe(409)
  })

  test('a question about a purchase does not approve it', async () => {
    const service = await startService()
    const subject = { type: 'checkout', id: 'PO-1' }
    const first = await service.post('/approvals', { ...QUESTION, subject })
    const second = await service.post('/approvals', { ...QUESTION, subject })
    expect([first.status, second.status]).toEqual([201, 201])
    expect(first.body.subject).toEqual(subject)
    expect((await service.post(`/approvals/${first.body.id}`, { approved: true })).status).toBe(200)
    expect((await service.get('/approvals')).body.approvals).toHaveLength(1)
  })

  test.each([
    ['an unknown option', { approved: true, option: 'Huge' }],
    ['an option that is refused', { approved: false, option: 'Large' }],
  ])('%s: 400, and it stays open', async (_what, answer) => {
    const service = await startService()
    const { id } = (await service.post('/approvals', QUESTION)).body
    const { status, body } = await service.post(`/approvals/${id}`, answer)
    expect(status).toBe(400)
    expect(body.messages[0]).toMatchObject({ code: 'invalid', path: '$.option' })
    expect((await service.get(`/approvals/${id}`)).body.status).toBe('pending')
  })

  test.each([
    [{ reasoning: undefined }, '$.reasoning'],
    [{ options: ['one'] }, '$.options'],
    [{ options: ['same', 'same '] }, '$.options'],
    [{ params: { question: 'unlinked_products', count: 1, products: 'Water' } }, '$.params'],
    [{ params: { question: 'constructor' } }, '$.params'],
    [{ kind: 'swap' }, '$.kind'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, '$.expires_at'],
    [{ expires_at: 'tomorrow' }, '$.expires_at'],
    [{ expires_at: '2029-01-01T00:00:00Z' }, '$.expires_at'],
  ])('%j: 400 and nothing is asked', async (change, path) => {
    const service = await startService()
    const { status, body } = await service.post('/approvals', { ...QUESTION, ...change })
    expect([status, body.messages[0]?.path]).toEqual([400, path])
    expect((await service.get('/approvals')).body.approvals).toEqual([])
  })

  test('not answered in time: rejected with the code expired, 409 on an answer, before and after the job', async () => {
    const service = await startService()
    const ask = async () =>
      (await service.post('/approvals', { ...QUESTION, expires_at: '2026-09-11T08:00:00+08:00' })).body.id
    const [first, second] = [await ask(), await ask()]
    service.clock.advance(DAY)
    const late = await service.post(`/approvals/${first}`, { approved: true })
    expect([late.status, late.body.messages[0].code]).toEqual([409, 'expired'])
    await service.job('expire-questions')
    for (const id of [first, second]) {
      const { body } = await service.get(`/approvals/${id}`)
      expect(body).toMatchObject({ status: 'rejected', code: 'expired' })
      expect(body.answer).toBeUndefined()
    }
    expect((await service.post(`/approvals/${second}`, { approved: false })).status).toBe(409)
  })

  test('the 21st pending question of a key is refused; decisions and other keys keep their places', async () => {
    const service = await startService()
    const { key: token } = await addKey(service, 'operator')
    for (let n = 0; n < 20; n++) expect((await service.post('/approvals', QUESTION, { token })).status).toBe(201)
    const more = await service.post('/approvals', QUESTION, { token })
    expect([more.status, more.body.messages[0].code]).toEqual([429, 'too_many_pending'])
    expect((await service.post('/approvals', QUESTION)).status).toBe(201)
  })

  test('under the emergency stop it is answered all the same: nothing is sent', async () => {
    const service = await startService()
    const { id } = (await service.post('/approvals', QUESTION)).body
    await service.post('/guardrails/stop', { reason: 'test' })
    expect((await service.post(`/approvals/${id}`, { approved: true, option: 'Small' })).status).toBe(200)
  })

  test('once an owner exists, only an owner answers', async () => {
    const service = await startService()
    const owner = await addKey(service, 'owner')
    const agent = await addKey(service, 'operator')
    const { id } = (await service.post('/approvals', QUESTION, { token: agent.key })).body
    expect((await service.post(`/approvals/${id}`, { approved: true }, { token: agent.key })).status).toBe(403)
    expect((await service.post(`/approvals/${id}`, { approved: true }, { token: owner.key })).status).toBe(200)
  })
})

describe('notes', () => {
  test('are read by their own key only, replaced, and gone once deleted', async () => {
    const service = await startService()
    const { key: token } = await addKey(service, 'operator')
    expect((await service.put('/notes/acme', { text: 'late on Fridays' }, { token })).status).toBe(200)
    await service.put('/notes/acme', { text: 'on time' }, { token })
    expect((await service.get('/notes/acme', { token })).body).toMatchObject({
      name: 'acme',
      text: 'on time',
      bytes: 7,
    })
    expect((await service.get('/notes/acme')).status).toBe(404)
    expect((await service.get('/notes', { token })).body.notes).toHaveLength(1)
    expect((await service.get('/notes')).body.notes).toEqual([])
    const { status, body } = await service.call('DELETE', '/notes/acme', { token })
    expect([status, body.removed]).toEqual([200, true])
    expect((await service.call('DELETE', '/notes/acme', { token })).status).toBe(404)
  })

  test('8,192 bytes, not characters; the 101st is refused, and one of the hundred may still change', async () => {
    const service = await startService()
    expect((await service.put('/notes/a', { text: '水'.repeat(2730) })).status).toBe(200)
    expect((await service.put('/notes/a', { text: '水'.repeat(2731) })).status).toBe(400)
    for (let n = 0; n < 99; n++) await service.put(`/notes/n${n}`, { text: 'x' })
    expect((await service.put('/notes/one-more', { text: 'x' })).status).toBe(409)
    expect((await service.put('/notes/n7', { text: 'y' })).status).toBe(200)
  })
})

test('a reminder is told once, when it is due', async () => {
  const service = await startService()
  expect((await service.post('/reminders', { at: '2020-01-01T00:00:00Z', text: 'too late' })).status).toBe(400)
  const { status } = await service.post('/reminders', { at: '2026-09-10T09:00:00+08:00', text: 'look again' })
  expect(status).toBe(201)
  const run = () => service.job('reminders')
  await run()
  expect(await service.events('operator')).toEqual([])
  service.clock.advance(61 * MINUTE)
  await run()
  await run()
  expect(await service.events('operator')).toMatchObject([{ code: 'reminder_due', params: { text: 'look again' } }])
})
