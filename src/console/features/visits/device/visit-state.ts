/** Where a visit stands: what the service last said, and what was pressed on this device since. */
import { signal } from '@preact/signals'
import { newIdempotencyKey } from '../../../lib/service/api.ts'
import { nowMs, nowTimestamp, today } from '../../../lib/text/format.ts'
import { person } from '../../../lib/service/me.ts'
import { readAllRecords, deleteRecord, putRecord } from './database.ts'
import type { DayVisit } from './day.ts'
import { type Draft, draftId } from './draft.ts'
import {
  type Press,
  type ReportPress,
  type VisitPress,
  isVisit,
  keepPress,
  presses,
  sending,
  takeBackUnsent,
} from './presses.ts'
import { sendPresses } from './send.ts'

export type VisitState = 'open' | 'started' | 'kept' | 'sending' | 'sent' | 'received' | 'refused' | 'undoing'

/** Visits that are being entered, by id. */
export const drafts = signal<ReadonlyMap<string, Draft>>(new Map())

export async function loadDrafts(): Promise<void> {
  const own = (await readAllRecords<Draft>('draft')).filter((draft) => draft.person === person.peek())
  drafts.value = new Map(own.map((draft) => [draft.id, draft]))
}

export async function keepDraft(draft: Draft): Promise<void> {
  drafts.value = new Map(drafts.peek()).set(draft.id, draft)
  await putRecord('draft', draft)
}

export async function dropDraft(id: string): Promise<void> {
  const left = new Map(drafts.peek())
  left.delete(id)
  drafts.value = left
  await deleteRecord('draft', id)
}

/** The last press of a visit that was not undone. Without a run every press is a visit of its own. */
export const pressOf = (location: string, run: string | undefined): VisitPress | undefined =>
  presses.value
    .filter(isVisit)
    .findLast((press) => press.location === location && press.run === run && press.undone !== true)

/** Visits without a run that this device made today or that need the driver; newest first. Their machine is in no list. */
export const otherPresses = (): readonly VisitPress[] =>
  presses.value
    .filter(isVisit)
    .filter((press) => press.run === undefined && press.undone !== true)
    .filter(({ state, at }) => state !== 'sent' || at.slice(0, today().length) === today())
    .toReversed()

export const undoOf = (press: VisitPress): Press | undefined =>
  presses.value.find((one) => one.kind === 'undo' && one.of === press.id)

const isReport = (press: Press): press is ReportPress => press.kind === 'report'

/** Faults and photos that were not sent yet, or that the service refused. */
export const unsentReports = (): readonly ReportPress[] => presses.value.filter(isReport)

export function pressState(press: VisitPress): VisitState {
  if (sending.value.has(press.id)) return 'sending'
  const undo = undoOf(press)
  if (undo && undo.state === 'kept') return 'undoing'
  return press.state
}

export function visitState({ location, run, receivedAt }: DayVisit): VisitState {
  const press = pressOf(location, run)
  if (press) return pressState(press)
  const wasUndone = presses.value.some(
    (one) => isVisit(one) && one.undone === true && one.location === location && one.run === run,
  )
  if (receivedAt !== undefined && !wasUndone) return 'received'
  return drafts.value.has(draftId(person.value, location, run)) ? 'started' : 'open'
}

export const isDone = (state: VisitState): boolean =>
  state === 'kept' || state === 'sending' || state === 'sent' || state === 'received'

const UNDO_MINUTES = 10

/** Whole minutes in which a press can still be undone; undefined when it cannot. What was not sent always can. */
export function undoMinutes(press: VisitPress): number | undefined {
  if (press.state === 'refused' || undoOf(press) !== undefined) return undefined
  if (press.state === 'kept') return Number.POSITIVE_INFINITY
  const left = Date.parse(press.booked?.undoUntil ?? '') - nowMs()
  // The clock of the service is known to a few seconds only.
  return left > 0 ? Math.min(UNDO_MINUTES, Math.ceil(left / 60_000)) : undefined
}

/** What was entered, to be corrected: the visit was made when it was first saved. */
const draftOf = (press: VisitPress): Draft => ({ ...(press.draft as Draft), at: press.at })

/**
 * Puts what was entered back, so that it can be changed. A fault or a photo comes back, too, while it is only here; one that
 * was sent stays with the service.
 */
export async function restoreDraft(press: VisitPress, change: Partial<Draft> = {}): Promise<void> {
  const report = presses.peek().find((one): one is ReportPress => isReport(one) && one.of === press.id)
  const { fault, photo } = report && (await takeBackUnsent(report.id)) ? report : {}
  await keepDraft({
    ...draftOf(press),
    ...(fault === undefined ? {} : { fault }),
    ...(photo === undefined ? {} : { photo }),
    ...change,
  })
}

/** Takes a press back: by deleting it while it is only here, otherwise by asking the service. */
export async function undoPress(press: VisitPress): Promise<void> {
  const isGone = await takeBackUnsent(press.id)
  await restoreDraft(press)
  if (isGone) return
  const { location, name } = press
  await keepPress({
    kind: 'undo',
    id: newIdempotencyKey(),
    of: press.id,
    person: person.peek(),
    location,
    name,
    at: nowTimestamp(),
    state: 'kept',
  })
  await sendPresses()
}
