/** The hash chain: what was decided, attempted, repriced and stopped cannot be rewritten without being noticed. */
import { expect, test } from 'vitest'
import { auditChain } from '../../src/views/audit/index.ts'
import { readChain } from '../../src/record/hash-chain/index.ts'
import { releaseKillSwitch } from '../../src/rules/guardrails/index.ts'
import { line, SHIPPING, start, WATER } from '../checkout/support.ts'
import { change, COLA, line as price, priceRequest, startPricing } from '../pricing/machines.ts'
import type { Service } from '../support/service.ts'
import { addKey } from './keys.ts'

const buy = async (service: Service, boxes: number) => {
  const body = { line_items: [line(WATER, boxes, 'BX')], fulfillment: SHIPPING }
  const session = await service.post('/checkout-sessions', body)
  const decision: string | undefined = session.body.actions?.['com.example.vending.approval'][0].id
  if (decision !== undefined) await service.post(`/approvals/${decision}`, { approved: true })
  await service.post(`/checkout-sessions/${session.body.id}/complete`, { confirm: true })
  return { id: session.body.id as string, decision }
}

const kindsOf = async ({ ctx }: Service) => (await Array.fromAsync(readChain(ctx.store.db))).map(({ kind }) => kind)

const problemsOf = async ({ ctx }: Service) => (await auditChain(ctx.store)).problems

test('decisions, attempts, stop, release and keys are in it, with who did it', async () => {
  const service = await start()
  await buy(service, 20)
  await service.post('/guardrails/stop', { reason: 'test' })
  await releaseKillSwitch(service.ctx, { by: 'root@host', reason: 'checked' })
  await addKey(service, 'owner', 'Wang')
  const kinds = ['rules', 'decision', 'decision', 'attempt', 'attempt', 'stop', 'release', 'person']
  expect(await kindsOf(service)).toEqual(kinds)
  const [file, first] = await Array.fromAsync(readChain(service.ctx.store.db))
  expect(file?.by).toEqual({ name: 'rules file', role: 'host' })
  expect(first?.by).toEqual({ name: 'operator', role: 'operator' })
  const onServer = (await Array.fromAsync(readChain(service.ctx.store.db))).slice(-2)
  expect(onServer.map(({ by }) => by)).toEqual([
    { name: 'root@host', role: 'host' },
    { name: 'root@host', role: 'host' },
  ])
  expect(await problemsOf(service)).toEqual([])
})

test('a price change is in it from the request to the outcome', async () => {
  const service = await startPricing()
  await change(service, priceRequest(price(COLA, 260)))
  expect(await kindsOf(service)).toEqual(['rules', 'price_change', 'price_change'])
  expect(await problemsOf(service)).toEqual([])
})

test('names the first entry that does not fit, or the row that was changed, added or removed', async () => {
  const service = await start()
  const { db } = service.ctx.store
  const { decision } = await buy(service, 20)
  const { id: other } = await buy(service, 1)

  await db.updateTable('decision').set({ resolved_by: 'somebody else' }).execute()
  expect(await problemsOf(service)).toEqual([
    { kind: 'decision', subject: decision, text: 'the row was changed without an entry' },
  ])
  await db.updateTable('decision').set({ resolved_by: 'operator' }).execute()
  expect(await problemsOf(service)).toEqual([])

  const row = await db
    .selectFrom('checkout_attempt')
    .selectAll()
    .where('checkout', '=', other)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('checkout_attempt')
    .values({ ...row, attempt_no: 2 })
    .execute()
  expect(await problemsOf(service)).toMatchObject([
    { subject: `${other}#2`, text: 'the row was added without an entry' },
  ])
  await db.deleteFrom('checkout_attempt').where('checkout', '=', other).execute()
  expect(await problemsOf(service)).toMatchObject([{ subject: `${other}#1`, text: 'the row was removed' }])
  await db.insertInto('checkout_attempt').values(row).execute()

  const { head } = await auditChain(service.ctx.store)
  await db.updateTable('chain_entry').set({ facts: '{}' }).where('seq', '=', 3).execute()
  expect(await problemsOf(service)).toMatchObject([{ seq: 3, text: 'its content does not fit its hash' }])
  await db.deleteFrom('chain_entry').where('seq', '=', 3).execute()
  expect(await problemsOf(service)).toMatchObject([{ seq: 4, text: 'entry 3 is missing' }])
  await db.deleteFrom('chain_entry').where('seq', '>=', 3).execute()
  expect(await problemsOf(service)).toMatchObject([{ text: expect.stringContaining('ends before its head') as string }])
  // Whoever also moves the head back is found by a hash that was kept elsewhere.
  const last = await db.selectFrom('chain_entry').selectAll().where('seq', '=', 2).executeTakeFirstOrThrow()
  await db.updateTable('chain_head').set({ seq: 2, hash: last.hash }).execute()
  expect(await auditChain(service.ctx.store, head)).toMatchObject({ entries: 2, containsExpected: false })
  expect(await auditChain(service.ctx.store, last.hash)).toMatchObject({ containsExpected: true })
})

test('many writers at once make one chain without a gap', async () => {
  const service = await start()
  await Promise.all(Array.from({ length: 12 }, () => buy(service, 1)))
  const report = await auditChain(service.ctx.store)
  expect(report).toMatchObject({ entries: 1 + 24, problems: [] })
})

test('a transaction that is taken back leaves no entry', async () => {
  const service = await start()
  await service.post('/guardrails/stop', { reason: 'test' })
  await buy(service, 20)
  expect(await kindsOf(service)).toEqual(['stop', 'rules', 'decision'])
})

test('a key that was written into the database is named, whatever date it has', async () => {
  const service = await start()
  await addKey(service, 'viewer', 'Li')
  const { db } = service.ctx.store
  const row = await db.selectFrom('person').selectAll().executeTakeFirstOrThrow()
  await db
    .insertInto('person')
    .values({
      ...row,
      id: 'key_forged',
      name: 'Forged',
      folded_name: 'forged',
      role: 'owner',
      key_hash: 'forged',
      created_at: 0,
    })
    .execute()
  expect(await problemsOf(service)).toMatchObject([
    { subject: 'key_forged', text: 'the row was added without an entry' },
  ])
})

test.each([
  ['evidence', '[]'],
  ['params', '{"destination":"elsewhere"}'],
  ['code', 'probation'],
  ['agent', 'https://other.example/profile'],
] as const)('what people were shown is in it: a changed %s is named', async (column, value) => {
  const service = await start()
  const { decision } = await buy(service, 20)
  expect(await problemsOf(service)).toEqual([])
  await service.ctx.store.db
    .updateTable('decision')
    .set({ [column]: value })
    .execute()
  expect(await problemsOf(service)).toEqual([
    { kind: 'decision', subject: decision, text: 'the row was changed without an entry' },
  ])
})

test('what the limits add up is in it: an attempt with a smaller total is named', async () => {
  const service = await start()
  const { id } = await buy(service, 1)
  await service.ctx.store.db.updateTable('checkout_attempt').set({ total_fen: 1 }).execute()
  expect(await problemsOf(service)).toMatchObject([{ kind: 'attempt', subject: `${id}#1` }])
})

test('a row with an early date that is added is named', async () => {
  const service = await start()
  const { id } = await buy(service, 20)
  const { db } = service.ctx.store
  const row = await db.selectFrom('checkout_attempt').selectAll().executeTakeFirstOrThrow()
  await db
    .insertInto('checkout_attempt')
    .values({ ...row, attempt_no: 2, claimed_at: 0 })
    .execute()
  const { seq: _, ...decision } = await db.selectFrom('decision').selectAll().executeTakeFirstOrThrow()
  await db
    .insertInto('decision')
    .values({ ...decision, at: 1 })
    .execute()
  const problems = await problemsOf(service)
  expect(problems.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^dec-1-\d+$/), `${id}#2`])
  expect(new Set(problems.map(({ text }) => text))).toEqual(new Set(['the row was added without an entry']))
})
