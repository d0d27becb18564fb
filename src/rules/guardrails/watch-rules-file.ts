/** Notices when the rules file engages or releases the emergency stop, and leaves an event. What it says holds without it. */
import type { Job } from '../../jobs/runner.ts'
import { SECOND } from '../../kernel/clock.ts'
import type { Context } from '../../context.ts'
import { recordEvent } from '../../record/events/index.ts'
import { EVENTS } from '../../texts/en.ts'
import { saveRulesFileStop, readRulesFileStop } from './records.ts'
import { readStoredRules } from './stored/records.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'readRules'>

/** A file that cannot be read says nothing: what it said before stays. */
async function watchRulesFile(ctx: Deps): Promise<void> {
  const { store, clock } = ctx
  const stored = await readStoredRules(store.db)
  await ctx.readRules.keepFile(stored)
  const { file, rules } = ctx.readRules(stored)
  const engaged = file === 'absent' ? undefined : rules?.killSwitchEngaged
  if (engaged === undefined || engaged === ((await readRulesFileStop(store.db)) ?? false)) return
  await store.transaction(async (tx) => {
    if (!(await saveRulesFileStop(tx, engaged, clock.now()))) return
    const code = engaged ? 'rules_file_stop_engaged' : 'rules_file_stop_released'
    await recordEvent(ctx, tx, {
      kind: 'guardrail',
      code,
      summary: EVENTS[code][0],
      reasoning: `The rules file has "killSwitchEngaged": ${engaged}.`,
    })
  })
}

export const guardrailsJobs = (ctx: Deps): readonly Job[] => [
  { name: 'watch-rules-file', everyMs: 5 * SECOND, run: () => watchRulesFile(ctx) },
]
