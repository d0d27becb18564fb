/** A price change without a clear answer is read back until it is certain, like an order (decisions on lost answers). */
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../src/kernel/clock.ts'
import { failure, scriptedMachine } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
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
  slotsOfMachine,
  pricesOnMachine,
  startPricing,
  TEA,
  writes,
} from './machines.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** UPSTREAM_TIMEOUT_MS of the test service. */
const TIMEOUT = 1000

const verify = (service: Service) => service.job('effects.price_change')
const reads = (service: Service) => service.machine.script.count('inventory')
const summaries = async (service: Service): Promise<string[]> =>
  (await service.events('price_change')).map(({ summary }) => summary)

/** The request was sent, nobody answered, and the machine has not changed the price yet. */
const loseAnswer = (service: Service) =>
  service.machine.script.next('updatePrices', { instead: failure('unknown', 'no answer in time') })

describe('4.6 the machine gives no clear answer', () => {
  test.each(['unknown', 'limited'] as const)('%s: 502 with Retry-After that says it is not certain', async (reason) => {
    const service = await startPricing()
    service.machine.script.next('updatePrices', { instead: failure(reason) })
    const { status, body, headers } = await change(service, priceRequest(line(COLA, 260)))
    expect(status).toBe(502)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(body.messages[0].code).toBe('upstream_unreachable')
    expect(body.messages[0].content).toContain('not known yet')
    expect(await summaries(service)).toEqual([expect.stringContaining('not confirmed')])
  })

  test('it arrives within the grace period: reported as applied, and nothing was sent twice', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    setOnMachine(service, COLA, 260)
    service.clock.advance(TIMEOUT)
    await verify(service)
    await verify(service)
    expect(await summaries(service)).toEqual([
      expect.stringContaining('applied after all'),
      expect.stringContaining('not confirmed'),
    ])
    expect(writes(service)).toBe(1)
  })

  test('absent before the end of the grace period decides nothing; after it, the change is reported as not applied', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    service.clock.advance(TIMEOUT - 1)
    await verify(service)
    expect(await summaries(service)).toHaveLength(1)
    service.clock.advance(1)
    await verify(service)
    expect((await summaries(service))[0]).toContain('not applied')
    expect(writes(service), 'reading back never sends').toBe(1)
    expect((await change(service, priceRequest(line(COLA, 260)))).status, 'now it may be sent again').toBe(200)
    expect(writes(service)).toBe(2)
  })

  test('it arrives after it was reported as not applied: reported once, and not undone', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    service.clock.advance(2 * TIMEOUT)
    await verify(service)
    expect((await summaries(service))[0]).toContain('not applied')
    setOnMachine(service, COLA, 260)
    service.clock.advance(HOUR)
    await verify(service)
    service.clock.advance(HOUR)
    await verify(service)
    expect(await summaries(service)).toHaveLength(3)
    expect((await summaries(service))[0]).toContain('late')
    expect(pricesOnMachine(service)[COLA]).toBe(260)
    expect(writes(service)).toBe(1)
  })

  test('a newer change to the same price explains it: nothing is reported as late', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    service.clock.advance(2 * TIMEOUT)
    await verify(service)
    await change(service, priceRequest(line(COLA, 260), line(TEA, 310)))
    const before = await summaries(service)
    service.clock.advance(HOUR)
    await verify(service)
    expect(await summaries(service)).toEqual(before)
  })

  test('it arrives after a newer change: that is reported', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    service.clock.advance(2 * TIMEOUT)
    await verify(service)
    await change(service, priceRequest(line(COLA, 240)))
    setOnMachine(service, COLA, 260)
    service.clock.advance(HOUR)
    await verify(service)
    expect((await summaries(service))[0]).toContain('late')
  })

  test('a part of the lines is in effect after the grace period: that part is reported', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260), line(TEA, 310)))
    setOnMachine(service, COLA, 260)
    service.clock.advance(TIMEOUT)
    await verify(service)
    expect((await summaries(service))[0]).toContain('1 of 2')
  })

  test('a clock that is set forward does not shorten the grace', async () => {
    const moved = manualClock(NOW)
    let elapsed = 0
    const service = await startPricing({ clock: { ...moved, elapsed: () => elapsed } })
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    moved.advance(24 * HOUR)
    await verify(service)
    expect(await summaries(service), 'no time has passed').toHaveLength(1)
    elapsed += TIMEOUT
    moved.advance(HOUR)
    await verify(service)
    expect((await summaries(service))[0]).toContain('not applied')
  })

  test('a clock that is set back does not stop the reading', async () => {
    const moved = manualClock(NOW)
    let elapsed = 0
    const service = await startPricing({ clock: { ...moved, elapsed: () => elapsed } })
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    setOnMachine(service, COLA, 260)
    elapsed += TIMEOUT
    moved.set(NOW - 24 * HOUR)
    await verify(service)
    expect((await summaries(service))[0]).toContain('applied after all')
  })

  test('another process measures the grace period again', async () => {
    const one = await startPricing()
    loseAnswer(one)
    await change(one, priceRequest(line(COLA, 260)))
    const other = await startService({ store: one.ctx.store, machine: one.machine, now: NOW + HOUR })
    await verify(other)
    expect(await summaries(other), 'it has only now seen it for the first time').toHaveLength(1)
    other.clock.advance(HOUR)
    await verify(other)
    expect((await summaries(other))[0]).toContain('not applied')
  })

  test('two instances report the outcome once', async () => {
    const one = await startPricing()
    const other = await startService({ store: one.ctx.store, machine: one.machine })
    loseAnswer(one)
    await change(one, priceRequest(line(COLA, 260)))
    setOnMachine(one, COLA, 260)
    one.clock.advance(TIMEOUT)
    other.clock.advance(TIMEOUT)
    await Promise.all([verify(one), verify(other), verify(one), verify(other)])
    expect(await summaries(one)).toHaveLength(2)
  })
})

describe('4.6 a refusal is not believed before the machine was read', () => {
  test.each(['rejected', 'unauthorized'] as const)(
    '%s, and the prices are in effect: they are changed',
    async (reason) => {
      const service = await startPricing()
      service.machine.script.next('updatePrices', { afterwards: failure(reason) })
      const { status, body } = await change(service, priceRequest(line(COLA, 260)))
      expect(status).toBe(200)
      expect(body.updated).toMatchObject([{ previous: { amount: 250 }, price: { amount: 260 } }])
    },
  )

  test.each(['rejected', 'unauthorized'] as const)(
    '%s, and the prices stand later: that is reported',
    async (reason) => {
      const service = await startPricing()
      service.machine.script.next('updatePrices', { instead: failure(reason) })
      expect((await change(service, priceRequest(line(COLA, 260)))).status).toBe(reason === 'rejected' ? 502 : 401)
      setOnMachine(service, COLA, 260)
      service.clock.advance(HOUR)
      await verify(service)
      expect((await summaries(service))[0]).toContain('late')
    },
  )

  test('a machine that claims more than can be seen leaves it uncertain', async () => {
    const service = await startPricing()
    service.machine.stubborn.add('G-0001')
    service.machine.stubborn.add('G-0002')
    service.machine.script.next('updatePrices', { afterwards: { ok: true, value: { count: 1 } } as never })
    const { status } = await change(service, priceRequest(line(COLA, 260), line(TEA, 310)))
    expect(status).toBe(502)
    expect((await summaries(service))[0]).toContain('not confirmed')
  })
})

describe('a price that another change set did not arrive late', () => {
  const isLate = async (service: Service) => (await summaries(service)).some((summary) => summary.includes('late'))

  test('of a change that was applied in part', async () => {
    const service = await startPricing()
    service.machine.script.next('updatePrices', { instead: failure('rejected', 'the machine is offline') })
    expect((await change(service, priceRequest(line(TEA, 370)))).status).toBe(502)
    service.machine.stubborn.add('G-0001')
    const partly = await change(service, priceRequest(line(TEA, 370), line(COLA, 270)))
    expect([partly.status, partly.body.updated.length, partly.body.messages.length]).toEqual([200, 1, 1])
    for (let n = 0; n < 3; n++) {
      service.clock.advance(HOUR)
      await verify(service)
    }
    expect(await isLate(service)).toBe(false)
  })

  test('of one that arrived late itself: reported once', async () => {
    const service = await startPricing()
    for (let n = 0; n < 2; n++) {
      service.machine.script.next('updatePrices', { instead: failure('rejected') })
      await change(service, priceRequest(line(TEA, 370)))
      service.clock.advance(MINUTE)
    }
    setOnMachine(service, TEA, 370)
    for (let n = 0; n < 3; n++) {
      service.clock.advance(HOUR)
      await verify(service)
    }
    expect((await summaries(service)).filter((summary) => summary.includes('late'))).toHaveLength(1)
  })

  test('of one without a clear answer yet: not reported before it is certain', async () => {
    const service = await startPricing()
    service.machine.script.next('updatePrices', { instead: failure('rejected') })
    await change(service, priceRequest(line(TEA, 370)))
    service.machine.script.next('updatePrices', { afterwards: failure('unknown', 'no answer in time') })
    service.machine.script.next('inventory', 'pass', { instead: failure('unknown') })
    expect((await change(service, priceRequest(line(TEA, 370)))).status).toBe(502)
    service.clock.advance(TIMEOUT)
    for (let n = 0; n < 3; n++) {
      await verify(service)
      service.clock.advance(HOUR)
    }
    expect(await isLate(service)).toBe(false)
    expect((await summaries(service))[0]).toContain('applied after all')
  })

  test('another line of the same change that does arrive late is still reported, alone', async () => {
    const service = await startPricing()
    service.machine.script.next('updatePrices', { instead: failure('rejected') })
    await change(service, priceRequest(line(TEA, 370), line(COLA, 270)))
    await change(service, priceRequest(line(TEA, 370)))
    service.clock.advance(HOUR)
    await verify(service)
    expect(await isLate(service)).toBe(false)
    setOnMachine(service, COLA, 270)
    service.clock.advance(HOUR)
    await verify(service)
    const [event] = await service.events('price_change')
    expect(event).toMatchObject({ code: 'price_change_late', params: { lines: 1, product: '可乐' } })
  })
})

describe('4.6 sent again while it is not certain', () => {
  test('the machine is read first; as long as it cannot be certain: 502, an event, no second write', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    const again = await change(service, priceRequest(line(COLA, 260)))
    expect(again.status).toBe(502)
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(0)
    expect(writes(service)).toBe(1)
    expect(await summaries(service)).toHaveLength(2)
  })

  test('the prices are in effect: 200 without a second write, with an event of its own', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)), { key: 'k' })
    setOnMachine(service, COLA, 260)
    const again = await change(service, priceRequest(line(COLA, 260)), { key: 'k' })
    expect(again.status).toBe(200)
    expect(again.body.updated).toMatchObject([{ item: { id: COLA }, price: { amount: 260 } }])
    expect(writes(service)).toBe(1)
    service.clock.advance(HOUR)
    await verify(service)
    const events = await service.events('price_change')
    expect(events).toHaveLength(2)
    expect(events[0].reasoning).toContain('earlier')
  })

  test('certain that it is not there: sent again, once', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    service.clock.advance(TIMEOUT)
    expect((await change(service, priceRequest(line(COLA, 260)))).status).toBe(200)
    expect(writes(service)).toBe(2)
    service.clock.advance(HOUR)
    await verify(service)
    expect(await summaries(service)).toHaveLength(2)
  })

  test('another price for the same product waits, another product does not', async () => {
    const service = await startPricing()
    loseAnswer(service)
    await change(service, priceRequest(line(COLA, 260)))
    const same = await change(service, priceRequest(line(COLA, 240), line(TEA, 310)))
    expect(same.status).toBe(502)
    expect(Number(same.headers['retry-after'])).toBeGreaterThan(0)
    expect((await change(service, priceRequest(line(TEA, 310)))).status).toBe(200)
    service.clock.advance(TIMEOUT)
    expect((await change(service, priceRequest(line(COLA, 240)))).status).toBe(200)
    expect((await summaries(service)).filter((summary) => summary.includes('not applied'))).toHaveLength(1)
    expect(pricesOnMachine(service)).toMatchObject({ [COLA]: 240, [TEA]: 310 })
  })

  test('by a process that was started since: it waits until it measured the grace itself', async () => {
    const one = await startPricing()
    crashWhileCalling(one)
    await change(one, priceRequest(line(COLA, 260)))
    const other = await startService({ store: one.ctx.store, machine: one.machine, now: NOW + HOUR })
    expect((await change(other, priceRequest(line(COLA, 240)))).status).toBe(502)
    other.clock.advance(HOUR)
    expect((await change(other, priceRequest(line(COLA, 240)))).status).toBe(200)
  })
})

describe('an approved change without a clear answer', () => {
  const DEAR = priceRequest(line(COLA, 400))

  test('applied after all: the approval is used up', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    loseAnswer(service)
    const answer = await service.post(`/approvals/${id}`, { approved: true })
    expect(answer.body).toMatchObject({ status: 'approved', messages: [{ code: 'upstream_unreachable' }] })
    setOnMachine(service, COLA, 400)
    service.clock.advance(TIMEOUT)
    await verify(service)
    expect((await summaries(service))[0]).toContain('applied after all')
    setOnMachine(service, COLA, 250)
    service.clock.advance(HOUR)
    await service.job('pricing.apply-approved')
    expect(writes(service)).toBe(1)
    expect((await change(service, DEAR)).body.messages[0].code).toBe('approval_required')
  })

  test('not applied: it is reported, and executed later as any approved change', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    loseAnswer(service)
    await service.post(`/approvals/${id}`, { approved: true })
    service.clock.advance(TIMEOUT)
    await service.job('pricing.apply-approved')
    expect(writes(service), 'not while it is uncertain').toBe(1)
    await verify(service)
    expect((await summaries(service))[0]).toContain('not applied')
    service.clock.advance(HOUR)
    await service.job('pricing.apply-approved')
    expect(pricesOnMachine(service)[COLA]).toBe(400)
    expect(writes(service)).toBe(2)
  })
})

describe('the job that reads back', () => {
  test('a machine that does not answer is read at growing intervals for about two days; then the outcome is reported as unknown', async () => {
    const service = await startPricing()
    loseAnswer(service)
    service.machine.script.next('inventory', 'pass', { instead: failure('unknown') })
    await change(service, priceRequest(line(COLA, 260)))
    service.machine.script.always('inventory', failure('unknown'))
    const asked: number[] = []
    for (let minute = 0; minute < 5 * 24 * 60; minute += 20) {
      service.clock.advance(20 * MINUTE)
      const before = reads(service)
      await verify(service)
      if (reads(service) > before) asked.push(minute)
    }
    expect(asked.length).toBeGreaterThan(20)
    expect(asked.length).toBeLessThanOrEqual(60)
    expect(asked.at(-1)).toBeGreaterThan(36 * 60)
    expect(asked.at(-1)).toBeLessThan(72 * 60)
    expect((asked.at(-1) ?? 0) - (asked.at(-2) ?? 0)).toBeGreaterThan(30)
    expect(await summaries(service)).toHaveLength(2)
    expect((await summaries(service))[0]).toContain('unknown')
  })

  test('silent machines do not keep others waiting', async () => {
    const machines = Array.from({ length: 120 }, (_, n) => `M2${String(n).padStart(3, '0')}`)
    const machine = scriptedMachine(
      Object.fromEntries([[MACHINE, slotsOfMachine()], ...machines.map((id) => [id, slotsOfMachine()])]),
    )
    const silent = new Set(machines.slice(0, 110))
    let mute = false
    const inventory = machine.vendor.inventory.bind(machine.vendor)
    machine.vendor.inventory = (id) => (mute && silent.has(id) ? Promise.resolve(failure('unknown')) : inventory(id))
    const service = await startPricing({ machine })
    for (const location of machines) {
      await register(service, location)
      loseAnswer(service)
      await change(service, priceRequest(line(COLA, 260)), { location })
    }
    mute = true
    service.clock.advance(TIMEOUT)
    for (let round = 0; round < 4; round += 1) await verify(service)
    const reported = (await summaries(service)).filter((summary) => summary.includes('not applied'))
    expect(reported).toHaveLength(10)
  })

  test('a machine that makes it stumble does not hold up the others', async () => {
    const machine = scriptedMachine({ [MACHINE]: slotsOfMachine(), M2000: slotsOfMachine() })
    const inventory = machine.vendor.inventory.bind(machine.vendor)
    let broken = false
    machine.vendor.inventory = (id) => (broken && id === MACHINE ? Promise.reject(new Error('bug')) : inventory(id))
    const service = await startPricing({ machine })
    await register(service, 'M2000')
    for (const location of [MACHINE, 'M2000']) {
      loseAnswer(service)
      await change(service, priceRequest(line(COLA, 260)), { location })
    }
    broken = true
    service.clock.advance(TIMEOUT)
    await verify(service)
    expect((await service.events('price_change'))[0]).toMatchObject({ location: 'M2000' })
  })
})
