import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import { plannedUnits, runRequest, unitsOf, spreadExtra, withMachine, withQuantity } from './run-draft.ts'
import type { RunDraft } from './run-draft.ts'

const entry = (slot: string, changes: Partial<PlanEntry> & { readonly rate?: number } = {}): PlanEntry => {
  const { rate = 1, ...rest } = changes
  return {
    slot_id: slot,
    location: slot.split('-')[0] ?? '',
    item: { id: 'acme-machine:1', title: 'Cola' },
    stock: 0,
    demand: {
      daily_rate: rate,
      naive_daily_rate: rate,
      available_days: 21,
      empty_days: 0,
      closed_days: 0,
      measured: true,
    },
    days_of_cover: 0,
    stockout_at: null,
    recommendation: { action: 'order', quantity: 4 },
    room: 10,
    ...rest,
  }
}
const visit = (location: string, go: boolean) => ({ location, go, risk_share: 0, load: 0 })
const NOTHING: RunDraft = { machines: new Set(['M1']), quantities: new Map() }

describe('the request of a draft', () => {
  const plan = { plans: [entry('M1-a'), entry('M2-a')], visits: [visit('M1', true), visit('M2', false)] }

  test('names nothing where everything is as planned', () => {
    expect(runRequest(plan, NOTHING)).toEqual({})
  })

  test('names machines where others than the due ones are chosen, and changed lines of these machines only', () => {
    const both = withMachine(withQuantity(withQuantity(NOTHING, plan.plans[0]!, 7), plan.plans[1]!, 0), 'M2', true)
    expect(runRequest(plan, both)).toEqual({
      locations: ['M1', 'M2'],
      lines: [
        { slot_id: 'M1-a', quantity: 7 },
        { slot_id: 'M2-a', quantity: 0 },
      ],
    })
    expect(runRequest(plan, withMachine(both, 'M2', false))).toEqual({ lines: [{ slot_id: 'M1-a', quantity: 7 }] })
  })
})

test('a quantity set back to the planned one is no change, and none is above what fits', () => {
  const one = entry('M1-a')
  const changed = withQuantity(NOTHING, one, 99)
  expect(unitsOf(changed, one)).toBe(10)
  expect(withQuantity(changed, one, 4).quantities.size).toBe(0)
})

test('left-over units go where stock lasts shortest, and never above what fits', () => {
  const fast = entry('M1-fast', { rate: 5, room: 6 })
  const slow = entry('M1-slow', { rate: 1, room: 30 })
  const elsewhere = entry('M2-x', { rate: 9 })
  const { draft, used } = spreadExtra([fast, slow, elsewhere], NOTHING, 5)
  expect([used, unitsOf(draft, fast), unitsOf(draft, slow), unitsOf(draft, elsewhere)]).toEqual([5, 6, 7, 4])
})

test('whatever is left over: exactly what is used is added, within the room of each slot', () => {
  const slots = fc.array(fc.record({ room: fc.integer({ min: 4, max: 12 }), rate: fc.nat(5) }), { maxLength: 5 })
  fc.assert(
    fc.property(slots, fc.nat(30), (rooms, extra) => {
      const entries = rooms.map((one, i) => entry(`M1-${i}`, one))
      const { draft, used } = spreadExtra(entries, NOTHING, extra)
      const added = entries.reduce((sum, one) => sum + unitsOf(draft, one) - plannedUnits(one), 0)
      const space = entries.reduce((sum, one) => sum + (one.room ?? 0) - plannedUnits(one), 0)
      expect([added, used]).toEqual([Math.min(extra, space), Math.min(extra, space)])
      expect(entries.every((one) => unitsOf(draft, one) <= (one.room ?? 0))).toBe(true)
    }),
  )
})
