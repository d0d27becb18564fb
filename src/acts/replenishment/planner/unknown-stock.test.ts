/** A slot whose stock is unknown is left out of the plan and named beside it: unknown is not empty. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { planLine } from '../planner-cli/plan-lines.ts'
import { readState } from '../planner-cli/read-input.ts'
import { planRoute } from './plan.ts'
import { type State, states } from './states.test-support.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const plan = (state: object) => planRoute(readState(state))
/** The same route, with the stock of every third slot unknown. */
const withUnknown = (state: State) => ({
  ...state,
  slots: state.slots.map((slot, i) => (i % 3 === 0 ? { ...slot, stock: null } : slot)),
})

describe('2.8 a slot whose stock is unknown', () => {
  test('is named and has no entry, so nothing is ordered for it; every other slot has one', () => {
    fc.assert(
      fc.property(states, (state) => {
        const route = withUnknown(state)
        const { plans, unknown, visits } = plan(route)
        const idsOf = (isKnown: boolean) =>
          route.slots
            .filter(({ stock }) => (stock !== null) === isKnown)
            .map(({ slot_id }) => slot_id)
            .toSorted()
        expect(plans.map(({ slotId }) => slotId)).toEqual(idsOf(true))
        expect(unknown.map(({ slotId }) => slotId)).toEqual(idsOf(false))
        expect(visits).toHaveLength(new Set(route.slots.map(({ location }) => location)).size)
        for (const { daysOfCover, stock } of plans) expect(daysOfCover === 0).toBe(stock === 0)
      }),
      { numRuns: propertyRuns(300) },
    )
  })

  test('does not raise or lower the rates of its neighbours by days on which it may have been empty', () => {
    fc.assert(
      fc.property(states, (state) => {
        const silent = { ...withUnknown(state), ledger: [], runs: [], stock_log: [] }
        const without = { ...silent, slots: silent.slots.filter(({ stock }) => stock !== null) }
        const rates = (route: object) => plan(route).plans.map(({ slotId, demand }) => [slotId, demand.dailyRate])
        expect(rates(silent)).toEqual(rates(without))
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  test('is listed by the planner of the command line', () => {
    const [state] = fc.sample(states, { numRuns: 1, seed: 1 }) as [State]
    const line = JSON.parse(planLine(JSON.stringify(withUnknown(state)))) as { unknown_stock?: string[] }
    expect(line.unknown_stock).toContain(state.slots[0]!.slot_id)
    expect(JSON.parse(planLine(JSON.stringify(state)))).not.toHaveProperty('unknown_stock')
  })
})
