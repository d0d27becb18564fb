import { describe, expect, test } from 'vitest'
import { bindCall, isTrimmed } from './bind.ts'

const levels = (restock: 'off' | 'propose' | 'act') => ({ restock, prices: restock, swaps: restock })

describe('the word of the owner', () => {
  test.each(['createRun', 'placeRun', 'completeCheckout', 'updateCheckout', 'acceptSwap', 'changePrices'] as const)(
    'off: %s is not sent',
    (operation) => expect(bindCall(levels('off'), operation, {})).toMatch(/switched "(restock|swaps|prices)" off/),
  )

  test('propose: what can ask asks, whatever the model says', () => {
    for (const operation of ['createRun', 'acceptSwap', 'changePrices'] as const)
      expect(bindCall(levels('propose'), operation, { ask: false, id: 'x' })).toEqual({ ask: true, id: 'x' })
    expect(bindCall(levels('propose'), 'placeRun', { id: 'x' })).toEqual({ id: 'x' })
  })

  test('act, and what needs no word: as it is', () => {
    expect(bindCall(levels('act'), 'createRun', {})).toEqual({})
    for (const operation of ['askOwner', 'pullEmergencyStop', 'putNote'] as const)
      expect(bindCall(levels('off'), operation, {})).toEqual({})
  })
})

describe('lines that were only left out or lowered', () => {
  const line = (id: string, quantity: unknown, unit = 'EA') => ({ item: { id }, quantity, quantity_unit: { unit } })
  const before = [line('a', 5), line('b', 2)]
  test.each([
    ['the same', [line('a', 5), line('b', 2)], true],
    ['one left out', [line('b', 2)], true],
    ['fewer', [line('a', 1)], true],
    ['more', [line('a', 6)], false],
    ['twice', [line('a', 5), line('a', 1)], false],
    ['boxes of it', [line('a', 5, 'BX')], false],
    ['another product', [line('c', 1)], false],
    ['no number', [line('a', 'many')], false],
    ['no line', [null], false],
    ['no list', undefined, false],
  ])('%s', (_name, after, expected) => expect(isTrimmed(before, after)).toBe(expected))
})
