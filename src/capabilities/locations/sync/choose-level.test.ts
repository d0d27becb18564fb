import { expect, test } from 'vitest'
import { chooseLevel } from './choose-level.ts'

const KNOWN = { storedStock: 5, updatedAt: 100, bookedAt: -Infinity }

test.for<[string, Parameters<typeof chooseLevel>, number | null | undefined]>([
  ['a slot that was not known', [undefined, { stock: 7 }, 50], 7],
  ['a later reading', [KNOWN, { stock: 7 }, 101], 7],
  ['a reading of the same instant', [KNOWN, { stock: 7 }, 100], 7],
  ['an earlier reading', [KNOWN, { stock: 7 }, 99], undefined],
  ['a negative stock', [KNOWN, { stock: -2 }, 101], 0],
  ['no stock reported', [KNOWN, { stock: null }, 101], null],
  ['counted by the platform before our booking', [{ ...KNOWN, bookedAt: 100 }, { stock: 7, asOf: 99 }, 200], undefined],
  ['counted by the platform after our booking', [{ ...KNOWN, bookedAt: 100 }, { stock: 7, asOf: 101 }, 200], 7],
  ['counted long ago, and nothing booked since', [KNOWN, { stock: 7, asOf: 1 }, 200], 7],
])('%s', ([, args, expected]) => {
  expect(chooseLevel(...args)?.stock).toBe(expected)
})
