/** Pricing: live prices on machines, within the cap or after approval. */
import { isDryRun } from '../../contract/dry-run.ts'
import type { HandlersOf, RefusalRecorders } from '../../contract/handlers.ts'
import type { Job } from '../../jobs/runner.ts'
import { MINUTE } from '../../kernel/clock.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { changePrices, previewChange, recordRefusedChange } from './change-prices.ts'
import { readBackJob } from './reconcile.ts'
import { applyDueApproved } from './apply-approved.ts'
import { appliedView, askedView, previewView } from './view.ts'

export { priceChangeSubject } from './on-approval.ts'

export const pricingHandlers = (ctx: Context): HandlersOf<'changePrices'> => ({
  async changePrices({ params, query, body }) {
    if (isDryRun(query)) {
      const preview = await previewChange(ctx, params.id, body)
      return preview.ok ? accept({ body: previewView(params.id, preview.value, ctx.config.currency) }) : preview
    }
    const outcome = await changePrices(ctx, params.id, body)
    if (!outcome.ok) return outcome
    const result = outcome.value
    // Not stored under the Idempotency-Key: when it is sent again, the owner may have decided.
    if (result.kind === 'asked') return accept({ body: askedView(params.id, result), unstored: true })
    const { refusal } = result.applied
    return refusal ? { ok: false, refusal } : accept({ body: appliedView(params.id, result, ctx.config.currency) })
  },
})

/** Every attempt to change prices writes an event, also one that is refused before the handler runs. */
export const pricingRefusals = (ctx: Context): Pick<RefusalRecorders, 'changePrices'> => ({
  changePrices: ({ params, refusal }) => recordRefusedChange(ctx, params['id'] ?? '', refusal),
})

export const pricingJobs = (ctx: Context): readonly Job[] => [
  { name: 'pricing.apply-approved', everyMs: MINUTE, run: () => applyDueApproved(ctx) },
  readBackJob(ctx),
]

// What other folders use.
export { changePrices, previewChange } from './change-prices.ts'
export { hasOpenChangesOf, listAppliedPricesSince, chainedPrices } from './records.ts'
