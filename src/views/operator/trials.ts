/** Trials of prices and products in a shift: reports what the last ones came to, begins or asks about the next. */
import type { Autonomy } from '../../contract/shapes/guardrails.ts'
import { DAY } from '../../kernel/clock.ts'
import { formatAmount, money } from '../../kernel/currency.ts'
import type { TextParams } from '../../kernel/message.ts'
import type { StepCode } from '../../texts/shift/en.ts'
import type { CallReply } from './caller.ts'
import { type AskedTrial, type ProposedTrial, decideSwaps, decideTrials } from './decide.ts'
import type { ShiftCaller } from './shift-caller.ts'
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

export async function tryPrices(caller: ShiftCaller, { prices: level }: Autonomy): Promise<void> {
  if (level === 'off') return
  const { running, past, proposals, currency } = await caller.read({ operation: 'listExperiments' })
  await reportVerdicts(caller, past as readonly Json[], {
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
    asked: await readAsked(caller, [...running, ...past]),
  })
  for (const { itemId, change, params } of begin)
    await caller.act({
      step: `trial ${itemId}`,
      begun: 'trial_start',
      params,
      request: { operation: 'startExperiment', body: { item: { id: itemId }, change, confirm: true } },
      would: { code: 'trial_started', outcome: 'would', params },
    })
  if (ask)
    await caller.act({
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

async function readAsked(caller: ShiftCaller, trials: readonly Json[]): Promise<readonly AskedTrial[]> {
  const now = caller.ctx.clock.now()
  const asked: AskedTrial[] = []
  for (const { at, params, reference } of await listAskedTrials(caller.ctx.store.db, now - ASKED_MS)) {
    const reply = reference && (await caller.tryRead({ operation: 'getApproval', params: { id: reference.id } }))
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

export async function proposeSwaps(caller: ShiftCaller, { swaps: level }: Autonomy): Promise<void> {
  if (level === 'off') return
  const { swaps, trials, currency } = await caller.read({ operation: 'getSwaps' })
  await reportVerdicts(caller, trials as readonly Json[], {
    kept: 'swap_kept',
    takenBack: 'swap_taken_back',
    currency,
    paramsOf: ({ out, in: tried, location, location_name: name }) => ({
      machine: name ?? location,
      product: out.title,
      other: tried.title,
    }),
  })
  const known = new Map<string, Json>(swaps.map((swap: Json) => [`${swap.slot_id} ${swap.in.item.id}`, swap]))
  const chosen = decideSwaps(
    level,
    swaps.map((swap: Json) => ({
      slotId: swap.slot_id,
      location: swap.location,
      itemId: swap.in.item.id,
      gain: swap.weekly_gain,
      status: swap.status,
    })),
  )
  for (const { slotId, itemId, location, gain } of chosen) {
    const swap = known.get(`${slotId} ${itemId}`)
    // The price of a new product is the owner's to confirm.
    const starts = level === 'act' && swap?.in.price === undefined
    const params = {
      machine: swap?.location_name ?? location,
      product: swap?.out.item.title ?? '?',
      other: swap?.in.item.title ?? itemId,
      gain: money(gain, currency),
    }
    await caller.act({
      step: `swap ${slotId}`,
      begun: 'swap_propose',
      params,
      request: {
        operation: 'acceptSwap',
        body: { slot_id: slotId, item: { id: itemId }, ...(starts ? { confirm: true } : { ask: true }) },
      },
      would: {
        code: starts ? 'swap_started' : 'swap_asked',
        outcome: 'would',
        params,
        reference: { type: 'slot', id: slotId },
      },
    })
  }
}

/** A trial that ended, whatever was tried. */
interface Ended {
  readonly id: string
  readonly status: string
  readonly ended_at?: string | null
  readonly expected: Json
  readonly measured?: Json
}

/** Once each: those that ended since the last was reported. */
async function reportVerdicts<Trial extends Ended>(
  caller: ShiftCaller,
  past: readonly Trial[],
  { kept, takenBack, currency, paramsOf }: Verdicts<Trial>,
): Promise<void> {
  const { db } = caller.ctx.store
  const lastReported = [await lastStepAt(db, kept), await lastStepAt(db, takenBack)]
  const since = Math.max(caller.ctx.clock.now() - NEWS_MS, ...lastReported.map((at) => at ?? 0))
  for (const trial of past) {
    const { id, status, ended_at: endedAt, measured, expected } = trial
    const step = `verdict ${id}`
    if (status !== 'kept' && status !== 'taken_back') continue
    if (Date.parse(endedAt ?? '') <= since && !caller.ended(step)) continue
    await caller.note(step, {
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
