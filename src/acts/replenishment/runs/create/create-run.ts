/**
 * POST /replenishment/runs: creates a run from the current plan, with the machines and quantities a person chose.
 * Nothing is ordered yet.
 */
import type { RunRequest } from '../../../../contract/shapes/run.ts'
import { callerKey, callerName } from '../../../../kernel/caller.ts'
import { DAY } from '../../../../kernel/clock.ts'
import { add } from '../../../../kernel/fen.ts'
import type { LocationId } from '../../../../kernel/ids.ts'
import type { NoteMessage } from '../../../../kernel/message.ts'
import { type Outcome, accept, refuse, refuseBusy } from '../../../../kernel/outcome.ts'
import { findCreated, recordCreated } from '../../../../store/created.ts'
import type { Tx } from '../../../../store/store.ts'
import { createPending } from '../../../../rules/approvals/index.ts'
import { loadSpendingTotals } from '../../../checkout/index.ts'
import type { Context } from '../../../../context.ts'
import {
  type Rules,
  approvalNeedOf,
  askedEvidence,
  readGuardrails,
  spendVerdict,
} from '../../../../rules/guardrails/index.ts'
import { findNewestCosts } from '../../../../route/sales/index.ts'
import { addressOf } from '../../../../route/locations/index.ts'
import { recordForecasts } from '../../forecasts/record-forecasts.ts'
import { ordersFromSuppliers } from '../../plan/blocked-products.ts'
import { type CurrentPlan, computePlan } from '../../plan/get-plan.ts'
import { computeTrips } from '../../plan/get-trips.ts'
import { dateView, findNextDates, NEXT_DUE_DAYS } from '../../plan/next-due.ts'
import { type MachineNames, nameFirstMachines, unknownStockWarnings } from '../../plan/view.ts'
import { STRATEGY_VERSION } from '../../planner/plan.ts'
import { drivingOrder } from '../../planner/trips/coming-trips.ts'
import type { VisitReason } from '../../planner/trips/visit.ts'
import { type ChosenLines, type ChosenMachines, chooseLines } from './choose-lines.ts'
import { type RefusedSlot, draftLines, refusedProductMessages } from './draft-lines.ts'
import { estimateCharges } from './estimate-charges.ts'
import { boxedProducts, roundingOf, orderUnitsOf } from './order-quantities.ts'
import { withMoves } from '../../moves/count-moves.ts'
import { appendRunEvent, incrementRunsVersion, findRun, insertRun, updateRun } from '../records.ts'
import {
  type RouteStop,
  type Run,
  type RunLine,
  MESSAGES_MAX,
  runIdAt,
  storeroomUnits,
  totalFen,
  unitsToBuy,
} from '../run.ts'
import { withStoreroom } from '../../storeroom/free-stock.ts'
import { findSources } from '../../../../route/skus/index.ts'
import { decisionAbout, noVisitDueInfo, notDueInfo } from '../texts.ts'

const TRIES = 5

/** Runs changed since the plan was made: plan again. */
class RunsChangedError extends Error {}

export async function createRun(ctx: Context, request: RunRequest = {}): Promise<Outcome<Run>> {
  if (hasTwoChoices(request)) return refuse('invalid', TWO_CHOICES, '$.locations')
  for (let left = TRIES; left > 0; left--) {
    try {
      const earlier = await findCreatedRun(ctx)
      if (earlier) return accept(earlier)
      const guard = await readGuardrails(ctx)
      if (!guard.ok) return guard
      const { rules, killSwitch } = guard.value
      if (killSwitch.engaged) return accept(await insertBlocked(ctx))
      const current = await computePlan(ctx)
      const chosen = chooseLines(current, request)
      if (!chosen.ok) return chosen
      const run = await insertRunOf(ctx, current, await draftRun(ctx, current, chosen.value, rules, request.ask))
      await tryRecordForecasts(ctx, current)
      return accept(run)
    } catch (failure) {
      if (!(failure instanceof RunsChangedError)) throw failure
    }
  }
  return refuseBusy('Other runs keep changing', 1)
}

/** The run that an earlier run of this write created before its process died. */
async function findCreatedRun({ store }: Context): Promise<Run | undefined> {
  const id = await findCreated(store.db)
  return id === undefined ? undefined : findRun(store.db, id)
}

async function insertOnce(tx: Tx, draft: NewRun): Promise<Run> {
  const run = await insertRun(tx, draft)
  if (!(await recordCreated(tx, run.id, run.createdAt))) throw new RunsChangedError()
  return run
}

const TWO_CHOICES = 'Choose an area or locations, not both'
const hasTwoChoices = ({ area, locations }: RunRequest): boolean => area !== undefined && locations !== undefined

/** `?dry_run=true`: the run as it would be created, with its cost. Nothing is stored. */
export async function previewRun(ctx: Context, request: RunRequest = {}) {
  if (hasTwoChoices(request)) return refuse('invalid', TWO_CHOICES, '$.locations')
  const guard = await readGuardrails(ctx)
  if (!guard.ok) return guard
  const { rules, killSwitch } = guard.value
  const now = ctx.clock.now()
  if (killSwitch.engaged) return accept({ run: toPreview(blockedDraft(now)), evidence: [] })
  const current = await computePlan(ctx)
  const chosen = chooseLines(current, request)
  if (!chosen.ok) return chosen
  const { draft, verdict } = await draftRun(ctx, current, chosen.value, rules, request.ask)
  return accept({ run: toPreview(draft), evidence: verdict.evidence })
}

const toPreview = (draft: NewRun): Run => ({ ...draft, id: runIdAt(draft.createdAt), events: [] })

/** A failure does not affect the run: the job records the forecasts later. */
async function tryRecordForecasts(ctx: Context, current: CurrentPlan): Promise<void> {
  try {
    await recordForecasts(ctx, current)
  } catch (err) {
    ctx.log.warn({ err }, 'The forecasts could not be stored')
  }
}

type NewRun = Omit<Run, 'id' | 'events'>

/** `blocked` differs from `nothing_to_do`: no plan was made. */
const blockedDraft = (createdAt: number): NewRun => ({
  createdAt,
  status: 'blocked',
  strategyVersion: STRATEGY_VERSION,
  stops: [],
  checkouts: [],
  messages: [],
  lines: [],
})

const insertBlocked = ({ store, clock }: Context): Promise<Run> =>
  store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    return insertOnce(tx, blockedDraft(clock.now()))
  })

type DraftRun = Readonly<Awaited<ReturnType<typeof draftRun>>>

async function draftRun(
  ctx: Context,
  current: CurrentPlan,
  { machines, lines: planned }: ChosenLines,
  rules: Rules,
  ask = false,
) {
  const { input, plan } = current
  const { now } = input.settings
  const ids = planned.map(({ skuId }) => skuId)
  const sources = await findSources(ctx, ids)
  const drafted = draftLines(planned, sources, rules, await findNewestCosts(ctx.store.db, ids))
  const { refused } = drafted
  const served = (await withStoreroom(ctx, ctx.store.db, drafted.lines)).map(withoutUnlisted(ctx))
  const stops = await sortStops(current, served)
  const inOrder = stops.map(({ location }) => location)
  const lines = await withMoves(ctx, current, served, inOrder)
  const rounding = roundingOf(lines, sources.values())
  const notes = [
    ...refusedProductMessages([...refused, ...blockedSlots(current, machines)]),
    ...(lines.length === 0 ? [await describeWaiting(current, machines)] : []),
    ...notDueMessages(machines, lines, input),
    ...unknownStockWarnings(plan, input),
    ...rounding.messages,
  ].slice(0, MESSAGES_MAX)
  const chargesFen = await estimateCharges(ctx, { lines }, sources)
  const purchase = { totalFen: add(totalFen(lines), rounding.extraFen, chargesFen), key: callerKey() ?? '' }
  const spend = spendVerdict(rules, purchase, now, await loadSpendingTotals(ctx.store.db, rules, now))
  const verdict = ask ? { allowed: false, evidence: [...spend.evidence, askedEvidence(callerName())] } : spend
  // What only moves from the store room into machines is nobody's decision.
  const isAllowed = verdict.allowed || (!ask && lines.every((line) => unitsToBuy(line) === 0))
  const status = lines.length === 0 ? 'nothing_to_do' : isAllowed ? 'approved' : 'pending_approval'
  const approvalNeed = status === 'pending_approval' ? approvalNeedOf(verdict.evidence) : undefined
  const draft: NewRun = {
    createdAt: now,
    status,
    strategyVersion: plan.strategyVersion,
    stops,
    checkouts: [],
    ...boxedProducts(orderUnitsOf(sources.values())),
    ...(rounding.roundedTo && { roundedTo: rounding.roundedTo }),
    ...(rounding.extraFen > 0 ? { extraFen: rounding.extraFen } : {}),
    ...(chargesFen > 0 ? { chargesFen } : {}),
    messages: notes,
    ...(approvalNeed && { approvalNeed }),
    lines,
  }
  return { draft, verdict }
}

/** A product that no supplier lists any more: the run brings what the store room still has. */
const withoutUnlisted =
  (ctx: Context) =>
  (line: RunLine): RunLine =>
    line.source === undefined && storeroomUnits(line) > 0 && ordersFromSuppliers(ctx)
      ? { ...line, quantity: storeroomUnits(line) }
      : line

function insertRunOf(ctx: Context, { input }: CurrentPlan, { draft, verdict }: DraftRun): Promise<Run> {
  const { createdAt: now, status } = draft
  return ctx.store.transaction(async (tx) => {
    if ((await incrementRunsVersion(tx)) !== input.version) throw new RunsChangedError()
    const run = await insertOnce(tx, draft)
    if (status === 'nothing_to_do') return run
    await appendRunEvent(tx, run.id, 'planned', now)
    if (status === 'approved') await appendRunEvent(tx, run.id, 'approved', now)
    else
      await updateRun(tx, run.id, status, {
        decision: await createPending(ctx, tx, decisionAbout(run, verdict, ctx.config.currency)),
      })
    return (await findRun(tx, run.id)) ?? run
  })
}

/** Slots that the plan leaves out because no run may take their product: of the machines of the run, and those at risk. */
function blockedSlots({ input, plan }: CurrentPlan, machines: ChosenMachines): RefusedSlot[] {
  const { blocked, slots } = input
  return plan.plans.flatMap(({ slotId, location, stock, basis, recommendation }) => {
    const slot = slots.get(slotId)
    const isWanted = machines.has(location) ? stock < basis.target : basis.atRisk && machines.isWholeRoute
    if (recommendation.because === undefined || !slot || !isWanted) return []
    return [{ slotId, skuId: slot.skuId, title: slot.title, entry: blocked.get(slot.skuId)?.entry }]
  })
}

/** Why a run has nothing to order: never silently, while slots may be empty. */
async function describeWaiting({ input, plan }: CurrentPlan, machines: ChosenMachines): Promise<NoteMessage> {
  const isIncluded = ({ location }: { readonly location: string }) => machines.isWholeRoute || machines.has(location)
  const entries = plan.plans.filter(isIncluded)
  const inTransit = entries.filter(({ recommendation }) => recommendation.action === 'in_transit')
  const waiting: Partial<Record<VisitReason, number>> = {}
  const locations = new Set<string>()
  for (const { location, visit } of plan.visits.filter(isIncluded)) {
    if (!visit.go) waiting[visit.why] = (waiting[visit.why] ?? 0) + 1
    locations.add(location)
  }
  const dates = [...(await findNextDates({ input, plan }, locations))].flatMap(([location, day]) =>
    locations.has(location) ? [day] : [],
  )
  return noVisitDueInfo({
    slots: entries.length,
    empty: entries.filter(({ stock }) => stock === 0).length,
    atRisk: entries.filter(({ stock, basis }) => stock > 0 && basis.atRisk).length,
    inTransit: inTransit.length,
    waiting,
    date: dates.length === 0 ? undefined : dateView(Math.min(...dates)),
    days: NEXT_DUE_DAYS,
  })
}

function notDueMessages({ notDue }: ChosenMachines, lines: readonly RunLine[], names: MachineNames): NoteMessage[] {
  const machines = [...new Set(lines.flatMap(({ location }) => (notDue.has(location) ? [location] : [])))]
  return machines.length === 0 ? [] : [notDueInfo(nameFirstMachines(machines, names))]
}

/** The machines in the order in which they are driven to, trip after trip. */
async function sortStops(current: CurrentPlan, lines: readonly RunLine[]): Promise<RouteStop[]> {
  const { input, plan } = current
  const { locations, settings } = input
  const visited = new Set<string>(lines.map(({ location }) => location))
  if (visited.size === 0) return []
  const { trips } = await computeTrips(current, 1)
  const inTrips = trips.flatMap(({ stops }) =>
    stops.flatMap(({ machines }) => machines.map(({ location }) => location)),
  )
  const others = visited.difference(new Set(inTrips))
  const order = [...inTrips, ...plan.areas.flatMap((area) => drivingOrder(area, others, settings.driving))]
  return order.flatMap((id) => {
    if (!visited.has(id)) return []
    const location = id as LocationId
    const known = locations.get(location)
    return [
      {
        location,
        name: known?.name ?? location,
        address: (known && addressOf(known.profile)) ?? {},
        expectedAt: Math.round(settings.now + settings.leadTime.days * DAY),
      },
    ]
  })
}
