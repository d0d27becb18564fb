/** Products of which nothing more is ordered. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readState } from '../planner-cli/read-input.ts'
import { explain } from './explain.ts'
import type { RouteInput } from './input.ts'
import { planRoute } from './plan.ts'
import { states } from './states.test-support.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const withPhaseOut = (input: RouteInput, isPhasedOut: (sku: string) => boolean): RouteInput => ({
  ...input,
  machines: input.machines.map((machine) => ({
    ...machine,
    slots: machine.slots.map((slot) => ({ ...slot, isPhasedOut: isPhasedOut(slot.sku) })),
  })),
})

describe('2.8 a product that is phased out', () => {
  test('is never ordered and says why; the rates of all products stay', () => {
    fc.assert(
      fc.property(states, fc.subarray(['p0', 'p1', 'p2', 'p3', 'p4']), (state, skus) => {
        const input = readState(state)
        const before = planRoute(input)
        const { plans } = planRoute(withPhaseOut(input, (sku) => skus.includes(sku)))
        plans.forEach((entry, i) => {
          expect(entry.demand).toEqual(before.plans[i]!.demand)
          const { action } = entry.recommendation
          if (!skus.includes(entry.sku)) return expect(action).not.toBe('phase_out')
          expect(['phase_out', 'locked', 'in_transit']).toContain(action)
          expect(entry.basis.unitsIfVisited).toBe(0)
          if (action === 'phase_out') expect(explain(entry, 'en', 'CNY')).toContain('phased out')
        })
      }),
      { numRuns: propertyRuns(150) },
    )
  })

  test('a machine with nothing else is not called locked, and nobody drives there', () => {
    fc.assert(
      fc.property(states, (state) => {
        const input = readState({ ...state, slots: state.slots.map((slot) => ({ ...slot, locked: false })) })
        const { visits } = planRoute(withPhaseOut(input, () => true))
        for (const { visit } of visits) {
          expect(visit).toMatchObject({ go: false, load: 0 })
          expect(visit.why).not.toBe('locked')
        }
      }),
      { numRuns: propertyRuns(50) },
    )
  })
})
