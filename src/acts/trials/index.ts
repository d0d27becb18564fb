/** Trials: another price in half of the machines or another product in a slot, compared with others, kept or taken back. */
import type { Handlers } from '../../contract/handlers.ts'
import type { Job } from '../../jobs/runner.ts'
import { MINUTE } from '../../kernel/clock.ts'
import { catchRefusal } from '../../kernel/outcome.ts'
import type { TrialContext } from './context.ts'
import { endExperiment, listExperiments, startExperiment } from './prices/experiments.ts'
import { workOnDueTrials } from './work.ts'

export const trialsHandlers = (ctx: TrialContext) =>
  ({
    listExperiments: () => listExperiments(ctx),
    startExperiment: ({ body }) => catchRefusal(() => startExperiment(ctx, body)),
    endExperiment: ({ params, body }) => catchRefusal(() => endExperiment(ctx, params.id, body)),
  }) satisfies Partial<Handlers>

export const trialsJobs = (ctx: TrialContext): readonly Job[] => [
  { name: 'trials', everyMs: 5 * MINUTE, run: () => workOnDueTrials(ctx) },
]

// What other folders use.
export { listExperiments } from './prices/experiments.ts'
export type { TrialContext } from './context.ts'
export type { CountDays, RouteSlot, RouteSource, SwapBack, SwapState } from './route.ts'
export type { Estimate } from './measure/effect.ts'
export { type Subject, combine, elasticityOf, widen } from './measure/elasticity.ts'
export { type Trial, changeTrial, dropSwapTrial, findOpenSwapTrial, isOpenTrial, listTrials } from './records.ts'
export { measuredBy as measuredPrices } from './prices/past.ts'
export { gainOfSwap, measuredSwaps, shareOf } from './swaps/gain.ts'
export { type NewSwapTrial, SWAP_DAYS_BEFORE, openSwapTrial } from './swaps/open.ts'
export { trialEnded } from './texts.ts'
