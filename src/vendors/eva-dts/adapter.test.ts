import { mkdtemp, rename, rm, utimes, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectValue } from '../../../test/contracts/adapter-kit.ts'
import { describeMachineAdapter } from '../../../test/contracts/machine-adapter.kit.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { LedgerRecord, MachineVendor } from '../machine-vendor.ts'
import { processMemory } from '../process-memory.ts'
import { startQueue } from '../sqs/queue-server.test-support.ts'
import { dexFile } from './dex-file.test-support.ts'
import { evaDts } from './index.ts'
import { readPlanogram } from './planogram.ts'

const NOON = Date.parse('2026-09-10T12:00:00Z')
const HOUR = 3_600_000

interface World {
  readonly folder: string
  readonly vendor: MachineVendor
  readonly notices: string[]
  readonly changes: (number | undefined)[]
  now: number
  /** Another instance over the same memory. */
  another(): MachineVendor
  put(name: string, text: string, writtenAt: number): Promise<void>
}

const SETTINGS = {
  folder: 'dex',
  machines: [
    { location: 'M1', name: 'Lobby', ID106: 'A-19' },
    { location: 'M2', file: 'second-*.dex' },
  ],
  planogram: { file: 'planogram.csv' },
}

async function open(more: object = {}): Promise<World> {
  const root = await mkdtemp(join(tmpdir(), 'vendops-dex-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'dex'))
  await writeFile(
    join(root, 'planogram.csv'),
    'location,selection,sku,title,barcode,capacity,price\nM1,A1,COLA,Cola,4006381333931,12,1.50\nM1,A2,TEA,Tea,,10,\nM1,A3,COLA,Cola,4006381333931,12,1.50\n',
  )
  const memory = processMemory()
  const world = { now: NOON, elapsed: 0 }
  const clock = { now: () => world.now, elapsed: () => (world.elapsed += 60_000) }
  const notices: string[] = []
  const changes: (number | undefined)[] = []
  const checked = evaDts.check({ ...SETTINGS, ...more }, CONNECTION)
  if (!checked.ok) throw new Error(checked.problems.join())
  const start = () =>
    evaDts.open(checked.settings, {
      connection: CONNECTION,
      memory,
      clock,
      timeoutMs: 1000,
      resolvePath: (path) => join(root, path),
      reportOlderSales: (from) => void changes.push(from),
      notice: (text) => void notices.push(text),
    }).vendor as MachineVendor
  const folder = join(root, 'dex')
  return {
    folder,
    vendor: start(),
    another: start,
    notices,
    changes,
    get now() {
      return world.now
    },
    set now(at: number) {
      world.now = at
    },
    async put(name, text, writtenAt) {
      await writeFile(join(folder, name), text, 'latin1')
      await utimes(join(folder, name), writtenAt / 1000, writtenAt / 1000)
    },
  }
}

const CONNECTION = {
  namespace: 'dex-machine' as Namespace,
  currency: 'USD',
  timeZone: 'UTC',
  isReadOnly: false,
}

/** Counters since the start: vends and value of A1 and A2. */
const reading = (time: string, [a1, a1Value]: readonly [number, number], [a2, a2Value]: readonly [number, number]) =>
  dexFile([
    'ID1*SN77*Model 5*0***A-19*6',
    'ID4*2*1840*USD',
    `VA1*${a1Value + a2Value}*${a1 + a2}*0*0`,
    `EA3*4*260910*${time}`,
    'PA1*A1*150*Cola*****5',
    `PA2*${a1}*${a1Value}*0*0`,
    'PA1*A2*250',
    `PA2*${a2}*${a2Value}*0*0`,
  ])
const WINDOW = { fromMs: NOON - 24 * HOUR, toMs: NOON + 24 * HOUR }
const ledger = async (vendor: MachineVendor) => expectValue(await vendor.ledger(WINDOW))
const summary = (records: readonly LedgerRecord[]) =>
  records.map(({ locationId, totalFen, createdAt, lines }) => [
    locationId,
    lines[0]?.vendorSku,
    lines.map(({ priceFen }) => priceFen),
    totalFen,
    createdAt,
  ])

describe('eva-dts: files that cannot be used', () => {
  test('are listed with their reason until they are replaced or gone, and are the health of a machine without a reading', async () => {
    const world = await open()
    const euros = reading('0800', [5, 750], [2, 500])
      .replace('1840*USD', '1978*EUR')
      .replace(/G85.*\r\n/, '')
    await mkdir(join(world.folder, 'late'))
    await world.put('1.dex', euros, NOON - 4 * HOUR)
    await world.put(join('late', 'x.dex'), 'nothing', NOON - 4 * HOUR)
    const listed = async () => (await ledger(world.vendor)).unreadableFiles?.map(({ id, problem }) => [id, problem])
    const stranger = [join('late', 'x.dex'), 'there is no DEX audit file in it']
    expect((await listed())?.toSorted()).toEqual([['1.dex', 'its amounts are in EUR, not in USD'], stranger])
    expect(await world.vendor.health?.('M1')).toMatchObject({
      value: { problems: ['The file of this machine was refused: its amounts are in EUR, not in USD'] },
    })
    const before = (await ledger(world.vendor)).unreadableFiles
    expect((await ledger(world.vendor)).unreadableFiles, 'the same list while nothing changed').toBe(before)
    await world.put('1.dex', reading('0900', [5, 750], [2, 500]), NOON - 3 * HOUR)
    expect(await listed()).toEqual([stranger])
    await rm(join(world.folder, 'late'), { recursive: true })
    expect(await listed()).toEqual([])
  })

  test('a row of the planogram with more or fewer cells than its header is left out, and two equal columns refuse it', () => {
    const header = 'location,selection,sku,title,capacity,price'
    const rows = ['M2,1,COLA,Cola,10,1.50', 'M2,2,TEA,Tea,101.50', 'M2,3,NUTS,Nuts,10,1,50', 'M2,4,GUM,Gum,10']
    const format = { encoding: 'utf-8', delimiter: ',', decimal: '.', digits: 2 } as const
    const read = readPlanogram(Buffer.from([header, ...rows, ''].join('\n')), format)
    expect(read).toMatchObject({ ok: true, problems: [{}, {}, {}].map(() => expect.stringContaining('as many cells')) })
    expect(read.ok && [...(read.planogram.get('M2')?.keys() ?? [])]).toEqual(['1'])
    expect(readPlanogram(Buffer.from(`${header},sku\nM2,1,A,Cola,10,1.50,B\n`), format)).toEqual({
      ok: false,
      problem: 'it has two columns sku',
    })
  })

  test('a planogram that lost the leading zeros of its selections still names them', async () => {
    const planogram = 'location,selection,sku,title\nM2,1,COLA,Cola\nM2,2,TEA,Tea\nM2,02,NUTS,Nuts\nM2,3,GUM,Gum\n'
    const world = await open()
    await writeFile(join(world.folder, '..', 'planogram.csv'), planogram)
    const file = dexFile([
      'ID1*SN1*Model*0',
      'ID4*2*1840*USD',
      'VA1*0*0*0*0',
      ...['01', '02', '03', '003'].flatMap((code) => [`PA1*${code}*150`, 'PA2*0*0*0*0']),
    ])
    await world.put('second-1.dex', file, NOON - HOUR)
    const slots = expectValue(await world.vendor.inventory('M2'))
    const names = slots.map(({ vendorSku, lanes }) => [vendorSku, lanes?.map(({ code }) => code)])
    // 03 and 003 are two selections, so row 3 is of neither.
    expect(names).toEqual([
      ['COLA', ['01']],
      ['NUTS', ['02']],
      ['sel-M2-03', ['03']],
      ['sel-M2-003', ['003']],
    ])
  })
})

describe('eva-dts: machines that write the same checksum into every file', () => {
  const withChecksum = (file: string, sum: string) => file.replace(/G85\*\w+/, `G85*${sum}`)
  const first = reading('0800', [5, 750], [2, 500])
  const second = reading('1000', [8, 1200], [2, 500])

  test('are read from the second reading on, with the sales since the first', async () => {
    const world = await open()
    await world.put('1.dex', withChecksum(first, '2321'), NOON - 4 * HOUR)
    expect((await ledger(world.vendor)).unreadableFiles).toMatchObject([{ problem: 'its checksum is wrong' }])
    await world.put('1.dex', withChecksum(second, '2321'), NOON - 2 * HOUR)
    const read = await ledger(world.vendor)
    expect(read.records.map(({ totalFen, lines }) => `${totalFen} ${lines[0]?.vendorSku}`)).toEqual(
      Array(3).fill('150 COLA'),
    )
    expect(read.unreadableFiles).toEqual([])
    expect(await world.vendor.health?.('M1')).toMatchObject({
      value: { problems: ['The machine writes the same checksum into every file: it has none'] },
    })
    // Another instance knows it from the first file on.
    await world.put('1.dex', withChecksum(reading('1100', [9, 1350], [2, 500]), '2321'), NOON - HOUR)
    expect((await ledger(world.another())).records).toHaveLength(4)
  })

  test('are recognized by each other on the first day', async () => {
    const world = await open()
    await world.put('1.dex', withChecksum(first, '2321'), NOON - 4 * HOUR)
    await world.put('second-1.dex', withChecksum(first.replace('A-19', 'B-20'), '2321'), NOON - 4 * HOUR)
    expect((await ledger(world.vendor)).unreadableFiles).toEqual([])
    expect(expectValue(await world.vendor.inventory('M1'))).not.toEqual([])
  })

  test('a damaged copy of one reading is not taken for that, and a machine with right checksums stays protected', async () => {
    const world = await open()
    const damaged = (digit: string) => first.replace('PA2*5*750', `PA2*5*7${digit}0`)
    await world.put('1.dex', damaged('6'), NOON - 4 * HOUR)
    await world.put('2.dex', damaged('7'), NOON - 3 * HOUR)
    expect((await ledger(world.vendor)).unreadableFiles).toHaveLength(2)
    await world.put('3.dex', first, NOON - 3 * HOUR)
    await world.put('4.dex', withChecksum(second, '2321'), NOON - 2 * HOUR)
    await world.put('5.dex', withChecksum(reading('1100', [9, 1350], [2, 500]), '2321'), NOON - HOUR)
    const read = await ledger(world.vendor)
    expect(read.records).toEqual([])
    expect(read.unreadableFiles).toHaveLength(4)
  })

  test('can be accepted for one machine', async () => {
    const machines = [{ location: 'M1', ID106: 'A-19', accept_bad_checksum: true }]
    const world = await open({ machines })
    await world.put('1.dex', withChecksum(first, '2321'), NOON - 4 * HOUR)
    expect(expectValue(await world.vendor.inventory('M1'))).not.toEqual([])
  })
})

describe('eva-dts: sales', () => {
  test('all readings of one file count, also those that are appended later', async () => {
    const world = await open()
    const log = [reading('0800', [5, 750], [2, 500]), reading('0900', [6, 900], [2, 500])]
    await world.put('log.dex', log.join(''), NOON - 3 * HOUR)
    expect((await ledger(world.vendor)).records.map(({ totalFen }) => totalFen)).toEqual([150])
    await world.put('log.dex', [...log, reading('1000', [8, 1200], [2, 500])].join(''), NOON - 2 * HOUR)
    expect((await ledger(world.vendor)).records.map(({ totalFen }) => totalFen)).toEqual([150, 150, 150])
  })

  test('a machine that names no selections counts its money on a product of its own', async () => {
    const world = await open()
    const total = (time: string, vends: number, value: number) =>
      dexFile(['ID1*SN77*Model 5*0***A-19*6', 'ID4*2*1840*USD', `VA1*${value}*${vends}*0*0`, `EA3*4*260910*${time}`])
    await world.put('1.dex', total('0800', 1000, 100_000), NOON - 4 * HOUR)
    await world.put('2.dex', total('1000', 1068, 104_760), NOON - 2 * HOUR)
    const { records } = await ledger(world.vendor)
    expect(records).toHaveLength(68)
    expect(records.every(({ lines }) => lines.length === 1 && lines[0]?.vendorSku === 'sel-M1-any')).toBe(true)
    expect(records.reduce((sum, { totalFen }) => sum + totalFen, 0)).toBe(4760)
    expect(await world.vendor.health?.('M1')).toMatchObject({
      value: { problems: ['The machine reports no selections: its sales have no product'] },
    })
  })

  test('the first reading is where counting begins; the next one gives the sales between', async () => {
    const world = await open()
    await world.put('1.dex', reading('0800', [5, 750], [2, 500]), NOON - 4 * HOUR)
    expect(await ledger(world.vendor)).toMatchObject({ total: 0, completeFrom: { M1: NOON - 4 * HOUR } })
    await world.put('2.dex', reading('1100', [7, 1050], [3, 751]), NOON - HOUR)
    const { records } = await ledger(world.vendor)
    expect(summary(records)).toEqual([
      ['M1', 'COLA', [150], 150, NOON - 1.75 * HOUR],
      ['M1', 'TEA', [251], 251, NOON - 2.5 * HOUR],
      ['M1', 'COLA', [150], 150, NOON - 3.25 * HOUR],
    ])
    expect(records.map(({ orderNo }) => orderNo.replace(/\.\w{10,}\./, '.hash.'))).toEqual([
      'M1.hash.A1.2',
      'M1.hash.A2.1',
      'M1.hash.A1.1',
    ])
    expect(world.changes, 'sales are listed from the first of them on').toEqual([NOON - 3.25 * HOUR])
  })

  test('a file counts once: after a restart, under another name, on another instance', async () => {
    const world = await open()
    await world.put('1.dex', reading('0800', [5, 750], [2, 500]), NOON - 4 * HOUR)
    await ledger(world.vendor)
    await world.put('2.dex', reading('1100', [7, 1050], [2, 500]), NOON - HOUR)
    const first = await ledger(world.vendor)
    await world.put('copy.dex', reading('1100', [7, 1050], [2, 500]), NOON - HOUR)
    expect(await ledger(world.vendor)).toEqual(first)
    expect(await ledger(world.another())).toEqual(first)
  })

  test('sales stay when the files are archived', async () => {
    const world = await open()
    await world.put('1.dex', reading('0800', [5, 750], [2, 500]), NOON - 4 * HOUR)
    await world.put('2.dex', reading('1100', [7, 1050], [2, 500]), NOON - HOUR)
    const first = await ledger(world.vendor)
    expect(first.total).toBe(2)
    await rename(join(world.folder, '1.dex'), join(world.folder, '..', '1.dex'))
    await rename(join(world.folder, '2.dex'), join(world.folder, '..', '2.dex'))
    expect(await ledger(world.another())).toEqual(first)
    await world.put('3.dex', reading('1130', [8, 1200], [2, 500]), NOON - HOUR / 2)
    expect((await ledger(world.vendor)).total).toBe(3)
  })

  test('files that arrive together count in the order of their readings', async () => {
    const world = await open()
    await world.put('b.dex', reading('0800', [5, 750], [2, 500]), NOON - 4 * HOUR)
    await world.put('a.dex', reading('1100', [7, 1050], [2, 500]), NOON - HOUR)
    expect(summary((await ledger(world.vendor)).records)).toEqual([
      ['M1', 'COLA', [150], 150, NOON - 1.75 * HOUR],
      ['M1', 'COLA', [150], 150, NOON - 3.25 * HOUR],
    ])
  })

  test('an older file that arrives late changes nothing that was reported', async () => {
    const world = await open()
    await world.put('1.dex', reading('0800', [5, 750], [2, 500]), NOON - 4 * HOUR)
    await ledger(world.vendor)
    await world.put('3.dex', reading('1100', [9, 1350], [2, 500]), NOON - HOUR)
    const before = await ledger(world.vendor)
    await world.put('2.dex', reading('0900', [6, 900], [2, 500]), NOON - 3 * HOUR)
    expect(await ledger(world.vendor)).toEqual(before)
  })

  test('a meter that went back was restarted: all it counts is new', async () => {
    const world = await open()
    await world.put('1.dex', reading('0800', [500, 75_000], [2, 500]), NOON - 4 * HOUR)
    await ledger(world.vendor)
    await world.put('2.dex', reading('1100', [1, 150], [1, 250]), NOON - HOUR)
    expect(summary((await ledger(world.vendor)).records).map(([, sku, prices]) => [sku, prices])).toEqual([
      ['COLA', [150]],
      ['TEA', [250]],
    ])
  })

  test('an old file that is copied in again counts nothing, also when its counters are lower', async () => {
    const world = await open()
    const first = reading('0800', [40_000, 6_000_000], [2, 500])
    await world.put('1.dex', first, NOON - 4 * HOUR)
    await ledger(world.vendor)
    await world.put('2.dex', reading('1100', [40_010, 6_001_500], [2, 500]), NOON - HOUR)
    const before = await ledger(world.vendor)
    world.now = NOON + 9 * 24 * HOUR
    await world.put('restored.dex', first, world.now - HOUR)
    // Another one of between, which was never here.
    await world.put('between.dex', reading('0900', [40_004, 6_000_600], [2, 500]), world.now - HOUR)
    expect(await ledger(world.vendor)).toEqual(before)
    expect(world.notices).toEqual(['Not counted, because older than the last reading: 1 file of M1'])
  })

  test('a history that is copied in at once counts in the order of the readings', async () => {
    const world = await open()
    world.now = NOON + 9 * 24 * HOUR
    const copied = world.now - HOUR
    await world.put('c.dex', reading('0800', [5, 750], [2, 500]), copied)
    await world.put('a.dex', reading('0900', [8, 1200], [2, 500]), copied + 1000)
    await world.put('b.dex', reading('1000', [9, 1350], [3, 750]), copied - 1000)
    const { records } = expectValue(await world.vendor.ledger({ fromMs: 0, toMs: world.now }))
    const sold = records.flatMap(({ lines }) => lines.map(({ vendorSku }) => vendorSku))
    expect(sold.toSorted()).toEqual(['COLA', 'COLA', 'COLA', 'COLA', 'TEA'])
  })

  test('a board that restarted without its clock counts again from its second file on', async () => {
    const world = await open()
    const restarted = (day: string, count: number) =>
      dexFile([
        'ID1*SN77*Model 5*0***A-19*6',
        `VA1*0*${count}*0*0`,
        `EA3*4*${day}*0800`,
        'PA1*A1*150',
        `PA2*${count}*${count * 150}*0*0`,
      ])
    await world.put('1.dex', reading('0800', [500, 75_000], [2, 500]), NOON - 4 * HOUR)
    await ledger(world.vendor)
    await world.put('2.dex', restarted('000101', 1), NOON - HOUR)
    expect((await ledger(world.vendor)).total).toBe(0)
    world.now = NOON + 24 * HOUR
    await world.put('3.dex', restarted('000102', 6), NOON + 23 * HOUR)
    expect((await ledger(world.vendor)).total).toBe(5)
  })

  test('a selection that is missing from one file goes on counting where it was', async () => {
    const world = await open()
    const lines = (time: string, a1: number, b1: number | 'damaged' | undefined) =>
      dexFile([
        'ID1*SN77*Model 5*0***A-19*6',
        `VA1*0*${a1 + (typeof b1 === 'number' ? b1 : 10_000)}*0*0`,
        `EA3*4*260910*${time}`,
        'PA1*A1*150',
        `PA2*${a1}*${a1 * 150}*0*0`,
        // A board that is switched off leaves the selection without its counter, or out altogether.
        ...(b1 === undefined ? [] : ['PA1*B1*100']),
        ...(b1 === undefined || b1 === 'damaged' ? [] : [`PA2*${b1}*${b1 * 100}*0*0`]),
      ])
    await world.put('1.dex', lines('0800', 5, 10_000), NOON - 4 * HOUR)
    await ledger(world.vendor)
    await world.put('2.dex', lines('0900', 6, undefined), NOON - 3 * HOUR)
    await ledger(world.vendor)
    await world.put('2b.dex', lines('0930', 6, 'damaged'), NOON - 2.5 * HOUR)
    await ledger(world.vendor)
    await world.put('3.dex', lines('1000', 7, 10_002), NOON - 2 * HOUR)
    const { records } = await ledger(world.vendor)
    const counts = records.map(({ lines: [first, ...more] }) => [first?.vendorSku, more.length + 1])
    expect(counts).toEqual([
      ['sel-M1-B1', 1],
      ['COLA', 1],
      ['sel-M1-B1', 1],
      ['COLA', 1],
    ])
  })

  test('a file that does not add up is read in the order of the machine', async () => {
    const world = await open()
    // Since the last reset first, then since the start, as one maker writes it.
    const lines = (time: string, start: number, reset: number, total: number) =>
      dexFile([
        'ID1*SN77*Model 5*0***A-19*6',
        `VA1*0*${total}*0*${reset}`,
        `EA3*4*260910*${time}`,
        'PA1*A1*150',
        `PA2*${reset}*${reset * 150}*${start}*${start * 150}`,
      ])
    await world.put('1.dex', lines('0800', 5000, 300, 5000), NOON - 4 * HOUR)
    await ledger(world.vendor)
    await world.put('2.dex', lines('0900', 5010, 310, 5011), NOON - 3 * HOUR)
    await ledger(world.vendor)
    await world.put('3.dex', lines('1000', 5020, 320, 5020), NOON - 2 * HOUR)
    expect((await ledger(world.vendor)).total).toBe(20)
  })

  test('a time in the future does not end the counting', async () => {
    const world = await open()
    await world.put('1.dex', reading('0800', [5, 750], [2, 500]), NOON + 365 * 24 * HOUR)
    await ledger(world.vendor)
    world.now = NOON + HOUR
    await world.put('2.dex', reading('1230', [7, 1050], [2, 500]), NOON + HOUR / 2)
    expect((await ledger(world.vendor)).total).toBe(2)
  })

  test('a counter that jumps beyond what a machine can sell is not counted, and other machines go on', async () => {
    const world = await open()
    const broken = (time: string, count: number) => reading(time, [count, count], [2, 500])
    await world.put('1.dex', broken('0800', 5), NOON - 4 * HOUR)
    await world.put('second-1.dex', reading('0800', [5, 750], [2, 500]).replace('A-19', 'A-20'), NOON - 4 * HOUR)
    await ledger(world.vendor)
    await world.put('2.dex', broken('0900', 10_000_000_000), NOON - 3 * HOUR)
    const { total, completeFrom } = await ledger(world.vendor)
    expect([total, completeFrom?.['M1']]).toEqual([0, NOON - 3 * HOUR])
    expect(expectValue(await world.vendor.health!('M1')).problems).toContain(
      'More than 20000 sales since the reading before; they were not counted',
    )
    await world.put('3.dex', broken('1000', 10_000_000_004), NOON - 2 * HOUR)
    expect((await ledger(world.vendor)).total).toBe(4)
  })

  test('a selection that the planogram does not list is a product of its own', async () => {
    const world = await open({ planogram: undefined })
    await world.put('1.dex', reading('0800', [5, 750], [2, 500]), NOON - 4 * HOUR)
    await world.put('2.dex', reading('1100', [6, 900], [2, 500]), NOON - HOUR)
    expect((await ledger(world.vendor)).records[0]?.lines[0]?.vendorSku).toBe('sel-M1-A1')
  })
})

describe('eva-dts: slots and health', () => {
  test('lanes of one product are summed; a level the machine does not count is unknown', async () => {
    const world = await open()
    await world.put('1.dex', reading('1100', [5, 750], [2, 500]), NOON - HOUR)
    expect(expectValue(await world.vendor.inventory('M1'))).toEqual([
      {
        vendorSku: 'COLA',
        title: 'Cola',
        barcode: '4006381333931',
        priceFen: 150,
        stock: null,
        asOf: NOON - HOUR,
        capacity: 24,
        lanes: [
          { code: 'A1', priceFen: 150, stock: 5, capacity: 12 },
          { code: 'A3', priceFen: 150, stock: null, capacity: 12 },
        ],
      },
      {
        vendorSku: 'TEA',
        title: 'Tea',
        priceFen: 250,
        stock: null,
        asOf: NOON - HOUR,
        capacity: 10,
        lanes: [{ code: 'A2', priceFen: 250, stock: null, capacity: 10 }],
      },
    ])
  })

  test('the machine is found by the name of the file, and listed with its name', async () => {
    const world = await open()
    await world.put('second-7.dex', reading('1100', [5, 750], [2, 500]).replace('A-19', 'B-02'), NOON - HOUR)
    // Its checksum covers the changed bytes, so the file is refused: nothing is guessed.
    expect(await world.vendor.inventory('M2')).toMatchObject({ ok: false, reason: 'unknown' })
    expect(expectValue((await world.vendor.locations?.()) ?? { ok: true, value: [] })).toEqual([
      { id: 'M1', name: 'Lobby', timeZone: 'UTC' },
      { id: 'M2', name: 'M2', timeZone: 'UTC' },
    ])
  })

  test('a clock that is years off is not used, and health says so', async () => {
    const world = await open()
    await world.put('1.dex', reading('1100', [5, 750], [2, 500]), NOON - 60 * HOUR)
    const health = expectValue(
      (await world.vendor.health?.('M1')) ?? { ok: true, value: { online: null, lastSeenAt: null, problems: [] } },
    )
    expect(health.lastSeenAt).toBe(NOON - 60 * HOUR)
    expect(health.problems).toEqual([
      'No reading for more than 48 hours',
      "The machine's clock is wrong; the time of the file was used",
    ])
  })

  test('no reading yet, an unknown machine, another currency: each has its own message', async () => {
    const world = await open()
    expect(await world.vendor.inventory('M1')).toMatchObject({
      reason: 'unknown',
      message: 'There is no reading of this machine yet',
    })
    expect(await world.vendor.inventory('M9')).toMatchObject({ reason: 'rejected' })
    const euro = dexFile(['ID1*SN77*Model 5*0***A-19*6', 'ID4*2*1978*EUR', 'VA1*100*1', 'PA1*A1*100', 'PA2*1*100'])
    await world.put('1.dex', euro, NOON - HOUR)
    expect(await world.vendor.inventory('M1')).toMatchObject({
      reason: 'unknown',
      message: 'The file of this machine was refused: its amounts are in EUR, not in USD',
    })
    expect(world.notices).toEqual(['1 files were refused: 1.dex: its amounts are in EUR, not in USD'])
  })

  test('a file that was written a moment ago waits', async () => {
    const world = await open()
    await world.put('1.dex', reading('1159', [5, 750], [2, 500]), NOON - 500)
    expect((await world.vendor.inventory('M1')).ok).toBe(false)
    world.now = NOON + 5000
    expect((await world.vendor.inventory('M1')).ok).toBe(true)
  })
})

test('eva-dts: every problem of the settings is named', () => {
  const settings = {
    machines: [{ location: 'a b' }, { location: 'M2', ID101: 'x', file: 'y' }],
    clock: 'sun',
    extra: 1,
  }
  const checked = evaDts.check(settings, CONNECTION)
  expect(checked.ok ? [] : checked.problems).toEqual([
    'folder is missing',
    'has an unknown field "extra"',
    'machines.0.location must be a machine id of letters, digits, dots, dashes and underscores',
    'clock must be one of file, machine, received',
  ])
  const twice = evaDts.check(
    {
      folder: 'x',
      machines: [
        { location: 'M', ID101: 'x', file: 'y' },
        { location: 'M', file: 'z' },
      ],
    },
    CONNECTION,
  )
  expect(twice.ok ? [] : twice.problems).toEqual([
    'machines.0 must have at most one of ID101, ID106, CB101, OperatorIdentifier, file',
    'machines.1.location M is listed twice',
  ])
})

describe('eva-dts: cash', () => {
  /** Cash since the start: into the box, and notes in whole units. */
  const withCash = (time: string, vends: number, box: number, notes: number) =>
    dexFile([
      'ID1*SN77*Model 5*0***A-19*6',
      'ID4*2*1840*USD',
      `VA1*${vends * 150}*${vends}*0*0`,
      `CA3*0*0*0*0*${box + 1000 + notes * 100}*${box}*1000*${notes}`,
      `EA3*4*260910*${time}`,
      'PA1*A1*150*Cola',
      `PA2*${vends}*${vends * 150}*0*0`,
    ])
  const cash = async (vendor: MachineVendor) => expectValue((await vendor.cash?.('M1'))!)

  test('is counted from the first file that has counters on, in box and notes', async () => {
    const world = await open()
    await world.put('1.dex', reading('0700', [1, 150], [0, 0]), NOON - 5 * HOUR)
    expect(await cash(world.vendor)).toBeUndefined()
    await world.put('2.dex', withCash('0800', 5, 400, 3), NOON - 4 * HOUR)
    await world.put('3.dex', withCash('1000', 9, 450, 5), NOON - 2 * HOUR)
    await world.put('4.dex', withCash('1100', 9, 450, 5), NOON - HOUR)
    expect(await cash(world.vendor)).toEqual({
      fromMs: NOON - 4 * HOUR,
      untilMs: NOON - HOUR,
      taken: [
        { at: NOON - 4 * HOUR, amountFen: 0 },
        { at: NOON - 2 * HOUR, amountFen: 250 },
        { at: NOON - HOUR, amountFen: 0 },
      ],
    })
    expect(await cash(world.another()), 'another instance knows the same').toEqual(await cash(world.vendor))
  })

  test('is unknown where a counter went back, was lost or does not add up, and counts on from there', async () => {
    const world = await open()
    const files = [
      withCash('0600', 5, 400, 3),
      withCash('0700', 9, 50, 1),
      withCash('0800', 10, 150, 1),
      withCash('0900', 11, 250, 1)
        .replace('*1000*1\r', '*1000*7\r')
        .replace(/G85.*\r\n/, ''),
      withCash('1000', 12, 350, 1),
      withCash('1100', 13, 500, 1),
    ]
    for (const [i, file] of files.entries()) await world.put(`${i}.dex`, file, NOON - (6 - i) * HOUR)
    expect((await cash(world.vendor))?.taken.map(({ amountFen }) => amountFen)).toEqual([0, null, 100, null, null, 150])
  })

  test('a machine that nobody configured has none', async () => {
    const world = await open()
    expect(expectValue((await world.vendor.cash?.('M9'))!)).toBeUndefined()
  })
})

describeMachineAdapter('eva-dts', {
  capabilities: ['inventory', 'ledger', 'cash'],
  troubles: ['unreachable'],
  async make() {
    const world = await open()
    await world.put('1.dex', reading('0800', [5, 750], [2, 500]), NOON - 4 * HOUR)
    await world.put('2.dex', reading('1100', [6, 900], [3, 750]), NOON - HOUR)
    const slots = expectValue(await world.vendor.inventory('M1'))
    const { records } = await ledger(world.vendor)
    return {
      vendor: world.vendor,
      hidden: [world.folder],
      locationId: 'M1',
      slots,
      records,
      window: WINDOW,
      advice: () => ({}),
      writesReceived: () => 0,
      trouble: () => rename(world.folder, `${world.folder}-gone`),
      heal: () => rename(`${world.folder}-gone`, world.folder),
      close: () => Promise.resolve(),
    }
  },
})

test('audit files of a queue are read as those of the folder, each once; others are put aside', async () => {
  const server = await startQueue()
  onTestFinished(() => server.close())
  const world = await open({ queue: server.settings })
  const audit = (time: string, vends: number) => ({
    HWSerial: '534332119000155',
    MachineDate: '20260910 090132_660',
    OperatorIdentifier: '500454',
    Origin: 'AUTOMATIC',
    DexData: reading(time, [vends, vends * 150], [0, 0]),
  })
  server.state.copies = 2
  server.send(audit('1000', 10), audit('1100', 12), audit('1000', 10), { TransactionId: 1 })
  expect(await world.vendor.receiveMessages?.()).toMatchObject({ ok: true })
  expect(server.waiting()).toEqual(['m4'])
  world.now += 3 * HOUR
  const { records, unreadableFiles } = await ledger(world.vendor)
  expect(records.map(({ totalFen, lines }) => [totalFen, lines.length])).toEqual([
    [150, 1],
    [150, 1],
  ])
  expect(unreadableFiles).toMatchObject([{ id: 'message m4', problem: 'it is no audit file' }])
})
