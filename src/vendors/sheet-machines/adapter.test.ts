import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectFailure, expectValue, ROWS } from '../../../test/contracts/adapter-kit.ts'
import { describeMachineAdapter } from '../../../test/contracts/machine-adapter.kit.ts'
import { systemClock } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { LedgerRecord, MachineSlot, MachineVendor } from '../machine-vendor.ts'
import { processMemory } from '../process-memory.ts'
import { SHEET_MACHINES } from './index.ts'

const CONNECTION = {
  namespace: 'seed-machine' as Namespace,
  currency: 'USD',
  timeZone: 'America/New_York',
  isReadOnly: false,
}
const SETTINGS = {
  sales: {
    file: 'exports/sales*.csv',
    date_order: 'mdy',
    columns: {
      machine: 'Asset',
      time: 'Date',
      code: 'Item',
      price: 'Price',
      qty: 'Qty',
      transaction: 'Trans',
      status: 'Result',
    },
  },
  planogram: {
    file: 'exports/planogram*.csv',
    columns: { machine: 'Asset', code: 'Item', title: 'Name', price: 'Price', stock: 'On hand', capacity: 'Par' },
  },
}
const HEADER = 'Asset,Date,Item,Price,Qty,Trans,Result'
const PLANOGRAM = [
  'Asset,Item,Name,Price,On hand,Par',
  'M1,C1,Cola,1.50,6,10',
  'M1,T1,Tea,$2.00,,8',
  'M2,C1,Cola,1.75,0,10',
]
const SALES = [HEADER, 'M1,9/10/2026 8:05 AM,C1,1.50,2,A1,Approved', 'M2,9/10/2026 9:00 AM,C1,1.75,1,A2,Declined']
/** Files of the tests were written a while ago. */
const WRITTEN_AT = Math.floor(Date.now() / 1000) * 1000 - 3_600_000
const at = (hour: number, minute = 0) => Date.UTC(2026, 8, 10, hour + 4, minute)
const WINDOW = { fromMs: at(0), toMs: at(23) }

async function open(more: { readonly sales?: object; readonly planogram?: object } = {}) {
  const root = await mkdtemp(join(tmpdir(), 'vendops-exports-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const folder = join(root, 'exports')
  await mkdir(folder)
  const memory = processMemory()
  const notices: string[] = []
  const changes: (number | undefined)[] = []
  const settings = {
    sales: { ...SETTINGS.sales, ...more.sales },
    planogram: { ...SETTINGS.planogram, ...more.planogram },
  }
  const checked = SHEET_MACHINES.check(settings, CONNECTION)
  if (!checked.ok) throw new Error(checked.problems.join('; '))
  const start = () =>
    SHEET_MACHINES.open(checked.settings, {
      connection: CONNECTION,
      memory,
      clock: systemClock,
      timeoutMs: 1000,
      resolvePath: (path) => join(root, path),
      reportOlderSales: (from) => void changes.push(from),
      notice: (text) => void notices.push(text),
    }).vendor as MachineVendor
  let seconds = 0
  /** Each file a second newer than the one before. */
  const put = async (name: string, lines: readonly string[] | string | Buffer, writtenAt?: number) => {
    const content = typeof lines === 'string' || Buffer.isBuffer(lines) ? lines : `${lines.join('\r\n')}\r\n`
    await writeFile(join(folder, name), content)
    const time = (writtenAt ?? WRITTEN_AT) / 1000 + seconds++
    await utimes(join(folder, name), time, time)
  }
  return { folder, vendor: start(), another: start, notices, changes, put }
}

const opened = async (more: Parameters<typeof open>[0] = {}) => {
  const world = await open(more)
  await world.put('planogram.csv', PLANOGRAM)
  await world.put('sales.csv', SALES)
  return world
}
const ledger = async (vendor: MachineVendor) => expectValue(await vendor.ledger(WINDOW))
const orderNos = async (vendor: MachineVendor) => (await ledger(vendor)).records.map(({ orderNo }) => orderNo)

const slot = (more: Partial<MachineSlot>): MachineSlot => ({
  vendorSku: 'C1',
  title: 'Cola',
  priceFen: fen(150),
  stock: 6,
  capacity: 10,
  asOf: WRITTEN_AT,
  ...more,
})
const TEA: MachineSlot = { vendorSku: 'T1', title: 'Tea', priceFen: fen(200), stock: null, capacity: 8 }
const record = (orderNo: string, more: Partial<LedgerRecord>): LedgerRecord => ({
  orderNo,
  status: 'Approved',
  settled: true,
  locationId: 'M1',
  totalFen: fen(300),
  createdAt: at(8, 5),
  createdAtRaw: '9/10/2026 8:05 AM',
  lines: Array.from({ length: 2 }, () => ({ vendorSku: 'C1', priceFen: fen(150), costFen: null, status: 'paid' })),
  ...more,
})
const RECORDS: readonly LedgerRecord[] = [
  record('M2.20260910.A2', {
    status: 'Declined',
    settled: false,
    locationId: 'M2',
    totalFen: fen(175),
    createdAt: at(9),
    createdAtRaw: '9/10/2026 9:00 AM',
    lines: [{ vendorSku: 'C1', priceFen: fen(175), costFen: null, status: 'unpaid' }],
  }),
  record('M1.20260910.A1', {}),
]

describeMachineAdapter('sheet machines', {
  capabilities: ['inventory', 'ledger', 'locations'],
  troubles: ['unreachable', 'garbles'],
  sendsRows: true,
  async make() {
    const world = await opened()
    const { folder, vendor } = world
    const pending: Promise<void>[] = []
    const settled = async () => void (await Promise.all(pending))
    return {
      vendor: {
        ...vendor,
        inventory: async (id) => (await settled(), vendor.inventory(id)),
        ledger: async (query) => (await settled(), vendor.ledger(query)),
      },
      hidden: [folder],
      locationId: 'M1',
      slots: [slot({}), TEA],
      records: RECORDS,
      window: WINDOW,
      roster: ['M1', 'M2'].map((id) => ({ id, name: id, timeZone: 'America/New_York' })),
      vendorFields: ['Asset', 'Trans', 'Item'],
      spoil(bad) {
        const numbers = Array.from({ length: ROWS }, (_, i) => i)
        const price = (i: number) => (i < bad ? 'free' : '1.50')
        pending.push(
          world.put('planogram.csv', [PLANOGRAM[0] ?? '', ...numbers.map((i) => `M1,C${i},Cola,${price(i)},1,9`)]),
          world.put('sales.csv', [HEADER, ...numbers.map((i) => `M1,9/10/2026 8:05,C1,${price(i)},1,A${i},paid`)]),
        )
        return { slots: numbers.map((i) => `C${i}`), sales: numbers.map((i) => `M1.20260910.A${i}`) }
      },
      advice: () => ({}),
      writesReceived: () => 0,
      async trouble(trouble) {
        if (trouble === 'unreachable') return rename(folder, `${folder}-gone`)
        await world.put('planogram.csv', Buffer.from([0xff, 0xfe, 0x41, 0x00]))
        await world.put('sales.csv', 'Other,Columns\r\n1,2\r\n')
      },
      async heal() {
        await rename(`${folder}-gone`, folder).catch(() => undefined)
        await world.put('planogram.csv', PLANOGRAM)
        await world.put('sales.csv', SALES)
        await utimes(join(folder, 'planogram.csv'), WRITTEN_AT / 1000, WRITTEN_AT / 1000)
      },
      close: () => Promise.resolve(),
    }
  },
})

describe('sheet machines: sales', () => {
  test('exports that overlap hold every sale once, and a refund of a later one counts', async () => {
    const { put, vendor } = await opened()
    await put('sales-2.csv', [
      HEADER,
      'M1,9/10/2026 8:05 AM,C1,1.50,2,A1,Refunded',
      'M1,9/10/2026 10:00 AM,T1,2.00,1,A3,Approved',
    ])
    expect(await orderNos(vendor)).toEqual(['M1.20260910.A3', 'M2.20260910.A2', 'M1.20260910.A1'])
    expect((await ledger(vendor)).records.at(-1)?.lines.map(({ status }) => status)).toEqual(['refunded', 'refunded'])
    expect((await ledger(vendor)).completeFrom).toEqual({ M1: at(8, 5), M2: at(9) })
  })

  test('without transaction numbers a re-export has the same order numbers', async () => {
    const columns = { machine: 'Asset', time: 'Date', code: 'Item', price: 'Price' }
    const { put, vendor } = await opened({ sales: { columns } })
    const rows = ['M1,9/10/2026 8:05,C1,1.50', 'M1,9/10/2026 8:05,C1,1.50']
    await put('sales.csv', ['Asset,Date,Item,Price', ...rows])
    const first = await orderNos(vendor)
    expect(first).toEqual(['M1.20260910T080500.C1.1', 'M1.20260910T080500.C1.2'])
    await put('sales-2.csv', ['Asset,Date,Item,Price', 'M1,9/10/2026 9:00,C1,1.50', ...rows])
    expect(await orderNos(vendor)).toEqual(['M1.20260910T090000.C1.1', ...first])
  })

  test('the service learns once from when on sales are new or have changed', async () => {
    const { put, vendor, another, changes } = await opened()
    await ledger(vendor)
    await ledger(vendor)
    expect(changes).toEqual([at(8, 5)])
    await put('sales-2.csv', [HEADER, ...SALES.slice(1), 'M1,9/10/2026 7:00 AM,C1,1.50,1,A0,Approved'])
    await ledger(vendor)
    expect(changes).toEqual([at(8, 5), at(7)])
    await ledger(another())
    expect(changes, 'after a restart the same files hold nothing new').toHaveLength(2)
    await put('sales.csv', [HEADER, 'M2,9/10/2026 9:00 AM,C1,1.75,1,A2,Approved'])
    await ledger(vendor)
    expect(changes.slice(2)).toEqual([at(9)])
  })

  test('a file that is being written waits, and what was read before stays', async () => {
    const { put, vendor } = await opened()
    const before = await ledger(vendor)
    await put('sales-2.csv', `${HEADER}\r\nM1,9/10/2026 10:00 AM,T1,2.00,1,A3,Appr`, Date.now() - 5000)
    expect(await ledger(vendor)).toEqual(before)
    await put('sales.csv', `${HEADER}\r\nM1,9/10/2026 10:00 AM,T1,2.0`, Date.now() - 5000)
    expect(await ledger(vendor)).toEqual(before)
  })

  test('a last line without an end is left out, with a notice', async () => {
    const { put, vendor, notices } = await opened()
    await put('sales.csv', [...SALES, 'M1,9/10/2026 10:00 AM,T1,2.0'].join('\n'))
    expect(await orderNos(vendor)).toEqual(['M2.20260910.A2', 'M1.20260910.A1'])
    expect(notices).toEqual([expect.stringContaining('the last line has no line end')])
  })

  test('one export that cannot be read fails the ledger: the others would only look complete', async () => {
    const { put, folder, vendor } = await opened()
    await put('sales-2.csv', ['Asset,Date', 'M1,9/10/2026'])
    const result = await vendor.ledger(WINDOW)
    expectFailure(result, 'unknown')
    expect(result).toMatchObject({
      message: expect.stringMatching(/^The sales export sales-2.csv .* no column "Item"/),
    })
    await rm(join(folder, 'sales-2.csv'))
    expect(await orderNos(vendor)).toEqual(['M2.20260910.A2', 'M1.20260910.A1'])
  })

  test('a separator inside a price is refused, never read as another price', async () => {
    const { put, vendor } = await opened()
    await put('sales.csv', [HEADER, 'M1,9/10/2026 8:05 AM,C1,1,50,2,A1,Approved'])
    expect(await vendor.ledger(WINDOW)).toMatchObject({
      reason: 'unknown',
      message: expect.stringContaining('row 2 has more cells than the header'),
    })
  })

  test('another encoding, separator, decimal sign, and rows above the header', async () => {
    const { put, vendor } = await opened({
      sales: {
        encoding: 'windows-1252',
        delimiter: ';',
        decimal: ',',
        skip_rows: 2,
        date_order: 'dmy',
        statuses: { Bezahlt: 'paid' },
      },
    })
    const lines = ['Verkäufe;;;;;;', '', HEADER.replaceAll(',', ';'), 'M1;10.09.2026 08:05;C1;1,50;1;A1;bezahlt']
    await put('sales.csv', Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'))
    expect((await ledger(vendor)).records).toMatchObject([
      { orderNo: 'M1.20260910.A1', totalFen: 150, settled: true, createdAt: at(8, 5) },
    ])
  })

  test('no export yet is unsent', async () => {
    const { vendor } = await open()
    expectFailure(await vendor.ledger(WINDOW), 'unsent')
    expectFailure(await vendor.inventory('M1'), 'unsent')
  })
})

describe('sheet machines: planogram', () => {
  test('the newest file counts, and its time is that of the stock', async () => {
    const { put, vendor } = await opened()
    await put('planogram-2.csv', [...PLANOGRAM.slice(0, 1), 'M1,C1,Cola,1.60,5,10', 'M2,C1,Cola,1.75,0,10'])
    expect(expectValue(await vendor.inventory('M1'))).toEqual([
      slot({ priceFen: fen(160), stock: 5, asOf: WRITTEN_AT + 2000 }),
    ])
  })

  test('a machine that it does not list is absent', async () => {
    expectFailure(await (await opened()).vendor.inventory('M9'), 'absent')
  })

  test('one that lost more than half of its slots is refused, also after a restart; the earlier one stays', async () => {
    const { put, vendor, another, notices } = await opened()
    const before = expectValue(await vendor.inventory('M1'))
    await put('planogram-2.csv', PLANOGRAM.slice(0, 2))
    expect(await vendor.inventory('M1')).toEqual({
      ok: true,
      value: before,
      unreadable: [
        {
          kind: 'slot',
          id: 'planogram',
          problem: 'it has 1 slots, and the one before had 3',
          detail: 'planogram-2.csv',
        },
      ],
    })
    expect(notices).toHaveLength(1)
    expectFailure(await another().inventory('M1'), 'unknown')
  })

  test('one that really is shorter is used with max_loss 100', async () => {
    const { put, vendor } = await opened({ planogram: { max_loss: 100 } })
    await vendor.inventory('M1')
    await put('planogram-2.csv', PLANOGRAM.slice(0, 2))
    expect(expectValue(await vendor.inventory('M1'))).toHaveLength(1)
  })

  test('rows that cannot be read are refused with their machine, or reported where that cannot be read', async () => {
    const { put, vendor, notices } = await opened()
    const good = Array.from({ length: 10 }, (_, i) => `M1,G${i},Good,1.00,1,2`)
    await put('planogram.csv', [PLANOGRAM[0] ?? '', ...good, 'M1,C1,Cola,free,1,2', 'a b,C1,Cola,1.00,1,2'])
    expect(await vendor.inventory('M1')).toMatchObject({
      unreadable: [{ id: 'C1', problem: 'its price cannot be read' }],
    })
    expect(notices).toEqual([expect.stringContaining('the machine of a slot cannot be read')])
  })
})

test('sheet machines: every problem of the settings is named', () => {
  const checked = SHEET_MACHINES.check(
    {
      sales: { file: '', columns: { machine: 'Asset', quantity: 'x' }, date_order: 'ymd', statuses: { ok: 'good' } },
      planogram: { columns: {}, delimiter: '::', max_loss: 101 },
      token: 'x',
    },
    CONNECTION,
  )
  expect(checked.ok ? [] : checked.problems.toSorted()).toEqual([
    'has an unknown field "token"',
    'planogram.columns.code is missing',
    'planogram.columns.machine is missing',
    'planogram.columns.price is missing',
    'planogram.columns.title is missing',
    'planogram.delimiter must be one character, such as , or ;',
    'planogram.file is missing',
    'planogram.max_loss must be a whole number from 0 to 100',
    'sales.columns has an unknown field "quantity"',
    'sales.columns.code is missing',
    'sales.columns.price is missing',
    'sales.columns.time is missing',
    'sales.date_order must be one of mdy, dmy',
    'sales.file must be text',
    'sales.statuses.ok must be one of paid, unpaid, refunded, refund_failed, cancelled',
  ])
})
