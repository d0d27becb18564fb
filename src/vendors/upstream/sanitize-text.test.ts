import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstCharacters, sanitizeText } from './sanitize-text.ts'

describe('texts of vendors', () => {
  test('are one bounded line without control characters, whatever came', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        const plain = sanitizeText(text)
        expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(Array.from(plain).length).toBeLessThanOrEqual(300)
        expect(plain.isWellFormed()).toBe(true)
      }),
    )
  })

  test('never hold what is to be hidden, in any case', () => {
    expect(sanitizeText('key S3cr.et+1 and s3CR.ET+1 at Host', ['S3cr.et+1', 'host'])).toBe('key … and … at …')
  })

  test('a hidden word that a control character splits is still found', () => {
    expect(sanitizeText('sec\u0000ret', ['secret'])).toBe('sec ret')
    expect(sanitizeText('sec\u200bret', ['secret'])).not.toContain('secret')
  })

  test('are cut between characters, not inside one', () => {
    expect(firstCharacters('🍜🍜🍜', 2)).toBe('🍜🍜')
    expect(firstCharacters('abc', 3)).toBe('abc')
  })
})
