import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SkuId } from '../../kernel/ids.ts'
import { firstIndexWhere } from '../../lib/binary-search.ts'
import { readCursor, writeCursor } from './search.ts'

const sorted = (ids: Iterable<string>) =>
  [...new Set(ids)].toSorted((a, b) => (a < b ? -1 : 1)).map((id) => ({ id: id as SkuId }))
const ids = fc.uniqueArray(fc.stringMatching(/^acme-supply:[A-Z0-9-]{1,6}$/), { maxLength: 60 })

describe('2.3 cursors', () => {
  test('what was written is read back, in its own search only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (search, id) => {
        fc.pre(id.isWellFormed() && !id.includes('\u0000'))
        const cursor = writeCursor(search, id)
        expect(readCursor(search, cursor)).toBe(id)
        expect(readCursor(`${search}!`, cursor)).toBeUndefined()
      }),
    )
  })

  test('any other text is refused', () => {
    const cursor = writeCursor('s', 'acme-supply:SP1001')
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        fc.pre(text !== cursor)
        expect(readCursor('s', text)).toBeUndefined()
      }),
    )
    for (let i = 0; i < cursor.length; i++) {
      const changed = cursor.slice(0, i) + (cursor[i] === 'x' ? 'y' : 'x') + cursor.slice(i + 1)
      expect(readCursor('s', changed)).toBeUndefined()
      expect(readCursor('s', cursor.slice(0, i))).toBeUndefined()
    }
  })

  test('paging shows each product that stays exactly once, whatever comes and goes between two pages', () => {
    const changes = fc.record({ come: ids, go: ids })
    fc.assert(
      fc.property(ids, fc.array(changes, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (start, steps, size) => {
        const products = new Set(start)
        const stayed = new Set(start)
        const shown: string[] = []
        let last: string | undefined
        for (let n = 0; ; n++) {
          const all = sorted(products)
          const after = last
          const from = after === undefined ? 0 : firstIndexWhere(all.length, (i) => all[i]!.id > after)
          const page = all.slice(from, from + size)
          shown.push(...page.map(({ id }) => id))
          if (from + page.length >= all.length) break
          last = readCursor('search', writeCursor('search', page.at(-1)?.id ?? ''))
          for (const id of steps[n]?.come ?? []) products.add(id)
          for (const id of steps[n]?.go ?? []) {
            products.delete(id)
            stayed.delete(id)
          }
        }
        expect(new Set(shown).size).toBe(shown.length)
        for (const id of stayed) expect(shown).toContain(id)
      }),
    )
  })
})
