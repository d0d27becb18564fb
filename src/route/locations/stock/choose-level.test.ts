import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../../kernel/clock.ts'
import {
  type Booking,
  type ChosenLevel,
  type KnownLevel,
  type KnownSales,
  type LaneLevel,
  chooseLevel,
} from './choose-level.ts'

const READ_BEFORE = HOUR
const BOOKED = 2 * HOUR
const LATER = 3 * HOUR

/** 7 was read, then 13 were loaded. */
const RECEIVED: KnownLevel = {
  storedStock: 20,
  updatedAt: BOOKED,
  reported: { stock: 7, at: READ_BEFORE },
  booking: { kind: 'receipt', at: BOOKED, base: { stock: 7, at: READ_BEFORE } },
}
const COUNTED: KnownLevel = { ...RECEIVED, booking: { ...RECEIVED.booking!, kind: 'count' } }
const READ: KnownLevel = {
  storedStock: 5,
  updatedAt: READ_BEFORE,
  reported: { stock: 5, at: READ_BEFORE },
  booking: undefined,
}
/** Two fewer were read since: booked 18. */
const FALLEN: KnownLevel = { ...RECEIVED, storedStock: 18, updatedAt: LATER, reported: { stock: 5, at: LATER } }
const KEPT: KnownLevel = { ...RECEIVED, storedStock: null, reported: { stock: 0, at: READ_BEFORE } }

const sold = (...soldAt: number[]): KnownSales => ({ soldAt, readTo: LATER + MINUTE })

type Level = number | null | 'stored' | `counting ${number}`

const levelOf = (chosen: ChosenLevel): Level => {
  if (chosen.from === 'stored') return 'stored'
  if (chosen.from === 'reading') return chosen.stock
  return chosen.isCounting ? `counting ${chosen.units}` : chosen.units
}

describe('the stock of a slot after its platform was read', () => {
  test.for<[string, Parameters<typeof chooseLevel>, Level]>([
    ['a slot that was not known', [undefined, { stock: 7 }, LATER], 7],
    ['nothing booked: a later reading', [READ, { stock: 7 }, LATER], 7],
    ['nothing booked: a reading of the same instant', [READ, { stock: 7 }, READ_BEFORE], 7],
    ['nothing booked: an earlier reading', [READ, { stock: 7 }, READ_BEFORE - 1], 'stored'],
    ['nothing booked: counted by the platform long ago', [READ, { stock: 7, asOf: 1 }, LATER], 7],
    ['nothing booked: below zero', [READ, { stock: -2 }, LATER], 0],
    ['nothing booked: no stock reported', [READ, { stock: null }, LATER], null],

    ['received: the same reading again is no news', [RECEIVED, { stock: 7 }, LATER], 'stored'],
    ['received: a fall lowers it by as much', [RECEIVED, { stock: 5 }, LATER], 18],
    ['received: a rise replaces it', [RECEIVED, { stock: 8 }, LATER], 8],
    ['received: a rise above it replaces it', [RECEIVED, { stock: 25 }, LATER], 25],
    ['received: read before it was booked', [RECEIVED, { stock: 8 }, BOOKED - 1], 'stored'],
    ['received: fallen before it was booked', [RECEIVED, { stock: 6, asOf: BOOKED - 1 }, LATER], 19],
    ['received: no stock reported any more', [RECEIVED, { stock: null }, LATER], null],
    ['counted: the same reading again is no news', [COUNTED, { stock: 7 }, LATER], 'stored'],
    ['counted: a fall lowers it by as much', [COUNTED, { stock: 5 }, LATER], 18],
    ['counted: a rise replaces it', [COUNTED, { stock: 8 }, LATER], 8],
    ['counted: the platform counted before', [COUNTED, { stock: 6, asOf: BOOKED - 1 }, LATER], 'stored'],
    ['counted below the reading', [{ ...COUNTED, storedStock: 1 }, { stock: 4 }, LATER], 0],

    ['a fall that was sold', [FALLEN, { stock: 5 }, LATER + HOUR, sold(BOOKED, BOOKED + 1)], 'stored'],
    ['a fall of which one was sold', [FALLEN, { stock: 5 }, LATER + HOUR, sold(BOOKED)], 5],
    ['a fall of which none was sold, and another', [FALLEN, { stock: 4 }, LATER + HOUR, sold()], 4],
    [
      'a fall that the ledger was not read past',
      [FALLEN, { stock: 5 }, LATER + HOUR, { soldAt: [], readTo: LATER }],
      'stored',
    ],
    ['a fall without a complete ledger', [FALLEN, { stock: 5 }, LATER + HOUR], 'stored'],
    [
      'a fall that is entered a minute later',
      [FALLEN, { stock: 5 }, LATER + HOUR, sold(BOOKED, LATER + MINUTE)],
      'stored',
    ],
    ['a sale of long before explains nothing', [FALLEN, { stock: 5 }, LATER + HOUR, sold(1, BOOKED)], 5],
    ['a new fall waits for the ledger', [RECEIVED, { stock: 5 }, LATER, { soldAt: [], readTo: LATER + 1 }], 18],

    [
      'a reading of 0 cannot fall: the sales count',
      [
        { ...RECEIVED, reported: KEPT.reported, booking: { ...RECEIVED.booking!, base: KEPT.reported } },
        { stock: 0 },
        LATER,
      ],
      'counting 20',
    ],
    [
      'a fall to 0, and more was sold',
      [RECEIVED, { stock: 0 }, LATER, sold(...Array.from({ length: 9 }, () => LATER - 1))],
      'counting 11',
    ],
    ['a fall to 0, and less is listed', [RECEIVED, { stock: 0 }, LATER, sold(LATER - 1)], 'counting 13'],
    ['nothing left at a reading of 0', [{ ...KEPT, storedStock: 0 }, { stock: 0 }, LATER], 'stored'],
    ['the sales count: still 0', [KEPT, { stock: 0 }, LATER], 'stored'],
    ['the sales count: a rise', [KEPT, { stock: 3 }, LATER], 3],
    ['our own book: the platform starts to report', [{ ...KEPT, reported: null }, { stock: 3 }, LATER], 3],
    [
      'our own book: the platform counted before',
      [{ ...KEPT, reported: null }, { stock: 3, asOf: 1 }, LATER],
      'stored',
    ],
  ])('%s', ([, args, expected]) => {
    expect(levelOf(chooseLevel(...args))).toBe(expected)
  })

  test('a fall that was explained is not compared again', () => {
    const chosen = chooseLevel(FALLEN, { stock: 5 }, LATER + HOUR, sold(BOOKED, BOOKED + 1))
    expect(chosen).toEqual({ from: 'stored', base: FALLEN.reported })
    const waiting = chooseLevel(FALLEN, { stock: 5 }, LATER + HOUR)
    expect(waiting).toEqual({ from: 'stored', base: RECEIVED.booking!.base })
  })

  describe('of a product in several lanes', () => {
    const lanesOf = (...lanes: readonly (readonly [number, number])[]): LaneLevel[] =>
      lanes.map(([stock, asOf], i) => ({ code: `${i}`, stock, asOf }))
    const read = (...lanes: readonly (readonly [number, number])[]) => ({
      stock: lanes.reduce((sum, [stock]) => sum + stock, 0),
      asOf: Math.max(...lanes.map(([, asOf]) => asOf)),
      lanes: lanesOf(...lanes),
    })
    const before = lanesOf([4, READ_BEFORE], [3, READ_BEFORE])

    test.for<[string, KnownLevel, ReturnType<typeof read>, Level]>([
      ['counted: one lane fell since', COUNTED, read([3, LATER], [3, READ_BEFORE]), 19],
      ['counted: the other fell before the count, which contains it', COUNTED, read([3, LATER], [1, BOOKED - 1]), 19],
      ['counted: the other rose before the count', COUNTED, read([3, LATER], [9, BOOKED - 1]), 19],
      ['counted: one lane rose since', COUNTED, read([6, LATER], [3, READ_BEFORE]), 9],
      ['counted: no lane was counted since', COUNTED, read([2, BOOKED - 1], [3, READ_BEFORE]), 'stored'],
      ['counted: counted again without news', COUNTED, read([4, LATER], [3, READ_BEFORE]), 'stored'],
      ['received: what fell before it is told late', RECEIVED, read([3, LATER], [1, BOOKED - 1]), 17],
      ['received: what rose before it is no news', RECEIVED, read([3, LATER], [9, BOOKED - 1]), 19],
    ])('%s', ([, known, reading, expected]) => {
      expect(levelOf(chooseLevel({ ...known, lanes: before }, reading, LATER + MINUTE))).toBe(expected)
    })

    test('lanes of the same name cannot be told apart: the sums are compared', () => {
      const same = (lanes: readonly LaneLevel[]) => lanes.map((lane) => ({ ...lane, code: '?' }))
      const reading = read([3, LATER], [1, BOOKED - 1])
      const chosen = chooseLevel({ ...COUNTED, lanes: same(before) }, { ...reading, lanes: same(reading.lanes) }, LATER)
      expect(levelOf(chosen)).toBe(17)
    })

    test('a count falls by what its lanes fell by since, and by nothing else, however it is told', () => {
      const step = fc.record({ lane: fc.nat({ max: 2 }), fall: fc.nat({ max: 3 }), isNew: fc.boolean() })
      fc.assert(
        fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
          let lanes = lanesOf([20, READ_BEFORE], [20, READ_BEFORE], [20, READ_BEFORE])
          let reported = { stock: 60, at: READ_BEFORE }
          let level: KnownLevel = {
            storedStock: 100,
            updatedAt: BOOKED,
            reported,
            booking: { kind: 'count', at: BOOKED, base: reported },
            lanes,
          }
          let expected = 100
          steps.forEach(({ lane, fall, isNew }, i) => {
            const at = LATER + i * MINUTE
            const own = lanes[lane]!
            // A lane that was counted since is not counted earlier again.
            const isSince = isNew || own.asOf! >= BOOKED
            const stock = Math.max(1, own.stock! - fall)
            if (isSince) expected -= own.stock! - stock
            lanes = lanes.with(lane, { ...own, stock, asOf: isSince ? at : BOOKED - 1 })
            const sum = lanes.reduce((all, each) => all + each.stock!, 0)
            const asOf = Math.max(...lanes.map((each) => each.asOf!))
            const chosen = chooseLevel(level, { stock: sum, asOf, lanes }, at)
            if (sum !== reported.stock) reported = { stock: sum, at: asOf }
            if (chosen.from === 'reading') throw new Error('a fall replaced the count')
            const booking = { ...level.booking!, base: chosen.base }
            const moved = chosen.from === 'booking' ? { storedStock: chosen.units, updatedAt: chosen.at } : {}
            level = { ...level, ...moved, reported, booking, lanes }
          })
          expect(level.storedStock).toBe(expected)
        }),
      )
    })
  })

  const kind = fc.constantFrom<Booking['kind']>('receipt', 'removal', 'count')
  const booked = fc.record({ kind, booked: fc.nat({ max: 40 }), reported: fc.integer({ min: 1, max: 40 }) })
  const known = ({
    kind,
    booked,
    reported,
  }: {
    kind: Booking['kind']
    booked: number
    reported: number
  }): KnownLevel => {
    const base = { stock: reported, at: READ_BEFORE }
    return { storedStock: booked, updatedAt: BOOKED, reported: base, booking: { kind, at: BOOKED, base } }
  }

  /** As a sync stores it. */
  const after = (level: KnownLevel, stock: number, readAt: number): KnownLevel => {
    const chosen = chooseLevel(level, { stock }, readAt)
    const reported = level.reported?.stock === stock ? level.reported : { stock, at: readAt }
    if (chosen.from === 'reading') return { storedStock: chosen.stock, updatedAt: readAt, reported, booking: undefined }
    if (chosen.from === 'stored') return { ...level, reported }
    return { ...level, storedStock: chosen.isCounting ? null : chosen.units, updatedAt: chosen.at, reported }
  }

  test('readings that fall lower a booking by their sum, however they are spread and repeated', () => {
    fc.assert(
      fc.property(booked, fc.array(fc.nat({ max: 6 })), (booking, falls) => {
        let level = known(booking)
        let stock = booking.reported
        falls.forEach((fall, i) => {
          // A reading of 0 is another rule.
          stock = Math.max(1, stock - fall)
          level = after(level, stock, LATER + i * MINUTE)
        })
        expect(level.storedStock).toBe(Math.max(0, booking.booked - (booking.reported - stock)))
        expect(level.booking).toBeDefined()
      }),
    )
  })

  test('the first rise ends a booking, and from then on the reading is the level', () => {
    fc.assert(
      fc.property(booked, fc.array(fc.nat({ max: 40 }), { minLength: 1 }), (booking, readings) => {
        let level = known(booking)
        let hasRisen = false
        readings.forEach((stock, i) => {
          hasRisen ||= stock > level.reported!.stock
          level = after(level, stock, LATER + i * MINUTE)
          expect(level.booking === undefined).toBe(hasRisen)
          if (hasRisen) expect(level.storedStock).toBe(stock)
          expect(level.storedStock ?? 0).toBeGreaterThanOrEqual(0)
        })
      }),
    )
  })

  test('the same reading never changes a level', () => {
    fc.assert(
      fc.property(booked, fc.nat({ max: 1000 }), (booking, minutes) => {
        const level = known(booking)
        expect(after(level, booking.reported, LATER + minutes * MINUTE)).toEqual(level)
      }),
    )
  })
})
