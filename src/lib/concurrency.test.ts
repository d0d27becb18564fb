import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { forEachInSlices, sortInSlices } from './concurrency.ts'

test('sorting in slices gives what toSorted gives, and equal ones keep their order', async () => {
  const entry = fc.record({ key: fc.nat(20), at: fc.nat() })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), async (items, size) => {
      const compare = (a: { key: number }, b: { key: number }) => a.key - b.key
      expect(await sortInSlices(items, compare, size)).toEqual(items.toSorted(compare))
    }),
  )
})

test('others get a turn of the event loop between two slices; one slice is done at once', async () => {
  const seen: (number | string)[] = []
  const short = forEachInSlices([1, 2], (item) => void seen.push(item))
  expect(seen).toEqual([1, 2])
  await short
  setImmediate(() => seen.push('other'))
  await forEachInSlices([3, 4], (item) => void seen.push(item), 1)
  expect(seen).toEqual([1, 2, 3, 'other', 4])
})
