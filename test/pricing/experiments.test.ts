/** Trials of prices: our own operations, beyond the contract. */
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { failure, machineSlot } from '../support/scripted-vendors.ts'
import { type Json, type Service, PROCESS_DIED, RULES } from '../support/service.ts'
import { COLA, resolve, salesOf, startRoute, sync, TEA, WATER } from '../replenishment/route.ts'

const PATH = '/pricing/experiments'
const MACHINES = ['M1', 'M2', 'M3', 'M4']
const slots = () => [
  machineSlot('G-1', { title: '可乐', priceFen: fen(300), stock: 900, capacity: 999, barcode: '6901234567892' }),
  machineSlot('G-3', { title: '水', priceFen: fen(200), stock: 900, capacity: 999 }),
]
const sold = (perDay: number, location: string, days = 25, now?: number) =>
  salesOf({ vendorSku: 'G-1', perDay, location, days }, now).map((record) => ({
    ...record,
    orderNo: `${record.orderNo}-${now ?? 0}`,
  }))

const start = (options: Parameters<typeof startRoute>[0] = {}) =>
  startRoute({
    slotsByMachine: Object.fromEntries(MACHINES.map((id) => [id, slots()])),
    trades: MACHINES.flatMap((id) => [...sold(12, id), ...salesOf({ vendorSku: 'G-3', perDay: 2, location: id })]),
    ...options,
  })
const priceAt = (service: Service, machine: string): number => service.machine.slotsByMachine[machine]![0]!.priceFen
const prices = (service: Service) => MACHINES.map((machine) => priceAt(service, machine))
const list = async (service: Service): Promise<Json> => (await service.get(PATH)).body
const begin = (service: Service, change = 50, id = COLA) => service.post(PATH, { item: { id }, change, confirm: true })
const treatedOf = (experiment: Json): string[] =>
  experiment.machines.filter(({ role }: Json) => role === 'treated').map(({ location }: Json) => location)

/** Days on which machines with another price than 300 sell `perDay`, the others 12; the platform tells all of it. */
async function days(service: Service, count: number, perDay: number): Promise<void> {
  service.clock.advance(count * DAY)
  for (const machine of MACHINES)
    service.machine.trades.push(
      ...sold(priceAt(service, machine) === 300 ? 12 : perDay, machine, count, service.clock.now()),
    )
  for (const each of Object.values(service.machine.slotsByMachine))
    for (const [i, slot] of each.entries()) each[i] = { ...slot, stock: (slot.stock ?? 0) + 1 }
  await sync(service)
  await service.job('trials')
}

describe('4.6 price trials', () => {
  test('a proposal, with its gain and how uncertain it is; started, it changes half of the machines', async () => {
    const service = await start()
    const { proposals, running, past } = await list(service)
    expect([running, past]).toEqual([[], []])
    // Water has no supplier, so its cost is not known.
    expect(proposals).toMatchObject([{ item: { id: COLA }, change: 50, expected: { gain: expect.any(Number) } }])
    expect(proposals[0].expected.error).toBeGreaterThan(0)
    const priced = ({ machines }: Json) =>
      machines.map(({ role, price, trial_price: next }: Json) => [role, price, next])
    const split = (next: number) => [
      ...Array.from({ length: 2 }, () => ['treated', 300, next]),
      ...Array.from({ length: 2 }, () => ['control', 300, undefined]),
    ]
    expect(priced(proposals[0])).toEqual(split(350))
    expect(prices(service)).toEqual([300, 300, 300, 300])

    const { status, body } = await begin(service, 90)
    expect([status, body.experiment.status]).toEqual([200, 'running'])
    const treated = treatedOf(body.experiment)
    expect(treated).toHaveLength(2)
    expect(priced(body.experiment)).toEqual(split(390))
    expect(prices(service)).toEqual(MACHINES.map((id) => (treated.includes(id) ? 390 : 300)))
    expect((await list(service)).proposals).toEqual([])
    expect((await service.events('price_change')).map(({ code }) => code)).toContain('trial_started')

    // Nothing is judged before 14 days in stock.
    await days(service, 10, 12)
    expect((await list(service)).running).toMatchObject([{ status: 'running' }])
    await days(service, 6, 12)
    const [ended] = (await list(service)).past
    expect(ended).toMatchObject({ status: 'kept', reason: 'judged', elasticity: { value: expect.closeTo(0, 0) } })
    expect(ended.measured.gain).toBeGreaterThan(2 * ended.measured.error)
    expect(prices(service)).toEqual(MACHINES.map((id) => (treated.includes(id) ? 390 : 300)))
    expect((await service.events('price_change')).map(({ code }) => code)).toContain('trial_kept')
    // What was kept goes on to the machines that were left behind.
    const [next] = (await list(service)).proposals
    expect(treatedOf(next).toSorted()).toEqual(MACHINES.filter((id) => !treated.includes(id)))
  })

  test('what does not pay is taken back, and not proposed again soon', async () => {
    const service = await start()
    await begin(service, 90)
    await days(service, 16, 4)
    const { past, proposals } = await list(service)
    expect(past).toMatchObject([{ status: 'taken_back', reason: 'judged' }])
    expect(past[0].measured.gain).toBeLessThan(0)
    expect(prices(service)).toEqual([300, 300, 300, 300])
    expect(proposals.filter(({ change }: Json) => change > 0)).toEqual([])
    // Once only: whatever runs again changes nothing.
    const writes = service.machine.script.count('updatePrices')
    await service.job('trials')
    expect(service.machine.script.count('updatePrices')).toBe(writes)
  })

  test('a person who changes a price ends the trial there, and keeps that price', async () => {
    const service = await start()
    const { experiment } = (await begin(service, 50)).body
    const [first, second] = treatedOf(experiment)
    await service.put(`/locations/${first}/prices`, {
      prices: [{ item: { id: COLA }, price: { amount: 310, currency: 'CNY' } }],
      confirm: true,
    })
    await days(service, 2, 12)
    const [running] = (await list(service)).running
    expect(running.machines.find(({ location }: Json) => location === first)).toMatchObject({
      state: 'left',
      why: 'price_changed',
    })
    const ended = await service.post(`${PATH}/${experiment.id}/end`, { keep: false, confirm: true })
    expect(ended.body.experiment).toMatchObject({ status: 'taken_back', reason: 'person' })
    expect([priceAt(service, first!), priceAt(service, second!)]).toEqual([310, 300])
  })

  test('a person may keep it; what ended stays ended', async () => {
    const service = await start()
    const { experiment } = (await begin(service, 50)).body
    const end = (keep: boolean) => service.post(`${PATH}/${experiment.id}/end`, { keep, confirm: true })
    expect((await end(true)).body.experiment).toMatchObject({ status: 'kept', reason: 'person' })
    expect((await end(true)).status).toBe(200)
    expect((await service.events('price_change')).filter(({ code }) => code === 'trial_kept')).toHaveLength(1)
    expect([(await end(false)).status, prices(service).filter((price) => price === 350).length]).toEqual([409, 2])
    expect((await service.post(`${PATH}/trial-none/end`, { keep: true, confirm: true })).status).toBe(404)
  })

  test('what must not be tried is refused, and changes nothing', async () => {
    const service = await start({ rules: { ...RULES, rules: { ...RULES.rules, minimumMarginPercent: 100 } } })
    const cases: readonly [object, number, string][] = [
      [{ item: { id: COLA }, change: 101, confirm: true }, 400, '$.change'],
      [{ item: { id: COLA }, change: 0, confirm: true }, 400, '$.change'],
      // Below the margin.
      [{ item: { id: COLA }, change: -100, confirm: true }, 400, '$.change'],
      // Its cost is not known.
      [{ item: { id: WATER }, change: 10, confirm: true }, 400, '$.item.id'],
      [{ item: { id: TEA }, change: 10, confirm: true }, 404, '$.item.id'],
      [{ item: { id: COLA }, change: 10 }, 400, '$.confirm'],
      [{ item: { id: COLA }, change: 'much', confirm: true }, 400, '$.change'],
    ]
    for (const [body, status, path] of cases) {
      const refused = await service.post(PATH, body)
      expect([body, refused.status, refused.body.messages[0].path]).toEqual([body, status, path])
    }
    expect(service.machine.script.count('updatePrices')).toBe(0)
    expect((await list(service)).running).toEqual([])
  })

  test('one trial of a product at a time; none under the stop', async () => {
    const service = await start()
    expect((await begin(service)).status).toBe(200)
    expect((await begin(service)).status).toBe(409)
    await service.post('/guardrails/stop', { reason: 'test' })
    const writes = service.machine.script.count('updatePrices')
    await days(service, 16, 1)
    expect([(await begin(service, 10)).body.messages[0].code, service.machine.script.count('updatePrices')]).toEqual([
      'kill_switch_engaged',
      writes,
    ])
  })

  test('of several at once exactly one begins', async () => {
    const service = await start()
    // Ids hold the time: with a clock that stands still they would be the same.
    const ticking = setInterval(() => service.clock.advance(1), 1)
    const answers = await Promise.all([50, 60, 70, 80].map((change) => begin(service, change)))
    clearInterval(ticking)
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
    const { running, past } = await list(service)
    expect([running.length, past.length]).toEqual([1, 0])
  })

  test('a machine that gives no answer is set later', async () => {
    const service = await start()
    const silent = { instead: failure('unknown') }
    service.machine.script.next('inventory', silent, silent, silent)
    expect((await begin(service, 50)).body.experiment.status).toBe('starting')
    service.clock.advance(2 * HOUR)
    await service.job('trials')
    expect((await list(service)).running).toMatchObject([{ status: 'running' }])
    expect(service.machine.script.count('updatePrices')).toBe(2)
  })

  test('killed while a price is sent, the job goes on, and no machine is changed twice', async () => {
    const service = await start()
    const death = Promise.reject(PROCESS_DIED)
    death.catch(() => {})
    service.machine.script.next('updatePrices', 'pass', { wait: death })
    expect((await begin(service, 50)).status).toBe(500)
    service.clock.advance(2 * HOUR)
    await service.job('trials')
    await service.job('trials')
    const { running } = await list(service)
    expect(running).toMatchObject([{ status: 'running' }])
    expect(prices(service).toSorted((a, b) => a - b)).toEqual([300, 300, 350, 350])
    expect(service.machine.script.count('updatePrices')).toBe(3)
    expect((await service.events('price_change')).filter(({ code }) => code === 'trial_started')).toHaveLength(1)
  })

  test('what the rules no longer let go back is asked of the owner', async () => {
    const service = await start()
    const { experiment } = (await begin(service, 50)).body
    service.writeRules({ ...RULES, rules: { ...RULES.rules, priceCapPerItem: 20 } })
    const ended = await service.post(`${PATH}/${experiment.id}/end`, { keep: false, confirm: true })
    expect(ended.body.experiment.status).toBe('taking_back')
    const { approvals } = (await service.get('/approvals?status=pending')).body
    expect(approvals).toHaveLength(2)
    for (const [i, { id }] of approvals.entries()) await resolve(service, id, i === 0)
    service.clock.advance(DAY)
    await service.job('trials')
    const [over] = (await list(service)).past
    expect(over.status).toBe('taken_back')
    expect(
      over.machines
        .map(({ state }: Json) => state)
        .filter(Boolean)
        .toSorted(),
    ).toEqual(['back', 'left'])
    expect(prices(service).toSorted((a, b) => a - b)).toEqual([300, 300, 300, 350])
  })
})
