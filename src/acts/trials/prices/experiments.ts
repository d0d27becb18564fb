/** GET and POST /pricing/experiments, and how a person ends one. */
import { createHash } from 'node:crypto'
import type { ExperimentEndRequest, ExperimentRequest } from '../../../contract/shapes/planning/experiments.ts'
import type { Reply } from '../../../contract/handlers.ts'
import { DAY } from '../../../kernel/clock.ts'
import { formatAmount } from '../../../kernel/currency.ts'
import { type Outcome, accept, refuse, refuseBusy } from '../../../kernel/outcome.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { type Rules, readRulesOrRefuse } from '../../../rules/guardrails/index.ts'
import { listAppliedPricesSince, previewChange } from '../../pricing/index.ts'
import type { TrialContext } from '../context.ts'
import { elasticityOf } from '../measure/elasticity.ts'
import {
  type Member,
  type NewTrial,
  type Trial,
  changeTrial,
  findTrial,
  insertTrial,
  isOpenTrial,
  listTrials,
} from '../records.ts'
import type { RouteSlot } from '../route.ts'
import { TEXTS, trialEnded, trialStarted } from '../texts.ts'
import { pricePast } from './past.ts'
import { type Group, compare, gainOfStep, proposePrices } from './propose.ts'
import { experimentView, proposalView } from './view.ts'
import { workOn } from '../work.ts'
import { DAYS_BEFORE } from './work.ts'

const PAST_SHOWN = 100

export async function listExperiments(ctx: TrialContext): Promise<Outcome<Reply<'listExperiments'>>> {
  const rules = await readRulesOrRefuse(ctx)
  if (!rules.ok) return rules
  const trials = await listTrials(ctx.store.db, 'price')
  const past = pricePast(trials, ctx.clock.now())
  const proposals = proposePrices(await ctx.route.loadSlots(), rules.value, past)
  const { currency, timeZone } = ctx.config
  const view = (trial: Trial) => experimentView(trial, timeZone)
  return accept({
    body: {
      currency,
      running: trials.filter(isOpenTrial).map(view),
      past: trials
        .filter((trial) => !isOpenTrial(trial))
        .slice(0, PAST_SHOWN)
        .map(view),
      proposals: proposals.map((proposal) => proposalView(proposal, elasticityOf(past.measured, proposal))),
    },
  })
}

export async function startExperiment(
  ctx: TrialContext,
  { item, change }: ExperimentRequest,
): Promise<Outcome<Reply<'startExperiment'>>> {
  if (change === 0) return refuse('invalid', TEXTS.noChange, '$.change')
  const rules = await readRulesOrRefuse(ctx)
  if (!rules.ok) return rules
  const trials = await listTrials(ctx.store.db, 'price')
  if (trials.some((trial) => trial.sku === item.id && isOpenTrial(trial)))
    return refuse('conflict', TEXTS.runs, '$.item.id')
  const past = pricePast(trials, ctx.clock.now())
  const slots = (await ctx.route.loadSlots()).filter(({ sku }) => sku === item.id)
  if (slots.length === 0) return refuse('not_found', TEXTS.notInMachines, '$.item.id')
  if (slots.every(({ costFen }) => costFen === undefined)) return refuse('invalid', TEXTS.costUnknown, '$.item.id')
  const group = compare(slots, past)
  if (!group) return refuse('invalid', TEXTS.nothingToCompare, '$.item.id')
  const limit = limitBroken(ctx, rules.value, group, change)
  if (limit !== undefined) return refuse('invalid', TEXTS.beyondRules(limit), '$.change')
  const within = await withinRules(ctx, group, change)
  if (!within.ok) return within
  const { sku, title, category } = slots[0]!
  const { venueType } = group
  const now = ctx.clock.now()
  const trial: NewTrial = {
    // A product has one open trial, so no two begin at the same instant.
    id: `trial-${now}-${createHash('sha256').update(sku).digest('hex').slice(0, 8)}`,
    kind: 'price',
    status: 'starting',
    sku,
    title,
    category,
    venueType,
    slotId: undefined,
    replaced: undefined,
    stepFen: change,
    members: [
      ...(await membersOf(ctx, group.treated, 'treated', change)),
      ...(await membersOf(ctx, group.controls, 'control', change)),
    ],
    expected: gainOfStep(group.treated, change, elasticityOf(past.measured, { sku, category, venueType })),
    createdAt: now,
    dueAt: now,
  }
  const isNew = await ctx.store.transaction(async (tx) => {
    if (!(await insertTrial(tx, trial))) return false
    const stored = await findTrial(tx, trial.id)
    if (stored) await recordEvent(ctx, tx, trialStarted(stored, ctx.config.currency))
    return true
  })
  if (!isNew) return refuse('conflict', TEXTS.runs, '$.item.id')
  return answer(ctx, await workOn(ctx, trial.id), trial.id)
}

async function answer(
  ctx: TrialContext,
  worked: Trial | undefined,
  id: string,
): Promise<Outcome<{ body: { experiment: ReturnType<typeof experimentView> } }>> {
  const trial = worked ?? (await findTrial(ctx.store.db, id))
  if (!trial) return refuse('not_found', TEXTS.notFound(id))
  return accept({ body: { experiment: experimentView(trial, ctx.config.timeZone) } })
}

/** What a trial would break, before any machine is asked; undefined: nothing. */
function limitBroken(
  { config: { currency } }: TrialContext,
  { priceCapPerItem, priceDriftPerWeek }: Rules,
  { treated }: Group,
  change: number,
): string | undefined {
  const size = Math.abs(change)
  const amount = (fen: number) => formatAmount(fen, currency)
  if (size > priceCapPerItem) return `${amount(size)} exceeds the ${amount(priceCapPerItem)} cap per item`
  if (priceDriftPerWeek !== undefined && size > priceDriftPerWeek)
    return `${amount(size)} exceeds the ${amount(priceDriftPerWeek)} limit per week`
  return treated.some(({ priceFen, costFen }) => priceFen + change <= costFen)
    ? 'the price would not be above the cost'
    : undefined
}

/** Each machine is asked what the change would find now: cap, drift and margin of the live prices. */
async function withinRules(ctx: TrialContext, { treated }: Group, change: number): Promise<Outcome<true>> {
  for (const { location, sku, priceFen } of treated) {
    const amount = priceFen + change
    const preview = await previewChange(ctx, location, {
      prices: [{ item: { id: sku }, price: { amount, currency: ctx.config.currency } }],
      confirm: true,
    })
    // One that does not answer now is tried again by the trial itself.
    if (!preview.ok) {
      if (preview.refusal.messages.some(({ code }) => code === 'upstream_unreachable')) continue
      return preview
    }
    const broken = preview.value.evidence.find(({ needsApproval }) => needsApproval)
    if (broken || !preview.value.isAllowed)
      return refuse('invalid', TEXTS.beyondRules(broken?.text ?? 'the owner would have to approve it'), '$.change')
  }
  return accept(true)
}

async function membersOf(
  ctx: TrialContext,
  slots: readonly (RouteSlot & { readonly costFen: number })[],
  role: Member['role'],
  change: number,
): Promise<readonly Member[]> {
  const since = ctx.clock.now() - DAYS_BEFORE * DAY
  const members: Member[] = []
  for (const { location, locationName, slotId, sku, priceFen, costFen } of slots) {
    const changes = await listAppliedPricesSince(ctx.store.db, location, since)
    const last = changes.findLast(({ lines }) => lines.some(({ skuId }) => skuId === sku))
    members.push({
      location,
      locationName,
      slotId,
      role,
      priceFen,
      costFen,
      comparableFrom: last?.at ?? since,
      ...(role === 'treated' ? { nextFen: priceFen + change, state: 'planned' } : { state: 'changed' }),
    })
  }
  return members
}

export async function endExperiment(
  ctx: TrialContext,
  id: string,
  { keep }: ExperimentEndRequest,
): Promise<Outcome<Reply<'endExperiment'>>> {
  const trial = await findTrial(ctx.store.db, id)
  if (!trial || trial.kind !== 'price') return refuse('not_found', TEXTS.notFound(id))
  const wanted = keep ? 'kept' : 'taking_back'
  if (trial.status === wanted || (!keep && trial.status === 'taken_back')) return answer(ctx, trial, id)
  if (!isOpenTrial(trial) || (keep && trial.status === 'taking_back')) return refuse('not_editable', TEXTS.ended)
  const now = ctx.clock.now()
  const isChanged = await ctx.store.transaction(async (tx) => {
    const to = { status: wanted, reason: 'person', dueAt: now, ...(keep ? { endedAt: now } : {}) } as const
    if (!(await changeTrial(tx, trial, to))) return false
    if (keep) await recordEvent(ctx, tx, trialEnded(trial, 'kept', 'person', trial.measured, ctx.config.currency))
    return true
  })
  if (!isChanged) return refuseBusy(TEXTS.busy, 5)
  return answer(ctx, keep ? undefined : await workOn(ctx, id), id)
}
