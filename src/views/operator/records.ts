/** Shifts, their journal and the state of the operator in the store. */
import type { Selectable } from 'kysely'
import type { TextParams } from '../../kernel/message.ts'
import { byColumns, fromByColumns } from '../../store/caller-columns.ts'
import { incrementCounter } from '../../store/counter.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'
import { type Queryable, type Tx, changeRows, readAll, readFirst } from '../../store/store.ts'
import { type ChainedRows, type Facts, chainChange } from '../../record/hash-chain/index.ts'
import type { ShiftStatus, ShiftTrigger } from '../../contract/shapes/operator/operator.ts'
import type { WriteContext } from '../../context.ts'
import type { StepCode } from '../../texts/shift/en.ts'
import type { Watched } from './wake.ts'
import type { Figures, NewStep, Reference, Shift, Step, StepRequest } from './shift.ts'

const shiftOf = (row: Selectable<Columns<'shift'>>): Shift => ({
  id: row.id,
  trigger: row.trigger,
  isDryRun: row.dry_run === 1,
  status: row.status,
  startedAt: row.started_at,
  endedAt: row.ended_at ?? undefined,
  figures: row.figures === null ? undefined : (JSON.parse(row.figures) as Figures),
  by: fromByColumns(row),
})

const stepOf = (row: Selectable<Columns<'shift_step'>>): Step => ({
  n: row.n,
  at: row.at,
  step: row.step,
  code: row.code as StepCode,
  params: JSON.parse(row.params) as TextParams,
  reference:
    row.reference_type === null || row.reference_id === null
      ? undefined
      : { type: row.reference_type as Reference['type'], id: row.reference_id },
  outcome: row.outcome,
  request: row.request === null ? undefined : (JSON.parse(row.request) as StepRequest),
})

const shiftFacts = (row: Selectable<Columns<'shift'>>): Facts => ({ ...row })
const stepFacts = (row: Selectable<Columns<'shift_step'>>): Facts => ({ ...row })

const stepSubject = ({ shift, n }: { readonly shift: string; readonly n: number }): string =>
  `${shift} ${String(n).padStart(6, '0')}`

function chainShift(ctx: WriteContext, tx: Tx, id: string): void {
  chainChange(ctx, tx, {
    kind: 'shift',
    subject: id,
    readFacts: (db) => readFirst(db.selectFrom('shift').selectAll().where('id', '=', id), shiftFacts),
  })
}

/** Undefined while another one runs. */
export async function insertShift(
  ctx: WriteContext,
  tx: Tx,
  { trigger, isDryRun }: { readonly trigger: ShiftTrigger; readonly isDryRun: boolean },
): Promise<Shift | undefined> {
  // Locks, so that of two instances one waits and then finds the other's.
  const number = await incrementCounter(tx, 'shifts')
  if (await findRunning(tx)) return undefined
  const now = ctx.clock.now()
  const row = {
    id: `shift-${now}-${number}`,
    trigger,
    dry_run: isDryRun ? 1 : 0,
    status: 'running' as const,
    started_at: now,
    ended_at: null,
    figures: null,
    ...byColumns(),
  }
  await tx.insertInto('shift').values(row).execute()
  chainShift(ctx, tx, row.id)
  return shiftOf(row)
}

export const findRunning = (db: Queryable): Promise<Shift | undefined> =>
  readFirst(db.selectFrom('shift').selectAll().where('status', '=', 'running'), shiftOf)

export const findShift = (db: Queryable, id: string): Promise<Shift | undefined> =>
  readFirst(db.selectFrom('shift').selectAll().where('id', '=', id), shiftOf)

/** Newest first. */
export const listShifts = (db: Queryable, limit: number): Promise<Shift[]> =>
  readAll(db.selectFrom('shift').selectAll().orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit), shiftOf)

/** That ended after an instant and were no dry runs. */
export const listEndedSince = (db: Queryable, since: number): Promise<Shift[]> =>
  readAll(
    db.selectFrom('shift').selectAll().where('ended_at', '>=', since).where('dry_run', '=', 0).orderBy('ended_at'),
    shiftOf,
  )

/** False when it ended already. */
export async function endShift(
  ctx: WriteContext,
  tx: Tx,
  id: string,
  status: Exclude<ShiftStatus, 'running'>,
  figures: Figures,
): Promise<boolean> {
  const isEnded = await changeRows(
    tx
      .updateTable('shift')
      .set({ status, ended_at: ctx.clock.now(), figures: JSON.stringify(figures) })
      .where((eb) => matchColumns(eb, { id, status: 'running' })),
  )
  if (isEnded) chainShift(ctx, tx, id)
  return isEnded
}

export const listSteps = (db: Queryable, shift: string): Promise<Step[]> =>
  readAll(db.selectFrom('shift_step').selectAll().where('shift', '=', shift).orderBy('n'), stepOf)

/** When a step of this code was last journaled in a shift that was no dry run. */
export async function lastStepAt(db: Queryable, code: StepCode): Promise<number | undefined> {
  const row = await db
    .selectFrom('shift_step')
    .innerJoin('shift', 'shift.id', 'shift_step.shift')
    .select('shift_step.at')
    .where('shift_step.code', '=', code)
    .where('shift.dry_run', '=', 0)
    .orderBy('shift_step.at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.at
}

/** What models answered since an instant, in all shifts. */
export const listReplies = (db: Queryable, since: number): Promise<Step[]> =>
  readAll(db.selectFrom('shift_step').selectAll().where('code', '=', 'model_replied').where('at', '>=', since), stepOf)

/** Runs that a shift created for the owner to decide. */
export async function listAskedRuns(db: Queryable, since: number): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('shift_step')
    .select('reference_id')
    .where('code', '=', 'run_asked')
    .where('outcome', '=', 'asked')
    .where('at', '>=', since)
    .execute()
  return new Set(rows.flatMap(({ reference_id: id }) => id ?? []))
}

/** Trials that shifts asked the owner about, since an instant. */
export const listAskedTrials = (db: Queryable, since: number): Promise<Step[]> =>
  readAll(
    db
      .selectFrom('shift_step')
      .selectAll()
      .where('code', '=', 'trial_asked')
      .where('outcome', '=', 'asked')
      .where('at', '>=', since)
      .orderBy('at'),
    stepOf,
  )

/** Of these runs, those whose pick list was reported. */
export async function listReportedRuns(db: Queryable, runs: readonly string[]): Promise<ReadonlySet<string>> {
  if (runs.length === 0) return new Set()
  const rows = await db
    .selectFrom('shift_step')
    .innerJoin('shift', 'shift.id', 'shift_step.shift')
    .select('shift_step.reference_id')
    .where('shift_step.code', '=', 'pick_list')
    .where('shift_step.reference_type', '=', 'replenishment_run')
    .where('shift_step.reference_id', 'in', runs)
    .where('shift.dry_run', '=', 0)
    .execute()
  return new Set(rows.flatMap(({ reference_id: id }) => id ?? []))
}

/** Undefined when another process wrote this place of the journal first, or the shift has ended. */
export async function appendStep(
  ctx: WriteContext,
  tx: Tx,
  shift: string,
  n: number,
  { step, code, params, reference, outcome, request }: NewStep,
): Promise<Step | undefined> {
  const row = {
    shift,
    n,
    at: ctx.clock.now(),
    step,
    code,
    params: JSON.stringify(params),
    reference_type: reference?.type ?? null,
    reference_id: reference?.id ?? null,
    outcome,
    request: request === undefined ? null : JSON.stringify(request),
  }
  if ((await findShift(tx, shift))?.status !== 'running') return undefined
  const isNew = await changeRows(
    tx
      .insertInto('shift_step')
      .values(row)
      .onConflict((conflict) => conflict.columns(['shift', 'n']).doNothing()),
  )
  if (!isNew) return undefined
  chainChange(ctx, tx, { kind: 'shift_step', subject: stepSubject(row), readFacts: async () => stepFacts(row) })
  return stepOf(row)
}

/** For the verification of the hash chain. */
export const chainedShifts: ChainedRows = async (db, after, limit) =>
  readAll(
    db
      .selectFrom('shift')
      .selectAll()
      .where('id', '>', after ?? '')
      .orderBy('id')
      .limit(limit),
    (row) => ({ subject: row.id, facts: shiftFacts(row) }),
  )

export const chainedSteps: ChainedRows = async (db, after, limit) => {
  const [, shift = '', n = '-1'] = /^(.*) (\d+)$/.exec(after ?? '') ?? []
  const rows = await db
    .selectFrom('shift_step')
    .selectAll()
    .where((eb) => eb.or([eb('shift', '>', shift), eb.and([eb('shift', '=', shift), eb('n', '>', Number(n))])]))
    .orderBy('shift')
    .orderBy('n')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ subject: stepSubject(row), facts: stepFacts(row) }))
}

const stateOf = (row: Selectable<Columns<'operator_state'>>) => ({
  wakeAt: JSON.parse(row.wake_at) as readonly string[],
  weekdays: JSON.parse(row.weekdays) as readonly number[],
  pausedUntil: row.paused_until ?? undefined,
  wokenAt: row.woken_at,
  seenEvent: row.seen_event,
  eventAt: row.event_at,
  watched: row.watched === null ? undefined : (JSON.parse(row.watched) as Watched),
})
export type OperatorState = Readonly<ReturnType<typeof stateOf>>

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]

/** Before anybody changed it: six in the morning, every day, from now on. */
export async function readState(db: Queryable, now: number): Promise<OperatorState> {
  const known = await readFirst(db.selectFrom('operator_state').selectAll(), stateOf)
  return (
    known ?? {
      wakeAt: ['06:00'],
      weekdays: EVERY_DAY,
      pausedUntil: undefined,
      wokenAt: now,
      seenEvent: -1,
      eventAt: 0,
      watched: undefined,
    }
  )
}

export async function saveState(tx: Tx, state: OperatorState): Promise<void> {
  const row = {
    wake_at: JSON.stringify(state.wakeAt),
    weekdays: JSON.stringify(state.weekdays),
    paused_until: state.pausedUntil ?? null,
    woken_at: state.wokenAt,
    seen_event: state.seenEvent,
    event_at: state.eventAt,
    watched: state.watched === undefined ? null : JSON.stringify(state.watched),
  }
  await tx
    .insertInto('operator_state')
    .values({ name: 'operator', ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

/** Locks the state for this transaction. */
export const lockState = async (tx: Tx): Promise<void> => {
  await incrementCounter(tx, 'operator state')
}
