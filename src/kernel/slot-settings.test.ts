import { expect, test } from 'vitest'
import { parseSlotSettings } from './slot-settings.ts'

const row = (line: number, cells: Record<string, string>) => ({ line, cells })
const known = (slotId: string) => slotId.startsWith('M1-')

test('an empty cell leaves a setting, a dash removes it', () => {
  const { settings, problems } = parseSlotSettings(
    [
      row(2, { slot: 'M1-A', capacity: '12', par: '0', row: 'A', column: '3' }),
      row(3, { slot: 'M1-B', capacity: '', par: '-', row: '-', column: '' }),
      row(4, { slot: 'M1-C', capacity: '', par: '', row: '', column: '' }),
    ],
    known,
  )
  expect(problems).toEqual([])
  expect(settings).toEqual([
    { line: 2, slotId: 'M1-A', settings: { capacity: 12, par: 0, position: { row: 'A', column: 3 } } },
    { line: 3, slotId: 'M1-B', settings: { par: null, position: null } },
  ])
})

test.each([
  [{ slot: '', par: '1' }, 'no_slot', ''],
  [{ slot: 'M2-A', par: '1' }, 'unknown_slot', 'M2-A'],
  [{ slot: 'M1-A', capacity: '0' }, 'capacity', '0'],
  [{ slot: 'M1-A', capacity: '1.5' }, 'capacity', '1.5'],
  [{ slot: 'M1-A', par: '-1' }, 'par', '-1'],
  [{ slot: 'M1-A', row: 'A', column: '' }, 'position', 'A'],
  [{ slot: 'M1-A', row: '', column: '3' }, 'position', '3'],
  [{ slot: 'M1-A', row: 'ABCDEFGHI', column: '3' }, 'position', 'ABCDEFGHI 3'],
  [{ slot: 'M1-A' }, 'nothing', ''],
])('%j is refused as %s', (cells, problem, value) => {
  expect(parseSlotSettings([row(1, cells)], known).problems).toEqual([{ line: 1, problem, value }])
})

test('a slot that is named twice is refused at its second row', () => {
  const rows = [row(2, { slot: 'M1-A', par: '1' }), row(3, { slot: 'M1-A', par: '2' })]
  expect(parseSlotSettings(rows, known).problems).toEqual([{ line: 3, problem: 'twice', value: 'M1-A' }])
})
