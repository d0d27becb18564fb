/** The emergency stop pulled in the middle of a shift, on three instances: nothing is sent or asked afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { salesOf, routeSlots, suppliesOf } from '../replenishment/route.ts'
import { DATABASE, databaseUrl } from '../support/database.ts'
import { scriptedMachine } from '../support/scripted-vendors.ts'
import { type Service, startService } from '../support/service.ts'
import { addKey } from '../people/keys.ts'

const INSTANCES = DATABASE === 'postgres' ? 3 : 1
const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const CITIES = { M1: '上海', M2: '杭州', M3: '苏州', M4: '南京' } as const

test('0 after the stop', { timeout: 60_000 }, async () => {
  const supply = suppliesOf()
  const ids = Object.keys(CITIES)
  const machine = scriptedMachine(
    Object.fromEntries(ids.map((id) => [id, routeSlots()])),
    ids.flatMap((location) => salesOf({ location, vendorSku: 'G-1', perDay: 3 })),
  )
  const url = await databaseUrl()
  const instances: Service[] = []
  for (let n = 0; n < INSTANCES; n++) {
    const store = await openStore(url)
    onTestFinished(() => store.close())
    const [first] = instances
    instances.push(
      await startService({
        store,
        supply,
        machine,
        ...(first && { clock: first.clock }),
        config: {
          env: 'live',
          simulatedPurchasing: false,
          defaultDestination: HOME,
          ...(first && { guardrailsFile: first.config.guardrailsFile }),
        },
      }),
    )
  }
  const [first] = instances as [Service]
  const last = instances.at(-1) as Service
  const { key: token } = await addKey(first, 'owner', 'Ann')
  for (const [id, city] of Object.entries(CITIES))
    await first.put(`/locations/${id}`, { name: id, profile: { city, address: '路 1' } })
  await first.post('/locations/sync')
  first.clock.advance(60_000)
  expect((await first.put('/operator', { autonomy: { restock: 'act' } }, { token })).status).toBe(200)

  const gate = Promise.withResolvers<void>()
  supply.script.next('createOrder', 'pass', { wait: gate.promise })
  const { id } = (await first.post('/operator/shifts')).body
  const working = first.job('operator')
  while (supply.script.count('createOrder') < 2) await sleep(5)
  expect(supply.orders.size, 'one was bought before the stop').toBe(1)

  expect((await last.post('/guardrails/stop', { reason: 'prices look wrong' })).status).toBe(200)
  const asked = (await last.get('/approvals')).body.approvals.length
  gate.resolve()
  await working
  for (const instance of instances) await instance.job('operator')

  expect(supply.orders.size, 'none after it').toBe(1)
  expect((await last.get('/approvals')).body.approvals).toHaveLength(asked)
  const { body } = await last.get(`/operator/shifts/${id}`)
  expect(body.status).toBe('stopped')
  expect(body.figures.bought).toBe(1)
  // What was begun is not begun again once the stop is released, unless a new shift decides so.
  expect((await last.get('/operator/shifts')).body.shifts).toHaveLength(1)
})
