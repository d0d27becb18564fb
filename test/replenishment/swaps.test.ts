/** Swaps: what would earn more in a slot (beyond the contract), and the owner's decision of the kind `swap`. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findDecision, resolvePending } from '../../src/rules/approvals/records.ts'
import type { DecisionId } from '../../src/rules/approvals/records.ts'
import { swapSubject } from '../../src/acts/replenishment/swaps/accept-swap.ts'
import { finishSwaps } from '../../src/acts/replenishment/swaps/end-swap.ts'
import { DAY } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { addKey } from '../people/keys.ts'
import { DATABASE } from '../support/database.ts'
import { machineSlot, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import {
  COLA,
  decisionOf,
  entryOf,
  inFull,
  MACHINE,
  placed,
  plan,
  resolve,
  salesOf,
  slotOf,
  startRoute,
  sync,
  WATER,
  withRules,
} from './route.ts'
import type { RouteOptions } from './route.ts'

const OTHER = 'M1002'
const PATH = '/replenishment/swaps'
const EAN = { 'G-1': '6901234567892', 'G-2': '6901234567908' } as const
const slot = (code: 'G-1' | 'G-2' | 'G-3', title: string) =>
  machineSlot(code, { title, priceFen: fen(500), stock: 9, ...(code === 'G-3' ? {} : { barcode: EAN[code] }) })

/** The first machine has water, which hardly sells, and tea; the second sells a lot of cola, which it can buy. */
const startSwaps = (options: RouteOptions = {}) =>
  startRoute({
    slotsByMachine: {
      [MACHINE]: [slot('G-2', '茶'), slot('G-3', '水')],
      [OTHER]: [slot('G-1', '可乐'), slot('G-2', '茶')],
    },
    trades: [
      ...salesOf({ vendorSku: 'G-2', perDay: 2 }),
      ...salesOf({ location: OTHER, vendorSku: 'G-1', perDay: 4 }),
      ...salesOf({ location: OTHER, vendorSku: 'G-2', perDay: 2 }),
    ],
    ...options,
  })

/** The sales of the start, as of now. */
const recentSales = ({ clock }: Service) =>
  [
    ...salesOf({ vendorSku: 'G-2', perDay: 2 }, clock.now()),
    ...salesOf({ location: OTHER, vendorSku: 'G-1', perDay: 4 }, clock.now()),
    ...salesOf({ location: OTHER, vendorSku: 'G-2', perDay: 2 }, clock.now()),
  ].map((sale) => ({ ...sale, orderNo: `late ${sale.orderNo}` }))

const swaps = async (service: Service): Promise<Json[]> => (await service.get(PATH)).body.swaps
const COLA_FOR_WATER = { slot_id: slotOf(WATER), item: { id: COLA } }

describe('4.7 swaps', () => {
  test('are proposed with gain and evidence', async () => {
    const service = await startSwaps()
    expect(await swaps(service)).toEqual([
      expect.objectContaining({
        location: MACHINE,
        slot_id: slotOf(WATER),
        status: 'proposed',
        out: expect.objectContaining({ item: { id: WATER, title: '水' } }),
        in: expect.objectContaining({ item: { id: COLA, title: '可乐' } }),
        evidence: expect.objectContaining({ machines: 1, units: 84 }),
      }),
    ])
    const [swap] = await swaps(service)
    expect(swap.weekly_gain).toBe(swap.in.weekly_margin - swap.out.weekly_margin)
    expect((await service.get(`${PATH}?location=${OTHER}`)).body.swaps).toEqual([])
  })

  test('never for a locked slot, a product of the no-go list or one that nobody supplies or that is phased out', async () => {
    const service = await startSwaps()
    await service.put(`/locations/${MACHINE}/slots/${slotOf(WATER)}`, { locked: true })
    expect(await swaps(service)).toEqual([])
    await service.put(`/locations/${MACHINE}/slots/${slotOf(WATER)}`, { locked: false })
    expect(await swaps(service)).toHaveLength(1)
    await service.put(`/skus/${encodeURIComponent(COLA)}/phase-out`, { phase_out: true, location: MACHINE })
    expect(await swaps(service)).toEqual([])
    await service.put(`/skus/${encodeURIComponent(COLA)}/phase-out`, { phase_out: false, location: MACHINE })
    service.writeRules(withRules({ hardNoGos: ['可乐'] }))
    expect(await swaps(service)).toEqual([])
    const refused = await service.post(PATH, COLA_FOR_WATER)
    expect([refused.status, refused.body.messages[0].path]).toEqual([400, '$.item.id'])
  })

  test('accepting asks the owner once; approval phases the old product out of this machine and changes no slot', async () => {
    const service = await startSwaps()
    const { status, body } = await service.post(PATH, COLA_FOR_WATER)
    expect([status, body.swap.status]).toEqual([200, 'pending'])
    const decision = decisionOf(body)
    const again = await service.post(PATH, COLA_FOR_WATER)
    expect(decisionOf(again.body)).toBe(decision)
    const { approvals } = (await service.get('/approvals?kind=swap')).body
    expect(approvals[0].params).toMatchObject({
      machine: MACHINE,
      name: `Hall ${MACHINE}`,
      product: '水',
      other_product: '可乐',
      gain: { amount: body.swap.weekly_gain, currency: 'CNY' },
    })
    expect(approvals).toMatchObject([{ id: decision, kind: 'swap', subject: { type: 'slot', id: slotOf(WATER) } }])
    expect(await swaps(service)).toMatchObject([{ status: 'pending', decision }])

    expect((await resolve(service, decision, true)).status).toBe(200)
    const after = await plan(service)
    expect(entryOf(after, slotOf(WATER))).toMatchObject({
      item: { id: WATER },
      recommendation: { action: 'phase_out' },
    })
    expect(await swaps(service)).toMatchObject([{ status: 'approved' }])
    expect((await service.post(PATH, COLA_FOR_WATER)).body.swap.status).toBe('approved')

    service.machine.slotsByMachine[MACHINE] = [slot('G-1', '可乐'), slot('G-2', '茶')]
    await sync(service)
    expect(await swaps(service)).toMatchObject([{ status: 'done' }])
    // Stored, with one event however often it is looked for.
    await finishSwaps(service.ctx)
    await finishSwaps(service.ctx)
    const rows = await service.ctx.store.db.selectFrom('slot_swap').select('status').execute()
    expect(rows).toEqual([{ status: 'done' }])
    const ended = (await service.events('replenishment')).filter(({ code }: Json) => code === 'swap_ended')
    expect(ended).toMatchObject([
      { params: { name: `Hall ${MACHINE}`, product: '水', other_product: '可乐', status: 'done' } },
    ])
    service.clock.advance(31 * DAY)
    expect((await swaps(service)).filter(({ status }) => status === 'done')).toEqual([])
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation.action).not.toBe('phase_out')
  })

  test('a rejected swap changes nothing and is not proposed again for 90 days', async () => {
    const service = await startSwaps()
    const { body } = await service.post(PATH, COLA_FOR_WATER)
    await resolve(service, decisionOf(body), false)
    expect(await swaps(service)).toEqual([])
    expect(entryOf(await plan(service), slotOf(WATER)).recommendation.action).not.toBe('phase_out')
    service.clock.advance(89 * DAY)
    service.machine.trades.push(...recentSales(service))
    await sync(service)
    expect(await swaps(service)).toEqual([])
    service.clock.advance(DAY)
    expect(await swaps(service)).toMatchObject([{ status: 'proposed' }])
  })

  test('an approved swap that will not be made is canceled, and the product is ordered again', async () => {
    const service = await startSwaps()
    const end = (status: string) => service.put(`${PATH}/${slotOf(WATER)}`, { status })
    expect((await end('done')).status).toBe(404)
    const { body } = await service.post(PATH, COLA_FOR_WATER)
    await resolve(service, decisionOf(body), true)
    expect((await end('canceled')).body.swap.status).toBe('canceled')
    expect((await end('done')).status).toBe(404)
    expect(entryOf(await plan(service), slotOf(WATER)).recommendation.action).not.toBe('phase_out')
    expect(await swaps(service)).toEqual([])
  })

  test('a swap that waits for the owner and ends takes its question with it', async () => {
    const service = await startSwaps()
    const { body } = await service.post(PATH, COLA_FOR_WATER)
    // It cannot have been made: nobody has approved it.
    const early = await service.put(`${PATH}/${slotOf(WATER)}`, { status: 'done' })
    expect([early.status, early.body.messages[0].code]).toEqual([409, 'not_editable'])
    await service.put(`${PATH}/${slotOf(WATER)}`, { status: 'canceled' })
    expect((await service.get(`/approvals/${decisionOf(body)}`)).body.status).toBe('rejected')
    expect((await service.get('/approvals')).body.approvals).toEqual([])
  })

  test('canceled while the owner approves: the product is ordered again', async () => {
    const service = await startSwaps()
    const { body } = await service.post(PATH, COLA_FOR_WATER)
    const id = decisionOf(body) as DecisionId
    const { store, clock } = service.ctx
    const decision = await findDecision(store.db, id)
    const [locked, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // As resolving does: the decision, then what it is about.
    const approving = store.transaction(async (tx) => {
      await resolvePending(service.ctx, tx, id, { status: 'approved', at: clock.now(), by: 'owner' })
      locked.resolve()
      await waiting.promise
      await swapSubject(service.ctx).applyDecision(tx, decision!, true)
    })
    await locked.promise
    const canceling = service.put(`${PATH}/${slotOf(WATER)}`, { status: 'canceled' })
    // On SQLite it waits for the connection; on PostgreSQL it has read the swap and waits for the decision.
    if (DATABASE === 'postgres')
      await expect
        .poll(
          async () =>
            (
              await sql<object>`select 1 from pg_stat_activity where datname = current_database()
                and wait_event_type = 'Lock'`.execute(store.db)
            ).rows.length,
        )
        .toBe(1)
    waiting.resolve()
    await approving
    expect((await canceling).body.swap.status).toBe('canceled')
    expect(entryOf(await plan(service), slotOf(WATER)).recommendation.action).not.toBe('phase_out')
    expect(await swaps(service)).toEqual([])
  })

  test('of two at once for one slot one is asked about', async () => {
    const service = await startSwaps()
    const answers = await Promise.all([1, 2].map(() => service.post(PATH, COLA_FOR_WATER)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(answers.map(({ body }) => decisionOf(body))).size).toBe(1)
    expect((await service.get('/approvals?kind=swap')).body.approvals).toHaveLength(1)
  })

  test('an unknown slot and what is not proposed are refused; a removed machine takes its decision with it', async () => {
    const service = await startSwaps()
    expect((await service.post(PATH, { ...COLA_FOR_WATER, slot_id: 'M9-1' })).status).toBe(404)
    expect((await service.post(PATH, { slot_id: slotOf(WATER), item: { id: WATER } })).status).toBe(400)
    const { body } = await service.post(PATH, COLA_FOR_WATER)
    const other = await service.post(PATH, { slot_id: slotOf(WATER), item: { id: WATER } })
    expect([other.status, other.body.messages[0].code]).toEqual([409, 'not_editable'])
    await service.call('DELETE', `/locations/${MACHINE}`)
    expect((await service.get(`/approvals/${decisionOf(body)}`)).body.status).toBe('rejected')
    expect((await resolve(service, decisionOf(body), true)).status).toBe(409)
    expect(await swaps(service)).toEqual([])
  })

  test('a removed machine takes the question about a slot with it that a sync removed before', async () => {
    const service = await startSwaps()
    const { body } = await service.post(PATH, COLA_FOR_WATER)
    service.machine.slotsByMachine[MACHINE] = [slot('G-2', '茶')]
    await sync(service)
    expect((await service.get('/approvals')).body.approvals).toHaveLength(1)
    await service.call('DELETE', `/locations/${OTHER}`)
    expect((await service.get('/approvals')).body.approvals).toHaveLength(1)
    await service.call('DELETE', `/locations/${MACHINE}`)
    expect((await service.get(`/approvals/${decisionOf(body)}`)).body.status).toBe('rejected')
    expect((await service.get('/approvals')).body.approvals).toEqual([])
  })

  test('a swap that a person reports as made is not proposed for another slot of the machine', async () => {
    const service = await startSwaps({
      slotsByMachine: {
        [MACHINE]: [
          slot('G-2', '茶'),
          slot('G-3', '水'),
          machineSlot('G-4', { title: '奶', priceFen: fen(500), stock: 9 }),
        ],
        [OTHER]: [slot('G-1', '可乐'), slot('G-2', '茶')],
      },
    })
    const proposedFor = async () =>
      (await swaps(service))
        .filter(({ status }) => status === 'proposed')
        .map(({ slot_id, in: { item } }) => [slot_id, item.id])
    const both = await proposedFor()
    expect(both).toHaveLength(1)
    const [[slotId]] = both as [[string]]
    const { body } = await service.post(PATH, { slot_id: slotId, item: { id: COLA } })
    await resolve(service, decisionOf(body), true)
    expect(await proposedFor()).toEqual([])
    expect((await service.put(`${PATH}/${slotId}`, { status: 'done' })).body.swap.status).toBe('done')
    // The machine still reports the old products.
    await sync(service)
    expect(await proposedFor()).toEqual([])
  })
})

describe('4.7 products on trial', () => {
  const START = { ...COLA_FOR_WATER, confirm: true }
  const list = async (service: Service): Promise<Json> => (await service.get(PATH)).body
  const phasedOut = async (service: Service, sku: string): Promise<boolean> =>
    entryOf(await plan(service), slotOf(sku))?.recommendation.action === 'phase_out'

  /** So many days pass; the first machine sells this much cola a day, the others what they always did. */
  async function days(service: Service, count: number, cola: number): Promise<void> {
    service.clock.advance(count * DAY)
    const sold = (vendorSku: string, perDay: number, location = MACHINE) =>
      salesOf({ location, vendorSku, perDay, days: count }, service.clock.now())
    service.machine.trades.push(
      ...[...sold('G-1', cola), ...sold('G-2', 2), ...sold('G-1', 4, OTHER), ...sold('G-2', 2, OTHER)].map((sale) => ({
        ...sale,
        orderNo: `${service.clock.now()} ${sale.orderNo}`,
      })),
    )
    // Filled a little, so that the platform has news.
    for (const each of Object.values(service.machine.slotsByMachine))
      for (const [i, held] of each.entries()) each[i] = { ...held, stock: (held.stock ?? 0) + 1 }
    await sync(service)
    await service.job('trials')
  }

  /** The driver puts cola where water was. */
  async function onTrial() {
    const service = await startSwaps({
      trades: [
        ...salesOf({ vendorSku: 'G-2', perDay: 4 }),
        ...salesOf({ vendorSku: 'G-3', perDay: 1 }),
        ...salesOf({ location: OTHER, vendorSku: 'G-1', perDay: 8 }),
        ...salesOf({ location: OTHER, vendorSku: 'G-2', perDay: 4 }),
      ],
    })
    const { status, body } = await service.post(PATH, START)
    expect([status, body.swap.status, body.actions]).toEqual([200, 'approved', undefined])
    service.machine.slotsByMachine[MACHINE] = [slot('G-1', '可乐'), slot('G-2', '茶')]
    await sync(service)
    await finishSwaps(service.ctx)
    await service.job('trials')
    return service
  }

  test('starts without the owner, is made by the driver, judged after 21 days in stock, and kept', async () => {
    const service = await startSwaps()
    const [proposal] = await swaps(service)
    expect(proposal.gain_error).toBeGreaterThan(0)
    expect((await service.post(PATH, START)).body.swap.status).toBe('approved')
    expect((await service.get('/approvals')).body.approvals).toEqual([])
    expect(await phasedOut(service, WATER)).toBe(true)
    await service.job('trials')
    expect(await list(service)).toMatchObject({
      swaps: [{ status: 'approved' }],
      trials: [{ status: 'starting', out: { id: WATER }, in: { id: COLA }, slot_id: slotOf(WATER) }],
    })
    const end = (status: string) => service.put(`${PATH}/${slotOf(WATER)}`, { status })
    expect((await end('kept')).status).toBe(409)

    // The driver finds it on the list of the visit, and says that it is done.
    service.clock.advance(3 * DAY)
    const run = await placed(service)
    const stop = (await service.get(`/replenishment/runs/${run.id}/pick-list`)).body.stops[0]
    expect(stop.lane_changes).toEqual([
      { lane: slotOf(WATER), now: { id: WATER, title: '水' }, proposed: { id: COLA, title: '可乐' } },
    ])
    const delivered = inFull(run).filter(({ slot_id }) => slot_id.startsWith(MACHINE))
    const loaded = { delivered, lanes_changed: [slotOf(WATER)] }
    expect((await service.post(`/replenishment/runs/${run.id}/visits/${MACHINE}/receive`, loaded)).status).toBe(200)
    service.machine.slotsByMachine[MACHINE] = [slot('G-1', '可乐'), slot('G-2', '茶')]
    await sync(service)
    await service.job('trials')
    expect((await list(service)).trials).toMatchObject([{ status: 'running' }])

    await days(service, 15, 3)
    expect((await list(service)).trials).toMatchObject([{ status: 'running' }])
    await days(service, 8, 3)
    const { trials, record } = await list(service)
    expect(trials).toMatchObject([{ status: 'kept', reason: 'judged' }])
    expect(trials[0].measured.gain).toBeGreaterThan(0)
    expect(record).toMatchObject({ judged: 1, kept: 1, measured: trials[0].measured.gain })
    expect((await end('kept')).status).toBe(404)
    const told = (await service.events('replenishment')).map(({ code }: Json) => code)
    expect(told.filter((code: string) => code.startsWith('swap_'))).toEqual([
      'swap_trial_kept',
      'swap_ended',
      'swap_trial_started',
    ])
  })

  test('what does not sell is taken back at the next visit, and not proposed again', async () => {
    const service = await onTrial()
    await days(service, 15, 0)
    await days(service, 8, 0)
    expect((await list(service)).trials).toMatchObject([{ status: 'taking_back', reason: 'judged' }])
    // Waiting for the driver changes nothing.
    await service.job('trials')
    const { swaps: open } = await list(service)
    expect(open.filter(({ status }: Json) => status === 'approved')).toMatchObject([
      { slot_id: slotOf(COLA), out: { item: { id: COLA } }, in: { item: { id: WATER } } },
    ])
    expect([await phasedOut(service, COLA), (await service.get('/approvals')).body.approvals]).toEqual([true, []])
    service.machine.slotsByMachine[MACHINE] = [slot('G-3', '水'), slot('G-2', '茶')]
    await sync(service)
    await finishSwaps(service.ctx)
    await service.job('trials')
    const ended = await list(service)
    expect(ended.trials).toMatchObject([{ status: 'taken_back', measured: { gain: expect.any(Number) } }])
    expect(ended.swaps.filter(({ status }: Json) => status === 'proposed')).toEqual([])
    expect(await phasedOut(service, WATER)).toBe(false)
    expect((await service.events('replenishment')).map(({ code }: Json) => code)).toContain('swap_trial_taken_back')
  })

  test('a person may keep it or take it back at any time', async () => {
    const service = await onTrial()
    const end = (status: string, slotId = slotOf(WATER)) => service.put(`${PATH}/${slotId}`, { status })
    expect((await end('kept', slotOf(COLA))).status).toBe(404)
    expect((await end('taken_back')).status).toBe(200)
    expect((await end('taken_back')).status).toBe(200)
    expect((await end('kept')).status).toBe(409)
    await service.job('trials')
    // Somebody wants it to stay after all.
    expect((await end('canceled', slotOf(COLA))).body.swap.status).toBe('canceled')
    await service.job('trials')
    expect((await list(service)).trials).toMatchObject([{ status: 'kept', reason: 'person' }])
    expect(await phasedOut(service, COLA)).toBe(false)
  })

  test('the owner who is asked and says no ends it; a removed machine, too', async () => {
    const service = await startSwaps()
    const { body } = await service.post(PATH, { ...START, ask: true })
    expect((await list(service)).trials).toMatchObject([{ status: 'starting' }])
    await resolve(service, decisionOf(body), false)
    expect((await list(service)).trials).toMatchObject([{ status: 'ended' }])

    const other = await onTrial()
    await other.call('DELETE', `/locations/${MACHINE}`)
    other.clock.advance(4 * DAY)
    await other.job('trials')
    expect((await list(other)).trials).toMatchObject([{ status: 'ended', reason: 'nobody_left' }])
  })

  test('one product on trial for every five slots of a machine', async () => {
    const more = [1, 2, 3].map((i) => machineSlot(`G-1${i}`, { title: `奶${i}`, priceFen: fen(500), stock: 9 }))
    const service = await startSwaps({
      slotsByMachine: {
        [MACHINE]: [slot('G-2', '茶'), slot('G-3', '水'), ...more],
        [OTHER]: [slot('G-1', '可乐'), machineSlot('G-9', { title: '汁', priceFen: fen(500), stock: 9 })],
      },
    })
    const proposed = async () =>
      (await swaps(service)).filter(({ status, location }) => status === 'proposed' && location === MACHINE)
    const [only, ...others] = await proposed()
    expect(others).toEqual([])
    const body = { slot_id: only.slot_id, item: { id: only.in.item.id }, confirm: true }
    expect((await service.post(PATH, body)).status).toBe(200)
    expect(await proposed()).toEqual([])
  })
})

describe('rules.newProducts', () => {
  const JUICE = 'acme-supply:SP4'
  const codes = ['6901234567892', '6901234567908', '6901234567915', '6901234567922'] as const
  const drink = (n: 1 | 2 | 3 | 4, title: string) =>
    machineSlot(`G-${n}`, { title, priceFen: fen(500), stock: 9, barcode: codes[n - 1]! })
  const supplied = (n: 1 | 2 | 3 | 4, title: string, cost = 250) =>
    supplyProduct(`SP${n}`, { title, category: '饮料', barcode: codes[n - 1]!, eachPriceFen: fen(cost) })
  const held = () => [drink(1, '可乐'), drink(2, '茶'), drink(3, '水'), slotWithoutSupplier()]
  const slotWithoutSupplier = () => machineSlot('G-9', { title: '糕', priceFen: fen(500), stock: 9 })
  const START = { slot_id: `${MACHINE}-G-9`, item: { id: JUICE }, confirm: true }
  const proposed = async (service: Service) => (await swaps(service)).filter(({ status }) => status === 'proposed')

  test('a product that no machine holds is tried at a price that the owner confirms', async () => {
    const supply = scriptedSupply([supplied(1, '可乐'), supplied(2, '茶'), supplied(3, '水'), supplied(4, '果汁', 240)])
    const sold = ([1, 2, 3] as const).flatMap((n) => salesOf({ vendorSku: `G-${n}`, perDay: 3 }))
    const service = await startSwaps({ supply, slotsByMachine: { [MACHINE]: held() }, trades: sold })
    // Not without the rule.
    expect(await proposed(service)).toEqual([])
    expect((await service.post(PATH, START)).status).toBe(400)
    service.writeRules(withRules({ newProducts: true }))
    const [proposal, ...others] = await proposed(service)
    expect([others, proposal]).toEqual([
      [],
      expect.objectContaining({
        slot_id: START.slot_id,
        in: expect.objectContaining({ item: { id: JUICE, title: '果汁' }, price: 500 }),
        evidence: expect.objectContaining({ category: '饮料', machines: 1, units: 189 }),
      }),
    ])
    expect(proposal.gain_error).toBeGreaterThan(0)
    service.writeRules(withRules({ newProducts: true, hardNoGos: ['果汁'] }))
    expect(await proposed(service)).toEqual([])
    service.writeRules(withRules({ newProducts: true, minimumMarginPercent: 120 }))
    expect(await proposed(service)).toEqual([])
    service.writeRules(withRules({ newProducts: true, minimumMarginPercent: 100 }))

    // Its price is stated again, as proposed.
    for (const price of [undefined, 450])
      expect((await service.post(PATH, { ...START, price })).body.messages[0]).toMatchObject({
        code: 'invalid',
        path: '$.price',
      })
    const { key: owner } = await addKey(service, 'owner')
    // Who is not the owner asks.
    const asked = await service.post(PATH, { ...START, price: 500 })
    expect([asked.status, asked.body.swap.status]).toEqual([200, 'pending'])
    expect((await service.get('/approvals?kind=swap')).body.approvals).toMatchObject([
      { code: 'new_product_proposed', params: { other_product: '果汁', price: { amount: 500, currency: 'CNY' } } },
    ])
    expect((await service.put(`${PATH}/${START.slot_id}`, { status: 'canceled' })).status).toBe(200)
    // Declined on the route, for a while.
    expect(await proposed(service)).toEqual([])
    service.clock.advance(91 * DAY)
    service.machine.trades.push(
      ...sold.map((sale) => ({ ...sale, orderNo: `late ${sale.orderNo}`, createdAt: sale.createdAt! + 91 * DAY })),
    )
    await sync(service)
    const started = await service.call('POST', PATH, { body: { ...START, price: 500 }, token: owner })
    expect([started.status, started.body.swap]).toEqual([
      200,
      expect.objectContaining({
        status: 'approved',
        out: { item: { id: 'acme-machine:G-9', title: '糕' } },
        in: { item: { id: JUICE, title: '果汁' }, price: 500 },
      }),
    ])
    await finishSwaps(service.ctx)
    await service.job('trials')
    expect((await service.get(PATH)).body.trials[0]).toMatchObject({ status: 'starting', in: { title: '果汁' } })

    // A person enters it on the platform; the barcode says that it is the same.
    service.machine.slotsByMachine[MACHINE] = [...held().slice(0, 3), drink(4, '果汁')]
    await sync(service)
    await finishSwaps(service.ctx)
    await service.job('trials')
    const { swaps: all, trials } = (await service.get(PATH)).body
    expect(all).toMatchObject([{ status: 'done', in: { item: { id: JUICE } } }])
    expect(trials[0]).toMatchObject({ status: 'running', in: { id: 'acme-machine:G-4', title: '果汁' } })
    expect((await service.put(`${PATH}/${START.slot_id}`, { status: 'taken_back' })).status).toBe(200)
    await service.job('trials')
    expect((await swaps(service)).find(({ status }) => status === 'approved')).toMatchObject({
      slot_id: `${MACHINE}-G-4`,
      out: { item: { id: 'acme-machine:G-4' } },
      in: { item: { id: 'acme-machine:G-9', title: '糕' } },
    })
  })
})
