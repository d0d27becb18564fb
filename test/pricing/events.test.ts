/** Success or failure, a price change request writes one event. */
import { describe, expect, test } from 'vitest'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import { failure, scriptedMachine } from '../support/scripted-vendors.ts'
import { RULES } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import {
  priceRequest,
  change,
  COLA,
  line,
  register,
  setOnMachine,
  slotsOfMachine,
  startPricing,
  TEA,
} from './machines.ts'

const STOPPED = { ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } }
const DEAR = priceRequest(line(COLA, 400))

const events = (service: Service) => service.events('price_change')

describe('one event for each request', () => {
  test.each<[string, (service: Service) => Promise<unknown>]>([
    ['changed', (service) => change(service, priceRequest(line(COLA, 260)))],
    ['already as asked', (service) => change(service, priceRequest(line(COLA, 250)))],
    ['waiting for approval', (service) => change(service, DEAR)],
    ['an unknown machine', (service) => change(service, priceRequest(line(COLA, 260)), { location: 'M9999' })],
    ['products of another namespace', (service) => change(service, priceRequest(line('acme-supply:SP1', 260)))],
    ['a namespace nobody registered', (service) => change(service, priceRequest(line('other-machine:1', 260)))],
    ['one good twice', (service) => change(service, priceRequest(line(COLA, 260), line(COLA, 270)))],
    ['a good the machine does not hold', (service) => change(service, priceRequest(line('acme-machine:G-9999', 260)))],
    [
      'rules that cannot be read',
      (service) => {
        service.writeRules('broken')
        return change(service, priceRequest(line(COLA, 260)))
      },
    ],
    [
      'the emergency stop',
      (service) => {
        service.writeRules(STOPPED)
        return change(service, priceRequest(line(COLA, 260)))
      },
    ],
    [
      'refused by the machine',
      (service) => {
        service.machine.script.next('updatePrices', { instead: failure('rejected') })
        return change(service, priceRequest(line(COLA, 260)))
      },
    ],
    [
      'no answer from the machine',
      (service) => {
        service.machine.script.next('updatePrices', { instead: failure('unknown') })
        return change(service, priceRequest(line(COLA, 260)))
      },
    ],
  ])('%s', async (_name, request) => {
    const service = await startPricing()
    await request(service)
    expect(await events(service)).toHaveLength(1)
  })

  test('a platform that cannot change prices', async () => {
    const device = scriptedMachine({ D1: slotsOfMachine() })
    const service = await startPricing({
      entries: [
        registerLive('device-machine' as Namespace, device.vendor, ['inventory', 'ledger']),
        plannedVendor('later-machine' as Namespace),
      ],
    })
    await register(service, 'D1', 'device-machine')
    await change(service, priceRequest(line('device-machine:G-0001', 260)), { location: 'D1' })
    expect(await events(service)).toMatchObject([{ location: 'D1' }])
  })

  test('sent again while the owner is asked, and after the price moved', async () => {
    const service = await startPricing()
    await change(service, DEAR)
    service.clock.advance(2 * 60_000)
    await change(service, DEAR)
    expect(await events(service)).toHaveLength(2)
    expect((await events(service))[0].summary).toContain('waiting for approval')
    setOnMachine(service, COLA, 100)
    await change(service, DEAR)
    expect(await events(service)).toHaveLength(3)
  })

  test('sent again and already applied', async () => {
    const service = await startPricing()
    await change(service, priceRequest(line(COLA, 260)))
    await change(service, priceRequest(line(COLA, 260)))
    expect(await events(service)).toHaveLength(2)
  })

  test('many at the same moment', async () => {
    const service = await startPricing()
    await Promise.all([251, 252, 253, 254].map((amount) => change(service, priceRequest(line(COLA, amount)))))
    expect(await events(service)).toHaveLength(4)
  })

  test('a replay by Idempotency-Key writes none', async () => {
    const service = await startPricing()
    await change(service, priceRequest(line('acme-supply:SP1', 260)), { key: 'k' })
    await change(service, priceRequest(line('acme-supply:SP1', 260)), { key: 'k' })
    expect(await events(service)).toHaveLength(1)
  })
})

describe('identical requests are one event each', () => {
  test('refused, one after the other and at once', async () => {
    const service = await startPricing()
    const refused = () => change(service, priceRequest(line('acme-supply:SP1', 260)))
    for (let n = 0; n < 3; n += 1) await refused()
    await Promise.all(Array.from({ length: 4 }, refused))
    expect(await events(service)).toHaveLength(7)
    expect((await events(service)).filter((event) => 'count' in event)).toEqual([])
  })

  test('without effect', async () => {
    const service = await startPricing()
    for (let n = 0; n < 3; n += 1) await change(service, priceRequest(line(TEA, 300)))
    expect(await events(service)).toHaveLength(3)
  })

  test('sent again and again while the owner is asked', async () => {
    const service = await startPricing()
    for (let n = 0; n < 6; n += 1) await change(service, DEAR)
    expect(await events(service)).toHaveLength(6)
  })
})
