/** What an approval is about, line by line, so that whoever decides needs no second request. */
import { describe, expect, test } from 'vitest'
import { COLA, create as createRun, decisionOf, MACHINE, startRoute, withRules } from '../replenishment/route.ts'
import type { Json, Service } from '../support/service.ts'

const SHIPPING = {
  methods: [
    { type: 'shipping', destinations: [{ street_address: '南京路 1', first_name: '伟', phone_number: '13800000000' }] },
  ],
}
const price = (amount: number) => ({
  prices: [{ item: { id: COLA }, price: { amount, currency: 'CNY' } }],
  confirm: true,
})

const detailsOf = async (service: Service, decision: string): Promise<Json> => {
  const one = (await service.get(`/approvals/${decision}`)).body
  const list = (await service.get('/approvals?status=all&details=true')).body.approvals
  expect(list.find(({ id }: Json) => id === decision).details).toEqual(one.details)
  return one
}

describe('4.8 the details of an approval', () => {
  test('a price change: old and new price, and what the product sells in that machine', async () => {
    const service = await startRoute()
    const decision = decisionOf((await service.put(`/locations/${MACHINE}/prices`, price(900))).body)
    const { details, evidence } = await detailsOf(service, decision)
    expect(details).toEqual({
      currency: 'CNY',
      subject_status: 'waiting',
      location: MACHINE,
      location_name: `Hall ${MACHINE}`,
      line_count: 1,
      // 75 units in 30 days.
      lines: [{ sku_id: COLA, title: '可乐', previous_price: 300, price: 900, sales_per_day: 75 / 26 }],
    })
    expect(evidence).toMatchObject([{ rule: 'priceCapPerItem', code: 'price_cap', needs_approval: true }])
  })

  test('a purchase: what is bought, for how much, and what all machines sell of it', async () => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 1000 }) })
    const { body } = await service.post('/checkout-sessions', {
      line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 10 }],
      fulfillment: SHIPPING,
    })
    const decision = decisionOf(body)
    expect((await detailsOf(service, decision)).details).toMatchObject({
      subject_status: 'requires_escalation',
      supplier: 'acme-supply',
      total: 1200,
      line_count: 1,
      lines: [{ sku_id: 'acme-supply:SP1', quantity: 10, unit: 'EA', price: 120, total: 1200, sales_per_day: 75 / 26 }],
    })
    await service.post(`/approvals/${decision}`, { approved: true })
    expect((await detailsOf(service, decision)).details.subject_status).toBe('ready_for_complete')
  })

  test('a run: what goes into which machine, the dearest first', async () => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 0 }) })
    const { body } = await createRun(service)
    const { details } = await detailsOf(service, decisionOf(body))
    expect(details).toMatchObject({ subject_status: 'pending_approval', line_count: body.line_items.length })
    expect(details.lines[0]).toMatchObject({ location: MACHINE, location_name: `Hall ${MACHINE}`, unit: 'EA' })
    const totals = details.lines.map(({ total }: Json) => total)
    expect(totals).toEqual(totals.toSorted((a: number, b: number) => b - a))
    expect(totals.reduce((sum: number, total: number) => sum + total, 0)).toBe(details.total)
    // The rate, the stock and the days left are those of the plan, which the quantities follow from.
    const { plans } = (await service.get('/replenishment/plan')).body
    for (const line of details.lines) {
      const entry = plans.find(({ item, location }: Json) => item.id === line.sku_id && location === line.location)
      expect(line.stock).toBe(entry.stock)
      expect(line.sales_per_day).toBeCloseTo(entry.demand.daily_rate, 2)
      expect(line.days_left ?? -1).toBeCloseTo(entry.days_of_cover ?? -1, 0)
    }
    const unorderable = details.lines.filter(({ orderable }: Json) => !orderable)
    expect(details.unorderable?.lines ?? 0).toBe(unorderable.length)
    expect(details.unorderable?.total ?? 0).toBe(unorderable.reduce((sum: number, { total }: Json) => sum + total, 0))
  })

  test('every rule that asks is listed, not only the first', async () => {
    const service = await startRoute({
      rules: withRules({ spendingLimitPerRun: 1000, spendingLimitPerDay: 1100 } as object),
    })
    const { body } = await service.post('/checkout-sessions', {
      line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 10 }],
      fulfillment: SHIPPING,
    })
    const { evidence } = await detailsOf(service, decisionOf(body))
    expect(evidence.map(({ rule }: Json) => rule)).toEqual(['spendingLimitPerRun', 'spendingLimitPerDay'])
  })

  test('a list without details has none; the comment of a rejection stays with it and is in the chain', async () => {
    const service = await startRoute()
    const decision = decisionOf((await service.put(`/locations/${MACHINE}/prices`, price(900))).body)
    const [listed] = (await service.get('/approvals')).body.approvals
    expect(listed.details).toBeUndefined()
    await service.post(`/approvals/${decision}`, { approved: false, comment: 'Too dear for a school' })
    expect((await detailsOf(service, decision)).comment).toBe('Too dear for a school')
    const entries = await service.ctx.store.db
      .selectFrom('chain_entry')
      .selectAll()
      .where('subject', '=', decision)
      .orderBy('seq')
      .execute()
    expect(entries.map(({ facts }) => JSON.parse(facts).comment)).toEqual([null, 'Too dear for a school'])
  })
})
