/** Worked cases, one situation each, and the plan it must give. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Planned, goldenCases, stateOf } from './golden.test-support.ts'
import { WORKED_PARAMS } from './inputs.test-support.ts'
import { planLine } from '../planner-cli/plan-lines.ts'

const planWorked = (state: { readonly now: string; readonly params?: object }): Planned =>
  JSON.parse(planLine(JSON.stringify({ ...state, params: { ...state.params, ...WORKED_PARAMS } })))

/** Times are compared as instants: how an offset is written is not what these cases are about. */
const instants = <T extends { readonly stockout_at?: string | null }>(entry: T) => ({
  ...entry,
  stockout_at: entry.stockout_at ? Date.parse(entry.stockout_at) : null,
})

describe('2.8 worked plans', () => {
  for (const [name, golden] of goldenCases) {
    test(`${name.slice(0, 2)} ${golden.title}`, () => {
      const planned = planWorked(stateOf(golden))
      expect(planned.lead_time).toEqual(golden.expected.lead_time)
      expect(planned.plans.map(({ slot_id }) => slot_id)).toEqual(golden.expected.plans.map(({ slot_id }) => slot_id))
      for (const [i, expected] of golden.expected.plans.entries()) {
        expect(instants(planned.plans[i]!)).toMatchObject(instants(expected))
      }
    })
  }
})

/** Reference cases lie beside the project on some machines; there the plan must agree with them to the digit. */
const reference = join(import.meta.dirname, '../../../../../shared/replenishment/bench/golden')
const cases = existsSync(reference) ? readdirSync(reference).filter((name) => name.endsWith('.json')) : []
if (cases.length === 0) console.info('2.8 reference plans: none beside this checkout, only the worked ones ran')

for (const file of cases) {
  test(`2.8 reference plan ${file}`, () => {
    const { input, expected }: { input: { now: string; params?: object }; expected: Planned } = JSON.parse(
      readFileSync(join(reference, file), 'utf8'),
    )
    const planned = planWorked(input)
    expect(planned.lead_time).toEqual(expected.lead_time)
    expect(planned.orders).toEqual(expected.orders)
    // The reference says skip_locked where the contract's word is locked.
    const plans: Planned['plans'] = JSON.parse(JSON.stringify(expected.plans).replaceAll('skip_locked', 'locked'))
    expect(planned.plans.map(instants)).toEqual(plans.map(instants))
  })
}
