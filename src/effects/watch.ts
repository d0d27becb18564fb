/**
 * Asks the receivers of what left the building without a certain outcome, until it is known and for two days more, as it may
 * arrive late. This is the only way in which the service finds out by itself what came of an order or a price, and it only
 * asks: nothing is ever sent from here.
 */
import type { Job } from '../jobs/runner.ts'
import { SECOND } from '../kernel/clock.ts'
import { mapConcurrent } from '../lib/concurrency.ts'
import type { Context } from '../context.ts'
import {
  type EffectKind,
  type EffectRef,
  type WatchedEffect,
  endWatch,
  listDueEffects,
  listDueReceivers,
  recordAbsent,
  recordAsked,
  watchEffect,
} from './watch-records.ts'

/**
 * - `open`   not certain yet, or just recorded: the questions go on as they were set
 * - `absent` the receiver knows nothing of an effect that counts as ended: so much of the two days is over
 * - `over`   nothing is left to ask
 */
export type Answer = 'open' | 'absent' | 'over'

/** What is asked about one kind of effect, and how. */
export interface Questions<Effect> {
  readonly kind: EffectKind
  /** In progress but not watched: the call is running, or its process died. */
  readonly findUnwatched?: (limit: number) => Promise<readonly Omit<EffectRef, 'kind'>[]>
  /** The effect as it is now, and when to ask next if this question does not settle it. Undefined: nothing is left to ask. */
  readonly load: (watched: WatchedEffect) => Promise<{ readonly effect: Effect; readonly nextMs: number } | undefined>
  /** Asks once about effects of one receiver, and records what is certain. */
  readonly ask: (effects: readonly Effect[]) => Promise<readonly Answer[]>
  /** One question answers for all effects of the receiver. */
  readonly asksTogether: boolean
}

export interface WatchLimits {
  /** Effects of one receiver in a round. */
  readonly effects: number
  readonly receiversAtOnce: number
  /** Questions to one receiver at the same time: half of the calls that it takes at once stay free for callers. */
  readonly questionsAtOnce: number
  /** After this long a round asks nothing more. */
  readonly roundMs: number
}

export const WATCH_LIMITS: WatchLimits = {
  effects: 100,
  receiversAtOnce: 32,
  questionsAtOnce: 8,
  roundMs: 20 * SECOND,
}

type Needs = Pick<Context, 'store' | 'clock' | 'config' | 'log'>

/** After this many doublings any time-out exceeds the longest interval. */
const DOUBLINGS_MAX = 20

/** From the question that is due to the one after it. */
export const intervalAfter = (timesAsked: number, firstMs: number, longestMs: number): number =>
  Math.min(firstMs * 2 ** Math.min(timesAsked, DOUBLINGS_MAX), Math.max(firstMs, longestMs))

/** One job for each kind: machines that do not answer delay no question about an order. */
export const watchJob = <Effect>(ctx: Needs, questions: Questions<Effect>, limits?: WatchLimits): Job => ({
  name: `effects.${questions.kind}`,
  everyMs: 2 * SECOND,
  run: () => askAboutDue(ctx, questions, limits),
})

/** Receivers are asked in parallel, so that one that does not answer does not delay the others. */
export async function askAboutDue<Effect>(
  ctx: Needs,
  questions: Questions<Effect>,
  limits: WatchLimits = WATCH_LIMITS,
): Promise<void> {
  const { store, clock, config } = ctx
  const { kind } = questions
  for (const unwatched of (await questions.findUnwatched?.(limits.effects)) ?? [])
    await watchEffect(store.db, { kind, ...unwatched }, clock.now(), config.upstreamTimeoutMs)
  const endsAt = clock.elapsed() + limits.roundMs
  const receivers = await listDueReceivers(store.db, kind, clock.now())
  await mapConcurrent(limits.receiversAtOnce, receivers, async (receiver) => {
    const due = await listDueEffects(store.db, kind, receiver, clock.now(), limits.effects)
    const asked = questions.asksTogether ? [due] : due.map((effect) => [effect])
    await mapConcurrent(limits.questionsAtOnce, asked, async (effects) => {
      if (clock.elapsed() >= endsAt) return
      try {
        await askOnce(ctx, questions, effects)
      } catch (err) {
        const subjects = effects.map(({ subject }) => subject)
        ctx.log.error({ err, kind, subjects }, 'What came of it could not be found out; its receiver is asked again')
      }
    })
  })
}

async function askOnce<Effect>(
  { store, clock }: Needs,
  questions: Questions<Effect>,
  due: readonly WatchedEffect[],
): Promise<void> {
  const open: { readonly watched: WatchedEffect; readonly next: WatchedEffect; readonly effect: Effect }[] = []
  for (const watched of due) {
    const loaded = await questions.load(watched)
    if (!loaded) {
      await endWatch(store.db, watched)
      continue
    }
    const next = await recordAsked(store.db, watched, clock.now(), loaded.nextMs)
    open.push({ watched, next, effect: loaded.effect })
  }
  if (open.length === 0) return
  const answers = await questions.ask(open.map(({ effect }) => effect))
  for (const [i, { watched, next }] of open.entries()) {
    if (answers[i] === 'absent') await recordAbsent(store.db, watched)
    if (answers[i] === 'over') await endWatch(store.db, next)
  }
}
