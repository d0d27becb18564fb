import { expect, test } from 'vitest'
import { placementTarget } from './placement-target.ts'

test.each([
  ['staging', true, true, 'simulated'],
  ['staging', true, false, 'simulated'],
  ['staging', false, true, 'sessions'],
  ['staging', false, false, 'disabled'],
  ['live', true, true, 'sessions'],
  ['live', true, false, 'simulated'],
  ['live', false, true, 'sessions'],
  ['live', false, false, 'disabled'],
] as const)(
  '%s, simulated purchasing %s, a live supplier %s: %s',
  (env, simulatedPurchasing, hasLiveSupplier, placement) => {
    expect(placementTarget({ env, simulatedPurchasing, hasLiveSupplier })).toBe(placement)
  },
)
