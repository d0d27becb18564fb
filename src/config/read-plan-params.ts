/** The parameters of the plan, from PLAN_PARAMS and the variables of costs. */
import { type PlanParams, DEFAULT_PLAN_PARAMS, readPlanParams } from '../kernel/plan-params.ts'
import { type Variables, convert } from './environment.ts'

/** The costs of the plan that have a variable of their own. */
const PLAN_COSTS = { visit_cost: 'VISIT_COST_FEN', trip_cost: 'TRIP_COST_FEN', stop_cost: 'STOP_COST_FEN' } as const

type PlanCost = keyof typeof PLAN_COSTS

const isPlanCost = (name: string): name is PlanCost => Object.hasOwn(PLAN_COSTS, name)

/** PLAN_PARAMS and the costs of visits and trips, by the schema of the planner. */
export function readPlan(variables: Variables): { readonly params: PlanParams; readonly problems: readonly string[] } {
  const { PLAN_PARAMS = '' } = variables
  const given = PLAN_PARAMS === '' ? {} : convert('object', PLAN_PARAMS)
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { params: DEFAULT_PLAN_PARAMS, problems: ['PLAN_PARAMS must be a JSON object'] }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(DEFAULT_PLAN_PARAMS, name) || isPlanCost(name))
  const costs = Object.entries(PLAN_COSTS).map(([name, variable]) => {
    const value = variables[variable] ?? ''
    return [name, value === '' ? null : convert('integer', value)]
  })
  const result = readPlanParams({ ...given, ...Object.fromEntries(costs) })
  const problems = result.ok ? [] : result.problems
  return {
    params: result.ok ? result.params : DEFAULT_PLAN_PARAMS,
    problems: [
      ...unknown.map((name) => `PLAN_PARAMS has an unknown field ${JSON.stringify(name)}`),
      ...problems.map((problem) => {
        const [name = ''] = problem.split(' ')
        return isPlanCost(name)
          ? `${PLAN_COSTS[name]} must be a whole number from 0 to 1000000000`
          : `PLAN_PARAMS ${problem}`
      }),
    ],
  }
}
