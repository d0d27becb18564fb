import { expect, test } from 'vitest'
import type { EarnStep } from '../../../contract/shapes/money/earn.ts'
import { noFigures } from '../figures.ts'
import { worthOf } from './worth.ts'

const PERIOD = { from: '2026-08-01', to: '2026-08-28' }
const step = (name: EarnStep['step'], gain: number): EarnStep => ({ step: name, expected: { gain, error: 0 } })

test.each([
  ['earns', 1000, 28, [], { verdict: 'pays', profit_per_month: 1071, best_per_month: 1071 }],
  ['earns nothing', 0, 28, [], { verdict: 'pays', profit_per_month: 0 }],
  ['too few days, whatever it earns', -1000, 13, [], { verdict: 'too_early' }],
  ['a step turns it round', -280, 28, [step('fewer_visits', 70)], { verdict: 'pays_with_steps', best_per_month: 0 }],
  ['a step is not enough', -280, 28, [step('fewer_visits', 69)], { verdict: 'does_not_pay', best_per_month: -4 }],
  [
    'what the place would have to give is no step of ours',
    -280,
    28,
    [step('renegotiate', 500), step('remove', 500)],
    { verdict: 'does_not_pay', best_per_month: -300 },
  ],
] as const)('%s', (_, profit, days, steps, expected) => {
  const figures = { ...noFigures(), revenue: 5000, cost: 5000 - profit, visits: 7 }
  const worth = worthOf({ days, figures }, PERIOD, steps, undefined)
  expect(worth).toMatchObject(expected)
  expect(worth).not.toHaveProperty('bearable_per_month')
  if (days === 28) expect(worth.visits_per_month).toBe(7.5)
})

test('what the place may take is stated by the month', () => {
  expect(worthOf({ days: 28, figures: noFigures() }, PERIOD, [], 700)).toMatchObject({ bearable_per_month: 3000 })
})
