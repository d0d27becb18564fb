/** Sales of a selection that is linked to no product, and of machines that only count their money: shown, counted, never guessed. */
import { expect, test } from 'vitest'
import { dexFile } from '../../src/vendors/eva-dts/dex-file.test-support.ts'
import { HOUR } from '../../src/kernel/clock.ts'
import { startHosted } from '../connections/hosted-service.ts'
import type { Json } from '../support/service.ts'
import { profit, sale, startProfitRoute } from './route.ts'

const at = '2026-09-08T09:00:00+08:00'

test('they keep their money under a name of their own, cost what nobody knows, and are bought from nobody', async () => {
  const service = await startProfitRoute()
  service.machine.trades.push(
    sale({ no: 't1', at, location: 'M1', sku: 'G-1' }),
    sale({ no: 't2', at, location: 'M1', sku: 'unmapped', price: 475 }),
    sale({ no: 't3', at, location: 'M1', sku: 'sel-M1-any', price: 125 }),
  )
  await service.post('/locations/sync')
  const sales = (await service.get('/orders?kind=sale&location=M1')).body.orders
  const lines = sales.flatMap(({ line_items: items }: Json) => items.map(({ item }: Json) => [item.id, item.price]))
  expect(lines.toSorted()).toEqual([
    ['acme-machine:G-1', 300],
    ['acme-machine:sel-M1-any', 125],
    ['acme-machine:unmapped', 475],
  ])
  const week = 'from=2026-09-03&to=2026-09-10&limit=100'
  const { rows, totals, messages } = await profit(service, `by=product&${week}`)
  expect(rows.map(({ key, revenue, units }: Json) => [key.item?.id, units, revenue]).toSorted()).toEqual([
    ['acme-machine:G-1', 1, 300],
    ['acme-machine:sel-M1-any', 1, 125],
    ['acme-machine:unmapped', 1, 475],
  ])
  expect(totals).toMatchObject({ revenue: 900, cost_known_percent: 33.3 })
  expect(messages.map(({ code }: Json) => code)).toContain('cost_estimated')
  for (const sku of ['unmapped', 'sel-M1-any']) {
    const record = await service.get(`/skus/acme-machine:${sku}`)
    expect([record.body.aliases ?? [], record.body.purchasable_from ?? []]).toEqual([[], []])
  }
  const plan = await service.get('/replenishment/plan')
  expect(JSON.stringify(plan.body.plans)).not.toMatch(/unmapped|sel-M1-any/)
})

test('a machine whose DEX file has no product lines: its vends and money are sales of one unmapped product', async () => {
  const service = await startHosted()
  const reading = (value: number, vends: number) =>
    dexFile(['ID1*ASSET*MODEL*1', 'ID4*2*1156', `VA1*${value}*${vends}*0*0`])
  const settings = { machines: [{ location: 'M1', file: '*' }], clock: 'received' }
  await service.owner('POST', '/connections', { namespace: 'depot-machine', adapter: 'eva-dts', settings })
  await service.owner('PUT', '/locations/M1', { name: 'Lobby' })
  for (const [n, text] of [reading(1000, 10), reading(1450, 13)].entries()) {
    const form = new FormData()
    form.set('kind', 'dex')
    form.set('file', new Blob([text]), `reading-${n}.dex`)
    const sent = new Response(form)
    const { statusCode } = await service.server.inject({
      method: 'POST',
      url: '/ucp/v1/connections/depot-machine/files',
      headers: {
        authorization: `Bearer ${service.ownerKey}`,
        'content-type': sent.headers.get('content-type') ?? '',
      },
      payload: Buffer.from(await sent.arrayBuffer()),
    })
    expect(statusCode).toBe(200)
    service.clock.advance(HOUR)
    await service.owner('POST', '/locations/sync')
  }
  const sales = (await service.get('/orders?kind=sale&location=M1')).body.orders
  const amounts = sales.flatMap(({ line_items: items }: Json) =>
    items.map(({ item, quantity }: Json) => [item.id, item.price * quantity.total]),
  )
  expect(new Set(amounts.map(([id]: [string]) => id))).toEqual(new Set(['depot-machine:sel-M1-any']))
  expect(amounts.reduce((sum: number, [, amount]: [string, number]) => sum + amount, 0)).toBe(450)
  const { rows, totals } = await profit(service, 'by=product&from=2026-09-03&to=2026-09-11')
  expect(rows).toMatchObject([{ key: { item: { id: 'depot-machine:sel-M1-any' } }, units: 3, revenue: 450 }])
  expect(totals.cost_known_percent).toBe(0)
})
