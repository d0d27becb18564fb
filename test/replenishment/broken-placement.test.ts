/** Placements that broke off: no slot is bought twice, and there is always a way on. */
import { describe, expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { failure, scriptedMachine, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import { RULES, startService } from '../support/service.ts'
import type { Answered, Json, Service } from '../support/service.ts'
import {
  codes,
  create,
  decisionOf,
  inFull,
  MACHINE,
  place,
  receive,
  resolve,
  routeSlots,
  run,
  startRoute,
  suppliesOf,
  usualSales,
  withRules,
} from './route.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const REAL = { env: 'live', simulatedPurchasing: false, defaultDestination: HOME } as const
const dead = failure('unknown', 'the line is dead')

/** Cola comes from the near supplier, tea from the far one. Catalogs are not cached. */
async function startTwo(options: Parameters<typeof startRoute>[0] = {}) {
  const near = suppliesOf()
  const far = scriptedSupply([
    supplyProduct('T2', { title: '茶 500ml', barcode: '6901234567908', eachPriceFen: fen(150) }),
  ])
  const machine = scriptedMachine({ [MACHINE]: routeSlots() }, usualSales())
  const nearAndMachine = [
    registerLive('acme-supply' as Namespace, near.vendor),
    registerLive('acme-machine' as Namespace, machine.vendor),
  ]
  const service = await startRoute({
    config: REAL,
    entries: [nearAndMachine[0]!, registerLive('far-supply' as Namespace, far.vendor), nearAndMachine[1]!],
    ...options,
  })
  return { service, near, far, nearAndMachine }
}

type Two = Awaited<ReturnType<typeof startTwo>>

/** The far supplier answers while the run is checked, and no longer when its session is opened. */
async function breakOff({ service, far }: Two, id: string): Promise<void> {
  far.script.next('catalog', 'pass', { instead: dead })
  expect(refusal(await place(service, id))).toEqual([502, ['upstream_unreachable']])
  expect((await run(service, id)).status).toBe('approved')
}

const same = (times: number, code: string): string[] => Array.from({ length: times }, () => code)
const refusal = ({ status, body }: Answered) => [status, codes(body)]
const cancel = (service: Service, id: string): Promise<Answered> => service.post(`/replenishment/runs/${id}/cancel`)
const session = async (service: Service, id: string): Promise<Json> =>
  (await service.get(`/checkout-sessions/${id}`)).body
const complete = async (service: Service, id: string): Promise<void> => {
  expect((await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })).body.status).toBe('completed')
}
const totalOf = (body: Json): number => body.totals.at(-1).amount
const idsOf = (body: Json): string[] => body.checkouts.map(({ id }: Json) => id)
/** The numbers that the interrupted placement of a run keeps for its purchases. */
async function numbersOf({ ctx }: Service, id: string): Promise<string[]> {
  const { placement_intent } = await ctx.store.db
    .selectFrom('replenishment_run')
    .select('placement_intent')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return JSON.parse(placement_intent!).requests.map(({ body }: Json) => body.id)
}

describe('3.2 a placement that broke off after a purchase was opened', () => {
  test('is finished although its own purchase has used up the limit of the day', async () => {
    const two = await startTwo()
    const { service, near } = two
    const { body: created } = await create(service)
    await breakOff(two, created.id)
    const [first, second] = await numbersOf(service, created.id)
    const spent = totalOf(await session(service, first!))
    await complete(service, first!)
    const spendingLimitPerDay = totalOf(created) + spent - 1
    service.writeRules({ ...RULES, rules: { ...RULES.rules, spendingLimitPerDay } })
    const again = await place(service, created.id)
    expect([again.status, again.body.status]).toEqual([200, 'placed'])
    expect(idsOf(again.body)).toEqual([first, second])
    expect((await create(service)).body.status).toBe('nothing_to_do')
    expect(near.orders.size).toBe(1)
    const decision = (await service.get('/approvals?status=approved')).body.approvals[0]
    expect(JSON.stringify(decision.evidence ?? [])).not.toContain('"needs_approval":true')
  })

  test('2.2 keeps its purchase order numbers: every try uses the same, and nobody else gets them', async () => {
    const two = await startTwo()
    const { service, near, far } = two
    const { body: created } = await create(service)
    await breakOff(two, created.id)
    const numbers = await numbersOf(service, created.id)
    expect(numbers.map((number) => number.replace(/\d{8}/, 'DAY'))).toEqual(['po_DAY_1', 'po_DAY_2'])
    await breakOff(two, created.id)
    const other = await service.post('/checkout-sessions', {
      line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 1 }],
    })
    expect(other.body.id).toBe(numbers[0]!.replace(/_1$/, '_3'))
    const { body } = await place(service, created.id)
    expect([body.status, idsOf(body)]).toEqual(['placed', numbers])
    for (const id of numbers) await complete(service, id)
    expect([[...near.orders.keys()], [...far.orders.keys()]]).toEqual([[numbers[0]], [numbers[1]]])
    expect((await service.get('/checkout-sessions')).body.checkouts).toHaveLength(3)
  })

  test('leaves nothing open when none of it can be ordered any more', async () => {
    const two = await startTwo()
    const { service, far } = two
    const { body: created } = await create(service)
    await breakOff(two, created.id)
    const [opened] = await numbersOf(service, created.id)
    const { id: line } = (await session(service, opened!)).line_items[0]
    // Its session is changed to another product, and the far supplier no longer has the rest.
    const line_items = [{ id: line, item: { id: 'acme-supply:SP2' }, quantity: 1 }]
    const changed = await service.put(`/checkout-sessions/${opened}`, { line_items })
    expect(changed.body.status).toBe('ready_for_complete')
    far.products.splice(0, 1)
    const refused = await place(service, created.id)
    expect([refused.status, codes(refused.body)[0]]).toEqual([409, 'not_placeable'])
    expect((await session(service, opened!)).status).toBe('canceled')
    expect((await service.get('/checkout-sessions?status=ready_for_complete')).body.checkouts).toEqual([])
    expect((await service.events('checkout'))[0].summary).toBe(`${opened} canceled`)
    expect((await run(service, created.id)).status).toBe('approved')
  })

  test('asks the owner under the rules of now when nothing was opened yet', async () => {
    const { service, near } = await startTwo()
    const { body: created } = await create(service)
    near.script.next('catalog', 'pass', { instead: dead })
    expect(refusal(await place(service, created.id))).toEqual([502, ['upstream_unreachable']])
    service.writeRules({ ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: totalOf(created) - 1 } })
    expect(refusal(await place(service, created.id))).toEqual([409, ['approval_required']])
    const waiting = await run(service, created.id)
    expect(waiting.status).toBe('pending_approval')
    await resolve(service, decisionOf(waiting), true)
    expect((await place(service, created.id)).body.status).toBe('placed')
  })

  test('keeps its slots from other runs, also when an earlier version let it wait for the owner; rejecting it closes what is open', async () => {
    const two = await startTwo({ rules: withRules({ spendingLimitPerRun: 1 }) })
    const { service } = two
    const [{ body: first }, { body: other }] = [await create(service), await create(service)]
    const { db } = service.ctx.store
    const setStatus = (status: 'approved' | 'pending_approval') =>
      db.updateTable('replenishment_run').set({ status }).where('id', '=', first.id).execute()
    await setStatus('approved')
    await breakOff(two, first.id)
    const [opened] = await numbersOf(service, first.id)
    await setStatus('pending_approval')
    await resolve(service, decisionOf(other), true)
    expect(refusal(await place(service, other.id))).toEqual([
      409,
      ['not_placeable', 'already_placed', 'already_placed'],
    ])
    await resolve(service, decisionOf(first), false)
    expect((await session(service, opened!)).status).toBe('canceled')
    expect((await place(service, other.id)).body.status).toBe('placed')
  })

  test('rejected by an earlier version, it keeps its slots only while a purchase that it opened is open', async () => {
    const two = await startTwo()
    const { service } = two
    const [{ body: first }, { body: other }] = [await create(service), await create(service)]
    await breakOff(two, first.id)
    const { db } = service.ctx.store
    await db.updateTable('replenishment_run').set({ status: 'rejected' }).where('id', '=', first.id).execute()
    expect(refusal(await place(service, other.id))).toEqual([
      409,
      ['not_placeable', 'already_placed', 'already_placed'],
    ])
    const [opened] = await numbersOf(service, first.id)
    expect((await service.post(`/checkout-sessions/${opened}/cancel`)).body.status).toBe('canceled')
    expect((await place(service, other.id)).body.status).toBe('placed')
  })

  test('is canceled with the purchases it opened, and its slots are free again', async () => {
    const two = await startTwo()
    const { service, near } = two
    const [{ body: created }, { body: other }] = [await create(service), await create(service)]
    await breakOff(two, created.id)
    const [first] = await numbersOf(service, created.id)
    expect(refusal(await place(service, other.id))).toEqual([
      409,
      ['not_placeable', 'already_placed', 'already_placed'],
    ])
    expect((await cancel(service, created.id)).body.status).toBe('rejected')
    expect((await session(service, first!)).status).toBe('canceled')
    expect((await service.post(`/checkout-sessions/${first}/complete`, { confirm: true })).status).toBe(409)
    expect((await place(service, other.id)).body.status).toBe('placed')
    expect(near.orders.size).toBe(0)
  })

  test('is not canceled once a purchase was sent; nothing changes, and it can be finished', async () => {
    const two = await startTwo()
    const { service } = two
    service.writeRules(withRules({ spendingLimitPerRun: 1 }))
    const { body: created } = await create(service)
    service.writeRules(withRules({}))
    const { db } = service.ctx.store
    await db.updateTable('replenishment_run').set({ status: 'approved' }).execute()
    await breakOff(two, created.id)
    await complete(service, (await numbersOf(service, created.id))[0]!)
    await db.updateTable('replenishment_run').set({ status: 'pending_approval' }).execute()
    const decision = decisionOf(created)
    expect(refusal(await cancel(service, created.id))).toEqual([409, ['not_editable']])
    expect((await service.get(`/approvals/${decision}`)).body.status).toBe('pending')
    await resolve(service, decision, true)
    expect(refusal(await cancel(service, created.id))).toEqual([409, ['not_editable']])
    expect((await place(service, created.id)).body.status).toBe('placed')
  })

  test('a supplier that sells it otherwise now, or is gone, is left out; the rest is placed and can be received', async () => {
    for (const isGone of [false, true]) {
      const two = await startTwo()
      const { service, far, nearAndMachine } = two
      const [{ body: created }, { body: other }] = [await create(service), await create(service)]
      await breakOff(two, created.id)
      const [first] = await numbersOf(service, created.id)
      await complete(service, first!)
      if (!isGone) far.products[0] = { ...far.products[0]!, units: 'pack' }
      const later = isGone
        ? await startService({ ...service, config: REAL, store: service.ctx.store, entries: nearAndMachine })
        : service
      const { status, body } = await place(later, created.id)
      expect([status, body.status, idsOf(body)]).toEqual([200, 'placed', [first]])
      expect(body.line_items.map((line: Json) => line.status)).toEqual(['processing', 'removed'])
      expect(body.messages).toEqual([expect.objectContaining({ code: 'item_unavailable', path: '$.line_items[1]' })])
      const { body: rest } = await place(later, other.id)
      expect(rest.line_items.map((line: Json) => line.status)).toEqual(['removed', 'processing'])
      expect((await receive(later, created.id, inFull(body))).status).toBe(200)
    }
  })
})

describe('3.2 a placement that broke off before any purchase was opened', () => {
  test('a caller who used the id of its purchase meanwhile does not block it: the next try takes another id', async () => {
    const two = await startTwo()
    const { near } = two
    const service = await startRoute({ config: REAL, entries: two.nearAndMachine })
    const { body: created } = await create(service)
    near.script.next('catalog', 'pass', { instead: dead })
    expect(refusal(await place(service, created.id))).toEqual([502, ['upstream_unreachable']])
    const [id] = await numbersOf(service, created.id)
    const own = { id, line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 1 }] }
    expect((await service.post('/checkout-sessions', own)).status).toBe(201)
    expect(refusal(await place(service, created.id))).toEqual([409, ['not_placeable', ...same(2, 'item_unavailable')]])
    const again = await place(service, created.id)
    expect([again.body.status, idsOf(again.body)]).toEqual(['placed', [id!.replace(/_1$/, '_2')]])
    expect((await session(service, id!)).line_items).toHaveLength(1)
  })

  test('a catalog that cannot be read: nothing is stored, also for a product that is sold in boxes only', async () => {
    const two = await startTwo()
    const { service, near, far } = two
    near.products.splice(1, 1)
    far.products[0] = { ...far.products[0]!, units: 'pack' }
    const [{ body: created }, { body: other }] = [await create(service), await create(service)]
    far.script.always('catalog', dead)
    expect(refusal(await place(service, created.id))).toEqual([502, ['upstream_unreachable']])
    const dry = await service.post(`/replenishment/runs/${created.id}/place?dry_run=true`)
    expect(refusal(dry)).toEqual([502, ['upstream_unreachable']])
    far.script.always('catalog', undefined)
    const { body } = await place(service, other.id)
    expect([body.status, body.checkouts.map(({ vendor }: Json) => vendor)]).toEqual([
      'placed',
      ['acme-supply', 'far-supply'],
    ])
    const [line] = (await session(service, idsOf(body)[1]!)).line_items
    expect(line.quantity_unit.unit).toBe('BX')
    expect((await cancel(service, created.id)).status).toBe(200)
  })

  test('other quantities since: refused once, then placed in those', async () => {
    const service = await startRoute({ config: REAL, slotsByMachine: { [MACHINE]: routeSlots().slice(0, 1) } })
    const { body: created } = await create(service)
    service.clock.advance(2 * 60_000)
    // Read once for the check of the run and its session; then the supplier changes.
    const { db } = service.ctx.store
    await place(service, created.id)
    await db.deleteFrom('checkout').execute()
    await db.updateTable('run_line').set({ checkout: null }).execute()
    await db.updateTable('replenishment_run').set({ status: 'approved', placed_at: null, decision: null }).execute()
    service.supply.products[0] = { ...service.supply.products[0]!, units: 'pack' }
    service.clock.advance(2 * 60_000)
    expect(refusal(await place(service, created.id))).toEqual([409, ['not_placeable', 'item_unavailable']])
    const { body } = await place(service, created.id)
    expect(body.status).toBe('placed')
    expect((await session(service, idsOf(body)[0]!)).line_items[0].quantity_unit.unit).toBe('BX')
  })
})

describe('3.2 a placement that is finished after more than a day', () => {
  test('opens new purchases instead of those that expired', async () => {
    const two = await startTwo()
    const { service } = two
    const { body: created } = await create(service)
    await breakOff(two, created.id)
    const expired = await numbersOf(service, created.id)
    service.clock.advance(DAY + 60_000)
    const { status, body } = await place(service, created.id)
    expect([status, body.status]).toEqual([200, 'placed'])
    expect(body.checkouts).toEqual([
      { id: expect.stringMatching(/^po_\d{8}_1$/), vendor: 'acme-supply', status: 'ready_for_complete' },
      { id: expect.stringMatching(/^po_\d{8}_2$/), vendor: 'far-supply', status: 'ready_for_complete' },
    ])
    expect(expired.filter((id) => idsOf(body).includes(id))).toEqual([])
    expect((await session(service, expired[0]!)).status).toBe('canceled')
  })

  test('keeps the purchase that was completed, and asks the owner where the rules changed and none was', async () => {
    const { service, near } = await startTwo()
    const { body: created } = await create(service)
    const [bought, expired] = idsOf((await place(service, created.id)).body)
    const { db } = service.ctx.store
    // As if the process had died before the run was written.
    await db
      .updateTable('replenishment_run')
      .set({ status: 'approved', placed_at: null, supplier: null, decision: null })
      .execute()
    await db.updateTable('run_line').set({ checkout: null }).execute()
    await complete(service, bought!)
    service.clock.advance(DAY + 60_000)
    const { body } = await place(service, created.id)
    expect(body.checkouts.map(({ id, status }: Json) => [id, status])).toEqual([
      [bought, 'completed'],
      [expect.not.stringMatching(expired!), 'ready_for_complete'],
    ])
    expect(near.orders.size).toBe(1)

    const two = await startTwo()
    const { body: second } = await create(two.service)
    await breakOff(two, second.id)
    two.service.clock.advance(DAY + 60_000)
    two.service.writeRules(withRules({ spendingLimitPerRun: 1 }))
    const dry = await two.service.post(`/replenishment/runs/${second.id}/place?dry_run=true`)
    expect(codes(dry.body)).toContain('approval_required')
    expect(refusal(await place(two.service, second.id))).toEqual([409, ['approval_required']])
    expect((await cancel(two.service, second.id)).status).toBe(200)
  })
})

test('9.6 a place that waited for the owner is not replayed: the same Idempotency-Key places the run once approved', async () => {
  const service = await startRoute()
  const { body: created } = await create(service)
  service.writeRules(withRules({ spendingLimitPerRun: 1 }))
  const keyed = () =>
    service.post(`/replenishment/runs/${created.id}/place`, undefined, { headers: { 'idempotency-key': 'k1' } })
  // Once when it is held, once while it waits.
  expect(refusal(await keyed())).toEqual([409, ['approval_required']])
  expect(refusal(await keyed())).toEqual([409, ['approval_required']])
  await resolve(service, decisionOf(await run(service, created.id)), true)
  expect((await keyed()).body.status).toBe('placed')
  expect((await keyed()).body.status).toBe('placed')
  expect(refusal(await place(service, created.id))).toEqual([409, ['already_placed']])
})
