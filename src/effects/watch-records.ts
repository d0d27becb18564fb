/**
 * What left the building without a certain outcome, and when its receiver is asked next. Due times are stored, so that they
 * survive restarts and all instances share them. A wrong clock shifts them by one interval at most.
 */
import { type Selectable, sql } from 'kysely'
import { HOUR } from '../kernel/clock.ts'
import { isColumnDue } from '../store/due-rows.ts'
import { matchColumns } from '../store/match-columns.ts'
import type { Columns } from '../store/schema.ts'
import { type Queryable, readAll } from '../store/store.ts'

export type EffectKind = Columns<'watched_effect'>['kind']

export interface EffectRef {
  readonly kind: EffectKind
  readonly subject: string
  readonly receiver: string
}

const fromRow = (row: Selectable<Columns<'watched_effect'>>) => ({
  kind: row.kind,
  subject: row.subject,
  receiver: row.receiver,
  askAt: row.ask_at,
  intervalMs: row.interval_ms,
  timesAsked: row.times_asked,
})

export type WatchedEffect = Readonly<ReturnType<typeof fromRow>>

/** How long the questions go on while the receiver knows nothing. It is a sum of intervals, so a clock change cannot shorten it. */
const WATCHED_MS = 48 * HOUR
const nextTurn = sql<number>`(select coalesce(max(turn), 0) + 1 from watched_effect)`

/** Starts the questions, or starts them again after another attempt. */
export async function watchEffect(db: Queryable, effect: EffectRef, now: number, firstMs: number): Promise<void> {
  const schedule = { ask_at: now + firstMs, interval_ms: firstMs, times_asked: 0, absent_ms: 0 }
  await db
    .insertInto('watched_effect')
    .values({ ...effect, ...schedule, turn: nextTurn })
    .onConflict((conflict) => conflict.columns(['kind', 'subject']).doUpdateSet(schedule))
    .execute()
}

/** Unless the questions were started again since the effect was read. */
export async function endWatch(db: Queryable, { kind, subject, askAt, timesAsked }: WatchedEffect): Promise<void> {
  await db
    .deleteFrom('watched_effect')
    .where((eb) => matchColumns(eb, { kind, subject, ask_at: askAt, times_asked: timesAsked }))
    .execute()
}

/** For queries of those who know the subjects. */
export const watchedSubjects = (db: Queryable, kind: EffectKind) =>
  db.selectFrom('watched_effect').select('subject').where('kind', '=', kind)

const selectDue = (db: Queryable, kind: EffectKind, now: number) =>
  db
    .selectFrom('watched_effect')
    .where('kind', '=', kind)
    .where(isColumnDue('ask_at', now, { column: 'interval_ms' }))

/** The least recently asked first. */
export const listDueReceivers = (db: Queryable, kind: EffectKind, now: number): Promise<string[]> =>
  readAll(
    selectDue(db, kind, now)
      .select('receiver')
      .groupBy('receiver')
      .orderBy((eb) => eb.fn.min('turn')),
    ({ receiver }) => receiver,
  )

/** Least recently asked first. */
export const listDueEffects = (
  db: Queryable,
  kind: EffectKind,
  receiver: string,
  now: number,
  limit: number,
): Promise<WatchedEffect[]> =>
  readAll(
    selectDue(db, kind, now)
      .selectAll()
      .where('receiver', '=', receiver)
      .orderBy('turn')
      .orderBy('subject')
      .limit(limit),
    fromRow,
  )

/** Before the receiver is asked, so that the question is not repeated at once if the process dies. */
export async function recordAsked(
  db: Queryable,
  effect: WatchedEffect,
  now: number,
  nextMs: number,
): Promise<WatchedEffect> {
  const { kind, subject } = effect
  const next = { ...effect, askAt: now + nextMs, intervalMs: nextMs, timesAsked: effect.timesAsked + 1 }
  await db
    .updateTable('watched_effect')
    .set({ ask_at: next.askAt, interval_ms: nextMs, times_asked: next.timesAsked, turn: nextTurn })
    .where((eb) => matchColumns(eb, { kind, subject }))
    .execute()
  return next
}

/** The receiver knows nothing of it, so the interval before this question counts. After the last one the questions end. */
export async function recordAbsent(db: Queryable, effect: WatchedEffect): Promise<void> {
  const { kind, subject, timesAsked, intervalMs } = effect
  await db
    .updateTable('watched_effect')
    .set((eb) => ({ absent_ms: eb('absent_ms', '+', intervalMs) }))
    // Unless another attempt started the questions again.
    .where((eb) => matchColumns(eb, { kind, subject, times_asked: timesAsked + 1 }))
    .execute()
  await db
    .deleteFrom('watched_effect')
    .where((eb) => matchColumns(eb, { kind, subject }))
    .where('absent_ms', '>=', WATCHED_MS)
    .execute()
}
