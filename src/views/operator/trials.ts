/** Price trials in a shift: tells what the last ones came to, begins or asks about the next. */
import type { Autonomy } from '../../contract/shapes/guardrails.ts'
import { DAY } from '../../kernel/clock.ts'
import { formatAmount, money } from '../../kernel/currency.ts'
import type { TextParams } from '../../kernel/message.ts'
import type { StepCode } from '../../texts/shift/en.ts'
import type { CallReply } from './caller.ts'
import { type AskedTrial, type ProposedTrial, decideTrials } from './decide.ts'
import type { Hand } from './hand.ts'
import { lastStepAt, listAskedTrials } from './records.ts'
import { knownQuestion } from './shift.ts'

type Json = CallReply['body']

/** Asked about once in so long. */
const ASKED_MS = 60 * DAY
/** An answer that comes later is about other prices. */
const AGREED_MS = 14 * DAY
/** Verdicts of longer ago are no news. */
const NEWS_MS = 7 * DAY

interface Proposed extends ProposedTrial {
  readonly params: TextParams & { readonly product: string; readonly change: string; readonly machines: number }
}

export async function tryPrices(hand: Hand, { prices: level }: Autonomy): Promise<void> {
  if (level === 'off') return
  const { running, past, proposals, currency } = await hand.read({ operation: 'listExperiments' })
  await tellVerdicts(hand, past as readonly Json[], {
    kept: 'trial_kept',
    takenBack: 'trial_taken_back',
    currency,
    paramsOf: ({ item, change, machines }) => ({
      product: item.title,
      change: signed(change, currency),
      machines: treated(machines),
    }),
  })
  const { begin, ask } = decideTrials<Proposed>({
    level,
    running: running.length,
    proposals: proposals.map((proposal: Json) => toProposed(proposal, currency)),
    asked: await readAsked(hand, [...running, ...past]),
  })
  for (const { itemId, change, params } of begin)
    await hand.act({
      step: `trial ${itemId}`,
      begun: 'trial_start',
      params,
      request: { operation: 'startExperiment', body: { item: { id: itemId }, change, confirm: true } },
      would: { code: 'trial_started', outcome: 'would', params },
    })
  if (ask)
    await hand.act({
      step: `ask trial ${ask.itemId}`,
      begun: 'question_ask',
      params: { ...ask.params, step: ask.change, item: ask.itemId },
      request: { operation: 'askOwner', body: { kind: 'note', ...trialQuestion(ask) } },
      would: { code: 'trial_asked', outcome: 'would', params: ask.params },
    })
}

const signed = (amount: number, currency: string): string =>
  `${amount < 0 ? '−' : '+'}${formatAmount(Math.abs(amount), currency)}`

const treated = (machines: readonly Json[]): number => machines.filter(({ role }) => role === 'treated').length

const toProposed = ({ item, change, expected, machines }: Json, currency: string): Proposed => ({
  itemId: item.id,
  change,
  gain: expected.gain,
  params: {
    product: item.title,
    change: signed(change, currency),
    machines: treated(machines),
    gain: money(Math.max(0, expected.gain), currency),
    error: money(expected.error, currency),
  },
})

const trialQuestion = ({ params: { product, change, machines } }: Proposed) =>
  knownQuestion('price_trial', { product, change, machines })

async function readAsked(hand: Hand, trials: readonly Json[]): Promise<readonly AskedTrial[]> {
  const now = hand.ctx.clock.now()
  const asked: AskedTrial[] = []
  for (const { at, params, reference } of await listAskedTrials(hand.ctx.store.db, now - ASKED_MS)) {
    const reply = reference && (await hand.tryRead({ operation: 'getApproval', params: { id: reference.id } }))
    const { item: itemId, step } = params
    if (typeof itemId !== 'string' || typeof step !== 'number') continue
    const hasBegun = trials.some(({ item, started_at }) => item.id === itemId && Date.parse(started_at) >= at)
    asked.push({
      itemId,
      change: step,
      answer: reply && reply.status < 300 ? reply.body.status : 'rejected',
      isOver: hasBegun || now - at > AGREED_MS,
    })
  }
  return asked
}

/** A trial that ended, whatever was tried. */
interface Ended {
  readonly id: string
  readonly status: string
  readonly ended_at?: string | null
  readonly expected: Json
  readonly measured?: Json
}

/** Once each: those that ended since the last were told. */
export async function tellVerdicts<Trial extends Ended>(
  hand: Hand,
  past: readonly Trial[],
  { kept, takenBack, currency, paramsOf }: Verdicts<Trial>,
): Promise<void> {
  const { db } = hand.ctx.store
  const told = [await lastStepAt(db, kept), await lastStepAt(db, takenBack)]
  const since = Math.max(hand.ctx.clock.now() - NEWS_MS, ...told.map((at) => at ?? 0))
  for (const trial of past) {
    const { id, status, ended_at: endedAt, measured, expected } = trial
    const step = `verdict ${id}`
    if (status !== 'kept' && status !== 'taken_back') continue
    if (Date.parse(endedAt ?? '') <= since && !hand.ended(step)) continue
    await hand.note(step, {
      code: status === 'kept' ? kept : takenBack,
      params: {
        ...paramsOf(trial),
        ...(measured
          ? {
              gain: signed(measured.gain, currency),
              error: money(measured.error, currency),
              expected: signed(expected.gain, currency),
            }
          : {}),
      },
    })
  }
}

interface Verdicts<Trial> {
  readonly kept: StepCode
  readonly takenBack: StepCode
  readonly currency: string
  readonly paramsOf: (trial: Trial) => TextParams
}
