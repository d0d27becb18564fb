import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeCursor, encodeCursor } from './pages.ts'

test('a cursor says what was put into it', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.string({ unit: 'grapheme' }), (at, id) => {
      fc.pre(!id.includes('\u0000'))
      expect(decodeCursor(encodeCursor(at, id), 'number', 'string')).toEqual([at, id])
    }),
  )
})

test('another spelling of the same bytes, and text that no database can hold, are no cursor', () => {
  const cursor = encodeCursor(7, 'a')
  for (const text of [`${cursor}=`, `${cursor} `, Buffer.from('[7, "a"]').toString('base64url')])
    expect(decodeCursor(text, 'number', 'string')).toBeUndefined()
  expect(decodeCursor(encodeCursor(7, 'a\u0000b'), 'number', 'string')).toBeUndefined()
})

test('anything else is no cursor', () => {
  for (const text of [
    '',
    'abc',
    encodeCursor('a', 1),
    encodeCursor(1),
    encodeCursor(1, 'a', 'b'),
    encodeCursor(1.5, 'a'),
  ])
    expect(decodeCursor(text, 'number', 'string')).toBeUndefined()
  fc.assert(fc.property(fc.string(), (text) => decodeCursor(text, 'number', 'string') === undefined))
})
