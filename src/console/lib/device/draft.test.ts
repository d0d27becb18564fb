import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pickLines, vanLines } from '../pick-list.ts'
import type { DaySlot, DayVisit } from './day.ts'
import { countAllAsExpected, emptyDraft, levelAfter, requestOf, setCounted, setFilled, setRemoved } from './draft.ts'

const SLOTS: readonly DaySlot[] = [
  { id: 'M1-1', title: 'Cola', stock: 3, capacity: 10, quantity: 6, source: 's:1' },
  { id: 'M1-2', title: 'Water', stock: 5, quantity: 4, source: 's:2' },
  { id: 'M1-3', title: 'Gum' },
]
const empty = emptyDraft('id', 'driver Li')

describe('the request of a visit', () => {
  test('untouched, it brings what the run says and counts nothing', () => {
    expect(requestOf(empty, SLOTS, 'run-1')).toEqual({
      delivered: [
        { slot_id: 'M1-1', quantity: 6 },
        { slot_id: 'M1-2', quantity: 4 },
      ],
    })
    expect(requestOf(empty, SLOTS, undefined)).toEqual({})
  })

  test('counts are those of the arrival; slots of unknown stock are not counted as expected', () => {
    const draft = setCounted(countAllAsExpected(setCounted(empty, 'M1-1', 1), SLOTS), 'M1-3', 2)
    expect(requestOf(draft, SLOTS, undefined)).toEqual({
      counted: [
        { slot_id: 'M1-1', stock: 1, when: 'arrival' },
        { slot_id: 'M1-2', stock: 5, when: 'arrival' },
        { slot_id: 'M1-3', stock: 2, when: 'arrival' },
      ],
    })
    expect(requestOf(setCounted(setCounted(empty, 'M1-1', 4), 'M1-1', undefined), SLOTS, undefined)).toEqual({})
  })

  test('what is taken out has a reason, and nothing taken out is not sent', () => {
    const draft = setRemoved(setRemoved(empty, 'M1-1', 2), 'M1-1', 2, 'damaged')
    expect(requestOf(draft, SLOTS, undefined)).toEqual({
      removed: [{ slot_id: 'M1-1', quantity: 2, reason: 'damaged' }],
    })
    expect(requestOf(setRemoved(draft, 'M1-1', 0), SLOTS, undefined)).toEqual({})
  })

  test('the level after a visit: counted, less taken out, plus loaded', () => {
    const [cola] = SLOTS
    const draft = setFilled(setRemoved(setCounted(empty, 'M1-1', 5), 'M1-1', 2), 'M1-1', 7)
    expect(cola && levelAfter(draft, cola)).toBe(10)
    expect(levelAfter(empty, { id: 'M1-3', title: 'Gum' })).toBeUndefined()
  })
})

const slot = fc.record(
  {
    id: fc.string({ minLength: 1 }),
    title: fc.constantFrom('Cola', 'Water', 'Gum'),
    stock: fc.nat(20),
    capacity: fc.nat(20),
    quantity: fc.nat(20),
    source: fc.constantFrom('s:1', 's:2'),
  },
  { requiredKeys: ['id', 'title'] },
)
const visit: fc.Arbitrary<DayVisit> = fc.record({
  location: fc.string(),
  name: fc.string(),
  sequence: fc.nat(),
  slots: fc.array(slot),
})

test('the van carries exactly what the machines get, and no slot is filled above its capacity', () => {
  fc.assert(
    fc.property(fc.array(visit), (visits) => {
      const sum = (values: readonly number[]) => values.reduce((total, n) => total + n, 0)
      const totes = visits.flatMap((one) => pickLines(one).map(({ quantity }) => quantity))
      expect(sum(vanLines(visits).map(({ units }) => units))).toBe(sum(totes))
      for (const one of visits)
        for (const line of pickLines(one)) {
          const { capacity } = one.slots.find(({ id }) => id === line.id) ?? {}
          if (capacity !== undefined && line.fillTo !== undefined)
            expect(line.fillTo).toBeLessThanOrEqual(Math.max(capacity, line.stock ?? 0))
        }
    }),
  )
})
