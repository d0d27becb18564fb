/** The built-in operator: what a shift does within the owner's rules, and what it leaves alone. */
import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../src/kernel/clock.ts'
import { auditChain } from '../../src/views/audit/index.ts'
import { StoreUnavailable } from '../../src/store/unavailable.ts'
import { addKey } from '../people/keys.ts'
import { failure } from '../support/scripted-vendors.ts'
import { sample } from '../support/sample.ts'
import { type Json, type Service, loseReplies } from '../support/service.ts'
import { routeSlots, startRoute, suppliesOf, usualSales, withRules } from '../replenishment/route.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const REAL = { env: 'live', simulatedPurchasing: false, defaultDestination: HOME } as const
type Levels = { readonly restock?: string; readonly swaps?: string }

async function start(autonomy: Levels, options: Parameters<typeof startRoute>[0] = {}) {
  const service = await startRoute({ config: REAL, ...options })
  const owner = await addKey(service, 'owner', 'Ann')
  const token = owner.key
  const set = await service.put('/operator', { autonomy }, { token })
  if (set.status !== 200) throw new Error(set.text)
  return { service, token }
}

/** A shift by hand, worked by the job. */
async function shift(service: Service, query = ''): Promise<Json> {
  const started = await service.post(`/operator/shifts${query}`)
  expect(started.status).toBe(202)
  await service.job('operator')
  return (await service.get(`/operator/shifts/${started.body.id}`)).body
}

const outcomes = ({ steps }: Json): string[] => steps.map(({ code, outcome }: Json) => `${code} ${outcome}`)
const runs = async (service: Service): Promise<Json[]> => (await service.get('/replenishment/runs')).body.runs
const pending = async (service: Service): Promise<Json[]> => (await service.get('/approvals')).body.approvals
/** Without the question about products that nobody linked. */
const decisions = async (service: Service) => (await pending(service)).filter(({ kind }) => kind !== 'note')

describe('act', () => {
  test('one shift: a run for the due trip, ordered and bought, with a journal in the hash chain', async () => {
    const limits = { spendingLimitPerRun: 50_000, spendingLimitPerDay: 60_000, spendingLimitPerWeek: 90_000 }
    const { service } = await start({ restock: 'act' }, { rules: withRules(limits) })
    const done = await shift(service)
    expect(done).toMatchObject({
      status: 'waiting',
      trigger: 'by_hand',
      dry_run: false,
      figures: { bought: 1, refused: 0 },
    })
    expect(outcomes(done)).toEqual([
      'looked noted',
      'run_created done',
      'run_placed done',
      'purchase_bought done',
      'pick_list noted',
      'unlinked_asked asked',
      'tomorrow noted',
    ])
    expect(service.supply.orders.size).toBe(1)
    expect((await runs(service))[0]).toMatchObject({ status: 'placed', by: { name: 'vendops', role: 'operator' } })
    for (const step of done.steps) expect(step.did, step.code).not.toBe('')
    expect((await auditChain(service.ctx.store)).problems).toEqual([])
    const operator = (await service.get('/operator')).body
    expect(operator).toMatchObject({ autonomy: { restock: 'act', swaps: 'off' }, last_shift: { id: done.id } })
    expect(operator.waiting_for).toHaveLength(1)
    // 7 cola at 120 and 5 tea at 200.
    expect(operator.budget).toEqual({
      currency: 'CNY',
      per_purchase: 50_000,
      left_today: 60_000 - 1840,
      left_this_week: 90_000 - 1840,
    })

    const again = await shift(service)
    expect(again.figures).toMatchObject({ bought: 0, asked: 0 })
    expect(service.supply.orders.size).toBe(1)
    expect(await runs(service)).toHaveLength(1)
  })

  test('above the limit it asks and goes on; after the yes the wake-up buys, once', async () => {
    const { service, token } = await start({ restock: 'act' }, { rules: withRules({ spendingLimitPerRun: 100 }) })
    const first = await shift(service)
    expect(outcomes(first)).toContain('run_asked asked')
    expect(first.status).toBe('waiting')
    expect(service.supply.orders.size).toBe(0)
    await shift(service)
    const [decision, ...more] = await decisions(service)
    expect(more).toEqual([])
    service.clock.advance(MINUTE)
    await service.job('operator')
    await service.post(`/approvals/${decision.id}`, { approved: true }, { token })
    service.clock.advance(MINUTE)
    await service.job('operator')
    const [woken] = (await service.get('/operator/shifts')).body.shifts
    expect(woken).toMatchObject({ trigger: 'event', figures: { bought: 1 } })
    expect(service.supply.orders.size).toBe(1)
  })

  test('goods of a purchase whose outcome is unknown are not bought, for no machine', async () => {
    const supply = suppliesOf()
    const { service } = await start({ restock: 'act' }, { supply })
    supply.script.always('createOrder', failure('unknown'))
    supply.script.always('orderStatus', failure('unknown'))
    const first = await shift(service)
    expect(outcomes(first)).toContain('purchase_unknown unknown')
    const sent = supply.script.count('createOrder')
    // Its slots are on their way as far as the plan knows; another machine needs the same goods.
    service.machine.slotsByMachine['M1002'] = routeSlots().map((slot) => ({ ...slot, stock: 0 }))
    await service.put('/locations/M1002', { name: 'Hall 2', profile: { city: '上海', address: '南京路 2' } })
    await service.post('/locations/sync')
    const second = await shift(service)
    expect(outcomes(second).filter((text) => text.startsWith('purchase_bought'))).toEqual([])
    expect(supply.script.count('createOrder')).toBe(sent)
  })

  test('a supplier that refuses is tried at most three times a shift', async () => {
    const supply = suppliesOf()
    const { service } = await start({ restock: 'act' }, { supply })
    supply.script.always('createOrder', failure('rejected'))
    const refused = await shift(service)
    expect(outcomes(refused)).toContain('purchase_refused refused')
    expect(supply.script.count('createOrder')).toBeLessThanOrEqual(3)
    expect(service.supply.orders.size).toBe(0)
  })
})

test('the journal has the request before it is sent', async () => {
  const { service } = await start({ restock: 'act' })
  let seen: string | undefined
  service.supply.script.next('createOrder', {
    wait: (async () => {
      while (service.supply.script.count('createOrder') === 0) await new Promise((resolve) => setImmediate(resolve))
      const [running] = (await service.get('/operator/shifts')).body.shifts
      const { steps } = (await service.get(`/operator/shifts/${running.id}`)).body
      seen = outcomes({ steps }).at(-1)
    })(),
  })
  await shift(service)
  expect(seen).toBe('purchase_complete begun')
})

describe('propose', () => {
  test('asks once and buys nothing; after yes once', async () => {
    const { service, token } = await start({ restock: 'propose' })
    expect(outcomes(await shift(service))).toContain('run_asked asked')
    expect(outcomes(await shift(service)).filter((text) => text.startsWith('run_'))).toEqual([])
    const [decision, ...more] = await decisions(service)
    expect(more).toEqual([])
    expect(decision.code).toBe('asked')
    expect(service.supply.orders.size).toBe(0)
    await service.post(`/approvals/${decision.id}`, { approved: true }, { token })
    await shift(service)
    await shift(service)
    expect(service.supply.orders.size).toBe(1)
  })

  test('after no nothing', async () => {
    const { service, token } = await start({ restock: 'propose' })
    await shift(service)
    const [decision] = await decisions(service)
    await service.post(`/approvals/${decision.id}`, { approved: false }, { token })
    await shift(service)
    expect(await decisions(service)).toEqual([])
    expect(service.supply.orders.size).toBe(0)
  })
})

describe('what stops it', () => {
  test('everything off: 409 not_enabled, and no wake-up', async () => {
    const { service } = await start({ restock: 'off' })
    const { status, body } = await service.post('/operator/shifts')
    expect([status, body.messages[0].code]).toEqual([409, 'not_enabled'])
    service.clock.advance(2 * DAY)
    await service.job('operator')
    expect((await service.get('/operator/shifts')).body.shifts).toEqual([])
  })

  test('while one runs: 409 shift_running with its id', async () => {
    const { service } = await start({ restock: 'act' })
    const { id } = (await service.post('/operator/shifts')).body
    const { status, body } = await service.post('/operator/shifts')
    expect([status, body.messages[0].code, body.messages[0].params.shift]).toEqual([409, 'shift_running', id])
  })

  test('under the emergency stop it ends stopped: nothing sent, nothing asked', async () => {
    const { service } = await start({ restock: 'act' })
    await service.post('/guardrails/stop', { reason: 'test' })
    const ended = await shift(service)
    expect(ended.status).toBe('stopped')
    expect(service.supply.orders.size).toBe(0)
    expect(await pending(service)).toEqual([])
    expect(await runs(service)).toEqual([])
  })

  test('with rules that cannot be read it ends failed', async () => {
    const { service } = await start({ restock: 'act' })
    await service.post('/operator/shifts')
    service.writeRules('{')
    await service.job('operator')
    service.writeRules(withRules({}))
    const [ended] = (await service.get('/operator/shifts')).body.shifts
    expect(ended.status).toBe('failed')
    expect(service.supply.orders.size).toBe(0)
    expect(await pending(service)).toEqual([])
  })

  test('its key revoked: failed, until the owner switches it on again', async () => {
    const { service, token } = await start({ restock: 'act' })
    const { people } = (await service.get('/people', { token })).body
    const { id } = people.find(({ name }: Json) => name === 'vendops')
    await service.call('DELETE', `/people/${id}`, { token })
    expect((await shift(service)).status).toBe('failed')
    await service.put('/operator', { autonomy: { restock: 'act' } }, { token })
    expect((await shift(service)).figures.bought).toBe(1)
  })

  test('only an owner changes it; an operator may pause for a week and not end the pause', async () => {
    const { service, token } = await start({ restock: 'act' })
    const pause = (days: number) => ({ paused_until: new Date(service.clock.now() + days * DAY).toISOString() })
    expect((await service.put('/operator', { autonomy: { restock: 'off' } })).status).toBe(403)
    expect((await service.put('/operator', { wake_at: ['05:00'] })).status).toBe(403)
    expect((await service.put('/operator', pause(8))).status).toBe(400)
    expect((await service.get('/operator')).body.next_wake_at).toBe('2026-09-11T06:00:00.000+08:00')
    const paused = await service.put('/operator', pause(2))
    expect([paused.status, paused.body.next_wake_at]).toEqual([200, '2026-09-13T06:00:00.000+08:00'])
    expect((await service.put('/operator', pause(1))).status).toBe(403)
    expect((await service.put('/operator', { paused_until: null })).status).toBe(403)
    service.clock.advance(DAY)
    await service.job('operator')
    expect((await service.get('/operator/shifts')).body.shifts).toEqual([])
    expect((await service.put('/operator', { paused_until: null }, { token })).status).toBe(200)
    service.clock.advance(DAY)
    await service.job('operator')
    expect((await service.get('/operator/shifts')).body.shifts).toHaveLength(1)
  })
})

test('a dry run is stored and writes nothing else, no event either', async () => {
  const { service } = await start({ restock: 'act' })
  const before = await service.events()
  const would = await shift(service, '?dry_run=true')
  expect(would).toMatchObject({ dry_run: true, status: 'done' })
  expect(outcomes(would)).toContain('run_created would')
  expect(await service.events()).toEqual(before)
  expect(await runs(service)).toEqual([])
  expect(await pending(service)).toEqual([])
  expect(service.supply.orders.size).toBe(0)
})

test('wakes up at its time, once, and after a reminder of its own', async () => {
  const { service } = await start({ restock: 'act' })
  service.clock.advance(22 * HOUR + MINUTE)
  await service.job('operator')
  await service.job('operator')
  expect((await service.get('/operator/shifts')).body.shifts).toMatchObject([{ trigger: 'wake_up' }])
})

/** As a process that dies at its n-th commit, before or after it: nothing is twice, and nothing is lost. */
describe('killed at every commit', () => {
  const patch = (service: Service, at: number, isAfter: boolean) => {
    const { store } = service.ctx
    const own = store.transaction.bind(store)
    let n = 0
    Object.assign(store, {
      transaction: async (work: never) => {
        n += 1
        if (n === at && !isAfter) throw new StoreUnavailable('killed')
        const result = await own(work)
        if (n === at && isAfter) throw new StoreUnavailable('killed')
        return result
      },
    })
    return { count: () => n, heal: () => Object.assign(store, { transaction: own }) }
  }

  async function play(at: number, isAfter: boolean) {
    const { service } = await start({ restock: 'act' }, { trades: usualSales() })
    const { id } = (await service.post('/operator/shifts')).body
    const patched = patch(service, at, isAfter)
    await service.job('operator').catch(() => {})
    patched.heal()
    await loseReplies(service)
    for (let n = 0; n < 3; n++) {
      await service.job('effects.purchase')
      await service.job('operator')
    }
    // What was claimed and never sent is asked about first, and bought by the next shift.
    for (let n = 0; n < 5; n++) {
      service.clock.advance(10 * MINUTE)
      await service.job('effects.purchase')
    }
    await shift(service)
    const { body } = await service.get(`/operator/shifts/${id}`)
    return { service, ended: body, count: patched.count() }
  }

  /** A shift of this route commits as often. */
  const COMMITS = 29

  test('the shift of this route has these commits', async () => {
    expect((await play(0, false)).count).toBe(COMMITS)
  })

  // One test each: their databases are closed with it.
  const all = Array.from({ length: COMMITS }, (_, n) => n + 1)
  const points = sample('commits at which a shift is killed', all)
  test.each(points)('one order, one run, one question: %i', async (at) => {
    for (const isAfter of [false, true]) {
      const { service, ended } = await play(at, isAfter)
      const seen = {
        isAfter,
        status: ended.status,
        orders: service.supply.orders.size,
        runs: (await runs(service)).length,
        questions: (await pending(service)).length,
      }
      expect(seen).toEqual({ isAfter, status: 'waiting', orders: 1, runs: 1, questions: 1 })
    }
  })
})
