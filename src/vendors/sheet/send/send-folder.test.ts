import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SendPermit } from '../../contract.ts'
import type { SupplyOrder } from '../../supply-vendor.ts'
import { fen } from '../../../kernel/fen.ts'
import { MINUTE } from '../../../kernel/clock.ts'
import { testMemory } from '../memory.test-support.ts'
import { granted, openSheet, order } from '../sheet.test-support.ts'

describe('an order into a folder', () => {
  test('is one complete file under its reference', async () => {
    const sheet = openSheet()
    expect(await sheet.vendor.createOrder(order(), granted)).toEqual({ ok: true, value: { externalRef: 'po_1' } })
    expect(sheet.out()).toEqual(['po_1.csv'])
    expect(sheet.sent('po_1.csv').split('\r\n')).toEqual([
      'po,sku,title,qty,unit,pack_or_each_price,case_size,price_of_one',
      'po_1,TEA-24,Iced tea,2,pack,12.50,24,0.5208',
      'po_1,BAR,Bar,30,each,0.95,,0.95',
      'po_1,,"Buyer: Route One Vending, customer number C-4711",,,,,',
      'po_1,,"Deliver to: Ana Diaz, +1 512 555 0100, 77 River Street, Austin, TX, 78702, US",,,,,',
      'po_1,,Tax,,USD,3.75,,',
      'po_1,,Total,,USD,57.25,,',
      '',
    ])
    expect(await sheet.vendor.orderStatus('po_1')).toEqual({
      ok: true,
      value: {
        externalRef: 'po_1',
        state: 'ordered',
        description: 'Sent to the supplier',
        rawStatus: 0,
        raw: 'sent',
        createdAt: sheet.clock.now(),
        logistics: [],
      },
    })
  })

  test.each([
    ['csv', 'po_1.csv', /^po,sku/],
    ['ubl', 'po_1.xml', /<cbc:ID>po_1<\/cbc:ID>/],
    ['x12', 'po_1.edi', /BEG\*00\*SA\*po_1\*/],
    ['cxml', 'po_1.xml', /orderID="po_1"/],
  ])('as %s', async (format, name, content) => {
    const sheet = openSheet({ order: { format } })
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    expect(sheet.out()).toEqual([name])
    expect(sheet.sent(name)).toMatch(content)
  })

  test('a pickup names the site and the time', async () => {
    const sites = [{ id: 'north', name: 'Depot North', address: '5 Dock Street' }]
    const pickup: Partial<SupplyOrder> = {
      fulfillment: { method: 'pickup', siteId: 'north', pickupAt: Date.parse('2026-11-11T16:00:00Z') },
    }
    for (const [format, name] of [
      ['csv', 'po_1.csv'],
      ['ubl', 'po_1.xml'],
      ['x12', 'po_1.edi'],
      ['cxml', 'po_1.xml'],
    ] as const) {
      const sheet = openSheet({ order: { format }, sites })
      expect(await sheet.vendor.createOrder(order('po_1', pickup), granted)).toMatchObject({ ok: true })
      expect(sheet.sent(name)).toContain('Pickup at Depot North, 5 Dock Street: 2026-11-11 10:00')
    }
    const unknown = { fulfillment: { method: 'pickup', siteId: 'south', pickupAt: 0 } } as const
    expect(await openSheet({ sites }).vendor.createOrder(order('po_1', unknown), granted)).toMatchObject({
      reason: 'rejected',
    })
  })

  test.each<[string, Partial<SupplyOrder>]>([
    ['above what may be spent', { maxTotalFen: fen(5724) }],
    ['in another currency', { currency: 'EUR' }],
    ['with sums its lines do not have', { totals: { ...order().totals, subtotal: fen(5349), total: fen(5724) } }],
    [
      'with costs that the document cannot state',
      { totals: { ...order().totals, fee: fen(100), total: fen(5825) }, maxTotalFen: fen(9999) },
    ],
    ['without lines', { lines: [] }],
  ])('an order %s is rejected before anything is written', async (_, more) => {
    const sheet = openSheet()
    const answer = await sheet.vendor.createOrder(order('po_1', more), granted)
    expect(answer).toMatchObject({ ok: false, reason: 'rejected', documented: true })
    expect([sheet.out(), await sheet.memory.list('')]).toEqual([[], []])
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
  })

  test('a folder that is not there or cannot be written to sends nothing, and it can be tried again', async () => {
    const sheet = openSheet()
    const folder = join(sheet.folder, 'out')
    renameSync(folder, `${folder}.away`)
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'unsent', raw: 'ENOENT' })
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
    renameSync(`${folder}.away`, folder)
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
  })

  test.skipIf(process.getuid?.() === 0)('a folder without the right to write sends nothing', async () => {
    const sheet = openSheet()
    chmodSync(join(sheet.folder, 'out'), 0o500)
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'unsent', raw: 'EACCES' })
  })

  test('the file of somebody else is not replaced', async () => {
    const sheet = openSheet()
    writeFileSync(join(sheet.folder, 'out/po_1.csv'), 'theirs')
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'rejected', documented: true })
    expect(sheet.out()).toEqual(['po_1.csv'])
    expect(sheet.sent('po_1.csv')).toBe('theirs')
  })

  test('the rename happens inside the permit; denied or failing, nothing is left', async () => {
    const sheet = openSheet()
    const denied: SendPermit = async () => ({ code: 'kill_switch_engaged', message: 'the emergency stop is on' })
    expect(await sheet.vendor.createOrder(order(), denied)).toMatchObject({
      reason: 'unsent',
      denied: 'kill_switch_engaged',
      message: 'the emergency stop is on',
    })
    expect(await sheet.vendor.createOrder(order(), () => Promise.reject(new Error('away')))).toMatchObject({
      reason: 'unsent',
    })
    expect(sheet.out()).toEqual([])
    const watched: SendPermit = async (write) => {
      expect(existsSync(join(sheet.folder, 'out/po_1.csv'))).toBe(false)
      write()
      expect(existsSync(join(sheet.folder, 'out/po_1.csv'))).toBe(true)
      return undefined
    }
    expect(await sheet.vendor.createOrder(order(), watched)).toMatchObject({ ok: true })
  })

  test('while an attempt is under way the order is neither there nor absent', async () => {
    const sheet = openSheet()
    const other = openSheet({ folder: sheet.folder, memory: sheet.memory, clock: sheet.clock })
    let states: unknown[] = []
    const permit: SendPermit = async (write) => {
      states = [
        await sheet.vendor.orderStatus('po_1'),
        await other.vendor.orderStatus('po_1'),
        await other.vendor.createOrder(order(), granted),
      ]
      write()
      return undefined
    }
    expect(await sheet.vendor.createOrder(order(), permit)).toMatchObject({ ok: true })
    for (const state of states) expect(state).toMatchObject({ ok: false, reason: 'unknown', raw: 'sending' })
    expect(sheet.out()).toEqual(['po_1.csv'])
  })

  test('an attempt that another instance has given up sends nothing', async () => {
    const sheet = openSheet()
    const other = openSheet({ folder: sheet.folder, memory: sheet.memory, clock: sheet.clock })
    const permit: SendPermit = async (write) => {
      sheet.clock.advance(3 * MINUTE)
      expect(await other.vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
      write()
      return undefined
    }
    expect(await sheet.vendor.createOrder(order(), permit)).toMatchObject({ ok: false, reason: 'unsent' })
    expect(sheet.out()).toEqual([])
    expect(await other.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    expect(sheet.out()).toEqual(['po_1.csv'])
  })

  test('an attempt whose file was collected before its process ended is for a person to settle', async () => {
    const sheet = openSheet()
    const permit: SendPermit = (write) => {
      write()
      rmSync(join(sheet.folder, 'out/po_1.csv'))
      return new Promise(() => {})
    }
    void sheet.vendor.createOrder(order(), permit)
    await expect.poll(async () => (await sheet.memory.get('order/po_1'))?.value).toMatchObject({ state: 'sending' })
    const clock = sheet.clock
    clock.advance(3 * MINUTE)
    const restarted = openSheet({ folder: sheet.folder, memory: sheet.memory, clock })
    expect(await restarted.vendor.orderStatus('po_1')).toMatchObject({ reason: 'unknown', onlyPersonKnows: true })
    expect(await restarted.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'unknown' })
    expect(sheet.out()).toEqual([])
  })

  test('a missing folder says nothing about an abandoned attempt', async () => {
    const sheet = openSheet()
    void sheet.vendor.createOrder(order(), (write) => (write(), new Promise(() => {})))
    await expect.poll(() => sheet.out()).toEqual(['po_1.csv'])
    sheet.clock.advance(3 * MINUTE)
    const restarted = openSheet({ folder: sheet.folder, memory: sheet.memory, clock: sheet.clock })
    renameSync(join(sheet.folder, 'out'), join(sheet.folder, 'away'))
    expect(await restarted.vendor.orderStatus('po_1')).toMatchObject({ reason: 'unknown' })
    renameSync(join(sheet.folder, 'away'), join(sheet.folder, 'out'))
    expect(await restarted.vendor.orderStatus('po_1')).toMatchObject({ ok: true })
  })
})

describe('a memory that fails', () => {
  /** The n-th write fails; with `isWritten` it has happened all the same. */
  const failing = (n: number, isWritten: boolean) => {
    let writes = 0
    const fail = () => {
      writes += 1
      if (writes === n) throw new Error('no database')
    }
    return testMemory(isWritten ? { after: fail } : { before: fail })
  }

  test.each([
    [1, false],
    [1, true],
    [2, false],
    [2, true],
  ])(
    'before the order leaves (write %i, stored: %s) sends nothing, and it can be tried again',
    async (n, isWritten) => {
      const sheet = openSheet({ memory: failing(n, isWritten) })
      expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ ok: false })
      expect(sheet.out()).toEqual([])
      expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
      expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
      expect(sheet.out()).toEqual(['po_1.csv'])
    },
  )

  test.each([false, true])(
    'after the order has left (stored: %s) does not hide that it was placed',
    async (isWritten) => {
      const sheet = openSheet({ memory: failing(3, isWritten) })
      expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
      expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ ok: true })
      expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
      expect(sheet.out()).toEqual(['po_1.csv'])
    },
  )

  test('a folder of replies that is away leaves open whether an earlier attempt was answered', async () => {
    const sheet = openSheet()
    await sheet.vendor.createOrder(order(), () => Promise.reject(new Error('away')))
    rmSync(join(sheet.folder, 'in'), { recursive: true })
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'unsent', raw: 'inbox' })
    expect(sheet.out()).toEqual([])
  })
})

describe('X12 numbers', () => {
  const long = 'run_2026-11-09_0001.wholesale-supply'

  test('a reference above 22 characters gets a short number, the same for every retry', async () => {
    const sheet = openSheet({ order: { format: 'x12' } })
    const away: SendPermit = () => Promise.reject(new Error('away'))
    await sheet.vendor.createOrder(order(long), away)
    expect(await sheet.vendor.createOrder(order('po_2'), granted)).toMatchObject({ ok: true })
    expect(await sheet.vendor.createOrder(order(long), granted)).toMatchObject({ value: { externalRef: long } })
    expect(sheet.sent(`${long}.edi`)).toContain('BEG*00*SA*V216399600**')
    expect(sheet.sent(`${long}.edi`)).toContain('*216399600*0*P*>~')
    expect(sheet.sent('po_2.edi')).toContain('*216399601*0*P*>~')
  })

  test('two instances never give the same number', async () => {
    const sheet = openSheet({ order: { format: 'x12' } })
    const other = openSheet({ ...sheet, order: { format: 'x12' } })
    await Promise.all(
      [1, 2, 3, 4].flatMap((n) => [
        sheet.vendor.createOrder(order(`po_a${n}`), granted),
        other.vendor.createOrder(order(`po_b${n}`), granted),
      ]),
    )
    const numbers = sheet.out().map((name) => /IEA\*1\*(\d+)/.exec(sheet.sent(name))?.[1])
    expect(new Set(numbers).size).toBe(8)
  })

  test('a reply under the short number is about the order, and 997 under the control number too', async () => {
    const sheet = openSheet({ order: { format: 'x12' } })
    await sheet.vendor.createOrder(order(long), granted)
    sheet.reply('1.csv', 'po,status,sku,qty\nV216399600,accepted,,\n')
    expect(await sheet.vendor.orderStatus(long)).toMatchObject({ value: { raw: 'accepted' } })
    expect(sheet.notices).toEqual([])
    sheet.reply('2.csv', 'po,status,sku,qty\nV216399600,short,,\n')
    await sheet.vendor.orderStatus(long)
    expect(sheet.notices).toEqual([
      'The reply 2.csv cannot be read: Row 2: what does “short” mean? Say which in the settings on the server: {"order":{"reply_words":{"short":"accepted|changed|rejected|shipped"}}}',
    ])
  })
})
