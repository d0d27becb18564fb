import { array, assert, integer, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../kernel/clock.ts'
import { dayNumber, hourNumber, hourOfDay, localText, weekday } from './local-time.ts'
import { type Sale, LATEST_SHOWN, payStatusAt, saleStatusAt } from './sales.ts'
import { type World, type WorldOptions, createWorld } from './world.ts'

const NOW = Date.parse('2026-09-10T10:30:00+08:00')

const worldAt = (now: number, options: Partial<WorldOptions> = {}): World => {
  const world = createWorld({ seed: 1, takeoverMs: NOW, ...options })
  world.advanceTo(now)
  return world
}

/** All of a sale in one line, so that whole worlds compare quickly. */
const asText = ({ machine, units, ...rest }: Sale): string =>
  JSON.stringify([machine.id, units.map(({ product, ...unit }) => [product.index, unit]), rest])

const everything = (world: World) => ({
  sales: world.allSales().map(asText),
  lanes: world.machines.map(({ id }) => world.lanes(id)),
  tally: world.tally(world.startMs, world.now()),
})

const grown = worldAt(NOW)

describe('one seed and one clock are one world', () => {
  test('the same seed and clock give identical sales and shelves, another seed others', () => {
    expect(everything(worldAt(NOW))).toEqual(everything(grown))
    expect(everything(worldAt(NOW, { seed: 2 })).sales).not.toEqual(everything(grown).sales)
  })

  test('it does not matter in how many steps time passed', () => {
    const options = { historyDays: 2, machines: 4 }
    const end = NOW + 7 * DAY
    const expected = everything(worldAt(end, options))
    const moment = integer({ min: NOW - 3 * DAY, max: end })
    assert(
      property(array(moment, { maxLength: 30 }), (moments) => {
        const world = createWorld({ seed: 1, takeoverMs: NOW, ...options })
        for (const ms of [...moments, end]) world.advanceTo(ms)
        expect(everything(world)).toEqual(expected)
      }),
      { numRuns: 20 },
    )
  })

  test('asking for an earlier time changes nothing', () => {
    const world = worldAt(NOW, { machines: 2 })
    const before = everything(world)
    world.advanceTo(NOW - DAY)
    expect(world.now()).toBe(NOW)
    expect(everything(world)).toEqual(before)
  })

  test('the same inputs at the same times give the same world', () => {
    const live = worldAt(NOW, { machines: 3 })
    const inputs: Parameters<World['replay']>[0][] = []
    live.onInput((input) => inputs.push(input))
    const code = live.lanes('M1001')?.[0]?.goodsCode ?? ''
    live.deliver('M1001', [{ goodsCode: code, quantity: 4 }])
    live.advanceTo(NOW + 5 * HOUR)
    live.setPrices(
      'M1002',
      (live.lanes('M1002') ?? []).map(({ goodsCode }) => ({ goodsCode, salePrice: 100 })),
    )
    live.advise('M1003', 'B-1', [{ goodsCode: live.lanes('M1003')?.[1]?.goodsCode ?? '', quantity: 5 }])
    live.placeOrder({
      outOrderNo: 'po_1',
      items: [{ goodsNo: 'SP1001', num: 2, unitType: 'PACK' }],
      to: { address: '上海市' },
    })
    live.advanceTo(NOW + 3 * DAY)

    const again = createWorld({ seed: 1, takeoverMs: NOW, machines: 3 })
    for (const input of inputs) again.replay(input)
    again.advanceTo(NOW + 3 * DAY)
    expect(inputs).toHaveLength(4)
    expect(everything(again)).toEqual(everything(live))
    expect(again.supplier.orders()).toEqual(live.supplier.orders())
  })
})

describe('history', () => {
  test('about 40 days of it exist at the start, from a local midnight on, at every machine', () => {
    expect(localText(grown.startMs).slice(11)).toBe('00:00:00')
    expect(NOW - grown.startMs).toBeGreaterThanOrEqual(40 * DAY)
    expect(NOW - grown.startMs).toBeLessThan(41 * DAY)
    for (const { id } of grown.machines) {
      const days = new Set(grown.allSales().flatMap((sale) => (sale.machine.id === id ? dayNumber(sale.at) : [])))
      expect(days.size).toBeGreaterThan(25)
    }
  })

  test('sale numbers are unique and sales lie in order', () => {
    const sales = grown.allSales()
    expect(new Set(sales.map((sale) => sale.tradeNo)).size).toBe(sales.length)
    expect(sales.every((sale, i) => i === 0 || sale.at >= (sales[i - 1]?.at ?? 0))).toBe(true)
  })

  test('sales older than 90 days are let go', () => {
    const world = worldAt(NOW + 120 * DAY, { machines: 6 })
    const oldest = world.allSales()[0]?.at ?? 0
    expect(oldest).toBeGreaterThan(world.now() - 100 * DAY)
    expect(oldest).toBeLessThan(world.now() - 85 * DAY)
  })

  test('history and a month more of twelve machines take less than three seconds of work', () => {
    const before = process.threadCpuUsage()
    worldAt(NOW + 30 * DAY)
    expect(process.threadCpuUsage(before).user).toBeLessThan(3_000_000)
  })
})

describe('shelves', () => {
  test('stock is what was there, plus what was loaded, minus what was dispensed, between zero and capacity', () => {
    const world = worldAt(NOW, { restocking: 'rescue' })
    for (let hours = 0; hours < 20 * 24; hours += 7) {
      world.advanceTo(NOW + hours * HOUR)
      const { id } = world.machines[hours % world.machines.length] ?? { id: '' }
      world.deliver(
        id,
        (world.lanes(id) ?? []).map(({ goodsCode }) => ({ goodsCode, quantity: hours % 5 })),
      )
      for (const machine of world.machines)
        for (const lane of world.lanes(machine.id) ?? []) {
          expect(lane.stock).toBe(lane.initial + lane.loaded - lane.dispensed - lane.removed)
          expect(lane.stock).toBeGreaterThanOrEqual(0)
          expect(lane.stock).toBeLessThanOrEqual(lane.capacity)
        }
    }
  })

  test('the ledger accounts for every unit that left', () => {
    for (const { id } of grown.machines) {
      const dispensed = grown.lanes(id)?.reduce((sum, lane) => sum + lane.dispensed, 0)
      const units = grown.allSales().flatMap((sale) => (sale.machine.id === id ? sale.units : []))
      const left = units.filter(({ fate }) => fate === 'sold' || fate === 'returned' || fate === 'refund failed')
      expect(left.length).toBe(dispensed)
    }
  })

  test('a delivery fills what has room and returns what did not fit', () => {
    const world = worldAt(NOW, { machines: 1 })
    const lane = world.lanes('M1001')?.find(({ stock, capacity }) => stock < capacity)
    const goodsCode = lane?.goodsCode ?? ''
    const room = (world.lanes('M1001') ?? [])
      .filter((other) => other.goodsCode === goodsCode)
      .reduce((sum, { stock, capacity }) => sum + capacity - stock, 0)
    expect(world.deliver('M1001', [{ goodsCode, quantity: room + 3 }])).toEqual([
      { goodsCode, quantity: room + 3, loaded: room, surplus: 3 },
    ])
    expect(world.deliver('M1001', [{ goodsCode: 'G-9999', quantity: 2 }])[0]).toMatchObject({ loaded: 0, surplus: 2 })
    expect(world.deliver('M9999', [{ goodsCode, quantity: 2 }])[0]).toMatchObject({ loaded: 0, surplus: 2 })
  })

  test('what was sold out sells again once it is delivered', () => {
    const dry = worldAt(NOW + 25 * DAY, { restocking: 'none', machines: 2 })
    const soldOut = (dry.lanes('M1001') ?? []).filter(({ stock }) => stock === 0)
    expect(soldOut.length).toBeGreaterThan(5)
    const before = dry.now()
    dry.deliver(
      'M1001',
      soldOut.map(({ goodsCode, capacity }) => ({ goodsCode, quantity: capacity })),
    )
    dry.advanceTo(before + 3 * DAY)
    const sold = new Set(
      dry
        .allSales()
        .filter(({ machine, at }) => machine.id === 'M1001' && at > before)
        .flatMap(({ units }) => units.map(({ product }) => product.index)),
    )
    expect(sold.size).toBeGreaterThan(5)
    expect(dry.lanes('M1001')?.some(({ stock }) => stock > 0)).toBe(true)
  })

  test('without restocking machines run dry and wishes are lost; with rescue they do not', () => {
    const end = NOW + 30 * DAY
    const sums = (['none', 'rescue', 'route'] as const).map((restocking) => {
      const world = worldAt(end, { restocking })
      const rows = world.tally(NOW + DAY, end)
      return { sold: rows.reduce((sum, row) => sum + row.sold, 0), lost: rows.reduce((sum, row) => sum + row.lost, 0) }
    })
    const [none, rescue, route] = sums
    expect(none?.lost).toBeGreaterThan(none?.sold ?? 0)
    expect(rescue?.sold).toBeGreaterThan(2 * (none?.sold ?? 0))
    expect(route?.lost).toBeLessThan((route?.sold ?? 0) / 5)
  })

  test('advice is carried out the next day, once, in its latest form', () => {
    const world = worldAt(NOW, { machines: 1, traffic: 0.0001, historyDays: 0 })
    const lane = world.lanes('M1001')?.find(({ stock, capacity }) => capacity - stock >= 2)
    const goodsCode = lane?.goodsCode ?? ''
    const loaded = () => world.lanes('M1001')?.find((other) => other.goodsCode === goodsCode)?.loaded
    world.advise('M1001', 'B-1', [{ goodsCode, quantity: 1 }])
    expect(
      world.advise('M1001', 'B-1', [
        { goodsCode, quantity: 2 },
        { goodsCode: 'G-9999', quantity: 1 },
      ]),
    ).toBe(1)
    expect(loaded()).toBe(0)
    world.advanceTo(NOW + 30 * HOUR)
    expect(loaded()).toBe(2)
    world.advanceTo(NOW + 4 * DAY)
    expect(loaded()).toBe(2)
  })
})

describe('shoppers', () => {
  const salesBy = (venue: string, key: (at: number) => number) => {
    const counts = new Map<number, number>()
    for (const sale of grown.allSales())
      if (sale.machine.profile.venueType === venue) counts.set(key(sale.at), (counts.get(key(sale.at)) ?? 0) + 1)
    return (value: number) => counts.get(value) ?? 0
  }

  test('an office is shut at weekends and at night, a hospital never', () => {
    const office = salesBy('office', (at) => weekday(dayNumber(at)))
    expect([office(5), office(6)]).toEqual([0, 0])
    expect(office(0)).toBeGreaterThan(50)
    const officeHours = salesBy('office', (at) => hourOfDay(hourNumber(at)))
    for (const hour of [0, 3, 5, 22, 23]) expect(officeHours(hour)).toBe(0)
    const hospital = salesBy('hospital', (at) => weekday(dayNumber(at)))
    for (let day = 0; day < 7; day++) expect(hospital(day)).toBeGreaterThan(20)
  })

  test('a demo has more of them in its first hours, at night too, and the history before it stays', () => {
    const night = Date.parse('2026-09-10T03:10:00+08:00')
    const salesOf = (demoShoppersPerHour: number) => {
      const world = createWorld({ seed: 1, takeoverMs: night, historyDays: 2, demoShoppersPerHour })
      const sales = (to: number) => {
        world.advanceTo(to)
        return world.allSales().map(({ at }) => at)
      }
      return { before: sales(night).filter((at) => at < night - HOUR), after: sales(night + 10 * MINUTE) }
    }
    const [quiet, demo] = [salesOf(0), salesOf(8)]
    expect(demo.before).toEqual(quiet.before)
    expect(demo.after.filter((at) => at >= night).length).toBeGreaterThan(3)
    expect(quiet.after.filter((at) => at >= night).length).toBeLessThan(3)
  })

  test('a station sells in the rush, a gym in the evening', () => {
    const station = salesBy('transit', (at) => hourOfDay(hourNumber(at)))
    expect(station(8) + station(18)).toBeGreaterThan(1.5 * (station(11) + station(21)))
    const gym = salesBy('gym', (at) => hourOfDay(hourNumber(at)))
    expect(gym(19)).toBeGreaterThan(1.5 * gym(10))
  })

  test('dearer sells less, cheaper more', () => {
    const soldAt = (factor: number) => {
      const world = worldAt(NOW, { restocking: 'route' })
      for (const { id } of world.machines)
        world.setPrices(
          id,
          (world.lanes(id) ?? []).map(({ goodsCode, priceFen }) => ({
            goodsCode,
            salePrice: Math.round(priceFen * factor),
          })),
        )
      world.advanceTo(NOW + 21 * DAY)
      return world.tally(NOW + DAY, NOW + 21 * DAY).reduce((sum, row) => sum + row.sold + row.lost, 0)
    }
    const ordinary = soldAt(1)
    expect(soldAt(1.3) / ordinary).toBeLessThan(0.8)
    expect(soldAt(1.3) / ordinary).toBeGreaterThan(0.5)
    expect(soldAt(0.85) / ordinary).toBeGreaterThan(1.12)
  })

  test('the present price is the price of the sale', () => {
    const world = worldAt(NOW, { machines: 1, restocking: 'route' })
    world.setPrices(
      'M1001',
      (world.lanes('M1001') ?? []).map(({ goodsCode }) => ({ goodsCode, salePrice: 123 })),
    )
    world.advanceTo(NOW + 2 * DAY)
    const later = world.allSales().filter((sale) => sale.at > NOW)
    expect(later.length).toBeGreaterThan(3)
    expect(later.flatMap((sale) => sale.units).every((unit) => unit.priceFen === 123)).toBe(true)
  })
})

describe('the life of a sale', () => {
  const query = { fromMs: 0, toMs: NOW, offset: 0, limit: 100_000, settledOnly: false }

  test('every status and every payment is seen', () => {
    const sales = grown.allSales()
    const statuses = new Set(sales.map((sale) => saleStatusAt(sale, NOW)))
    expect([...statuses].toSorted()).toEqual(
      ['TRADE_CLOSED', 'TRADE_REFUND', 'TRADE_SUCCESS', 'TRADE_SUCCESS_MANUAL']
        .concat(statuses.has('TRADE_PROCESSING') ? ['TRADE_PROCESSING'] : [])
        .toSorted(),
    )
    const payments = new Set(sales.flatMap((sale) => sale.units.map((unit) => payStatusAt(sale, unit, NOW))))
    expect([...payments].toSorted((a, b) => a - b)).toEqual([0, 1, 3, 4, 9])
  })

  test('some are in progress and unpaid first, and settle later', () => {
    const slow = grown.allSales().filter((sale) => sale.settlesAt > sale.at && sale.settlesAt < sale.at + HOUR)
    expect(slow.length).toBeGreaterThan(100)
    for (const sale of slow) {
      expect(saleStatusAt(sale, sale.settlesAt - 1)).toMatch(/PROCESSING|CLOSED/)
      expect(saleStatusAt(sale, sale.settlesAt)).not.toBe('TRADE_PROCESSING')
    }
  })

  test('some show up minutes late, in the middle of the list', () => {
    const late = grown.allSales().filter((sale) => sale.shownAt - sale.at > MINUTE)
    expect(late.length / grown.allSales().length).toBeGreaterThan(0.03)
    const one = late.find((sale) => sale.at < NOW - DAY && sale.shownAt - sale.at > 10 * MINUTE)
    const seenAt = (now: number) =>
      worldAt(now, { takeoverMs: NOW })
        .sales({ ...query, toMs: now })
        .records.some(({ tradeNo }) => tradeNo === one?.tradeNo)
    expect(seenAt((one?.shownAt ?? 0) - 1000)).toBe(false)
    expect(seenAt(one?.shownAt ?? 0)).toBe(true)
    for (const sale of late) expect(sale.shownAt - sale.at).toBeLessThanOrEqual(LATEST_SHOWN)
  })

  test('pages are the list cut in pieces, with its length, settled or not', () => {
    for (const settledOnly of [false, true])
      for (const [fromMs, toMs] of [
        [0, NOW],
        [NOW - DAY, NOW - HOUR],
        [NOW - 10 * MINUTE, NOW],
      ] as const) {
        const whole = grown.sales({ ...query, fromMs, toMs, settledOnly })
        const shown = grown
          .allSales()
          .filter((t) => t.at >= fromMs && t.at <= toMs && t.shownAt <= NOW)
          .filter((t) => !settledOnly || saleStatusAt(t, NOW).startsWith('TRADE_SUCCESS'))
        expect(whole.records.map(asText)).toEqual(shown.toReversed().map(asText))
        expect(whole.total).toBe(shown.length)
        const pieces = []
        for (let offset = 0; offset < whole.total; offset += 97)
          pieces.push(...grown.sales({ ...query, fromMs, toMs, settledOnly, offset, limit: 97 }).records)
        expect(pieces.map(asText)).toEqual(whole.records.map(asText))
      }
  })
})

test('a thousand machines are as easily had', () => {
  const world = createWorld({ seed: 1, takeoverMs: NOW, machines: 1000, historyDays: 0 })
  world.advanceTo(NOW)
  expect(new Set(world.machines.map(({ id }) => id)).size).toBe(1000)
  for (const { slots } of world.machines) {
    expect(slots.length).toBeGreaterThanOrEqual(12)
    expect(slots.length).toBeLessThanOrEqual(31)
  }
})
