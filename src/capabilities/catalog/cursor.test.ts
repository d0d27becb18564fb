import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SkuId } from '../../kernel/ids.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { after } from './catalog-index.ts'

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
      const bent = cursor.slice(0, i) + (cursor[i] === 'x' ? 'y' : 'x') + cursor.slice(i + 1)
      expect(readCursor('s', bent)).toBeUndefined()
      expect(readCursor('s', cursor.slice(0, i))).toBeUndefined()
    }
  })

  test('a walk meets each good that stays exactly once, whatever comes and goes between its pages', () => {
    const step = fc.record({ come: ids, go: ids })
    fc.assert(
      fc.property(ids, fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (start, steps, size) => {
        const goods = new Set(start)
        const stayed = new Set(start)
        const met: string[] = []
        let last: string | undefined
        for (let turn = 0; ; turn++) {
          const all = sorted(goods)
          const from = after(all, last)
          const page = all.slice(from, from + size)
          met.push(...page.map(({ id }) => id))
          if (from + page.length >= all.length) break
          last = readCursor('walk', writeCursor('walk', page.at(-1)?.id ?? ''))
          for (const id of steps[turn]?.come ?? []) goods.add(id)
          for (const id of steps[turn]?.go ?? []) {
            goods.delete(id)
            stayed.delete(id)
          }
        }
        expect(new Set(met).size).toBe(met.length)
        for (const id of stayed) expect(met).toContain(id)
      }),
    )
  })
})
