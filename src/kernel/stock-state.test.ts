import { expect, test } from 'vitest'
import { stockState } from './stock-state.ts'

test.for<[number | null, number | null | undefined, string]>([
  [null, undefined, 'unknown'],
  [null, 0.5, 'unknown'],
  [0, 0, 'empty'],
  [0, null, 'empty'],
  [-1, undefined, 'empty'],
  [1, 0.99, 'low'],
  [40, 0.2, 'low'],
  [1, 1, 'ok'],
  [1, null, 'ok'],
  [1, undefined, 'ok'],
])('a stock of %s that lasts %s days is %s', ([stock, days, state]) => {
  expect(stockState(stock, days)).toBe(state)
})
