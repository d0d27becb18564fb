/** The operator: runs the route within the owner's rules, in shifts. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { isDryRun } from '../../contract/dry-run.ts'
import { PAGE_MAX } from '../../contract/limits.ts'
import type { Autonomy } from '../../contract/shapes/guardrails.ts'
import type { Operator, OperatorRequest, ShiftTrigger } from '../../contract/shapes/operator/operator.ts'
import type { Job } from '../../jobs/runner.ts'
import { DAY, MINUTE, parseRfc3339, rfc3339, SECOND } from '../../kernel/clock.ts'
import { callerName, currentCaller } from '../../kernel/caller.ts'
import { error } from '../../kernel/message.ts'
import { type Outcome, accept, refuse, refuseAll } from '../../kernel/outcome.ts'
import { isTokenHolder } from '../../kernel/person.ts'
import { partOf } from '../../lib/pages.ts'
import { findCreated, recordCreated } from '../../store/created.ts'
import { listEventsAfter, readLastSeq, recordEvent } from '../../record/events/index.ts'
import { listDecisions } from '../../rules/approvals/index.ts'
import { changeAutonomy, readAutonomy, readGuardrails, spendingLimits, usedOf } from '../../rules/guardrails/index.ts'
import { hasSeparationOfDuties } from '../../rules/people/index.ts'
import { listSessions, loadSpendingTotals } from '../../acts/checkout/index.ts'
import type { Context } from '../../context.ts'
import type { CallAs, OperatorTools } from './caller.ts'
import { listTranscript } from './model/records.ts'
import { costOf } from './model/usage.ts'
import {
  type OperatorState,
  findRunning,
  findShift,
  insertShift,
  listShifts,
  listSteps,
  lockState,
  readState,
  saveState,
} from './records.ts'
import { ensureKey, runShift } from './run-shift.ts'
import { type Shift, OPERATOR_NAME, readable } from './shift.ts'
import { entryView, shiftView, stepView } from './view.ts'
import { watch } from './watch.ts'
import { type Wake, type Watched, hasNews, isWakeDue, nextWake, triggerOf, wakeOf } from './wake.ts'

const EVENTS_READ = 500
const SHIFTS_MAX = 1000
const DECISIONS_MAX = 500
const SESSIONS_MAX = 100
/** The longest pause that an operator may set. */
const PAUSE_DAYS_MAX = 7

const isOff = ({ restock, prices, swaps }: Autonomy): boolean =>
  [restock, prices, swaps].every((level) => level === 'off')

export function operatorHandlers(
  ctx: Context,
): HandlersOf<'getOperator' | 'putOperator' | 'startShift' | 'listShifts' | 'getShift' | 'getTranscript'> {
  const { store, config } = ctx
  const fullView = async (shift: Shift) => {
    const { timeZone } = config
    const steps = await listSteps(store.db, shift.id)
    return {
      ...shiftView(shift, timeZone),
      steps: readable(steps).map((step) => stepView(step, timeZone)),
      ...costOf(steps),
    }
  }
  return {
    getOperator: async () => {
      const operator = await describeOperator(ctx)
      return operator.ok ? accept({ body: operator.value }) : operator
    },

    async putOperator({ body }) {
      const changed = await changeOperator(ctx, body)
      if (!changed.ok) return changed
      const operator = await describeOperator(ctx)
      return operator.ok ? accept({ body: operator.value }) : operator
    },

    async startShift({ query }) {
      const autonomy = await readAutonomy(ctx)
      if (!autonomy.ok) return autonomy
      if (isOff(autonomy.value)) return refuse('not_enabled', 'The operator is switched off')
      const earlier = await findCreated(store.db)
      const known = earlier === undefined ? undefined : await findShift(store.db, earlier)
      const shift = known ?? (await startShift(ctx, 'by_hand', isDryRun(query)))
      if (shift) return accept({ body: await fullView(shift) })
      const running = await findRunning(store.db)
      return refuseAll(
        [error('shift_running', 'A shift is running already', undefined, running ? { shift: running.id } : {})],
        { status: 409 },
      )
    },

    async listShifts({ query }) {
      const part = partOf(await listShifts(store.db, SHIFTS_MAX), query, PAGE_MAX, ({ id }) => id)
      if (!part.ok) return part
      const { entries, ...pages } = part.value
      return accept({ body: { shifts: entries.map((shift) => shiftView(shift, config.timeZone)), ...pages } })
    },

    async getShift({ params }) {
      const shift = await findShift(store.db, params.id)
      return shift ? accept({ body: await fullView(shift) }) : refuse('not_found', `Shift "${params.id}" not found`)
    },

    async getTranscript({ params, query }) {
      const shift = await findShift(store.db, params.id)
      if (!shift) return refuse('not_found', `Shift "${params.id}" not found`)
      const part = partOf(await listTranscript(store.db, shift.id), query, PAGE_MAX, ({ n }) => `${n}`)
      if (!part.ok) return part
      const { entries, ...pages } = part.value
      const { model } = costOf(await listSteps(store.db, shift.id))
      return accept({
        body: { id: shift.id, model, entries: entries.map((entry) => entryView(entry, config.timeZone)), ...pages },
      })
    },
  }
}

/** Undefined while one runs. */
const startShift = ({ store, clock }: Context, trigger: ShiftTrigger, dryRun: boolean): Promise<Shift | undefined> =>
  store.transaction(async (tx) => {
    const shift = await insertShift({ store, clock }, tx, { trigger, isDryRun: dryRun })
    if (shift) await recordCreated(tx, shift.id, clock.now())
    return shift
  })

async function describeOperator(ctx: Context): Promise<Outcome<Omit<Operator, 'ucp'>>> {
  const { store, clock, config } = ctx
  const { timeZone, currency } = config
  const now = clock.now()
  const autonomy = await readAutonomy(ctx)
  if (!autonomy.ok) return autonomy
  const guard = await readGuardrails(ctx)
  if (!guard.ok) return guard
  const { rules } = guard.value
  const spent = await loadSpendingTotals(store.db, rules, now)
  const left = (window: 'run' | 'day' | 'week'): number | null => {
    const amounts = spendingLimits(rules)
      .filter((limit) => limit.window === window && limit.supplier === undefined)
      .filter(({ key }) => key === undefined || key === OPERATOR_NAME)
      .map((limit) => Math.max(0, limit.limitFen - usedOf(limit, spent).usedFen))
    return amounts.length === 0 ? null : Math.min(...amounts)
  }
  const state = await readState(store.db, now)
  const [last] = await listShifts(store.db, 1)
  const pending = await listDecisions(store.db, {
    status: 'pending',
    kind: undefined,
    after: undefined,
    limit: DECISIONS_MAX,
  })
  const open = await listSessions(store.db, {
    status: 'complete_in_progress',
    vendor: undefined,
    before: undefined,
    limit: SESSIONS_MAX,
  })
  const next = isOff(autonomy.value) ? undefined : nextWake(state, now, timeZone)
  return accept({
    autonomy: autonomy.value,
    model: config.operatorModel ? { name: config.operatorModel.model } : null,
    wake_at: [...state.wakeAt],
    weekdays: [...state.weekdays],
    paused_until:
      state.pausedUntil === undefined || state.pausedUntil <= now ? null : rfc3339(state.pausedUntil, timeZone),
    next_wake_at: next === undefined ? null : rfc3339(next, timeZone),
    last_shift: last ? shiftView(last, timeZone) : null,
    waiting_for: [
      ...pending
        .filter(({ by }) => by?.name === OPERATOR_NAME)
        .map(({ id, at, summary }) => ({
          type: 'approval' as const,
          id,
          since: rfc3339(at, timeZone),
          text: summary,
        })),
      ...open.flatMap(({ id, outcomeUnknown }) =>
        outcomeUnknown
          ? [
              {
                type: 'purchase' as const,
                id,
                since: rfc3339(outcomeUnknown.since, timeZone),
                text: outcomeUnknown.text,
              },
            ]
          : [],
      ),
    ],
    budget: {
      currency,
      per_purchase: left('run'),
      left_today: left('day'),
      left_this_week: left('week'),
    },
  })
}

/** The owner; in staging, which cannot spend, whoever has the token, until there is an owner. */
async function isOwner({ store, config }: Context): Promise<boolean> {
  const by = currentCaller()?.by
  if (by?.role === 'owner') return true
  return config.env === 'staging' && (!by || isTokenHolder(by)) && !(await hasSeparationOfDuties(store.db))
}

const OWNER_ONLY = 'Only an owner may change what the operator does, and end a pause'

async function changeOperator(ctx: Context, request: OperatorRequest): Promise<Outcome<void>> {
  const { store, clock } = ctx
  const { autonomy, wake_at: wakeAt, weekdays, paused_until: pause } = request
  const now = clock.now()
  const mayAll = await isOwner(ctx)
  if (!mayAll && (autonomy !== undefined || wakeAt !== undefined || weekdays !== undefined))
    return refuse('forbidden', OWNER_ONLY)
  const until = pause === undefined || pause === null ? undefined : parseRfc3339(pause)
  if (typeof pause === 'string' && until === undefined)
    return refuse('invalid', 'Not an RFC 3339 time with an offset', '$.paused_until')
  if (!mayAll && until !== undefined && until > now + PAUSE_DAYS_MAX * DAY)
    return refuse('invalid', `An operator may pause it for at most ${PAUSE_DAYS_MAX} days`, '$.paused_until')
  const { pausedUntil } = await readState(store.db, now)
  const isEnding = pause === null || (until !== undefined && until < (pausedUntil ?? 0))
  if (!mayAll && pause !== undefined && isEnding && (pausedUntil ?? 0) > now) return refuse('forbidden', OWNER_ONLY)
  if (autonomy !== undefined) {
    const changed = await changeAutonomy(ctx, autonomy)
    if (!changed.ok) return changed
    // The owner's word brings a revoked key back.
    if (Object.values(autonomy).some((level) => level !== 'off')) await ensureKey(ctx, true)
  }
  await store.transaction(async (tx) => {
    await lockState(tx)
    const state = await readState(tx, now)
    const next: OperatorState = {
      ...state,
      ...(wakeAt === undefined ? {} : { wakeAt: [...new Set(wakeAt)].toSorted() }),
      ...(weekdays === undefined ? {} : { weekdays: [...new Set(weekdays)].toSorted((a, b) => a - b) }),
      ...(pause === undefined ? {} : { pausedUntil: until }),
      // Wake-ups of before the change are history.
      wokenAt: now,
      seenEvent: state.seenEvent < 0 ? await readLastSeq(tx) : state.seenEvent,
    }
    await saveState(tx, next)
    if (pause === undefined && wakeAt === undefined && weekdays === undefined) return
    const by = callerName()
    const reasoning = 'PUT /operator'
    if (until === undefined)
      return void (await recordEvent(ctx, tx, {
        kind: 'operator',
        code: 'operator_changed',
        params: { by },
        summary: 'The operator was changed',
        reasoning,
      }))
    const end = rfc3339(until, ctx.config.timeZone)
    await recordEvent(ctx, tx, {
      kind: 'operator',
      code: 'operator_paused',
      params: { by, until: end },
      summary: `The operator pauses until ${end}`,
      reasoning,
    })
  })
  return accept(undefined)
}

/** What all events since the last look mean; most are sales and mean nothing. */
async function readWakes({ store }: Context, after: number) {
  const wakes = new Set<Wake>()
  let last = after
  while (true) {
    const events = await listEventsAfter(store.db, last, EVENTS_READ)
    for (const event of events) wakes.add(wakeOf(event, OPERATOR_NAME))
    last = events.at(-1)?.seq ?? last
    if (events.length < EVENTS_READ) return { wakes, last }
  }
}

/** Why a shift should begin now; undefined: it should not. */
async function dueTrigger(ctx: Context, look: () => Promise<Watched | undefined>): Promise<ShiftTrigger | undefined> {
  const { store, clock, config } = ctx
  const autonomy = await readAutonomy(ctx)
  if (!autonomy.ok || isOff(autonomy.value)) return undefined
  const now = clock.now()
  const state = await readState(store.db, now)
  if (state.seenEvent < 0) {
    const seenEvent = await readLastSeq(store.db)
    await store.transaction(async (tx) => {
      await lockState(tx)
      await saveState(tx, { ...(await readState(tx, now)), seenEvent })
    })
    return undefined
  }
  const update = (change: Partial<OperatorState>) =>
    store.transaction(async (tx) => {
      await lockState(tx)
      await saveState(tx, { ...(await readState(tx, now)), ...change })
    })
  if (isWakeDue(state, state.wokenAt, now, config.timeZone)) {
    await update({ wokenAt: now })
    return 'wake_up'
  }
  if (state.pausedUntil !== undefined && now < state.pausedUntil) return undefined
  const { wakes, last } = await readWakes(ctx, state.seenEvent)
  const watched = (await look()) ?? state.watched
  const isNew = watched !== undefined && hasNews(state.watched, watched)
  const trigger = triggerOf({ wakes, hasNews: isNew, eventAt: state.eventAt, now })
  // It is found again then.
  if (trigger === 'later') return undefined
  const isEvent = isNew || wakes.has('event')
  if (last !== state.seenEvent || JSON.stringify(watched) !== JSON.stringify(state.watched))
    await update({ seenEvent: last, watched, ...(isEvent ? { eventAt: now } : {}) })
  return trigger
}

/** Under the lease of a job: one at a time over all instances, and taken over when its process dies. */
export function operatorJobs(ctx: Context, callAs: CallAs, tools: OperatorTools): readonly Job[] {
  let lookedAt = Number.NEGATIVE_INFINITY
  /** Once a minute; undefined: not now. */
  const look = async () => {
    if (Math.abs(ctx.clock.now() - lookedAt) < MINUTE) return undefined
    lookedAt = ctx.clock.now()
    return watch(ctx)
  }
  return [
    {
      name: 'operator',
      everyMs: 2 * SECOND,
      run: async () => {
        const running = await findRunning(ctx.store.db)
        if (running) return runShift(ctx, callAs, tools, running)
        const trigger = await dueTrigger(ctx, look)
        const shift = trigger && (await startShift(ctx, trigger, false))
        if (shift) await runShift(ctx, callAs, tools, shift)
      },
    },
  ]
}

// What other folders use.
export type { CallAs, OperatorTools } from './caller.ts'
export { removeOldTranscripts } from './model/records.ts'
export { chainedShifts, chainedSteps, listEndedSince, listSteps } from './records.ts'
export { type Shift, type Step, OPERATOR_NAME, readable } from './shift.ts'
export { stepText, summaryText } from './view.ts'
