/** A price list through the service: what can be ordered of it, what is told, and what the order document states. */
import { expect, test } from 'vitest'
import type { Json } from '../support/service.ts'
import { HEADER, startWithList } from './list-service.ts'

/** No session is opened, so there is nothing to complete. */
function expectNothingToBuy({ body }: { readonly body: Json }) {
  expect([body.id, body.messages[0].code]).toEqual([undefined, 'item_unavailable'])
}

test('a row "24 ct, 26.88" is a box of 24, and the order document states cases', async () => {
  const { post, buy, document, problems } = await startWithList(['10021,Coke 16.9 oz,24 ct,26.88'])
  const { status, body } = await buy('10021', 2, 'BX')
  expect([status, body.status]).toEqual([201, 'ready_for_complete'])
  expect(body.line_items[0]).toMatchObject({ quantity: 2, quantity_unit: { unit: 'BX', contains: 24 } })
  expect(body.totals.find(({ type }: Json) => type === 'total').amount).toBe(2 * 2688)
  const done = await post(`/checkout-sessions/${body.id}/complete`, { confirm: true })
  expect(done.body.status).toBe('completed')
  expect(document()).toContain('PO1*1*2*CA*26.88*')
  expect(document()).not.toContain('*EA*')
  expect(await problems()).toEqual([])
  // Singly it is not sold, at no price.
  const single = await buy('10021', 30, 'EA')
  expect(single.body.status).not.toBe('ready_for_complete')
})

test('an article whose pack size is not certain cannot be bought, and the connection says whose word is needed', async () => {
  const { buy, offered, problems, write, clock } = await startWithList([
    '10021,Coke 16.9 oz,20-24/CS,26.88',
    '10022,Water,,12.00',
    '10023,Tea,24/CS,24.00',
  ])
  expect(await offered()).toEqual([['10023', 100]])
  for (const sku of ['10021', '10022']) expectNothingToBuy(await buy(sku, 30))
  expect(await problems()).toEqual([
    ['10021', 'needs your word: how many items are in its pack ("20-24/CS")'],
    ['10022', 'needs your word: how many items are in its pack (no pack text)'],
  ])
  write(['10021,Coke 16.9 oz,24/CS,26.88', '10022,Water,EA,12.00', '10023,Tea,24/CS,24.00'])
  clock.advance(61_000)
  expect(await problems()).toEqual([])
  expect((await buy('10021', 1, 'BX')).body.status).toBe('ready_for_complete')
})

test('a pack price that is not that of its items takes the article off', async () => {
  const options = { header: `${HEADER},Each`, columns: { each_price: 'Each' } }
  const { offered, problems } = await startWithList(
    ['1,Coke,12/CS,26.88,1.12', '2,Tea,24/CS,26.88,1.12', '3,Bar,24/CS,26.88,26.88'],
    options,
  )
  expect((await offered()).map(([sku]: Json) => sku)).toEqual(['2'])
  expect(await problems()).toMatchObject([
    ['1', expect.stringContaining('"12/CS"')],
    ['3', expect.stringContaining('needs your word')],
  ])
})

test('an article with a row that cannot be read is off until the file says one thing', async () => {
  const others = Array.from({ length: 20 }, (_, i) => `2${i},Other,24/CS,24.00`)
  const rows = ['10007,Coke,24/CS,"$36,96"', '10007,Coke,24/CS,"$36,96"', '10007,Coke,24/CS,99.99', ...others]
  const { offered, buy, write, problems, clock } = await startWithList(rows)
  const skus = async () => (await offered()).map(([sku]: Json) => sku)
  expect(await skus()).not.toContain('10007')
  expectNothingToBuy(await buy('10007', 1, 'BX'))
  expect((await problems()).map(([id]) => id)).toEqual(['10007'])
  write(['10007,Coke,24/CS,36.96', ...others])
  clock.advance(61_000)
  expect(await skus()).toContain('10007')
  expect(await problems()).toEqual([])
})

test('an article that the list calls discontinued cannot be bought', async () => {
  const options = { header: `${HEADER},Status`, columns: { on_shelf: 'Status' } }
  const { buy } = await startWithList(['1,Coke,24/CS,26.88,DISCONTINUED', '2,Tea,24/CS,26.88,active'], options)
  expectNothingToBuy(await buy('1', 1, 'BX'))
  expect((await buy('2', 1, 'BX')).body.status).toBe('ready_for_complete')
})

test('a list of 20,000 articles is read without keeping others waiting', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => `A${i},"Product ${i}, 500 ml",24/CS,${10 + (i % 90)}.50`)
  const { offered, get } = await startWithList(rows)
  await get('//healthz')
  /** CPU time of this thread, in microseconds: unlike the time of the clock it does not depend on other programs. */
  const cpu = () => {
    const { user, system } = process.threadCpuUsage()
    return user + system
  }
  const startedAt = cpu()
  let [last, longest, isDone] = [startedAt, 0, false]
  const turn = () => {
    const now = cpu()
    longest = Math.max(longest, now - last)
    last = now
    if (!isDone) setImmediate(turn)
  }
  turn()
  expect(await offered()).not.toEqual([])
  isDone = true
  expect(longest).toBeLessThan((cpu() - startedAt) / 3)
  expect((await get('//healthz')).status).toBe(200)
})
