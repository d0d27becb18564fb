/**
 * RETENTION_DAYS: removes old events and drafts in small steps. Purchases, attempts, decisions and price changes are kept,
 * with every event that an attempt refers to, so that an audit finds the same after years.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '../../jobs/runner.ts'
import { DAY, HOUR } from '../../kernel/clock.ts'
import { removeOldDrafts } from '../../acts/checkout/index.ts'
import { removeOldEvents } from '../../record/events/index.ts'
import { removeOldMessages } from '../../record/outbox/index.ts'
import { removeOldTranscripts } from '../operator/index.ts'
import type { Context } from '../../context.ts'

/** Rows per transaction: a few milliseconds, so that no purchase waits for it. */
const STEP = 500
const BETWEEN_STEPS_MS = 20
/** A million rows an hour; the rest follows in the next run. */
const STEPS_MAX = 2000

/** What a model was told and said; its hashes stay in the journal. */
const TRANSCRIPT_DAYS = 30

/** Returns where the next step continues; undefined when nothing older is left. */
type Step<P> = (from: P | undefined) => Promise<P | undefined>

async function repeat<P>(step: Step<P>): Promise<void> {
  let from = await step(undefined)
  for (let steps = 1; steps < STEPS_MAX && from !== undefined; steps++) {
    await sleep(BETWEEN_STEPS_MS)
    from = await step(from)
  }
}

async function removeExpired({ store, clock, config }: Pick<Context, 'store' | 'clock' | 'config'>): Promise<void> {
  const before = clock.now() - config.retentionDays * DAY
  await repeat<number>((from) => removeOldEvents(store, before, from, STEP))
  await repeat<string>((from) => removeOldDrafts(store, before, from, STEP))
  await removeOldTranscripts(store, clock.now() - TRANSCRIPT_DAYS * DAY)
  await repeat<number>(async () => ((await removeOldMessages(store, before, STEP)) > 0 ? 0 : undefined))
}

export const retentionJobs = (ctx: Context): readonly Job[] => [
  { name: 'retention', everyMs: HOUR, run: () => removeExpired(ctx) },
]
