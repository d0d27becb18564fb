/** Sales whose cost was an estimate are priced by themselves once it is known; what was known stays. */
import { expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import { priceEstimates } from '../../src/route/sales/index.ts'
import { machineSlot, scriptedMachine, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import { type Service, startService } from '../support/service.ts'
import { buy, profit, sale, SUPPLY_COLA } from './route.ts'

const EAN = '6901234567892'
const WEEK = 'from=2026-09-03&to=2026-09-10&limit=100'

/** The sync stores the sales before it reads the supplier's catalog to link the products. */
async function startUnread(machines: number): Promise<Service> {
  const ids = Array.from({ length: machines }, (_, i) => `M${i + 1}`)
  const slot = () => machineSlot('G-1', { title: 'Cola', priceFen: fen(300), stock: 9, barcode: EAN })
  const machine = scriptedMachine(Object.fromEntries(ids.map((id) => [id, [slot()]])), [])
  const supply = scriptedSupply([supplyProduct('SP1', { title: 'Cola 330', barcode: EAN, eachPriceFen: fen(120) })])
  const service = await startService({ machine, supply })
  for (const id of ids) await service.put(`/locations/${id}`, { name: id })
  machine.trades.push(
    ...ids.map((location, i) => sale({ no: `t${i}`, at: '2026-09-09T09:00:00+08:00', location, sku: 'G-1' })),
  )
  await service.post('/locations/sync')
  return service
}

const totalsOf = async (service: Service, by = 'day') => (await profit(service, `by=${by}&${WEEK}`)).totals

test('a catalog that is read later replaces the estimate, in every grouping, and nothing else', async () => {
  const service = await startUnread(1)
  expect(await totalsOf(service)).toMatchObject({ cost_of_goods: 165, cost_known_percent: 0 })
  await service.job('price-estimates')
  for (const by of ['day', 'location', 'product', 'slot'])
    expect([by, await totalsOf(service, by)]).toMatchObject([by, { cost_of_goods: 120, cost_known_percent: 100 }])
  // Now it is known, and a purchase does not rewrite it.
  await buy(service, SUPPLY_COLA, 10, 1000)
  await service.job('price-estimates')
  expect(await totalsOf(service)).toMatchObject({ cost_of_goods: 120 })
})

test('many slots take several turns, and each of them is bounded', async () => {
  const service = await startUnread(53)
  expect([
    await priceEstimates(service.ctx),
    await priceEstimates(service.ctx),
    await priceEstimates(service.ctx),
  ]).toEqual([50, 3, 0])
  expect(await totalsOf(service)).toMatchObject({ cost_of_goods: 53 * 120, cost_known_percent: 100 })
})
