/**
 * Whoever may match products cannot loosen a rule by it: the cost behind `minimumMarginPercent` and the no-gos of other
 * namespaces count what was matched before, until an owner rejects the match, too.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { addKey } from '../people/keys.ts'
import { codes, MACHINE, withRules } from '../replenishment/route.ts'
import { machineSlot, scriptedMachine, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import { RULES, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const MARGIN = { ...RULES.rules, minimumMarginPercent: 10 }
const CODE = '6901234567892'
const JUICE = 'acme-machine:G-1'
const SOUP = 'acme-machine:G-2'
const [DEAR, CHEAP, CODED] = ['acme-supply:SP1', 'acme-supply:SP2', 'acme-supply:SP3']
/** At a second supplier, with the code of the soup. */
const CODED_ELSEWHERE = 'other-supply:X1'

let service: Service
let supplies: { readonly acme: ReturnType<typeof scriptedSupply>; readonly other: ReturnType<typeof scriptedSupply> }
let operator: string
let owner: string

beforeEach(async () => {
  const machine = scriptedMachine({
    [MACHINE]: [
      machineSlot('G-1', { title: 'Juice', priceFen: fen(300) }),
      machineSlot('G-2', { title: 'Soup', priceFen: fen(300), barcode: CODE }),
    ],
  })
  supplies = {
    acme: scriptedSupply([
      supplyProduct('SP1', { title: 'Goods 1', eachPriceFen: fen(290) }),
      supplyProduct('SP2', { title: 'Goods 2', eachPriceFen: fen(50) }),
      supplyProduct('SP3', { title: 'Goods 3', eachPriceFen: fen(290), barcode: CODE }),
    ]),
    other: scriptedSupply([]),
  }
  service = await startService({
    machine,
    entries: [
      registerLive('acme-supply' as Namespace, supplies.acme.vendor),
      registerLive('other-supply' as Namespace, supplies.other.vendor),
      registerLive('acme-machine' as Namespace, machine.vendor),
    ],
  })
  await service.put(`/locations/${MACHINE}`, { name: 'Hall' })
  await service.post('/locations/sync')
  owner = (await addKey(service, 'owner', 'Ann')).key
  operator = (await addKey(service, 'operator')).key
  service.writeRules(withRules(MARGIN))
})

const match = (skuId: string, other: string, source: 'manual' | 'rejected', token = operator) =>
  service.put(`/skus/${skuId}/aliases`, { aliases: [{ sku_id: other, source }] }, { token })

/** Below cost plus margin where the cost is 290, and within every other rule. */
async function mayLowerPrice(skuId: string): Promise<boolean> {
  const prices = [{ item: { id: skuId }, price: { amount: 295, currency: 'CNY' } }]
  const body = { prices, confirm: true }
  const answer = await service.put(`/locations/${MACHINE}/prices?dry_run=true`, body, { token: operator })
  expect(answer.status).toBe(200)
  return !codes(answer.body).includes('approval_required')
}

const SEQUENCES: readonly (readonly [string, string, readonly (readonly [string, 'manual' | 'rejected'])[]])[] = [
  ['withdrawing the match', JUICE, [[DEAR, 'rejected']]],
  [
    'withdrawing it twice',
    JUICE,
    [
      [DEAR, 'rejected'],
      [DEAR, 'rejected'],
    ],
  ],
  ['matching a cheaper product, too', JUICE, [[CHEAP, 'manual']]],
  [
    'matching a cheaper product instead',
    JUICE,
    [
      [CHEAP, 'manual'],
      [DEAR, 'rejected'],
    ],
  ],
  ['matching a cheaper one where the barcodes are equal', SOUP, [[CHEAP, 'manual']]],
  [
    'confirming what a barcode linked, and withdrawing it',
    SOUP,
    [
      [CODED, 'manual'],
      [CODED, 'rejected'],
    ],
  ],
]

describe('minimumMarginPercent', () => {
  test.each(SEQUENCES)('%s does not lower the cost', async (_, skuId, steps) => {
    await match(JUICE, DEAR, 'manual')
    expect(await mayLowerPrice(skuId)).toBe(false)
    for (const [other, source] of steps) expect((await match(skuId, other, source)).status).toBe(200)
    expect(await mayLowerPrice(skuId)).toBe(false)
    service.writeRules(withRules({}))
    await service.put('/guardrails', { rules: { minimumMarginPercent: null } }, { token: owner })
    expect(await mayLowerPrice(skuId)).toBe(true)
  })

  test('an operator is told that a withdrawn match still counts; after an owner rejected it, it does not', async () => {
    await match(JUICE, DEAR, 'manual')
    const answer = await match(DEAR, JUICE, 'rejected')
    expect([codes(answer.body), answer.body.aliases]).toEqual([['match_still_counts'], []])
    const byOwner = await match(JUICE, DEAR, 'rejected', owner)
    expect(codes(byOwner.body)).toEqual([])
    expect(await mayLowerPrice(JUICE)).toBe(true)
    const events = (await service.events()).filter(({ code }) => code === 'alias_rejected')
    expect(events.map(({ by }) => by?.name)).toEqual(['Ann', 'agent'])
    // Once more: nothing to change, nothing to say.
    expect(codes((await match(JUICE, DEAR, 'rejected')).body)).toEqual([])
    expect((await service.events()).filter(({ code }) => code === 'alias_rejected')).toHaveLength(2)
  })

  test('a suggestion that an operator rejects never counted', async () => {
    expect(await mayLowerPrice(JUICE)).toBe(true)
    expect(codes((await match(JUICE, DEAR, 'rejected')).body)).toEqual([])
    expect(await mayLowerPrice(JUICE)).toBe(true)
  })

  test('of suppliers with the same barcode the cheapest counts', async () => {
    expect(await mayLowerPrice(SOUP)).toBe(false)
    supplies.other.products.push(supplyProduct('X1', { title: 'Other 1', eachPriceFen: fen(100), barcode: CODE }))
    await service.post('/catalog/search', { filters: { namespace: 'other-supply' } })
    expect((await service.get(`/skus/${SOUP}`)).body.aliases).toHaveLength(2)
    expect(await mayLowerPrice(SOUP)).toBe(true)
  })
})

describe('a match that an operator rejects before barcodes show that it is right', () => {
  const rejectThenList = async (priceFen: number) => {
    // Planned ahead: nobody lists it yet.
    supplies.acme.products.splice(2)
    await match(SOUP, CODED, 'rejected')
    const rejected = await match(SOUP, CODED_ELSEWHERE, 'rejected')
    expect([rejected.status, rejected.body.aliases.length]).toEqual([200, 0])
    supplies.other.products.push(supplyProduct('X1', { title: 'Other 1', eachPriceFen: fen(priceFen), barcode: CODE }))
    await service.post('/catalog/search', { filters: { namespace: 'other-supply' } })
  }
  beforeEach(async () => {
    // As before the barcode of the soup was read.
    await service.ctx.store.db.deleteFrom('sku_alias').execute()
  })

  test('is not ordered by, but its cost counts', async () => {
    await rejectThenList(290)
    expect((await service.get(`/skus/${SOUP}`)).body.aliases ?? []).toEqual([])
    expect(await mayLowerPrice(SOUP)).toBe(false)
  })

  test('counts no longer once an owner has rejected it, also after the next comparison', async () => {
    await rejectThenList(290)
    expect(await mayLowerPrice(SOUP)).toBe(false)
    expect((await match(SOUP, CODED_ELSEWHERE, 'rejected', owner)).status).toBe(200)
    supplies.other.products[0] = { ...supplies.other.products[0]!, title: 'Other 1, renamed' }
    service.clock.advance(60 * 60_000)
    await service.post('/catalog/search', { filters: { namespace: 'other-supply' } })
    expect(await mayLowerPrice(SOUP)).toBe(true)
  })

  test('forbids what the no-go list names in the other namespace', async () => {
    service.writeRules(withRules({ hardNoGos: [SOUP] }))
    await rejectThenList(290)
    const line_items = [{ item: { id: CODED_ELSEWHERE }, quantity: 1 }]
    const session = await service.post('/checkout-sessions', { line_items }, { token: operator })
    expect(codes(session.body)).toContain('hard_no_go')
  })
})

test('a no-go reaches a product through a match that an operator withdrew before the owner wrote the no-go', async () => {
  await match(JUICE, DEAR, 'manual')
  await match(JUICE, DEAR, 'rejected')
  service.writeRules(withRules({ hardNoGos: [JUICE] }))
  const line_items = [{ item: { id: DEAR }, quantity: 1 }]
  const session = () => service.post('/checkout-sessions', { line_items }, { token: operator })
  expect(codes((await session()).body)).toContain('hard_no_go')
  await match(JUICE, DEAR, 'rejected', owner)
  expect(codes((await session()).body)).not.toContain('hard_no_go')
})
