/** Pricing (4.6): live prices on machines, within the cap or after approval. */
import type { HandlersOf, RefusalRecorders } from '../../contract/handlers.ts'
import type { Job } from '../../jobs/runner.ts'
import { MINUTE } from '../../kernel/clock.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Floor } from '../floor.ts'
import { changePrices } from './change-prices.ts'
import { recordRefusedChange } from './record-refusal.ts'
import { takeUpDue } from './take-up.ts'
import { appliedView, askedView } from './view.ts'

export { priceChangeSubject } from './on-approval.ts'

export const pricingHandlers = (floor: Floor): HandlersOf<'changePrices'> => ({
  async changePrices({ params, body }) {
    const outcome = await changePrices(floor, params.id, body)
    if (!outcome.ok) return outcome
    const result = outcome.value
    // Judged anew when it is sent again: by then the owner may have decided.
    if (result.kind === 'asked') return accept({ body: askedView(params.id, result), unstored: true })
    const { refusal } = result.applied
    return refusal ? { ok: false, refusal } : accept({ body: appliedView(params.id, result) })
  },
})

/** What is refused before the handler runs: a body without `confirm`, or one that cannot be read. */
export const pricingRefusals = (floor: Floor): Pick<RefusalRecorders, 'changePrices'> => ({
  changePrices: ({ params, refusal, context }) =>
    recordRefusedChange(floor, params['id'] ?? '', refusal, context.agent),
})

export const pricingJobs = (floor: Floor): readonly Job[] => [
  { name: 'pricing.take-up', everyMs: MINUTE, run: () => takeUpDue(floor) },
]
