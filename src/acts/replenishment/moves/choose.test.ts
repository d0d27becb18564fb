/** Units that another machine sells before their date. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../../../test/support/property-runs.ts'
import { DAY } from '../../../kernel/clock.ts'
import { type MoveSlot, chooseMoves } from './choose.ts'

const NOW = 100 * DAY
const ago = (days: number, units: number) => ({ at: NOW - days * DAY, units })
const slot = (location: string, over: Partial<MoveSlot> = {}): MoveSlot => ({
  location,
  slotId: `${location}-milk`,
  sku: 'milk',
  stock: 10,
  rate: 0.2,
  capacity: 20,
  costFen: 300,
  shelfDays: 14,
  loads: [ago(4, 12)],
  isClosed: false,
  visitCostFen: 5000,
  ...over,
})
/** Nine of ten will be too old in ten days; the other machine sells four a day. */
const slow = (over: Partial<MoveSlot> = {}) => slot('a', over)
const quick = (over: Partial<MoveSlot> = {}) => slot('b', { rate: 4, stock: 4, loads: [ago(1, 4)], ...over })
const movesOf = (slots: readonly MoveSlot[], wait = 2) =>
  chooseMoves(slots, NOW, wait).map(({ from, to, units, daysLeft }) => [from.location, to.location, units, daysLeft])

describe('4.7 moves between machines', () => {
  test.each([
    ['what will not sell goes where it sells', [slow(), quick()], [['a', 'b', 7, 10]]],
    ['as much as fits', [slow(), quick({ capacity: 3 })], [['a', 'b', 3, 10]]],
    ['not what sells in time', [slow({ rate: 3 }), quick()], []],
    ['not without a known shelf life', [slow({ shelfDays: undefined }), quick()], []],
    ['not where nobody knows when they came', [slow({ loads: [ago(4, 6)] }), quick()], []],
    ['not what is too old already', [slow({ loads: [ago(20, 12)] }), quick()], []],
    ['not what the other machine has no time for', [slow({ loads: [ago(12, 12)] }), quick()], []],
    ['not where it sells as little', [slow(), quick({ rate: 0.2 })], []],
    ['not to a closed slot', [slow(), quick({ isClosed: true })], []],
    ['not to another product', [slow(), quick({ sku: 'tea' })], []],
    ['not where the cost is unknown', [slow({ costFen: undefined }), quick()], []],
    ['not for less than its work', [slow({ costFen: 60 }), quick()], []],
    [
      'what would be left over: the younger ones, as the older sell first',
      [slow({ loads: [ago(1, 5), ago(8, 5)], rate: 0.4 }), quick()],
      [['a', 'b', 2, 13]],
    ],
    [
      'the older ones, where even they are too many, as far as there is time',
      [slow({ loads: [ago(1, 1), ago(8, 9)], rate: 0.4 }), quick()],
      [['a', 'b', 4, 6]],
    ],
    ['to the machine that sells most', [slow(), quick(), slot('c', { rate: 9, stock: 0 })], [['a', 'c', 7, 10]]],
  ])('%s', (_, slots, expected) => expect(movesOf(slots)).toEqual(expected))

  test('the gain is what they cost, less the work', () => {
    expect(chooseMoves([slow(), quick()], NOW, 2)[0]!.gainFen).toBe(7 * 300 - 500)
  })

  test('two machines do not bring the same one more than it sells', () => {
    const small = quick({ capacity: 9 })
    const units = chooseMoves([slow(), slot('c'), small], NOW, 2).map((move) => move.units)
    expect(units.reduce((sum, each) => sum + each, 0)).toBe(9)
  })

  test('for any route: never more than is there, to another machine, with a gain, in any order', () => {
    const some = fc.record({
      stock: fc.nat(20),
      rate: fc.double({ min: 0, max: 6, noNaN: true }),
      shelfDays: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
      loads: fc.array(fc.record({ at: fc.integer({ min: 0, max: NOW }), units: fc.nat(20) }), { maxLength: 3 }),
      isClosed: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 6 }), fc.nat(9), (list, wait) => {
        const slots = list.map(({ loads, ...over }, i) =>
          slot(`m${i}`, { ...over, loads: loads.toSorted((a, b) => b.at - a.at) }),
        )
        const moves = chooseMoves(slots, NOW, wait)
        for (const { from, to, units, daysLeft, gainFen } of moves) {
          expect(from.location).not.toBe(to.location)
          expect(units).toBeLessThanOrEqual(slots.find(({ slotId }) => slotId === from.slotId)!.stock)
          expect([units > 0, gainFen > 0, daysLeft > wait]).toEqual([true, true, true])
        }
        expect(chooseMoves(slots.toReversed(), NOW, wait)).toEqual(moves)
      }),
      { numRuns: propertyRuns(200) },
    )
  })
})
