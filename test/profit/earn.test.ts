/** The best next steps of the route: our own operation, beyond the contract. */
import { expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { addKey } from '../people/keys.ts'
import { COLA, MACHINE, salesOf, slotOf, startRoute, WATER } from '../replenishment/route.ts'
import { machineSlot } from '../support/scripted-vendors.ts'
import type { Json } from '../support/service.ts'

const OTHER = 'M1002'
const slot = (code: string, title: string, barcode?: string) =>
  machineSlot(code, { title, priceFen: fen(500), stock: 9, ...(barcode === undefined ? {} : { barcode }) })

test('the best next steps of the route: for owner and operator, each can be taken, and is not proposed again', async () => {
  const [cola, tea] = [slot('G-1', '可乐', '6901234567892'), slot('G-2', '茶', '6901234567908')]
  const service = await startRoute({
    slotsByMachine: { [MACHINE]: [tea, slot('G-3', '水')], [OTHER]: [cola, tea], M1003: [cola, tea] },
    trades: [
      ...salesOf({ vendorSku: 'G-2', perDay: 2 }),
      ...[OTHER, 'M1003'].flatMap((location) => [
        ...salesOf({ location, vendorSku: 'G-1', perDay: 4 }),
        ...salesOf({ location, vendorSku: 'G-2', perDay: 2 }),
      ]),
    ],
  })
  for (const [role, status] of [
    ['owner', 200],
    ['operator', 200],
    ['viewer', 403],
    ['driver', 403],
  ] as const) {
    const { key } = await addKey(service, role)
    expect([(await service.get('/earn', { token: key })).status, role]).toEqual([status, role])
  }
  const steps = async (): Promise<Json[]> => (await service.get('/earn')).body.steps
  const before = await steps()
  const gains = before.map(({ expected }) => expected.gain)
  expect(gains).toEqual(gains.toSorted((a, b) => b - a))
  const swap = before.find(({ step }) => step === 'swap')
  expect(swap).toMatchObject({ location: MACHINE, slot_id: slotOf(WATER), item: { id: WATER }, in: { id: COLA } })
  const price = before.find(({ step }) => step === 'price')
  expect(price.expected.error).toBeGreaterThan(0)

  const taken = { slot_id: swap.slot_id, item: { id: swap.in.id }, confirm: true }
  expect((await service.post('/replenishment/swaps', taken)).status).toBe(200)
  const tried = { item: { id: price.item.id }, change: price.change, confirm: true }
  expect((await service.post('/pricing/experiments', tried)).status).toBe(200)
  const after = await steps()
  expect(after.filter(({ step, slot_id }) => step === 'swap' && slot_id === swap.slot_id)).toEqual([])
  expect(after.filter(({ step, item }) => step === 'price' && item.id === price.item.id)).toEqual([])

  // One machine: only its own steps, and what it earns a month, now and with them.
  const { body: own } = await service.get(`/earn?location=${OTHER}`)
  expect(own.steps.every(({ step, location }: Json) => step === 'price' || location === OTHER)).toBe(true)
  const { body: profit } = await service.get(
    `/profit?by=location&location=${OTHER}&from=${own.worth.period.from}&to=${own.worth.period.to}`,
  )
  const days = (Date.parse(own.worth.period.to) - Date.parse(own.worth.period.from)) / DAY + 1
  expect(own.worth.profit_per_month).toBe(Math.round((profit.totals.profit * 30) / days))
  const counted = own.steps.filter(({ step }: Json) => step !== 'renegotiate' && step !== 'remove')
  const gain = counted.reduce((sum: number, { expected }: Json) => sum + expected.gain, 0)
  expect(own.worth.best_per_month).toBe(own.worth.profit_per_month + Math.round((gain * 30) / 7))
  expect(own.messages.map(({ code }: Json) => code)).toContain('cost_estimated')
  expect((await service.get('/earn?location=M9999')).status).toBe(404)
})
