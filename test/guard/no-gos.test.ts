import { describe, expect, test } from 'vitest'
import { codes, complete, get, line, ready, start, SHIPPING, WATER } from '../checkout/support.ts'
import { failure, supplyProduct, machineSlot, scriptedMachine, scriptedSupply } from '../support/scripted-vendors.ts'
import { RULES, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const withNoGos = (...hardNoGos: string[]) => ({ ...RULES, rules: { ...RULES.rules, hardNoGos } })
const MACHINE = { filters: { namespace: 'acme-machine', location: 'M1001' } }
const CODE = '6921168509256'

describe('3.1 hard_no_go: a ban is not dodged by how a title is written', () => {
  test.each([
    ['烟草', '煙\u200b草製品'],
    ['烟草', '烟.草'],
    ['tobacco', 'Fine tо\u00adbассо'],
    ['tobacco', 'T o b a c c o'],
    ['红牛', '紅牛\ufe0f'],
  ])('%s forbids %j', async (entry, title) => {
    const service = await startService({
      supply: scriptedSupply([supplyProduct('SP1', { title })]),
      rules: withNoGos(entry),
    })
    const { body } = await service.post('/checkout-sessions', {
      line_items: [line('acme-supply:SP1')],
      fulfillment: SHIPPING,
    })
    expect([body.status, body.messages[0]]).toMatchObject([
      'incomplete',
      { code: 'hard_no_go', severity: 'unrecoverable', path: '$.line_items[0]' },
    ])
    expect((await complete(service, body.id)).body.status).toBe('incomplete')
    expect(service.supply.orders.size).toBe(0)
  })
})

describe('an entry that is an id also forbids its aliases', () => {
  const aliased = (rules: object) =>
    startService({
      supply: scriptedSupply([
        supplyProduct('SP1', { title: 'one', barcode: CODE }),
        supplyProduct('SP2', { title: 'Lays crisps original 40g' }),
      ]),
      machine: scriptedMachine({
        M1001: [
          machineSlot('G-1', { title: 'a', barcode: CODE }),
          machineSlot('G-2', { title: 'Lays crisps original 40g' }),
        ],
      }),
      rules,
    })
  const statusOf = async (service: Service, id: string) => {
    await service.post('/catalog/search', MACHINE)
    const answer = await service.post('/checkout-sessions', { line_items: [line(id)], fulfillment: SHIPPING })
    return [answer.body.status, codes(answer).filter((code) => code === 'hard_no_go').length]
  }

  test.each(['acme-machine:G-1', 'G-1', 'SP1', CODE, `0${CODE}`])(
    '%s forbids the supplier product by its barcode alias',
    async (entry) => {
      expect(await statusOf(await aliased(withNoGos(entry)), 'acme-supply:SP1')).toEqual(['incomplete', 1])
    },
  )

  test('a name that is only alike forbids nothing; once confirmed by hand it does', async () => {
    const service = await aliased(withNoGos('acme-machine:G-2'))
    expect(await statusOf(service, 'acme-supply:SP2')).toEqual(['ready_for_complete', 0])
    await service.put('/skus/acme-machine:G-2/aliases', { aliases: [{ sku_id: 'acme-supply:SP2' }] })
    expect(await statusOf(service, 'acme-supply:SP2')).toEqual(['incomplete', 1])
  })

  test('an alias confirmed after the session was opened counts at complete', async () => {
    const service = await aliased(withNoGos('acme-machine:G-2'))
    await service.post('/catalog/search', MACHINE)
    const id = await ready(service, { line_items: [line('acme-supply:SP2')] })
    await service.put('/skus/acme-supply:SP2/aliases', { aliases: [{ sku_id: 'acme-machine:G-2' }] })
    const done = await complete(service, id)
    expect([done.body.status, (await get(service, id)).messages[0].code]).toEqual(['incomplete', 'hard_no_go'])
    expect(service.supply.orders.size).toBe(0)
  })
})

describe('GET /guardrails names entries that match nothing known', () => {
  test('known are the catalogs of suppliers and what machines hold, by text or id', async () => {
    const machine = scriptedMachine({ M1001: [machineSlot('G-1', { title: '口香糖' })] })
    const service = await start({ machine, rules: withNoGos('烟草', 'tabacco', WATER, 'SP2002', '口香糖', 'G-1') })
    expect((await service.get('/guardrails')).body.unmatched_no_gos).toEqual(['tabacco', '口香糖', 'G-1'])
    await service.post('/catalog/search', MACHINE)
    service.clock.advance(60_000)
    expect((await service.get('/guardrails')).body.unmatched_no_gos).toEqual(['tabacco'])
    service.writeRules(withNoGos('烟草'))
    expect((await service.get('/guardrails')).body.unmatched_no_gos).toEqual([])
  })

  test('absent while a catalog cannot be read: an entry may match what it lists', async () => {
    const service = await start({ rules: withNoGos('tabacco') })
    service.supply.script.always('catalog', failure('unknown'))
    const { status, body } = await service.get('/guardrails')
    expect([status, body.unmatched_no_gos]).toEqual([200, undefined])
  })

  test('a slow supplier delays nobody', async () => {
    const service = await start({ rules: withNoGos('tabacco') })
    const { promise, resolve } = Promise.withResolvers<void>()
    service.supply.script.next('catalog', { wait: promise })
    const { status, body } = await service.get('/guardrails')
    expect([status, body.rules.hardNoGos, body.unmatched_no_gos]).toEqual([200, ['tabacco'], undefined])
    resolve()
    await expect
      .poll(async () => (await service.get('/guardrails')).body.unmatched_no_gos as unknown)
      .toEqual(['tabacco'])
  })
})
