import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SendPermit } from '../../contract.ts'
import type { OrderReply, ReplyLine } from '../documents/order-reply.ts'
import { orderProgress } from './order-progress.ts'
import type { OrderRecord } from '../order-record.ts'
import { granted, NOW, openSheet, order } from '../sheet.test-support.ts'

const SENT: OrderRecord = {
  state: 'sent',
  ref: 'po_1',
  attempt: 1,
  document: '',
  hash: '',
  startedAt: 5,
  sender: 'x',
  total: 13_943,
  lines: [
    { lineNumber: 1, vendorSku: 'A', title: 'A', quantity: 10, unit: 'pack', contains: 24, unitPrice: 1250 },
    { lineNumber: 2, vendorSku: 'B', title: 'B', quantity: 4, unit: 'each', contains: 1, unitPrice: 95 },
  ],
}

const reply = (
  kind: OrderReply['kind'],
  lines: readonly ReplyLine[] = [],
  more: Partial<OrderReply> = {},
): OrderReply => ({
  ref: 'po_1',
  refKind: 'order_number',
  kind,
  lines,
  ...more,
})
const progress = (...replies: readonly OrderReply[]) =>
  orderProgress(
    SENT,
    replies.map((each, i) => ({ id: String(i), receivedAt: i, reply: each })),
    { prices: 'net', taxRate: 8.25 },
  )
const line = (
  kind: ReplyLine['kind'],
  lineNumber: number,
  quantity: number,
  more: Partial<ReplyLine> = {},
): ReplyLine => ({
  kind,
  lineNumber,
  quantity,
  ...more,
})

describe('what becomes of an order', () => {
  test.each<[string, readonly OrderReply[], object]>([
    ['no reply', [], { state: 'ordered', raw: 'sent', externalRef: 'po_1' }],
    ['received', [reply('received')], { state: 'ordered', raw: 'received' }],
    [
      'accepted under their number',
      [reply('accepted', [], { theirNumber: 'SO-9' })],
      { raw: 'accepted', externalRef: 'SO-9' },
    ],
    ['received after accepted', [reply('accepted'), reply('received')], { raw: 'accepted' }],
    ['rejected', [reply('rejected')], { state: 'cancelled', raw: 'rejected' }],
    [
      'every line rejected',
      [reply('changed', [line('rejected', 1, 0), line('rejected', 2, 0)])],
      { state: 'cancelled' },
    ],
    [
      'one line short',
      [reply('changed', [line('changed', 1, 8)])],
      {
        state: 'ordered',
        lines: [
          { vendorSku: 'A', shipped: 0, cancelled: 2 },
          { vendorSku: 'B', shipped: 0, cancelled: 0 },
        ],
      },
    ],
    [
      'a second confirmation leaves the lines it does not name',
      [reply('changed', [line('changed', 1, 8)]), reply('changed', [line('rejected', 2, 0)])],
      { lines: [{ cancelled: 2 }, { cancelled: 4 }] },
    ],
    [
      'all of it shipped',
      [reply('shipped')],
      { state: 'ordered', raw: 'shipped', lines: [{ shipped: 10, cancelled: 0 }, { shipped: 4 }] },
    ],
    [
      'one line shipped: the other comes',
      [reply('shipped', [line('shipped', 1, 10)])],
      {
        lines: [
          { shipped: 10, cancelled: 0 },
          { shipped: 0, cancelled: 0 },
        ],
      },
    ],
    [
      'shipped short: the rest will not come',
      [reply('shipped', [line('shipped', 1, 7)])],
      {
        lines: [
          { shipped: 7, cancelled: 3 },
          { shipped: 0, cancelled: 0 },
        ],
      },
    ],
    [
      'shipped short after a promise: the rest comes later',
      [reply('changed', [line('changed', 1, 10, { backordered: 3 })]), reply('shipped', [line('shipped', 1, 7)])],
      {
        lines: [
          { shipped: 7, cancelled: 0 },
          { shipped: 0, cancelled: 0 },
        ],
      },
    ],
    [
      'two shipments',
      [
        reply('shipped', [line('shipped', 1, 7)], { shipment: { id: 'S1' } }),
        reply('shipped', [line('shipped', 1, 3)], { shipment: { id: 'S2', carrier: 'UPS', trackingNumber: '1Z' } }),
      ],
      {
        lines: [{ shipped: 10, cancelled: 0 }, {}],
        logistics: [{ at: 0 }, { at: 1, carrier: 'UPS', trackingNumber: '1Z' }],
      },
    ],
    [
      'the same shipment twice',
      [
        reply('shipped', [line('shipped', 1, 7)], { shipment: { id: 'S1' } }),
        reply('shipped', [line('shipped', 1, 8)], { shipment: { id: 'S1' } }),
      ],
      { lines: [{ shipped: 8, cancelled: 2 }, {}] },
    ],
    [
      'cases confirmed as single items, at the price of one',
      [reply('changed', [line('changed', 1, 192, { unit: 'each', unitPrice: 52 })])],
      { lines: [{ shipped: 0, cancelled: 2 }, {}], totalFen: 13_943 },
    ],
    [
      'cases shipped as single items',
      [reply('shipped', [line('shipped', 1, 168, { unit: 'each' })])],
      { lines: [{ shipped: 7, cancelled: 3 }, {}] },
    ],
    [
      'another product instead',
      [reply('changed', [line('changed', 1, 10, { substitute: 'Z' })])],
      { lines: [{ cancelled: 10 }, {}] },
    ],
    [
      'another product instead, in a reply that calls it accepted',
      [reply('accepted', [line('accepted', 1, 10, { substitute: 'Z' })])],
      { raw: 'changed', lines: [{ cancelled: 10 }, {}] },
    ],
  ])('%s', (_, replies, expected) => {
    expect(progress(...replies)).toMatchObject({ status: expected, problems: [] })
  })

  test.each<[string, readonly OrderReply[]]>([
    ['a line that was not ordered', [reply('accepted', [line('accepted', 3, 1)])]],
    ['more than was ordered', [reply('changed', [line('changed', 1, 11)])]],
    ['a part of a case', [reply('changed', [line('changed', 1, 100, { unit: 'each' })])]],
    ['cases of what was ordered singly', [reply('changed', [line('changed', 2, 1, { unit: 'pack' })])]],
    [
      'more shipped than was ordered',
      [
        reply('shipped', [line('shipped', 2, 4)], { shipment: { id: 'S1' } }),
        reply('shipped', [line('shipped', 2, 1)], { shipment: { id: 'S2' } }),
      ],
    ],
  ])('a reply about %s is not used, with a notice', (_, replies) => {
    const { status, problems } = progress(...replies)
    expect(problems).toHaveLength(1)
    expect(status.state).toBe('ordered')
    expect(status.lines?.[1]?.shipped ?? 0).toBeLessThanOrEqual(4)
  })

  test('other prices are reported', () => {
    const { status, problems } = progress(reply('accepted', [line('accepted', 1, 10, { unitPrice: 1300 })]))
    expect(status.description).toBe('Accepted by the supplier, with other prices')
    expect(problems).toEqual(['Order po_1 was confirmed with other prices than ordered'])
  })

  const confirmed = (unitPrice: number | null, quantity = 10) =>
    reply('changed', [line('changed', 1, quantity, { unitPrice })])
  test.each([
    ['a confirmation without prices', reply('accepted'), undefined],
    ['the prices of the order', confirmed(1250), 13_943],
    // (10 × 13.00 + 4 × 0.95) × 1.0825, rounded once.
    ['a higher price', confirmed(1300), 14_484],
    ['a higher price for less of it, before what will not come', confirmed(1300, 5), 14_484],
    ['a price that cannot be read', confirmed(null), undefined],
    // 0.60 for one of 24: (10 × 14.40 + 4 × 0.95) × 1.0825.
    [
      'a higher price for one of a case',
      reply('changed', [line('changed', 1, 240, { unit: 'each', unitPrice: 60 })]),
      15_999,
    ],
  ])('the total by %s', (_, answer, total) => {
    expect(progress(answer).status.totalFen).toBe(total)
  })

  test('a later confirmation corrects a price', () => {
    expect(progress(confirmed(1300), confirmed(1250)).status.totalFen).toBe(SENT.total)
  })
})

describe('the folder of replies', () => {
  const ubl = (code: string) =>
    `<?xml version="1.0"?><OrderResponse xmlns="urn:oasis:names:specification:ubl:schema:xsd:OrderResponse-2"><SalesOrderID>SO-1</SalesOrderID><OrderResponseCode>${code}</OrderResponseCode><OrderReference><ID>po_1</ID></OrderReference></OrderResponse>`

  test.each([
    [
      'CSV',
      'po,status,sku,qty\npo_1,changed,TEA-24,1\n',
      { raw: 'changed', lines: [{ vendorSku: 'TEA-24', cancelled: 1 }, {}] },
    ],
    ['CSV with semicolons', 'po;status;sku;qty\npo_1;rejected;;\n', { state: 'cancelled' }],
    ['UBL', ubl('AP'), { externalRef: 'SO-1', raw: 'accepted' }],
    [
      'cXML',
      '<?xml version="1.0"?><cXML payloadID="1@s" timestamp="2026-11-10T00:00:00Z"><Request><ConfirmationRequest><ConfirmationHeader type="accept" confirmID="C7" noticeDate="2026-11-10T00:00:00Z"/><OrderReference orderID="po_1"><DocumentReference payloadID="x"/></OrderReference></ConfirmationRequest></Request></cXML>',
      { externalRef: 'C7', raw: 'accepted' },
    ],
  ])('%s', async (_, content, status) => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), granted)
    sheet.reply('reply.txt', content)
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ ok: true, value: status })
    expect(sheet.notices).toEqual([])
  })

  test('theirs is the number of the order from then on', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), granted)
    sheet.reply('r.xml', ubl('AP'))
    await sheet.vendor.orderStatus('po_1')
    expect(await sheet.vendor.createOrder(order(), granted)).toEqual({ ok: true, value: { externalRef: 'SO-1' } })
  })

  test('what was read stays known when the file is cleaned up', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), granted)
    sheet.reply('r.xml', ubl('RE'))
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { state: 'cancelled' } })
    rmSync(join(sheet.folder, 'in/r.xml'))
    const restarted = openSheet({ folder: sheet.folder, memory: sheet.memory })
    expect(await restarted.vendor.orderStatus('po_1')).toMatchObject({ value: { state: 'cancelled' } })
  })

  test('a reply to an order that we never sent, and one that cannot be read, are reported once and left alone', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), granted)
    sheet.reply('a.csv', 'po,status,sku,qty\npo_9,rejected,,\n')
    sheet.reply('b.csv', 'nonsense\n')
    for (let i = 0; i < 2; i += 1)
      expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { state: 'ordered' } })
    expect(sheet.notices).toEqual([
      'The reply a.csv is about an order that we never sent (po_9)',
      expect.stringMatching(/^The reply b\.csv cannot be read: /),
    ])
    expect(await sheet.vendor.orderStatus('po_9')).toMatchObject({ reason: 'absent' })
  })

  const denied: SendPermit = async () => ({ code: 'kill_switch_engaged', message: 'the emergency stop is on' })

  test('a reply that does not fit shows neither that an unsent order was sent nor a number of the supplier', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), denied)
    sheet.reply('a.csv', 'po,status,sku,qty\npo_1,accepted,GUM/7,5\n')
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ ok: false, reason: 'absent' })
    expect(sheet.notices).toEqual([expect.stringContaining('A reply to po_1 is not used')])
    expect(await sheet.vendor.createOrder(order(), granted)).toEqual({ ok: true, value: { externalRef: 'po_1' } })
    expect(sheet.out()).toEqual(['po_1.csv'])
    sheet.reply(
      'b.xml',
      ubl('CA').replace(
        '</OrderResponse>',
        '<OrderLine><LineItem><ID>9</ID><LineStatusCode>5</LineStatusCode></LineItem></OrderLine></OrderResponse>',
      ),
    )
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { externalRef: 'po_1', raw: 'sent' } })
    expect(await sheet.vendor.createOrder(order(), granted)).toEqual({ ok: true, value: { externalRef: 'po_1' } })
  })

  test('an order that was not sent and is answered all the same is for a person, and is sent on their word', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), denied)
    sheet.reply('a.csv', 'po,status,sku,qty\npo_1,accepted,,\n')
    for (let i = 0; i < 2; i += 1) {
      const status = await sheet.vendor.orderStatus('po_1')
      expect(status).toMatchObject({ reason: 'unknown', onlyPersonKnows: true })
      expect(await sheet.vendor.createOrder(order(), granted)).toEqual(status)
    }
    expect(sheet.notices).toEqual(['The supplier answered order po_1, which was not sent'])
    expect([sheet.out(), (await sheet.memory.get('order/po_1'))?.value]).toMatchObject([[], { state: 'unsent' }])
    expect(await sheet.vendor.createOrder(order('po_1', { isRecordedAsNotPlaced: true }), granted)).toMatchObject({
      ok: true,
    })
    // What was answered before is not about this attempt.
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { raw: 'sent' } })
    expect(sheet.out()).toEqual(['po_1.csv'])
  })

  test('an answer to an order that was sent again counts for it, also when it is the same as the one before', async () => {
    const sheet = openSheet()
    const [rejected, before, after] = ['po,status,sku,qty\npo_1,rejected,,\n', NOW / 1000 - 600, NOW / 1000 + 600]
    const put = (name: string, seconds: number) => {
      sheet.reply(name, rejected)
      utimesSync(join(sheet.folder, 'in', name), seconds, seconds)
    }
    await sheet.vendor.createOrder(order(), denied)
    put('a.csv', before)
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    const stateOf = async () => {
      const restarted = openSheet({ folder: sheet.folder, memory: sheet.memory, clock: sheet.clock })
      return restarted.vendor.orderStatus('po_1')
    }
    // The same file under another name is no answer to the second attempt.
    renameSync(join(sheet.folder, 'in/a.csv'), join(sheet.folder, 'in/b.csv'))
    expect(await stateOf()).toMatchObject({ value: { state: 'ordered', raw: 'sent' } })
    put('c.csv', after)
    for (let i = 0; i < 2; i += 1) expect(await stateOf()).toMatchObject({ value: { state: 'cancelled' } })
    put('d.csv', after + 60)
    expect(await stateOf()).toMatchObject({ value: { state: 'cancelled' } })
    expect((await sheet.memory.get('replies/po_1'))?.value).toHaveLength(2)
  })

  test('a file whose clock is ahead of ours is not an answer to an attempt that began after it was read', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), denied)
    sheet.reply('a.csv', 'po,status,sku,qty\npo_1,rejected,,\n')
    utimesSync(join(sheet.folder, 'in/a.csv'), NOW / 1000 + 600, NOW / 1000 + 600)
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    const restarted = openSheet({ folder: sheet.folder, memory: sheet.memory, clock: sheet.clock })
    expect(await restarted.vendor.orderStatus('po_1')).toMatchObject({ value: { raw: 'sent' } })
  })

  test('an unsure order is confirmed by a reply that fits, not by another', async () => {
    const sheet = openSheet()
    void sheet.vendor.createOrder(order(), (write) => {
      write()
      rmSync(join(sheet.folder, 'out/po_1.csv'))
      return new Promise(() => {})
    })
    await expect.poll(async () => (await sheet.memory.get('order/po_1'))?.value).toMatchObject({ state: 'sending' })
    await expect.poll(() => sheet.out()).toEqual([])
    sheet.clock.advance(180_000)
    const restarted = openSheet({ folder: sheet.folder, memory: sheet.memory, clock: sheet.clock })
    sheet.reply('a.csv', 'po,status,sku,qty\npo_1,accepted,GUM/7,5\n')
    expect(await restarted.vendor.orderStatus('po_1')).toMatchObject({ reason: 'unknown', raw: 'unknown' })
    expect(await restarted.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'unknown', raw: 'unknown' })
    sheet.reply('b.csv', 'po,status,sku,qty\npo_1,accepted,BAR,30\n')
    expect(await restarted.vendor.orderStatus('po_1')).toMatchObject({ value: { raw: 'accepted' } })
    expect((await sheet.memory.get('order/po_1'))?.value).toMatchObject({ state: 'sent' })
  })

  test('a reply that is still being written is read when it is complete', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), granted)
    sheet.reply('a.csv', 'po,status,sku,qty\npo_1,chan')
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { raw: 'sent' } })
    sheet.reply('a.csv', 'po,status,sku,qty\npo_1,changed,BAR,20\n')
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { lines: [{}, { cancelled: 10 }] } })
  })

  test('files that cannot be read are reported once, and the others are read', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), granted)
    sheet.reply('a.csv', `po,status,sku,qty\n${'x'.repeat(2 * 1024 * 1024)}\n`)
    // A link to itself: neither its size nor its content can be found out.
    symlinkSync('loop.csv', join(sheet.folder, 'in/loop.csv'))
    sheet.reply('b.csv', 'po,status,sku,qty\npo_1,accepted,,\n')
    for (let i = 0; i < 2; i += 1)
      expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { raw: 'accepted' } })
    expect(sheet.notices.toSorted()).toEqual([
      'The reply a.csv cannot be read: the file has more than 2 MB',
      'The reply loop.csv cannot be read: ELOOP',
    ])
  })

  test('while a reply cannot be read, an order that was not sent is not sent again: it may be the answer', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), denied)
    symlinkSync('loop.csv', join(sheet.folder, 'in/loop.csv'))
    for (const again of [order(), order('po_1', { isRecordedAsNotPlaced: true })])
      expect(await sheet.vendor.createOrder(again, granted)).toMatchObject({ ok: false })
    expect(sheet.out()).toEqual([])
    rmSync(join(sheet.folder, 'in/loop.csv'))
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    expect(sheet.out()).toEqual(['po_1.csv'])
  })

  test('nor while a reply that names it, or a document that came since, cannot be understood', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), denied)
    const again = () => sheet.vendor.createOrder(order('po_1', { isRecordedAsNotPlaced: true }), granted)
    // The row is shorter than the header, so its columns may have moved.
    sheet.reply('short.csv', 'po,status,sku,qty,note\npo_1,accepted,A-1,2\n')
    expect(await again()).toMatchObject({ ok: false })
    rmSync(join(sheet.folder, 'in/short.csv'))
    sheet.reply('cut.xml', '<cXML><Response>')
    expect(await again()).toMatchObject({ ok: false })
    rmSync(join(sheet.folder, 'in/cut.xml'))
    sheet.reply('readme.txt', 'Put your replies here.')
    expect(await again()).toMatchObject({ ok: true })
    expect(sheet.out()).toEqual(['po_1.csv'])
  })

  test('a 997 of somebody else with our control number is not used', async () => {
    const sheet = openSheet({ order: { format: 'x12' } })
    await sheet.vendor.createOrder(order(), granted)
    const control = /IEA\*1\*(\d+)/.exec(sheet.sent('po_1.edi'))?.[1] ?? ''
    const receipt = (sender: string, receiver: string) =>
      [
        `ISA*00*          *00*          *ZZ*${sender.padEnd(15)}*ZZ*${receiver.padEnd(15)}*261109*0900*U*00401*000000007*0*P*>`,
        `GS*FA*${sender}*${receiver}*20261109*0900*7*X*004010`,
        'ST*997*0001',
        `AK1*PO*${Number(control)}`,
        'AK9*R*1*1*0',
        'SE*4*0001',
        'GE*1*7',
        'IEA*1*000000007',
        '',
      ].join('~\n')
    sheet.reply('a.edi', receipt('OTHER', 'C4711'))
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { state: 'ordered', raw: 'sent' } })
    expect(sheet.notices).toEqual([expect.stringContaining('somebody else')])
    sheet.reply('b.edi', receipt('WHOLESALE', 'C4711'))
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { state: 'cancelled' } })
  })

  test('an order number that would be a hidden file is refused', async () => {
    const sheet = openSheet()
    expect(await sheet.vendor.createOrder(order('.po_1'), granted)).toMatchObject({
      reason: 'rejected',
      documented: true,
    })
    expect(sheet.out()).toEqual([])
  })

  test('without its folder nothing is known', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), granted)
    rmSync(join(sheet.folder, 'in'), { recursive: true })
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ ok: false, reason: 'unsent' })
  })

  test('one file with replies to two orders', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), granted)
    await sheet.vendor.createOrder(order('po_2'), granted)
    writeFileSync(join(sheet.folder, 'in/both.csv'), 'po,status,sku,qty\npo_1,rejected,,\npo_2,accepted,,\n')
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ value: { state: 'cancelled' } })
    expect(await sheet.vendor.orderStatus('po_2')).toMatchObject({ value: { state: 'ordered', raw: 'accepted' } })
  })
})
