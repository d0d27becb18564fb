import { expect, test } from 'vitest'
import { runSize, spentOn } from './sizes.ts'

const line = (location: string, total: number) => ({ location, quantity: { total } })

test('the size of a run is what it brings', () => {
  expect(runSize([line('M1', 4), line('M1', 0), line('M2', 3), line('M3', 0)])).toEqual({
    slots: 2,
    machines: 2,
    units: 7,
  })
  expect(runSize([])).toEqual({ slots: 0, machines: 0, units: 0 })
})

test('a canceled order costs nothing', () => {
  const totals = [{ type: 'total', amount: 500 }]
  expect(spentOn({ line_items: [{ status: 'removed' }, { status: 'removed' }], totals })).toBe(0)
  expect(spentOn({ line_items: [{ status: 'removed' }, { status: 'processing' }], totals })).toBe(500)
})
