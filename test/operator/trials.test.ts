/** Price trials of the built-in operator: within the owner's word, told once. */
import { expect, test } from 'vitest'
import { HOUR } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { addKey } from '../people/keys.ts'
import { salesOf, startRoute } from '../replenishment/route.ts'
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
  return steps.filter(({ code }: Json) => code.startsWith('trial_'))
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
    expect.stringMatching(/^About ¥\d+\.\d\d more a week are expected/),
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
