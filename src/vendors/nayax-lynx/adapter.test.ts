import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ALL_TROUBLES, denied, expectFailure, expectValue, granted, ROWS } from '../../../test/contracts/adapter-kit.ts'
import type { Trouble } from '../../../test/contracts/adapter-kit.ts'
import { lynxUpstream, machineRow, OPERATOR_ID, REFRESH_TOKEN } from '../../../test/contracts/lynx-upstream.ts'
import type { LynxUpstream } from '../../../test/contracts/lynx-upstream.ts'
import { describeMachineAdapter } from '../../../test/contracts/machine-adapter.kit.ts'
import { type Fault, type Received, gateway } from '../../../test/contracts/scripted-upstream.ts'
import { manualClock, MINUTE, SECOND } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Closable } from '../adapter-options.ts'
import type { LedgerRecord, MachineSlot, MachineVendor } from '../machine-vendor.ts'
import { processMemory } from '../process-memory.ts'
import { laneRow, MACHINE, NOW, productRow, saleRow } from './fixtures.test-support.ts'
import { nayaxLynx } from './index.ts'

const CONNECTION = {
  namespace: 'nayax-machine' as Namespace,
  currency: 'USD',
  timeZone: 'America/Chicago',
  isReadOnly: false,
}
const WINDOW = { fromMs: NOW - 24 * 60 * MINUTE, toMs: NOW }

const isToken = ({ path }: Received) => path.endsWith('/issue-access-token')
const isApi = (request: Received) => !isToken(request)
const isWrite = (request: Received) => request.method !== 'GET' && isApi(request)

function connect(upstream: LynxUpstream, more: object = {}) {
  const clock = manualClock(NOW)
  const notices: string[] = []
  const changes: (number | undefined)[] = []
  const checked = nayaxLynx.check(
    {
      url: `${upstream.url}/operational`,
      auth_url: upstream.url,
      refresh_token: REFRESH_TOKEN,
      operator_id: OPERATOR_ID,
      picklists: true,
      ...more,
    },
    CONNECTION,
  )
  if (!checked.ok) throw new Error(checked.problems.join('; '))
  const { vendor, capabilities } = nayaxLynx.open(checked.settings, {
    connection: CONNECTION,
    memory: processMemory(),
    clock,
    timeoutMs: 1500,
    sleep: () => Promise.resolve(),
    random: () => 0,
    resolvePath: (path) => path,
    reportOlderSales: (from) => void changes.push(from),
    notice: (text) => void notices.push(text),
  })
  return { vendor: vendor as MachineVendor & Closable, capabilities, clock, notices, changes }
}

const soda = (n: number): MachineSlot => ({
  vendorSku: `${500 + n}`,
  title: `Soda ${500 + n}`,
  barcode: `40000${500 + n}`,
  imageUrl: `https://pictures.test/${500 + n}.png`,
  priceFen: fen(150),
  stock: 6,
  asOf: Date.UTC(2026, 8, 19, 10, 20, 30, 120),
  capacity: 10,
  lanes: [{ code: `${n}/A${n}`, priceFen: fen(150), stock: 6, capacity: 10 }],
})

const sale = (orderNo: string, more: Partial<LedgerRecord> = {}): LedgerRecord => ({
  orderNo,
  status: 'SETTLED',
  statusLabel: 'Credit Card',
  settled: true,
  locationId: MACHINE,
  locationName: 'Hall',
  totalFen: fen(150),
  createdAt: Date.UTC(2026, 8, 19, 10, 20, 30, 317),
  createdAtRaw: '2026-09-19T10:20:30.317',
  lines: [{ vendorSku: '501', priceFen: fen(150), costFen: fen(60), status: 'paid' }],
  ...more,
})
const RECORDS = [
  sale('4-40000000002'),
  sale('4-40000000001', {
    status: 'UNSETTLED',
    settled: false,
    totalFen: fen(0),
    createdAt: Date.UTC(2026, 8, 19, 10, 0, 0, 800),
    createdAtRaw: '2026-09-19T10:00:00.8',
    lines: [{ vendorSku: '502', priceFen: fen(150), costFen: fen(60), status: 'unpaid' }],
  }),
]

const json = (value: unknown): Fault => ({ kind: 'json', json: value })
const status = (code: number, body: unknown = { Message: 'no' }): Fault => ({
  kind: 'status',
  status: code,
  body: JSON.stringify(body),
})
const FAULTS: Readonly<Record<Exclude<Trouble, 'unreachable'>, Fault>> = {
  refuses_credentials: status(401, { Message: `bad ${REFRESH_TOKEN}` }),
  says_no: status(400),
  slows_us_down: gateway(429),
  breaks: gateway(504),
  garbles: { kind: 'text', text: '<html></html>' },
  loses_reply: { kind: 'dropped' },
}

describeMachineAdapter('Nayax Lynx', {
  capabilities: ['inventory', 'ledger', 'locations', 'health', 'cash', 'updatePrices', 'restockRecommend'],
  troubles: ALL_TROUBLES,
  sendsRows: true,
  async make() {
    const upstream = await lynxUpstream()
    const { vendor, clock } = connect(upstream)
    /** A write reads first. Its own troubles are those of the requests that change something. */
    let writing = false
    const whileWriting = async <T>(work: Promise<T>): Promise<T> => {
      writing = true
      return work.finally(() => (writing = false))
    }
    return {
      vendor: {
        ...vendor,
        updatePrices: (...args) => whileWriting(vendor.updatePrices(...args)),
        restockRecommend: (...args) => whileWriting(vendor.restockRecommend(...args)),
      },
      hidden: [REFRESH_TOKEN, 'token-1', '127.0.0.1'],
      locationId: MACHINE,
      slots: [soda(1), soda(2)],
      records: RECORDS,
      window: WINDOW,
      roster: [
        { id: '7001', name: 'Machine 7001', timeZone: 'America/Chicago', address: 'Main Street 5, 78701 Austin, TX' },
        { id: '7002', name: '2', timeZone: 'America/Chicago', address: '78701 Austin, TX' },
      ],
      vendorFields: [...Object.keys(laneRow(1)), ...Object.keys(saleRow(1))],
      spoil(bad) {
        upstream.machines = [machineRow(7001)]
        upstream.lanes.set(
          MACHINE,
          Array.from({ length: ROWS }, (_, i) => laneRow(i, i < bad ? { MachinePrice: 'free' } : {})),
        )
        upstream.sales.set(
          MACHINE,
          Array.from({ length: ROWS }, (_, i) => saleRow(i, i < bad ? { SettlementValue: 'N/A' } : {})),
        )
        clock.advance(10 * MINUTE)
        const numbers = Array.from({ length: ROWS }, (_, i) => i)
        return { slots: numbers.map((i) => `${500 + i}`), sales: numbers.map((i) => `4-${40_000_000_000 + i}`) }
      },
      advice() {
        const quantities = [...(upstream.pickLists.get(MACHINE) ?? [])].filter(([, quantity]) => quantity > 0)
        return Object.fromEntries(quantities.map(([lane, quantity]) => [String(lane - 8500), quantity]))
      },
      writesReceived: () => upstream.received.filter(isWrite).length,
      async trouble(trouble) {
        if (trouble === 'unreachable') return upstream.goAway()
        upstream.fail({
          fault: FAULTS[trouble],
          acting: trouble === 'loses_reply',
          when: (request) =>
            trouble === 'refuses_credentials' || (writing || trouble === 'says_no' ? isWrite : isApi)(request),
        })
      },
      async heal() {
        upstream.heal()
        await upstream.comeBack()
      },
      async close() {
        await vendor.close()
        await upstream.close()
      },
    }
  },
})

describe('Nayax Lynx', () => {
  let upstream: LynxUpstream
  const opened: Closable[] = []
  const open = (more: object = {}) => {
    const connected = connect(upstream, more)
    opened.push(connected.vendor)
    return connected
  }
  beforeEach(async () => void (upstream = await lynxUpstream()))
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((vendor) => vendor.close()))
    await upstream.close()
  })
  const callsOf = (pattern: RegExp) => upstream.received.filter(({ path }) => pattern.test(path)).length

  describe('token', () => {
    test('is exchanged once for all calls, and again when it was refused', async () => {
      const { vendor } = open()
      await Promise.all([vendor.inventory(MACHINE), vendor.ledger(WINDOW)])
      expect(upstream.tokensGiven).toEqual(['token-1'])
      upstream.killToken()
      expectValue(await vendor.inventory(MACHINE))
      expect(upstream.tokensGiven).toEqual(['token-1', 'token-2'])
    })

    test('is renewed after 23 hours, before it expires', async () => {
      const { vendor, clock } = open()
      expectValue(await vendor.inventory(MACHINE))
      clock.advance(23 * 60 * MINUTE)
      expectValue(await vendor.inventory(MACHINE))
      expect(upstream.tokensGiven).toHaveLength(2)
    })

    test('a write whose token was refused is sent once more, with its own permit', async () => {
      const { vendor } = open()
      expectValue(await vendor.inventory(MACHINE))
      let asked = 0
      upstream.fail({ fault: status(401), times: 1, when: isWrite })
      const result = await vendor.updatePrices(MACHINE, [{ vendorSku: '501', priceFen: fen(200) }], (write) => {
        asked += 1
        return granted(write)
      })
      expect(expectValue(result)).toEqual({ count: 1 })
      expect(asked).toBe(2)
    })

    test('one that the operator set is used as it is, and its refusal is reported', async () => {
      const { vendor } = open({ refresh_token: undefined, token: 'own-token-hidden' })
      expectFailure(await vendor.inventory(MACHINE), 'unauthorized', ['own-token-hidden'])
      expect(upstream.tokensGiven).toEqual([])
      expect(upstream.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer own-token-hidden'])
    })

    test('403 says that the token lacks a permission; no new one is asked for', async () => {
      const { vendor } = open()
      upstream.fail({ fault: status(403, {}), when: isApi })
      const result = await vendor.inventory(MACHINE)
      expectFailure(result, 'unauthorized')
      expect(result).toMatchObject({ message: 'The token is not permitted to make this call' })
      expect(upstream.tokensGiven).toHaveLength(1)
    })
  })

  describe('machines', () => {
    test('are read page by page, also from a server with smaller pages', async () => {
      upstream.machines = Array.from({ length: 130 }, (_, i) => machineRow(7001 + i))
      const { vendor } = open()
      expect(expectValue((await vendor.locations?.()) ?? { ok: true, value: [] })).toHaveLength(130)
      upstream.largestPage = 40
      expect(expectValue((await vendor.locations?.()) ?? { ok: true, value: [] })).toHaveLength(130)
    })

    test('have the time zone of the connection, because the platform states none', async () => {
      const listed = expectValue((await open().vendor.locations?.()) ?? { ok: true, value: [] })
      expect(new Set(listed.map(({ timeZone }) => timeZone))).toEqual(new Set(['America/Chicago']))
    })

    test('are those of one actor where it is configured', async () => {
      const { vendor } = open({ actor_id: 77 })
      await vendor.locations?.()
      expect(upstream.received.at(-1)?.path).toContain('ActorID=77')
    })

    test('one that is new is found at once; an unknown one is absent', async () => {
      const { vendor } = open()
      expectValue(await vendor.inventory(MACHINE))
      upstream.machines.push(machineRow(7003))
      expect(expectValue(await vendor.inventory('7003'))).toEqual([])
      expectFailure(await vendor.inventory('7009'), 'absent')
      expectFailure(await vendor.inventory('../v1'), 'absent')
    })

    test('amounts of a machine in another currency are never read or written', async () => {
      upstream.machines[0] = machineRow(7001, { CurrencyID: 2 })
      const { vendor, notices } = open()
      const inventory = await vendor.inventory(MACHINE)
      expectFailure(inventory, 'unknown')
      expect(inventory).toMatchObject({ message: expect.stringContaining('sells in EUR, not in USD') })
      expectFailure(await vendor.updatePrices(MACHINE, [{ vendorSku: '501', priceFen: fen(200) }], granted), 'unsent')
      expect(upstream.received.filter(isWrite)).toEqual([])
      expect(expectValue(await vendor.ledger(WINDOW)).records).toEqual([])
      expect(notices).toEqual([expect.stringMatching(/^The sales of 1 machine could not be read.*EUR/)])
    })
  })

  describe('ledger', () => {
    const sold = (machine: string, ...rows: Record<string, unknown>[]) => upstream.sales.set(machine, rows)

    test('reads every machine once for all pages, and again after 30 seconds', async () => {
      const { vendor, clock } = open()
      await vendor.ledger({ ...WINDOW, size: 1 })
      await vendor.ledger({ ...WINDOW, size: 1, page: 2 })
      expect(callsOf(/lastSales/)).toBe(2)
      clock.advance(31 * SECOND)
      await vendor.ledger(WINDOW)
      expect(callsOf(/lastSales/)).toBe(4)
    })

    test('a machine that fails is reported once, the others count, and what was missed is read again', async () => {
      sold('7002', saleRow(9, { MachineID: 7002 }))
      const { vendor, clock, notices, changes } = open()
      expect(expectValue(await vendor.ledger(WINDOW)).total).toBe(3)
      upstream.fail({ fault: gateway(502), when: ({ path }) => path.includes('7002/lastSales') })
      for (const _ of [1, 2]) {
        clock.advance(31 * SECOND)
        expect(expectValue(await vendor.ledger(WINDOW)).records).toEqual(RECORDS)
      }
      expect(notices).toEqual([
        'The sales of 1 machine could not be read; those of the others count (7002: The vendor answered with HTTP 502)',
      ])
      upstream.heal()
      clock.advance(31 * SECOND)
      expect(expectValue(await vendor.ledger(WINDOW)).total).toBe(3)
      expect(changes).toEqual([NOW])
    })

    test('when no machine can be read, the ledger cannot', async () => {
      const { vendor } = open()
      upstream.fail({ fault: gateway(502), when: ({ path }) => path.includes('lastSales') })
      expectFailure(await vendor.ledger(WINDOW), 'unknown')
    })

    test('four machines are asked at a time; asked to slow down, it asks no others', async () => {
      upstream.machines = Array.from({ length: 20 }, (_, i) => machineRow(7001 + i))
      const { vendor } = open()
      upstream.fail({ fault: gateway(429, '60'), when: ({ path }) => path.includes('lastSales') })
      const result = await vendor.ledger(WINDOW)
      expectFailure(result, 'limited')
      expect(result).toMatchObject({ retryAfter: 60 })
      expect(callsOf(/lastSales/)).toBeLessThanOrEqual(4)
    })

    test('a full list says since when it is complete, by machine', async () => {
      const at = (i: number) => new Date(NOW - i * MINUTE).toISOString().replace('Z', '')
      sold(MACHINE, ...Array.from({ length: 100 }, (_, i) => saleRow(i, { AuthorizationDateTimeGMT: at(i) })))
      const { completeFrom } = expectValue(await open().vendor.ledger(WINDOW))
      expect(completeFrom).toEqual({ [MACHINE]: NOW - 99 * MINUTE })
    })

    test('a code that no lane has is a product of that machine only', async () => {
      sold(MACHINE, saleRow(1, { ProductName: 'Water(77 = 1.50)' }))
      sold('7002', saleRow(2, { MachineID: 7002, ProductName: 'Juice(77 = 1.50)' }))
      const { records } = expectValue(await open().vendor.ledger(WINDOW))
      expect(records.map(({ lines }) => lines[0]?.vendorSku)).toEqual(['mdb-7001-77', 'mdb-7002-77'])
    })

    test('a sale in another currency is refused by name, never converted', async () => {
      sold(MACHINE, ...Array.from({ length: ROWS }, (_, i) => saleRow(i, i === 0 ? { CurrencyCode: 'EUR' } : {})))
      const result = await open().vendor.ledger(WINDOW)
      expect(result).toMatchObject({ unreadable: [{ id: '4-40000000000', problem: 'it is in EUR, not in USD' }] })
    })
  })

  describe('prices', () => {
    const change = (vendor: MachineVendor, prices: Readonly<Record<string, number>>, permit = granted) =>
      vendor.updatePrices(
        MACHINE,
        Object.entries(prices).map(([vendorSku, price]) => ({ vendorSku, priceFen: fen(price) })),
        permit,
      )
    const lanes = () => upstream.lanes.get(MACHINE) ?? []
    const writes = () => upstream.received.filter(isWrite)

    test('every other field of a lane stays as it was', async () => {
      const before = structuredClone(lanes())
      expect(expectValue(await change(open().vendor, { 501: 275 }))).toEqual({ count: 1 })
      expect(lanes()).toEqual([{ ...before[0], MachinePrice: 2.75 }, before[1]])
      expect(writes().map(({ path }) => path)).toEqual(['/operational/v1/machines/7001/machineProducts/9001'])
    })

    test('go into the configured fields of every lane of the product', async () => {
      upstream.lanes.set(MACHINE, [laneRow(1), laneRow(2, { NayaxProductID: 501 }), laneRow(3)])
      const { vendor } = open({ write_prices: ['MachinePrice', 'CreditCardPrice'] })
      expect(expectValue(await change(vendor, { 501: 205 }))).toEqual({ count: 1 })
      expect(
        lanes().map(({ MachinePrice, CreditCardPrice, CashPrice }) => [MachinePrice, CreditCardPrice, CashPrice]),
      ).toEqual([
        [2.05, 2.05, 1.5],
        [2.05, 2.05, 1.5],
        [1.5, 1.75, 1.5],
      ])
    })

    test('what stands is counted, not what was accepted', async () => {
      const { vendor, notices } = open()
      upstream.fail({ fault: json({}), when: ({ path }) => path.endsWith('/machineProducts/9002') })
      expect(expectValue(await change(vendor, { 501: 200, 502: 200 }))).toEqual({ count: 1 })
      expect(notices).toEqual(['1 price of machine 7001 did not change (502)'])
    })

    test('prices that are set already are counted without a write', async () => {
      expect(expectValue(await change(open().vendor, { 501: 150 }, denied))).toEqual({ count: 1 })
      expect(writes()).toEqual([])
    })

    test('a product that the machine does not have is refused before anything is sent', async () => {
      const { vendor } = open()
      const result = await change(vendor, { 999: 200 })
      expectFailure(result, 'rejected')
      expect(result).toMatchObject({ documented: true })
      expect(expectValue(await change(vendor, { 501: 200, 999: 200 }))).toEqual({ count: 1 })
    })

    test('a refusal with HTTP 200 is a refusal', async () => {
      upstream.fail({ fault: json({ Ok: false, Message: 'locked', code: 12 }), when: isWrite })
      const result = await change(open().vendor, { 501: 200 })
      expectFailure(result, 'rejected')
      expect(result).toMatchObject({ message: 'locked', documented: true })
    })

    test('an emergency stop between two lanes keeps the second one as it is', async () => {
      let asked = 0
      const once: typeof granted = (write) => ((asked += 1) === 1 ? granted(write) : denied(write))
      expect(expectValue(await change(open().vendor, { 501: 200, 502: 200 }, once))).toEqual({ count: 1 })
      expect(writes()).toHaveLength(1)
      expect(lanes().map(({ MachinePrice }) => MachinePrice)).toEqual([2, 1.5])
    })

    test('a later lane whose reply is lost makes the whole change unknown', async () => {
      upstream.fail({ fault: { kind: 'dropped' }, acting: true, when: ({ path }) => path.endsWith('/9002') })
      expectFailure(await change(open().vendor, { 501: 200, 502: 200 }), 'unknown')
    })

    test('when the map cannot be read first, nothing was sent', async () => {
      upstream.fail({ fault: gateway(502), when: ({ path }) => path.includes('machineProducts') })
      expectFailure(await change(open().vendor, { 501: 200 }), 'unsent')
      expect(writes()).toEqual([])
    })
  })

  describe('pick lists', () => {
    const advise = (vendor: MachineVendor, lines: Readonly<Record<string, number>>) =>
      vendor.restockRecommend(
        MACHINE,
        'run-1',
        Object.entries(lines).map(([vendorSku, quantity]) => ({ vendorSku, quantity, reason: 'sells' })),
        granted,
      )

    test('hold our quantities and no others', async () => {
      expect(expectValue(await advise(open().vendor, { 501: 4 }))).toEqual({ count: 1 })
      expect(upstream.pickLists.get(MACHINE)).toEqual(
        new Map([
          [9001, 4],
          [9002, 0],
        ]),
      )
    })

    test('a list that was generated and then refused our quantities is not "nothing happened"', async () => {
      upstream.fail({ fault: status(400), when: ({ path }) => path.endsWith('/update') })
      expectFailure(await advise(open().vendor, { 501: 4 }), 'unknown')
    })

    test('products that the machine does not have are refused before anything is sent', async () => {
      expectFailure(await advise(open().vendor, { 999: 4 }), 'rejected')
      expect(upstream.received.filter(isWrite)).toEqual([])
    })

    test('state the stock of lanes of which nothing else is known, only where they are used', async () => {
      const unknown = { MissingStockByMDB: null, MissingStockByDEX: null }
      upstream.lanes.set(MACHINE, [laneRow(1, unknown)])
      upstream.pickLists.set(MACHINE, new Map([[9001, 0]]))
      upstream.statuses.set(MACHINE, { PickListGeneratedDateTime: '2026-09-18T06:00:00' })
      expect(expectValue(await open().vendor.inventory(MACHINE))).toMatchObject([
        { vendorSku: '501', stock: 3, asOf: Date.UTC(2026, 8, 18, 6) },
      ])
      const { vendor, capabilities } = open({ picklists: false })
      expect(expectValue(await vendor.inventory(MACHINE))).toMatchObject([{ vendorSku: '501', stock: null }])
      expect(capabilities).not.toContain('restockRecommend')
      expectFailure(await advise(vendor, { 501: 4 }), 'unsupported')
    })
  })

  describe('health', () => {
    test('is the connection, the last sign of life and the alerts of the last day', async () => {
      upstream.alerts.set(MACHINE, [
        { EventCode: 5, EventDescription: 'Door open', EventDateTimeGMT: '2026-09-19T20:00:00' },
        { EventCode: 6, EventDescription: 'Old', EventDateTimeGMT: '2026-09-01T20:00:00' },
      ])
      expect(await open().vendor.health?.(MACHINE)).toEqual({
        ok: true,
        value: { online: true, lastSeenAt: Date.UTC(2026, 8, 19, 23, 0, 0, 500), problems: ['Door open'] },
      })
    })

    test('alerts that the token may not read do not hide the rest', async () => {
      upstream.fail({ fault: status(403, {}), when: ({ path }) => path.includes('lastAlerts') })
      expect(await open().vendor.health?.(MACHINE)).toMatchObject({
        value: {
          online: true,
          problems: ['The alerts of the machine could not be read: The token is not permitted to make this call'],
        },
      })
    })
  })

  test.each(['/status', '/pickList'])(
    'where the account may not read %s, stock is unknown and the rest works',
    async (call) => {
      upstream.lanes.set(MACHINE, [
        laneRow(1, { MissingStockByMDB: null, MissingStockByDEX: null, MissingStock: null, PAR: null }),
      ])
      upstream.fail({ fault: status(403, { Message: 'Not permitted.' }), when: ({ path }) => path.includes(call) })
      const { vendor, notices } = open()
      expect(expectValue(await vendor.inventory(MACHINE))).toMatchObject([{ stock: null }])
      expect(notices).toContainEqual(expect.stringContaining('may not read its pick list'))
      expect(await vendor.health?.(MACHINE)).toMatchObject({ ok: true })
    },
  )

  test('names and barcodes are the operator’s; lanes without a product are reported', async () => {
    upstream.products = [productRow(501, { EANCode: '4006381333931' })]
    upstream.lanes.set(MACHINE, [laneRow(1), laneRow(2), laneRow(3, { NayaxProductID: null })])
    const { vendor, notices } = open()
    expect(expectValue(await vendor.inventory(MACHINE))).toMatchObject([
      { title: 'Soda 501', barcode: '4006381333931' },
      { title: 'lane 2' },
    ])
    expect(notices).toEqual(['Machine 7001: 1 lanes without a product were left out'])
  })
})

describe('settings of Nayax Lynx', () => {
  const problemsOf = (settings: object) => {
    const checked = nayaxLynx.check(settings, CONNECTION)
    return checked.ok ? [] : checked.problems
  }
  const GOOD = { url: 'https://lynx.test/operational', token: 't', operator_id: 1 }

  test('every problem is named', () => {
    expect(problemsOf({ url: 'lynx', token: 'a b', price: 'DexPrice', write_prices: [], extra: 1 })).toEqual([
      'operator_id is missing',
      'has an unknown field "extra"',
      'url must be an http or https URL without a user name and password',
      'token must be text without blanks',
      'price must be one of MachinePrice, CashPrice, CreditCardPrice',
      'write_prices must be a list of MachinePrice, CashPrice, CreditCardPrice, PrePaidCardPrice',
    ])
    expect(problemsOf({ ...GOOD, operator_id: 'x' })).toEqual(['operator_id must be a number'])
    expect(problemsOf({ ...GOOD, token: undefined })).toEqual(['token or refresh_token is missing'])
    expect(problemsOf({ ...GOOD, refresh_token: 'r' })).toEqual(['token and refresh_token exclude each other'])
    expect(problemsOf({ ...GOOD, price: 'CashPrice', write_prices: ['MachinePrice'] })).toEqual([
      'write_prices must contain CashPrice, the price',
    ])
    expect(problemsOf(GOOD)).toEqual([])
  })
})
