import { expect, test } from 'vitest'
import { nextCompleteFrom } from './ledger-machine-records.ts'

test.for<[string, Parameters<typeof nextCompleteFrom>, number | undefined]>([
  ['the first listing of a machine', [undefined, undefined, 50], 50],
  ['a listing that reaches back to a sale we have', [20, 60, 50], 20],
  ['one that reaches exactly back to it', [20, 50, 50], 20],
  ['one that begins after the last sale we have', [20, 40, 50], 50],
  ['one that reaches further back than before', [20, 60, 10], 10],
  ['all sales were known, and the listing still reaches them', [undefined, 60, 50], undefined],
  ['all sales were known, and some are lost', [undefined, 40, 50], 50],
  ['a machine without sales keeps its first day', [50, undefined, 50], 50],
])('%s', ([, args, expected]) => {
  expect(nextCompleteFrom(...args)).toBe(expected)
})
