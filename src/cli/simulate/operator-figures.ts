/** What the operator of the service did in a simulation, counted from outside: at the supplier and through the API. */
import { totalOf } from '../format.ts'
import type { Simulation } from './simulation.ts'

export interface OperatorFigures {
  /** Orders that the supplier has, and purchases that the service knows. Anything but equal is a bug. */
  readonly supplierOrders: number
  readonly purchases: number
  /** Purchases above the limit of one purchase whose run or checkout no owner approved. Anything but 0 is a bug. */
  readonly violations: number
  readonly questions: number
  readonly questionsPerWeek: number
  /** Questions by the rule that asked. */
  readonly asked: Readonly<Record<string, number>>
  /** Price trials by status. */
  readonly trials: Readonly<Record<string, number>>
}

export async function countOperator({ client, simulator }: Simulation, days: number): Promise<OperatorFigures> {
  const approvals = await Array.fromAsync(client.all.listApprovals({ query: { status: 'all' } }))
  const runs = await Array.fromAsync(client.all.listRuns())
  const purchases = await Array.fromAsync(client.all.listOrders({ query: { kind: 'purchase' } }))
  const { rules } = await client.getGuardrails()
  const approved = new Set(approvals.filter(({ status }) => status === 'approved').map(({ subject }) => subject.id))
  for (const { id, checkouts = [] } of runs) if (approved.has(id)) for (const each of checkouts) approved.add(each.id)
  const { running, past } = await client.listExperiments()
  const codes = approvals.map(({ code, kind }) => code ?? kind)
  return {
    supplierOrders: simulator.world.supplier.orders().length,
    purchases: purchases.length,
    violations: purchases.filter(({ id, totals }) => totalOf(totals) > rules.spendingLimitPerRun && !approved.has(id))
      .length,
    questions: approvals.length,
    questionsPerWeek: Math.round((approvals.length * 70) / days) / 10,
    asked: tally(codes),
    trials: tally([...running, ...past].map(({ status }) => status)),
  }
}

const tally = (words: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, times]) => [word, times.length]))
