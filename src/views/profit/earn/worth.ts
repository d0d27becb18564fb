/**
 * Whether a machine is worth its place: what it earns a month now, and with every step that needs nobody else. A lower
 * commission needs the place's word, so it is stated beside the verdict and not counted in it. Pure.
 */
import type { EarnStep, MachineWorth } from '../../../contract/shapes/money/earn.ts'
import { type StepSubject, profitOf } from '../steps/next-step.ts'

/** Fewer days say more about the weather than about the machine. */
const DAYS_MIN = 14
const DAYS_PER_MONTH = 30
const DAYS_PER_WEEK = 7

export const perMonth = (amount: number, days: number): number => Math.round((amount * DAYS_PER_MONTH) / days)

export function worthOf(
  { days, figures }: Pick<StepSubject, 'days' | 'figures'>,
  period: MachineWorth['period'],
  steps: readonly EarnStep[],
  bearablePerWeek: number | undefined,
): MachineWorth {
  const now = perMonth(profitOf(figures), days)
  const gain = steps.reduce((sum, { step, expected }) => (needsNobodyElse(step) ? sum + expected.gain : sum), 0)
  const best = now + perMonth(gain, DAYS_PER_WEEK)
  return {
    period,
    visits_per_month: Math.round((figures.visits * DAYS_PER_MONTH * 10) / days) / 10,
    profit_per_month: now,
    best_per_month: best,
    verdict: days < DAYS_MIN ? 'too_early' : now >= 0 ? 'pays' : best >= 0 ? 'pays_with_steps' : 'does_not_pay',
    ...(bearablePerWeek === undefined ? {} : { bearable_per_month: perMonth(bearablePerWeek, DAYS_PER_WEEK) }),
  }
}

const needsNobodyElse = (step: EarnStep['step']): boolean => step !== 'renegotiate' && step !== 'remove'
