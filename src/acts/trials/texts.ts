/** The sentences of trials: refusals and events. */
import { type CurrencyCode, formatAmount, money } from '../../kernel/currency.ts'
import { count, withId } from '../../kernel/text.ts'
import type { OwnEvent } from '../../record/events/index.ts'
import type { Estimate } from './measure/effect.ts'
import type { Trial } from './records.ts'

export const TEXTS = {
  notFound: (id: string) => `Trial "${id}" not found`,
  notInMachines: 'No machine that can be compared sells this product',
  costUnknown: 'The cost of this product is not known, so nobody can say whether another price earns more',
  nothingToCompare: 'A trial needs at least two machines that sell the product, whose prices stand still',
  noChange: 'The change is 0',
  runs: 'A trial of this product runs already',
  ended: 'This trial has ended already',
  busy: 'The trial is being worked on',
  beyondRules: (limit: string) => `A trial stays within the rules: ${limit}`,
} as const

const signed = (fen: number, currency: CurrencyCode): string =>
  `${fen > 0 ? '+' : fen < 0 ? '−' : ''}${formatAmount(Math.abs(fen), currency)}`

const describe = ({ mean, error }: Estimate, currency: CurrencyCode): string =>
  `${signed(mean, currency)} ± ${formatAmount(error, currency)} a week`

const paramsOf = (trial: Trial, currency: CurrencyCode) => ({
  trial: trial.id,
  product: trial.title,
  machines: trial.members.filter(({ role }) => role === 'treated').length,
  change: signed(trial.stepFen, currency),
})

export const trialStarted = (trial: Trial, currency: CurrencyCode): OwnEvent => {
  const params = paramsOf(trial, currency)
  const controls = trial.members.length - params.machines
  return {
    kind: 'price_change',
    code: 'trial_started',
    params: { ...params, controls, gain: money(Math.max(0, Math.round(trial.expected.mean)), currency) },
    summary: `Price trial: ${trial.title} ${params.change} in ${count(params.machines, 'machine')}`,
    reasoning: `Expected: ${describe(trial.expected, currency)}. ${count(controls, 'machine')} keep the old price and are compared.`,
  }
}

const ENDINGS = {
  kept: { code: 'trial_kept', text: 'kept' },
  taken_back: { code: 'trial_taken_back', text: 'taken back' },
  ended: { code: 'trial_ended', text: 'ended' },
} as const

const REASONS = {
  judged: 'Judged by what was sold',
  too_little: 'Too little was sold to tell',
  nobody_left: 'No machine was left to compare',
  person: 'A person ended it',
} as const

export const trialEnded = (
  trial: Trial,
  status: keyof typeof ENDINGS,
  reason: keyof typeof REASONS,
  measured: Estimate | undefined,
  currency: CurrencyCode,
): OwnEvent => {
  const { code, text } = ENDINGS[status]
  const found = measured && {
    gain: signed(Math.round(measured.mean), currency),
    error: formatAmount(Math.round(measured.error), currency),
  }
  const reasoning = `${REASONS[reason]}${measured ? `: measured ${describe(measured, currency)}, expected ${describe(trial.expected, currency)}` : ''}.`
  if (trial.kind === 'swap') {
    const { location, ...params } = swapParamsOf(trial)
    return {
      kind: 'replenishment',
      code: `swap_${code}`,
      params: { ...params, reason, ...found },
      summary: `Product trial ${text}: ${params.other_product} instead of ${params.product} in ${withId(params.name, params.machine)}`,
      reasoning,
      ...(location === undefined ? {} : { location }),
    }
  }
  const params = paramsOf(trial, currency)
  return {
    kind: 'price_change',
    code,
    params: { ...params, reason, ...found },
    summary: `Price trial ${text}: ${trial.title} ${params.change}`,
    reasoning,
  }
}

/** `other_product`: the new one. */
function swapParamsOf({ id, title, replaced, members }: Trial) {
  const treated = members.find(({ role }) => role === 'treated')
  const machine = treated?.location ?? ''
  return {
    trial: id,
    product: replaced?.title ?? '',
    other_product: title,
    machine,
    name: treated?.locationName ?? machine,
    location: treated?.location,
  }
}
