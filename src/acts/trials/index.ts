/** Trials: another price, tried in half of the machines, compared with the others, kept or taken back. */
import type { Handlers } from '../../contract/handlers.ts'
import type { Job } from '../../jobs/runner.ts'
import { MINUTE } from '../../kernel/clock.ts'
import { catchRefusal } from '../../kernel/outcome.ts'
import type { TrialContext } from './context.ts'
import { endExperiment, listExperiments, startExperiment } from './prices/experiments.ts'
import { workOnDueTrials } from './prices/work.ts'

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
export type { CountDays, RouteSlot, RouteSource } from './route.ts'
