import { describe, expect, test, vi } from 'vitest'
import { resolvePending, findDecision } from '../../src/rules/approvals/records.ts'
import { priceChangeSubject } from '../../src/acts/pricing/index.ts'
import { releaseKillSwitch } from '../../src/rules/guardrails/kill-switch.ts'
import { failure } from '../support/scripted-vendors.ts'
import { RULES, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import {
  priceRequest,
  change,
  COLA,
  decisionOf,
  crashWhileCalling,
  line,
  MACHINE,
  register,
  setOnMachine,
  pricesOnMachine,
  startPricing,
  TEA,
  unregister,
  writes,
} from './machines.ts'

/** ¥2.50 → ¥4.00, more than the cap of ¥1.00. */
const DEAR = priceRequest(line(COLA, 400))

const decide = (service: Service, id: string, approved: boolean) => service.post(`/approvals/${id}`, { approved })

/** The decision is committed, and the process ends before anything follows. */
async function approveAndDie(service: Service, id: string): Promise<void> {
  const { store, clock } = service.ctx
  await store.transaction(async (tx) => {
    const decision = await findDecision(tx, id)
    if (!decision) throw new Error('no decision')
    await resolvePending(service.ctx, tx, decision.id, { status: 'approved', at: clock.now(), by: 'operator' })
    await priceChangeSubject(service.ctx).applyDecision(tx, decision, true)
  })
}

describe('4.6 above the cap', () => {
  test('nothing is executed; a decision with its evidence waits, and its id is in actions', async () => {
    const service = await startPricing()
    const answer = await change(service, priceRequest(line(TEA, 310), line(COLA, 400)))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      location: MACHINE,
      updated: [],
      messages: [
        {
          type: 'error',
          code: 'approval_required',
          severity: 'requires_buyer_review',
          path: "$.actions['com.example.vending.approval'][0]",
        },
      ],
    })
    expect(writes(service), 'not even the line within the cap').toBe(0)
    const decision = (await service.get(`/approvals/${decisionOf(answer)}`)).body
    expect(decision).toMatchObject({ kind: 'price_change', status: 'pending', subject: { type: 'price_change' } })
    expect(decision.summary).toContain('可乐, ¥2.50 → ¥4.00 (+60%)')
    expect(decision).toMatchObject({
      code: 'price_cap',
      params: { change: { amount: 150, currency: 'CNY' }, cap: { amount: 100, currency: 'CNY' }, product: '可乐' },
    })
    expect(decision.reasoning).toContain('A change of ¥1.50 exceeds the ¥1.00 cap per item, so it needs approval.')
    expect(await service.events('price_change')).toMatchObject([{ location: MACHINE }])
  })

  test('exactly the cap is still within it', async () => {
    const service = await startPricing()
    expect((await change(service, priceRequest(line(COLA, 350)))).body.updated).toHaveLength(1)
    expect((await change(service, priceRequest(line(COLA, 249)))).body.updated).toEqual([])
  })

  test('the same request again while it waits: the same decision, also in another order and under the same key', async () => {
    const service = await startPricing()
    const first = await change(service, priceRequest(line(COLA, 400), line(TEA, 500)), { key: 'k' })
    const again = await change(service, priceRequest(line(COLA, 400), line(TEA, 500)), { key: 'k' })
    const turned = await change(service, priceRequest(line(TEA, 500), line(COLA, 400)))
    expect(again.headers).not.toHaveProperty('idempotent-replayed')
    expect(decisionOf(again)).toBe(decisionOf(first))
    expect(decisionOf(turned)).toBe(decisionOf(first))
    expect((await service.get('/approvals')).body.approvals).toHaveLength(1)
    expect(await service.events('price_change')).toHaveLength(3)
  })

  test('many at once open one decision', async () => {
    const service = await startPricing()
    const answers = await Promise.all(Array.from({ length: 5 }, () => change(service, DEAR)))
    expect(new Set(answers.map(decisionOf)).size).toBe(1)
    expect((await service.get('/approvals?status=all')).body.approvals).toHaveLength(1)
  })

  test('another change is another decision', async () => {
    const service = await startPricing()
    const ids = [
      decisionOf(await change(service, DEAR)),
      decisionOf(await change(service, priceRequest(line(COLA, 401)))),
      decisionOf(await change(service, priceRequest(line(COLA, 400), line(TEA, 310)))),
    ]
    expect(new Set(ids).size).toBe(3)
  })
})

describe('3.3 approving executes the change at once', () => {
  test('the machine has the new price, the decision is approved, both have an event', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    const answer = await decide(service, id, true)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id, status: 'approved', approved: true })
    expect(answer.body).not.toHaveProperty('messages')
    expect(pricesOnMachine(service)[COLA]).toBe(400)
    expect(await service.events('approval')).toHaveLength(1)
    const [done] = await service.events('price_change')
    expect(done.code).toBe('price_changed')
    expect(done.reasoning).toContain(id)
  })

  test('resending afterwards finds it done and sends nothing: the approval is used up', async () => {
    const service = await startPricing()
    await decide(service, decisionOf(await change(service, DEAR)), true)
    const resent = await change(service, DEAR)
    expect(resent.body.updated).toMatchObject([
      { item: { id: COLA }, previous: { amount: 400 }, price: { amount: 400 } },
    ])
    expect(resent.body).not.toHaveProperty('actions')
    expect(writes(service)).toBe(1)

    setOnMachine(service, COLA, 250)
    const later = await change(service, DEAR)
    expect(later.body.messages[0].code, 'a later change of the same kind is asked for again').toBe('approval_required')
    expect(writes(service)).toBe(1)
  })

  test('under the key of the request that had to wait, too', async () => {
    const service = await startPricing()
    await decide(service, decisionOf(await change(service, DEAR, { key: 'k' })), true)
    expect((await change(service, DEAR, { key: 'k' })).body.updated).toHaveLength(1)
  })

  test('rejecting executes nothing; resending opens a new decision', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    expect((await decide(service, id, false)).body).toMatchObject({ status: 'rejected', approved: false })
    expect(writes(service)).toBe(0)
    const again = decisionOf(await change(service, DEAR))
    expect(again).not.toBe(id)
    await service.job('pricing.apply-approved')
    expect(pricesOnMachine(service)[COLA]).toBe(250)
  })
})

describe('approved, and the machine does not take it', () => {
  test('the decision stays approved, the answer and an event say so, and resending tries again', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    service.machine.script.next('updatePrices', { instead: failure('rejected', 'device offline') })
    const answer = await decide(service, id, true)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      status: 'approved',
      messages: [{ code: 'supplier_rejected', content: 'device offline' }],
    })
    const [event] = await service.events('price_change')
    expect(event.code).toBe('price_change_failed')
    expect(event.reasoning).toContain('device offline')

    service.clock.advance(60 * 60_000)
    await service.job('pricing.apply-approved')
    expect(writes(service), 'a refusal is not tried again unasked').toBe(1)
    expect((await change(service, DEAR)).body.updated).toMatchObject([
      { previous: { amount: 250 }, price: { amount: 400 } },
    ])
    expect(pricesOnMachine(service)[COLA]).toBe(400)
    expect((await service.get('/approvals?status=all')).body.approvals).toHaveLength(1)
  })

  test('taken in part: the rest is sent when the request is', async () => {
    const service = await startPricing()
    const both = priceRequest(line(COLA, 400), line(TEA, 500))
    service.machine.stubborn.add('G-0002')
    const answer = await decide(service, decisionOf(await change(service, both)), true)
    expect(answer.body.messages).toMatchObject([{ code: 'supplier_rejected' }])
    expect(pricesOnMachine(service)).toMatchObject({ [COLA]: 400, [TEA]: 300 })
    service.machine.stubborn.clear()
    const resent = await change(service, both)
    expect(resent.body.updated).toMatchObject([
      { item: { id: COLA }, previous: { amount: 400 } },
      { item: { id: TEA }, previous: { amount: 300 } },
    ])
    expect(pricesOnMachine(service)[TEA]).toBe(500)
  })

  test('out of reach: the job tries again, ever more rarely and not for ever', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    service.machine.script.always('updatePrices', failure('unsent'))
    expect((await decide(service, id, true)).body.messages[0].code).toBe('upstream_unreachable')
    for (let minute = 0; minute < 15; minute += 1) {
      service.clock.advance(60_000)
      await service.job('pricing.apply-approved')
    }
    expect(writes(service), 'after 2, 4 and 8 minutes').toBe(4)
    for (let day = 0; day < 20; day += 1) {
      service.clock.advance(24 * 60 * 60_000)
      await service.job('pricing.apply-approved')
    }
    expect(writes(service)).toBe(8)
    service.machine.script.always('updatePrices', undefined)
    service.clock.advance(24 * 60 * 60_000)
    await service.job('pricing.apply-approved')
    expect(pricesOnMachine(service)[COLA], 'it gave up').toBe(250)
    expect((await change(service, DEAR)).body.updated, 'resending still works').toHaveLength(1)
  })

  test('back in reach, the job carries it out once', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    service.machine.script.next('inventory', { instead: failure('unsent') })
    await decide(service, id, true)
    expect(writes(service)).toBe(0)
    service.clock.advance(5 * 60_000)
    await service.job('pricing.apply-approved')
    await service.job('pricing.apply-approved')
    expect(pricesOnMachine(service)[COLA]).toBe(400)
    expect(writes(service)).toBe(1)
  })
})

describe('a crash between the decision and its execution', () => {
  test('the job carries it out, once, and not before it is due', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    await approveAndDie(service, id)
    await service.job('pricing.apply-approved')
    expect(writes(service), 'the approval itself has a head start').toBe(0)
    service.clock.advance(2 * 60_000)
    await Promise.all([service.job('pricing.apply-approved'), service.job('pricing.apply-approved')])
    await service.job('pricing.apply-approved')
    expect(pricesOnMachine(service)[COLA]).toBe(400)
    expect(writes(service)).toBe(1)
    expect((await service.events('price_change')).filter(({ code }) => code === 'price_changed')).toHaveLength(1)
  })

  test('or the resent request does', async () => {
    const service = await startPricing()
    await approveAndDie(service, decisionOf(await change(service, DEAR)))
    expect((await change(service, DEAR)).body.updated).toMatchObject([{ previous: { amount: 250 } }])
    service.clock.advance(10 * 60_000)
    await service.job('pricing.apply-approved')
    expect(writes(service)).toBe(1)
  })

  test('a crash while the machine was called is taken up again', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    crashWhileCalling(service)
    expect((await decide(service, id, true)).status).toBe(500)
    expect((await service.get(`/approvals/${id}`)).body.status).toBe('approved')
    service.clock.advance(10 * 60_000)
    await service.job('pricing.apply-approved')
    expect(pricesOnMachine(service)[COLA]).toBe(400)
    service.clock.advance(10 * 60_000)
    await service.job('pricing.apply-approved')
    expect(writes(service)).toBe(2)
  })

  test('if the call had arrived before the crash, the job finds it and sends nothing', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    crashWhileCalling(service)
    await decide(service, id, true)
    setOnMachine(service, COLA, 400)
    service.clock.advance(10 * 60_000)
    await service.job('pricing.apply-approved')
    expect(writes(service)).toBe(1)
    expect((await service.events('price_change'))[0].code).toBe('prices_already_set')
  })

  test('after the crash the emergency stop is pulled: the price that arrived is found, and nothing is reported as not executed', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    crashWhileCalling(service)
    await decide(service, id, true)
    setOnMachine(service, COLA, 400)
    await service.post('/guardrails/stop', { reason: 'a test' })
    service.clock.advance(10 * 60_000)
    await service.job('pricing.apply-approved')
    await service.job('effects.price_change')
    const codes = (await service.events('price_change')).map(({ code }) => code)
    expect(codes).toContain('price_change_confirmed')
    expect(codes).not.toContain('price_change_not_executed')
    expect(writes(service)).toBe(1)
  })

  test('two instances do it once', async () => {
    const one = await startPricing()
    const other = await startService({ store: one.ctx.store, machine: one.machine })
    await approveAndDie(one, decisionOf(await change(one, DEAR)))
    one.clock.advance(5 * 60_000)
    other.clock.advance(5 * 60_000)
    await Promise.all([one.job('pricing.apply-approved'), other.job('pricing.apply-approved'), change(other, DEAR)])
    expect(writes(one)).toBe(1)
    expect(pricesOnMachine(one)[COLA]).toBe(400)
  })
})

test('a process that was suspended after its claim sends nothing: another may have changed the prices since', async () => {
  const service = await startPricing()
  const { store, config } = service.ctx
  const run = store.transaction.bind(store)
  const begun = () => store.db.selectFrom('price_change').select('seq').where('status', '=', 'executing').execute()
  let isSuspended = false
  vi.spyOn(store, 'transaction').mockImplementation(async (work) => {
    const result = await run(work)
    if (!isSuspended && (await begun()).length > 0) {
      isSuspended = true
      service.clock.advance(config.upstreamTimeoutMs + 1)
    }
    return result
  })
  const answer = await change(service, priceRequest(line(COLA, 300)))
  expect(isSuspended).toBe(true)
  expect(answer.status).toBe(502)
  expect(writes(service)).toBe(0)
  expect(pricesOnMachine(service)[COLA]).toBe(250)
  expect((await change(service, priceRequest(line(COLA, 300)))).status).toBe(200)
})

describe('the job', () => {
  test('goes on when one change makes it stumble', async () => {
    const service = await startPricing()
    await approveAndDie(service, decisionOf(await change(service, DEAR)))
    await approveAndDie(service, decisionOf(await change(service, priceRequest(line(TEA, 500)))))
    service.clock.advance(5 * 60_000)
    crashWhileCalling(service)
    await service.job('pricing.apply-approved')
    expect(pricesOnMachine(service)).toMatchObject({ [COLA]: 250, [TEA]: 500 })
    expect(service.log.filter(({ level }) => level === 'error')).toHaveLength(1)
  })
})

describe('what changed since the owner was asked', () => {
  test('approved, and the price moved by more than the cap: nothing is sent, resending requests approval again', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    setOnMachine(service, COLA, 100)
    const answer = await decide(service, id, true)
    expect(answer.body).toMatchObject({ status: 'approved', messages: [{ code: 'approval_required' }] })
    expect(writes(service)).toBe(0)
    const again = await change(service, DEAR)
    expect(decisionOf(again)).not.toBe(id)
    await decide(service, decisionOf(again), true)
    expect(pricesOnMachine(service)[COLA]).toBe(400)
  })

  test('approved, and the price moved within the cap: it is carried out', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    setOnMachine(service, COLA, 240)
    await decide(service, id, true)
    expect(pricesOnMachine(service)[COLA]).toBe(400)
  })

  test('to be taken up by the job, and the price moved at all: left to a resend, which may still use the approval', async () => {
    const service = await startPricing()
    await approveAndDie(service, decisionOf(await change(service, DEAR)))
    await change(service, priceRequest(line(COLA, 260)))
    service.clock.advance(5 * 60_000)
    await service.job('pricing.apply-approved')
    expect(pricesOnMachine(service)[COLA], 'the newer change is not overwritten').toBe(260)
    expect((await change(service, DEAR)).body.updated).toMatchObject([{ previous: { amount: 260 } }])
  })

  test('still waiting, and the price moved by more than the cap: the old question is withdrawn', async () => {
    const service = await startPricing()
    const old = decisionOf(await change(service, DEAR))
    setOnMachine(service, COLA, 100)
    const fresh = decisionOf(await change(service, DEAR))
    expect(fresh).not.toBe(old)
    expect((await decide(service, old, true)).status).toBe(409)
    expect(await service.events('approval')).toMatchObject([{ summary: expect.stringContaining(old) }])
    expect((await service.get(`/approvals/${fresh}`)).body.summary).toContain('¥1.00 → ¥4.00')
  })

  test('still waiting, and by now within the cap: it is carried out and the question withdrawn', async () => {
    const service = await startPricing()
    const old = decisionOf(await change(service, DEAR))
    setOnMachine(service, COLA, 350)
    expect((await change(service, DEAR)).body.updated).toHaveLength(1)
    expect((await decide(service, old, true)).status).toBe(409)
    expect((await service.get('/approvals')).body.approvals).toEqual([])
    expect(writes(service)).toBe(1)
  })

  test('the machine is no longer registered: the decision is withdrawn, 409', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    await unregister(service, MACHINE)
    const answer = await decide(service, id, true)
    expect(answer.status).toBe(409)
    expect(answer.body.messages[0].code).toBe('already_resolved')
    expect((await service.get(`/approvals/${id}`)).body).toMatchObject({ status: 'rejected', resolved_by: 'service' })
    await register(service, MACHINE)
    service.clock.advance(10 * 60_000)
    await service.job('pricing.apply-approved')
    expect(writes(service)).toBe(0)
  })

  test('the machine left after the approval: an event, nothing sent', async () => {
    const service = await startPricing()
    await approveAndDie(service, decisionOf(await change(service, DEAR)))
    await unregister(service, MACHINE)
    service.clock.advance(5 * 60_000)
    await service.job('pricing.apply-approved')
    expect((await service.events('price_change'))[0].reasoning).toContain('no longer registered')
    expect(writes(service)).toBe(0)
  })
})

describe('the guard at the moment of execution', () => {
  test('a kill switch engaged before the first byte: refused with an event; released, resending works', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    const { promise, resolve } = Promise.withResolvers<void>()
    service.machine.script.next('updatePrices', { wait: promise })
    const deciding = decide(service, id, true)
    await expect.poll(() => service.machine.script.count('updatePrices')).toBeGreaterThan(0)
    await service.post('/guardrails/stop', { reason: 'wait' })
    resolve()
    const answer = await deciding
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ status: 'approved', messages: [{ code: 'kill_switch_engaged' }] })
    expect((await service.events('price_change'))[0].summary).toContain('refused: kill switch engaged')
    expect(pricesOnMachine(service)[COLA]).toBe(250)
    service.machine.script.calls.length = 0
    expect((await change(service, DEAR)).status).toBe(409)

    await releaseKillSwitch(service.ctx, { by: 'root', reason: 'all is well' })
    service.clock.advance(60 * 60_000)
    await service.job('pricing.apply-approved')
    expect(writes(service), 'nothing springs to life when the stop is released').toBe(0)
    expect((await change(service, DEAR)).body.updated).toHaveLength(1)
    expect(pricesOnMachine(service)[COLA]).toBe(400)
  })

  test('rules unreadable at the execution: nothing sent; the job does it when they can be read', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    service.machine.script.next('updatePrices', { instead: failure('unsent') })
    expect((await decide(service, id, true)).body.messages[0].code).toBe('upstream_unreachable')
    service.writeRules('broken')
    service.clock.advance(5 * 60_000)
    await service.job('pricing.apply-approved')
    expect(writes(service)).toBe(1)
    service.writeRules(RULES)
    service.clock.advance(30 * 60_000)
    await service.job('pricing.apply-approved')
    expect(pricesOnMachine(service)[COLA]).toBe(400)
  })
})
