import { describe, expect, test } from 'vitest'
import type { DaySlot } from './day.ts'
import {
  countAllAsExpected,
  emptyDraft,
  filledOf,
  hasContent,
  levelAfter,
  requestOf,
  setCounted,
  setFilled,
  setRemoved,
  setReturnedItem,
  slotsToChoose,
} from './draft.ts'

const SLOTS: readonly DaySlot[] = [
  { id: 'M1-1', sku: 'acme-machine:M1-1', title: 'Cola', stock: 3, capacity: 10, quantity: 6 },
  { id: 'M1-2', sku: 'acme-machine:M1-2', title: 'Water', stock: 5, quantity: 4 },
  { id: 'M1-3', sku: 'acme-machine:M1-3', title: 'Gum' },
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

  test('what is loaded is what fits, unless somebody says otherwise', () => {
    const [cola] = SLOTS
    if (!cola) throw new Error('no slot')
    const counted = setCounted(empty, 'M1-1', 8)
    expect(filledOf(counted, cola)).toBe(2)
    expect(filledOf(setCounted(empty, 'M1-1', 12), cola)).toBe(0)
    expect(filledOf(setRemoved(counted, 'M1-1', 1), cola)).toBe(3)
    expect(filledOf(setFilled(counted, 'M1-1', 6), cola)).toBe(6)
    expect(filledOf(empty, { id: 'M1-3', sku: 'acme-machine:M1-3', title: 'Gum', capacity: 3, quantity: 5 })).toBe(5)
  })

  test('nothing is saved before something was counted, filled or taken out', () => {
    expect(hasContent({ ...empty, note: 'Door sticks' })).toBe(false)
    expect(hasContent(setCounted(empty, 'M1-1', 0))).toBe(true)
    expect(hasContent(setFilled(empty, 'M1-1', 6))).toBe(true)
    expect(hasContent(setRemoved(empty, 'M1-1', 1))).toBe(true)
    expect(hasContent({ ...empty, isFilledAsPlanned: true })).toBe(true)
  })

  test('cash is sent as an amount with its bag, alone only without a run, and never as what cannot be read', () => {
    const draft = { ...empty, cash: ' 120,50 ', bag: ' 17 ' }
    expect(requestOf(draft, SLOTS, undefined, 'USD')).toEqual({ cash: { amount: 12_050, bag: '17' } })
    expect(requestOf({ ...draft, bag: ' ' }, SLOTS, 'run-1', 'USD')).toMatchObject({ cash: { amount: 12_050 } })
    expect(requestOf({ ...draft, cash: '12o' }, SLOTS, undefined, 'USD')).toEqual({})
    expect(requestOf(draft, SLOTS, undefined), 'the currency is not known').toEqual({})
    expect([hasContent(draft), hasContent(draft, 'run-1'), hasContent({ ...empty, cash: ' ' })]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('good units go back to the store room, the others are lost', () => {
    const draft = setRemoved(setRemoved(empty, 'M1-1', 2, 'damaged'), 'M1-2', 3, 'returned')
    expect(requestOf(draft, SLOTS, undefined)).toEqual({
      removed: [{ slot_id: 'M1-1', quantity: 2, reason: 'damaged' }],
      returned: [{ slot_id: 'M1-2', quantity: 3 }],
    })
    expect(requestOf(setRemoved(draft, 'M1-1', 0), SLOTS, undefined)).toEqual({
      returned: [{ slot_id: 'M1-2', quantity: 3 }],
    })
  })

  test('of several products the one loaded last goes back, unless somebody chose; where nobody knows, it is asked', () => {
    const items = [
      { id: 'acme-supply:A', title: 'Water A' },
      { id: 'acme-supply:B', title: 'Water B' },
    ]
    const water = SLOTS.find(({ id }) => id === 'M1-2')!
    const known = [{ ...water, takeBack: { items, last_loaded: 'acme-supply:B' } }]
    const unknown = [{ ...water, takeBack: { items } }]
    const draft = setRemoved(empty, 'M1-2', 3, 'returned')
    const chosen = setRemoved(setReturnedItem(draft, 'M1-2', 'acme-supply:A'), 'M1-2', 4)
    const back = (of: typeof draft, slots: readonly DaySlot[]) => requestOf(of, slots, undefined).returned
    expect(back(draft, known)).toEqual([{ slot_id: 'M1-2', quantity: 3, item: { id: 'acme-supply:B' } }])
    expect(back(chosen, known)).toEqual([{ slot_id: 'M1-2', quantity: 4, item: { id: 'acme-supply:A' } }])
    expect(back(chosen, unknown)).toEqual([{ slot_id: 'M1-2', quantity: 4, item: { id: 'acme-supply:A' } }])
    expect([draft, chosen].map((of) => slotsToChoose(of, unknown).length)).toEqual([1, 0])
    expect(slotsToChoose(draft, known)).toEqual([])
    expect(slotsToChoose(setRemoved(draft, 'M1-2', 3, 'expired'), unknown)).toEqual([])
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
    expect(levelAfter(empty, { id: 'M1-3', sku: 'acme-machine:M1-3', title: 'Gum' })).toBeUndefined()
  })
})
