/** Trials of the built-in operator, of prices and of products: within the owner's word, told once. */
import { expect, test } from 'vitest'
import { HOUR } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { addKey } from '../people/keys.ts'
import { salesOf, startRoute, sync } from '../replenishment/route.ts'
import { machineSlot } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'

const MACHINES = ['M1', 'M2']

async function start(prices: string) {
  const slot = { title: '可乐', priceFen: fen(300), stock: 90, capacity: 99, barcode: '6901234567892' }
  const service = await startRoute({
    slotsByMachine: Object.fromEntries(MACHINES.map((id) => [id, [machineSlot('G-1', slot)]])),
    trades: MACHINES.flatMap((location) => salesOf({ vendorSku: 'G-1', perDay: 4, location })),
  })
  const { key: token } = await addKey(service, 'owner', 'Ann')
  expect((await service.put('/operator', { autonomy: { prices } }, { token })).status).toBe(200)
  return { service, token }
}

async function shift(service: Service, query = ''): Promise<Json[]> {
  service.clock.advance(HOUR)
  const { body } = await service.post(`/operator/shifts${query}`)
  await service.job('operator')
  const { steps } = (await service.get(`/operator/shifts/${body.id}`)).body
  return steps.filter(({ code }: Json) => /^(trial|swap)_/.test(code))
}
const prices = (service: Service) =>
  MACHINES.map((id) => service.machine.slotsByMachine[id]![0]!.priceFen as number).toSorted((a, b) => a - b)
const codes = (steps: readonly Json[]) => steps.map(({ code, outcome }) => `${code} ${outcome}`)

test('act: begins a trial once, and tells what came of it once', async () => {
  const { service, token } = await start('act')
  expect(codes(await shift(service, '?dry_run=true'))).toEqual(['trial_started would'])
  expect(prices(service)).toEqual([300, 300])
  const [begun, ...more] = await shift(service)
  expect([codes([begun]), more]).toEqual([['trial_started done'], []])
  expect([begun.did, begun.because]).toEqual([
    expect.stringMatching(/^Trying 可乐 at \+¥0\.50 in 1 machine\.$/),
    expect.stringMatching(/^It should bring about ¥\d+\.\d\d more a week/),
  ])
  expect(prices(service)).toEqual([300, 350])
  expect(await shift(service)).toEqual([])
  const { id } = (await service.get('/pricing/experiments')).body.running[0]
  await service.post(`/pricing/experiments/${id}/end`, { keep: false, confirm: true }, { token })
  const [told] = await shift(service)
  expect([told.code, told.did]).toEqual(['trial_taken_back', 'Took the new price of 可乐 (+¥0.50) back in 1 machine.'])
  expect(codes(await shift(service))).not.toContain('trial_taken_back noted')
})

test('propose: asks once; begins after yes, and not after no', async () => {
  const { service, token } = await start('propose')
  const other = await start('propose')
  for (const { service: each } of [{ service }, other]) expect(codes(await shift(each))).toEqual(['trial_asked asked'])
  expect(await shift(service)).toEqual([])
  expect(prices(service)).toEqual([300, 300])
  const answer = async (each: Service, by: string, approved: boolean) => {
    const [note] = (await each.get('/approvals')).body.approvals
    expect((await each.post(`/approvals/${note.id}`, { approved }, { token: by })).status).toBe(200)
  }
  await answer(service, token, true)
  await answer(other.service, other.token, false)
  expect(codes(await shift(service))).toEqual(['trial_started done'])
  expect(prices(service)).toEqual([300, 350])
  expect([await shift(other.service), prices(other.service)]).toEqual([[], [300, 300]])
})

test('act: begins the trial of a product once, and tells what came of it once', async () => {
  const slot = (code: string, title: string, barcode?: string) =>
    machineSlot(code, { title, priceFen: fen(500), stock: 9, ...(barcode === undefined ? {} : { barcode }) })
  const [cola, tea] = [slot('G-1', '可乐', '6901234567892'), slot('G-2', '茶', '6901234567908')]
  const others = ['M1002', 'M1003']
  const service = await startRoute({
    slotsByMachine: { M1001: [tea, slot('G-3', '水')], M1002: [cola, tea], M1003: [cola, tea] },
    trades: [
      ...salesOf({ vendorSku: 'G-2', perDay: 2 }),
      ...others.flatMap((location) => [
        ...salesOf({ location, vendorSku: 'G-1', perDay: 4 }),
        ...salesOf({ location, vendorSku: 'G-2', perDay: 2 }),
      ]),
    ],
  })
  const { key: token } = await addKey(service, 'owner', 'Ann')
  await service.put('/operator', { autonomy: { swaps: 'act' } }, { token })
  const swaps = async (): Promise<Json> => (await service.get('/replenishment/swaps')).body
  expect(codes(await shift(service, '?dry_run=true'))).toEqual(['swap_started would'])
  expect((await swaps()).swaps.map(({ status }: Json) => status)).not.toContain('approved')
  const begun = await shift(service)
  expect(codes(begun)).toEqual(['swap_started done'])
  expect([begun[0].did, begun[0].because]).toEqual([
    expect.stringMatching(/^Trying 可乐 instead of 水 in .* from the next visit\.$/),
    expect.stringMatching(/^It is expected to earn ¥\d+\.\d\d more a week\./),
  ])
  const accepted = (await swaps()).swaps.find(({ status }: Json) => status === 'approved')
  expect(accepted).toMatchObject({ location: 'M1001', out: { item: { title: '水' } }, in: { item: { title: '可乐' } } })
  expect(await shift(service)).toEqual([])

  const end = (status: string) => service.put(`/replenishment/swaps/${accepted.slot_id}`, { status }, { token })
  expect((await end('done')).status).toBe(200)
  service.machine.slotsByMachine['M1001'] = [tea, slot('G-1', '可乐', '6901234567892')]
  await sync(service)
  await service.job('trials')
  expect((await end('kept')).status).toBe(200)
  const told = await shift(service)
  expect(told.map(({ code, did, because }) => [code, did, because])).toEqual([
    [
      'swap_kept',
      expect.stringMatching(/^Kept 可乐 instead of 水 in .*\.$/),
      expect.stringMatching(/^A person ended the trial\.$/),
    ],
  ])
  expect(await shift(service)).toEqual([])
})
