/** Sales by the queue beside the last sales of the API: each counts once. */
import { expect, onTestFinished, test } from 'vitest'
import { expectValue } from '../../../test/contracts/adapter-kit.ts'
import { lynxUpstream, OPERATOR_ID, REFRESH_TOKEN } from '../../../test/contracts/lynx-upstream.ts'
import { DAY, manualClock } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Closable } from '../adapter-options.ts'
import type { MachineVendor } from '../machine-vendor.ts'
import { processMemory } from '../process-memory.ts'
import { startQueue } from '../sqs/queue-server.test-support.ts'
import { MACHINE, NOW, saleRow } from './fixtures.test-support.ts'
import { nayaxLynx } from './index.ts'

const CONNECTION = {
  namespace: 'nayax-machine' as Namespace,
  currency: 'USD',
  timeZone: 'America/Chicago',
  isReadOnly: false,
}

/** As the vendor documents a transaction, with the members that a sale of the fixtures has. */
const transaction = (n: number, { Void = false, ...data }: Record<string, unknown> = {}) => ({
  TransactionId: 40_000_000_000 + n,
  PaymentMethodId: 1,
  SiteId: 4,
  MachineTime: '2026-09-19T05:20:30.317',
  Void,
  MachineId: Number(MACHINE),
  Data: {
    'Card String': '4111********1111',
    'Card Holder Name': 'Jane Doe',
    SeValue: 1.5,
    'Machine Name': 'Hall',
    Currency: 'USD',
    'Payment Method Description': 'Credit Card',
    'Authorization Time': '2026-09-19T10:20:30.317',
    'Settlement Time': '2026-09-19T10:20:40',
    'Updated DT': '2026-09-19T10:20:41',
    'Cancel Type': 255,
    'Is Revalue Transaction': false,
    'Settlment Failed': null,
    Products: [{ 'Product Name': 'Soda 501', 'Product Code in Map': 1, 'Product PA Code': 'A1', 'Product Bruto': 1.5 }],
    ...data,
  },
})

async function open() {
  const [upstream, queue] = [await lynxUpstream(), await startQueue()]
  upstream.sales.set(MACHINE, [])
  upstream.sales.set('7002', [])
  const memory = processMemory()
  const clock = manualClock(NOW)
  const changes: (number | undefined)[] = []
  const checked = nayaxLynx.check(
    {
      url: `${upstream.url}/operational`,
      auth_url: upstream.url,
      refresh_token: REFRESH_TOKEN,
      operator_id: OPERATOR_ID,
      queue: queue.settings,
    },
    CONNECTION,
  )
  if (!checked.ok) throw new Error(checked.problems.join('; '))
  const start = () =>
    nayaxLynx.open(checked.settings, {
      connection: CONNECTION,
      memory,
      clock,
      timeoutMs: 1500,
      resolvePath: (path) => path,
      reportOlderSales: (from) => void changes.push(from),
    }).vendor as MachineVendor & Closable
  const vendor = start()
  onTestFinished(async () => {
    await vendor.close()
    await queue.close()
    await upstream.close()
  })
  const receive = () => vendor.receiveMessages?.()
  const page = async () => expectValue(await vendor.ledger({ fromMs: NOW - 2 * DAY, toMs: NOW }))
  const sales = async () =>
    (await page()).records
      .toSorted((a, b) => (a.orderNo < b.orderNo ? -1 : 1))
      .map(({ orderNo, status, settled, totalFen }) => [orderNo, status, settled, totalFen])
  return { upstream, queue, memory, clock, changes, receive, page, sales, another: start }
}

test('a sale by the queue is the same record as the same sale by the API', async () => {
  const world = await open()
  world.queue.send(transaction(1))
  expect(await world.receive()).toMatchObject({ ok: true, value: { messages: 1 } })
  const [byQueue] = (await world.page()).records
  world.upstream.sales.set(MACHINE, [saleRow(1)])
  world.clock.advance(31_000)
  const [byApi, ...others] = (await world.page()).records
  expect(byQueue).toEqual(byApi)
  expect([others, world.changes, world.queue.waiting()]).toEqual([[], [Date.parse('2026-09-19T10:20:30.317Z')], []])
})

test('messages that come twice, late and in another order count once, on every instance', async () => {
  const world = await open()
  world.queue.state.copies = 2
  world.queue.state.isReversed = true
  world.queue.send(transaction(1), transaction(2), transaction(1))
  world.queue.state.trouble.set('DeleteMessageBatch', 'forget')
  await world.receive()
  world.queue.pass(61)
  await world.receive()
  expect(await world.sales()).toEqual([
    ['4-40000000001', 'SETTLED', true, 150],
    ['4-40000000002', 'SETTLED', true, 150],
  ])
  const other = world.another()
  onTestFinished(() => other.close())
  expect(expectValue(await other.ledger({ fromMs: NOW - DAY, toMs: NOW })).records).toHaveLength(2)
})

test.each([
  ['before', [transaction(1, { Void: true }), transaction(1)]],
  ['after', [transaction(1), transaction(1, { Void: true })]],
])('a sale whose void comes %s it is cancelled, also where the API still shows it', async (_, messages) => {
  const world = await open()
  world.queue.send(...messages)
  await world.receive()
  world.upstream.sales.set(MACHINE, [saleRow(1), saleRow(2)])
  expect(await world.sales()).toEqual([
    ['4-40000000001', 'VOID', false, 150],
    ['4-40000000002', 'SETTLED', true, 150],
  ])
  world.clock.advance(3 * DAY)
  world.queue.send(transaction(3))
  await world.receive()
  const { records } = expectValue(await world.another().ledger({ fromMs: 0, toMs: NOW + 9 * DAY }))
  expect(records.find(({ orderNo }) => orderNo === '4-40000000001')).toMatchObject({ status: 'VOID', settled: false })
})

test('money put on a card and events are no sales; what was cancelled or not settled is not paid', async () => {
  const world = await open()
  world.queue.send(
    transaction(1, { 'Is Revalue Transaction': true }),
    { eventCode: '1', eventName: 'Power up', machineld: MACHINE },
    transaction(2, { 'Cancel Type': 3 }),
    transaction(3, { 'Settlment Failed': true }),
    transaction(4, { 'Cancel Type': null }),
  )
  expect(await world.receive()).toMatchObject({ value: { messages: 5 } })
  expect(await world.sales()).toEqual([
    ['4-40000000002', 'UNSETTLED', false, 0],
    ['4-40000000003', 'UNSETTLED', false, 0],
    ['4-40000000004', 'SETTLED', true, 150],
  ])
})

test('several products, a quantity and a missing price', async () => {
  const world = await open()
  const product = (more: object) => ({ 'Product Name': 'Soda 502', 'Product Code in Map': 2, ...more })
  world.queue.send(
    transaction(1, { SeValue: 4, Products: [product({ 'Product Bruto': 1.5 }), product({ 'Product Bruto': 2.5 })] }),
    transaction(2, { SeValue: 3.01, Products: [product({ 'Product Quantity': 2, 'Product Bruto': 1.5 })] }),
    transaction(3, { SeValue: 1, Products: [] }),
  )
  await world.receive()
  const { records } = await world.page()
  expect(
    records
      .toSorted((a, b) => (a.orderNo < b.orderNo ? -1 : 1))
      .map(({ lines }) => lines.map(({ vendorSku, priceFen }) => [vendorSku, priceFen])),
  ).toEqual([
    [
      ['502', 150],
      ['502', 250],
    ],
    [
      ['502', 150],
      ['502', 151],
    ],
    [['unmapped', 100]],
  ])
})

test('what cannot be understood is named with the ledger and never becomes a figure', async () => {
  const world = await open()
  world.queue.send(
    'no json {',
    transaction(1, { SeValue: '1,50' }),
    transaction(2, { 'Authorization Time': 'yesterday' }),
    transaction(3, { SeValue: -1.5 }),
    { DexData: 'DXS*' },
    transaction(4, { Currency: 'EUR' }),
  )
  await world.receive()
  const { records, unreadableFiles } = await world.page()
  expect(records).toEqual([])
  expect(unreadableFiles?.map(({ id, problem }) => [id, problem])).toEqual([
    ['message m1', 'it is no JSON'],
    ['message m2', 'its SeValue is no amount'],
    ['message m3', 'its Authorization Time cannot be read'],
    ['message m4', 'its SeValue is no amount'],
    ['message m5', 'it is an audit file, which the adapter eva-dts reads'],
    ['message m6', 'it is in EUR, not in USD'],
  ])
})

test('nothing about cards or their holders is kept', async () => {
  const world = await open()
  world.queue.send(transaction(1))
  await world.receive()
  expect(JSON.stringify(await world.memory.list(''))).not.toMatch(/4111|Jane/)
})

test.each([
  [{ encryption_key: '0123456789abcdef' }, 'queue.encryption_key and queue.encryption_iv belong together'],
  [
    { encryption_key: 'short', encryption_iv: 'abcdef9876543210' },
    'queue.encryption_key must be 16, 24, 32 characters',
  ],
  [{ region: undefined }, 'queue.region is missing'],
])('settings %j are refused', (more, problem) => {
  const checked = nayaxLynx.check(
    {
      url: 'https://lynx.nayax.com/operational',
      token: 't',
      operator_id: 1,
      queue: { url: 'https://q.example/1/a', region: 'eu-west-1', access_key: 'a', secret_key: 'b', ...more },
    },
    CONNECTION,
  )
  expect(checked).toEqual({ ok: false, problems: [problem] })
})
