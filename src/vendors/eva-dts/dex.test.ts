import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Reading, readMeters } from './dex-reading.ts'
import { salesBetween, splitValue } from './dex-sales.ts'
import { dexFile } from './dex-file.test-support.ts'
import { readDexTexts } from './dex-text.ts'
import { readDexFile } from './file-reading.ts'

const METERS = [
  'ID1*SN77   *Model 5*0***A-19*6',
  'ID4*2*1840*USD',
  'ID5*20260901*1210*30',
  'VA1*1250*7*350*2',
  'EA3*4*260901*1211**260831*0900',
  'PA1*A1*150*Cola*12****5',
  'PA2*5*750*1*150',
  'PA5*260901*1155',
  'PA1*A2*250',
  'PA2*2*500*1*200',
  'EA2*ELB_A2*1',
]
const readDexText = (file: Uint8Array) => readDexTexts(file)[0]
const bytes = (text: string) => Buffer.from(text, 'latin1')
const meters = (lines: readonly string[]): Reading => {
  const reading = readMeters(readDexText(bytes(dexFile(lines)))?.segments ?? [])
  if (!reading) throw new Error('no reading')
  return reading
}

describe('a DEX file', () => {
  test('is read field by field', () => {
    expect(meters(METERS)).toMatchObject({
      serial: 'SN77',
      model: 'Model 5',
      asset: 'A-19',
      digits: 2,
      currency: 'USD',
      readAt: { date: '20260901', time: '121100' },
      clock: { date: '20260901', time: '121030' },
      resets: 4,
      total: { count: 7, value: 1250, sinceReset: { count: 2, value: 350 } },
      reconciled: true,
      soldOut: ['A2'],
      selections: [
        { code: 'A1', price: 150, name: 'Cola', capacity: 12, level: 5, sinceStart: { count: 5, value: 750 } },
        { code: 'A2', price: 250, name: undefined, sinceStart: { count: 2, value: 500 } },
      ],
    })
  })

  test.each(['\r\n', '\n', '\r'])('has any line end (%j), and its checksum holds', (end) => {
    const text = readDexText(bytes(dexFile(METERS, { end })))
    expect(text).toMatchObject({ checksum: 'right', complete: true })
  })

  test('may have the two bytes of its checksum in either order', () => {
    expect(readDexText(bytes(dexFile(METERS, { swapped: true })))?.checksum).toBe('right')
  })

  test('is found inside what gateways put around it', () => {
    const inside = `<000|HEAD>\r\nXX1*7\r\n${dexFile(METERS)}<AAAA|BBBB>\r\n`
    expect(readDexText(bytes(inside))?.checksum).toBe('right')
    const wrapped = JSON.stringify({
      HWSerial: '1',
      MachineDate: '20260901 121100_000',
      OperatorIdentifier: ' 12 ',
      DexData: dexFile(METERS),
    })
    expect(readDexText(bytes(wrapped))).toMatchObject({
      checksum: 'right',
      envelope: { operatorIdentifier: '12', machineDate: '20260901 121100_000' },
    })
  })

  test('holds escaped bytes, unknown segments and no trailing fields', () => {
    const reading = meters(['VA1*100*1', 'PA1*1*100*Tea^2A^Ice', 'PA2*1*100', 'MA5*SWITCH*LOCK', 'AM1*x'])
    expect(reading.selections).toMatchObject([{ name: 'Tea*Ice', sinceReset: undefined }])
  })

  test('without a trailer is not complete; without a meter it is none', () => {
    expect(readDexText(bytes(dexFile(METERS).split('G85')[0] ?? ''))).toMatchObject({
      checksum: 'absent',
      complete: false,
    })
    expect(readDexText(bytes('hello'))).toBeUndefined()
    expect(readMeters(readDexText(bytes(dexFile(['ID1*SN'])))?.segments ?? [])).toBeUndefined()
  })

  test('counts since the start may stand in the second pair: the totals tell', () => {
    const { selections, reconciled } = meters(['VA1*900*9*200*2', 'PA1*1*100', 'PA2*2*200*9'])
    expect(reconciled).toBe(true)
    expect(selections[0]).toMatchObject({
      sinceStart: { count: 9, value: undefined },
      sinceReset: { count: 2, value: 200 },
    })
  })

  test('without PA2 the lists by payment are added up, without those the price lists', () => {
    const byPayment = meters(['VA1*300*3', 'PA1*1*100', 'PA7*1*CA**100*1*100', 'PA7*1*DA**100*2*200'])
    expect(byPayment.selections[0]?.sinceStart).toEqual({ count: 3, value: 300 })
    const byList = meters(['VA1*300*3', 'PA1*1*100', 'LA1*0*1*100*3'])
    expect(byList.selections[0]?.sinceStart).toEqual({ count: 3, value: 300 })
  })

  test('selections that do not add up to the machine are not reconciled', () => {
    expect(meters(['VA1*900*9*900*9', 'PA1*1*100', 'PA2*2*200*2*200']).reconciled).toBe(false)
  })

  test('a cut or a changed byte gives the same reading or none that its checksum confirms', () => {
    const file = dexFile(METERS)
    const whole = JSON.stringify(meters(METERS))
    const same = (text: string) => {
      const read = readDexText(bytes(text))
      if (read?.checksum !== 'right' || !read.complete) return true
      return JSON.stringify(readMeters(read.segments)) === whole
    }
    fc.assert(fc.property(fc.nat(file.length), (n) => same(file.slice(0, n))))
    const covered = file.indexOf('ST*')
    fc.assert(
      fc.property(fc.integer({ min: covered, max: file.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) =>
        same(file.slice(0, at) + String.fromCharCode(file.charCodeAt(at) ^ flip) + file.slice(at + 1)),
      ),
    )
  })
})

describe('a file without a checksum', () => {
  const settings = {
    machines: [{ location: 'M1', file: '*' }],
    timeZone: 'UTC',
    clock: 'received',
    acceptsBadChecksum: false,
    currency: 'USD',
    digits: 2,
  } as const
  const readFiles = (text: string) => readDexFile({ name: 'a.dex', bytes: bytes(text), writtenAt: 0 }, settings)
  const readFile = (text: string) => readFiles(text)[0]
  const withoutSum = dexFile(METERS).replace(/G85.*\r\n/, '')
  const fromSt = withoutSum.slice(withoutSum.indexOf('ST*')).replace(/DXE.*\r\n/, '')

  test.each([
    ['that begins with DXS', withoutSum, 'DXE*'],
    ['that begins with ST', fromSt, 'SE*'],
  ])('%s is read, and refused where it is cut before its trailer', (_, file, trailer) => {
    expect(readFile(file)).toMatchObject({ ok: true, value: { notices: ['The file has no checksum'] } })
    const end = file.indexOf(trailer)
    const cuts = Array.from({ length: end }, (_each, n) => readFile(file.slice(0, n)))
    expect(cuts.filter((cut) => cut?.ok)).toEqual([])
  })

  test('that was cut is refused, and what stands behind it is read alone, never with it', () => {
    const later = withoutSum.replace('PA2*2*500', 'PA2*9*2250')
    const whole = {
      ok: true,
      value: { reading: meters(METERS.map((line) => line.replace('PA2*2*500', 'PA2*9*2250'))) },
    }
    for (let end = withoutSum.indexOf('ST*'); end < withoutSum.indexOf('DXE*'); end += 1)
      for (const between of ['', '\r\n']) {
        const [last, ...cut] = readFiles(`${withoutSum.slice(0, end)}${between}${later}`).toReversed()
        expect(last).toMatchObject(whole)
        expect(cut.filter(({ ok }) => ok)).toEqual([])
      }
  })

  test.each([
    ['PA2*5*750', 'PA2*5*7x0'],
    ['PA2*5*750', 'PA2*5*7.50'],
    ['PA2*5*750', 'PA2*-5*750'],
    ['VA1*1250', 'VA1*1\u009A50'],
  ])('is refused where a counter is not a number: %s as %s', (from, to) => {
    expect(readFile(withoutSum.replace(from, to))).toMatchObject({
      ok: false,
      problem: expect.stringContaining('not a number'),
    })
  })
})

test('a byte order mark before the file or its envelope is ignored', () => {
  const file = dexFile(METERS)
  const [plain, marked, wrapped] = [
    file,
    `\u00EF\u00BB\u00BF${file}`,
    `\u00EF\u00BB\u00BF${JSON.stringify({ DexData: file })}`,
  ].map((text) => readDexText(bytes(text)))
  expect([marked, wrapped]).toEqual([plain, plain])
})

describe('several readings in one file', () => {
  const settings = {
    machines: [
      { location: 'M1', ID106: 'A-19' },
      { location: 'M2', ID106: 'B-20' },
    ],
    timeZone: 'UTC',
    clock: 'file',
    acceptsBadChecksum: false,
    currency: 'USD',
    digits: 2,
  } as const
  const NOON = Date.UTC(2026, 8, 10, 12)
  const one = (asset: string, day: string, vends: number) =>
    dexFile([
      `ID1*SN*M*0***${asset}`,
      'ID4*2*1840*USD',
      `VA1*${vends * 100}*${vends}*0*0`,
      ...(day === '' ? [] : [`EA3*4*${day}*0800`]),
      'PA1*1*100',
      `PA2*${vends}*${vends * 100}*0*0`,
    ])
  const readFile = (text: string) => readDexFile({ name: 'log.dex', bytes: bytes(text), writtenAt: NOON }, settings)
  const summary = (text: string) =>
    readFile(text).map((outcome) =>
      outcome.ok
        ? [outcome.value.location, outcome.value.reading.total.count, outcome.value.at, outcome.value.isFileTime]
        : outcome.problem,
    )

  test('are all read, with the times of the machine although the file is days younger', () => {
    const log = one('A-19', '260901', 10) + one('B-20', '260910', 5) + one('A-19', '260910', 17)
    expect(summary(log)).toEqual([
      ['M1', 10, Date.UTC(2026, 8, 1, 8), false],
      ['M2', 5, Date.UTC(2026, 8, 10, 8), false],
      ['M1', 17, Date.UTC(2026, 8, 10, 8), false],
    ])
  })

  test('without a time are in the order of the file', () => {
    expect(summary(one('A-19', '', 10) + one('A-19', '', 17))).toEqual([
      ['M1', 10, NOON - 1, false],
      ['M1', 17, NOON, false],
    ])
  })

  test('a clock that ran backwards is not believed', () => {
    expect(summary(one('A-19', '370101', 10) + one('A-19', '260910', 17))).toEqual([
      ['M1', 10, NOON - 1, true],
      ['M1', 17, Date.UTC(2026, 8, 10, 8), false],
    ])
  })

  test('one that is refused is named by its place, and the others are read', () => {
    const damaged = one('A-19', '260909', 12).replace('PA2*12*1200', 'PA2*72*7200')
    expect(summary(one('A-19', '260908', 10) + damaged + one('A-19', '260910', 17))).toEqual([
      ['M1', 10, Date.UTC(2026, 8, 8, 8), false],
      'reading 2 of 3: its checksum is wrong',
      ['M1', 17, Date.UTC(2026, 8, 10, 8), false],
    ])
  })

  test('a list of settings beside the meters is no reading, and more than 500 are refused', () => {
    expect(readFile(dexFile(['ID1*SN*M*0***A-19']) + one('A-19', '260910', 17))).toHaveLength(1)
    expect(summary('ST*001*0001\n'.repeat(600))).toEqual(['it holds more than 500 readings'])
  })
})

test('a counter with all bits set counts nothing: no amount is made of it', () => {
  const lines = ['VA1*4294967295*3*4294967295*3', 'PA1*1*2500', 'PA2*3*4294967295*3*4294967295']
  const reading = meters(lines)
  expect(reading.total).toMatchObject({ count: 3, value: undefined })
  expect(reading.selections[0]?.sinceStart).toEqual({ count: 3, value: undefined })
  const withoutSum = dexFile(lines).replace(/G85.*\r\n/, '')
  const settings = { machines: [{ location: 'M1', file: '*' }], timeZone: 'UTC', clock: 'received' } as const
  const file = { name: 'a.dex', bytes: bytes(withoutSum), writtenAt: 0 }
  expect(readDexFile(file, { ...settings, acceptsBadChecksum: false, currency: 'USD', digits: 2 })).toMatchObject([
    { ok: true },
  ])
})

describe('sales between two readings', () => {
  test('the first vend of a counter that stated no value has the value it states then', () => {
    const before = meters(['VA1*0*0*0*0', 'PA1*1*2500', 'PA2*0*4294967295*0*0'])
    const after = meters(['VA1*1000*1*0*0', 'PA1*1*2500', 'PA2*1*1000*0*0'])
    expect(salesBetween(before, after)).toEqual([{ selection: '1', count: 1, value: 1000 }])
  })

  test('of a machine without selections are those of its total', () => {
    const before = meters(['VA1*100000*1000*500*5'])
    const after = meters(['VA1*104760*1068*5260*73'])
    expect(salesBetween(before, after)).toEqual([{ selection: 'any', count: 68, value: 4760 }])
    expect(salesBetween(after, after)).toEqual([])
    expect(salesBetween(after, meters(['VA1*300*3*300*3'])), 'a meter that began again').toEqual([
      { selection: 'any', count: 3, value: 300 },
    ])
  })

  test('are never counted twice where a machine names its selections in some files only', () => {
    const named = meters(['VA1*1000*10*0*0', 'PA1*1*100', 'PA2*10*1000*0*0'])
    expect(salesBetween(named, meters(['VA1*1500*15*0*0']))).toEqual([])
  })

  const at = (counts: Readonly<Record<string, readonly [number, number?]>>, total?: number) =>
    meters([
      `VA1*0*${total ?? Object.values(counts).reduce((sum, [count]) => sum + count, 0)}`,
      ...Object.entries(counts).flatMap(([code, [count, value]]) => [
        `PA1*${code}*100`,
        `PA2*${count}*${value ?? count * 100}`,
      ]),
    ])

  test('are the differences of the counters, with what was really taken', () => {
    expect(salesBetween(at({ 1: [5], 2: [3] }), at({ 1: [7, 690], 2: [3] }))).toEqual([
      { selection: '1', count: 2, value: 190 },
    ])
  })

  test('equal counters are no sale', () => {
    expect(salesBetween(at({ 1: [5] }), at({ 1: [5] }))).toEqual([])
  })

  test('a counter that went back began again: all of it is new', () => {
    expect(salesBetween(at({ 1: [50], 2: [9] }), at({ 1: [2], 2: [9] }, 60))).toEqual([
      { selection: '1', count: 2, value: 200 },
    ])
    expect(salesBetween(at({ 1: [50], 2: [1] }), at({ 1: [2], 2: [2] }))).toEqual([
      { selection: '1', count: 2, value: 200 },
      { selection: '2', count: 2, value: 200 },
    ])
  })

  test('one selection that was cleared makes no sales of the others, although the total falls with it', () => {
    expect(salesBetween(at({ 1: [900], 2: [700], 3: [40] }), at({ 1: [902], 2: [700], 3: [3] }))).toEqual([
      { selection: '1', count: 2, value: 200 },
      { selection: '3', count: 3, value: 300 },
    ])
  })

  test('without counters since the start, those since the last reset count', () => {
    const read = (count: number) => meters(['VA1*0*0*0*9', 'PA1*1*100', `PA2*0*0*${count}*${count * 100}`])
    expect(salesBetween(read(4), read(6))).toEqual([{ selection: '1', count: 2, value: 200 }])
    expect(salesBetween(read(4), read(1))).toEqual([{ selection: '1', count: 1, value: 100 }])
  })

  test('a reset tells counters apart that are higher than before', () => {
    const read = (count: number, resets: number) =>
      meters(['VA1*0*0*0*9', `EA3*${resets}*260910*0800`, 'PA1*1*100', `PA2*0*0*${count}*${count * 100}`])
    expect(salesBetween(read(50, 3), read(60, 4))).toEqual([{ selection: '1', count: 60, value: 6000 }])
    expect(salesBetween(read(50, 3), read(60, 3))).toEqual([{ selection: '1', count: 10, value: 1000 }])
  })

  test('a selection that was not in the reading before counts no more than the machine did', () => {
    const sales = salesBetween(at({ 1: [5] }, 10_005), at({ 1: [7], 2: [10_002] }, 10_009))
    expect(sales).toEqual([
      { selection: '1', count: 2, value: 200 },
      { selection: '2', count: 2, value: 200 },
    ])
    expect(salesBetween(at({ 1: [5] }), at({ 1: [5], 2: [3] }))).toEqual([{ selection: '2', count: 3, value: 300 }])
  })

  test('prices add up to the value taken, and times end with the later reading', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(1_000_000), (count, value) => {
        const prices = splitValue(count, value)
        expect(prices).toHaveLength(count)
        expect(prices.reduce((sum, price) => sum + price, 0)).toBe(value)
        expect((prices.at(-1) ?? 0) - (prices[0] ?? 0)).toBeLessThanOrEqual(1)
      }),
    )
  })
})

const SAMPLES = resolve(import.meta.dirname, '../../../../shared/vendors/samples/dex')

describe.runIf(existsSync(SAMPLES))('files of real machines', () => {
  const read = (name: string) => {
    const text = readDexText(readFileSync(join(SAMPLES, name)))
    return { text, reading: readMeters(text?.segments ?? []) }
  }

  test.each([
    ['vendsys-machine-a.txt', 195, 34_450],
    ['vendsys-machine-b.txt', 2202, 475_885],
    ['us-ams-39-vcf.txt', 35_325, 5_524_760],
    ['us-crane-national-187.txt', 49_370, 6_444_100],
    ['us-dixie-narco-501e.txt', 102_048, 6_085_700],
  ])('%s: the selections add up to the machine', (name, count, value) => {
    const { text, reading } = read(name)
    expect(text?.checksum).toBe('right')
    expect(reading).toMatchObject({ reconciled: true, total: { count, value } })
    const sum = (of: (selection: Reading['selections'][number]) => number) =>
      reading?.selections.reduce((total, selection) => total + of(selection), 0)
    expect([sum(({ sinceStart }) => sinceStart?.count ?? 0), sum(({ sinceStart }) => sinceStart?.value ?? 0)]).toEqual([
      count,
      value,
    ])
  })

  test('a wrong checksum, cut files and selections without a name are distinguished', () => {
    expect(read('nayax-ids-aud.txt').text?.checksum).toBe('wrong')
    expect(read('peanutpay-animo-optibean.eva_dts').text?.complete).toBe(false)
    expect(read('necta-NEC01190360-20191230144918.daa').reading).toMatchObject({
      selections: [],
      reconciled: false,
      total: { count: 12_862 },
    })
    expect(read('us-royal-660.txt').reading?.reconciled).toBe(false)
    expect(read('peanutpay-animo-optime.eva_dts').reading?.reconciled).toBe(true)
  })
})
