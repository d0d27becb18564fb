/** The sentences of events and messages about machines and their sync. */
import type { CalendarEntry } from '../../contract/shapes/calendar.ts'
import type { OwnEvent } from '../../record/events/index.ts'
import { type NoteMessage, info, warning } from '../../kernel/message.ts'
import { count, withId } from '../../kernel/text.ts'
import type { UnreadableRow } from '../../vendors/contract.ts'
import type { LocationRecord } from './records.ts'
import type { StoredSlot } from './slot-records.ts'
import type { SlotSettings } from './slot-setting-records.ts'
import type { Cash, Service } from './service/service.ts'
import type { Removal } from './service/work.ts'

export const machineNotFound = (id: string): string => `Machine "${id}" not found`

type Machine = Pick<LocationRecord, 'id' | 'name'>

export const machineOfOtherPlatform = ({ id, namespace }: Pick<LocationRecord, 'id' | 'namespace'>): string =>
  `Machine ${id} belongs to ${namespace}`

const machineParams = ({ id, name }: Machine) => ({ machine: id, name })

export const machineSaved = (machine: Machine, missing: readonly string[], isNew: boolean): OwnEvent => ({
  kind: 'location',
  location: machine.id,
  code: isNew ? 'machine_registered' : 'machine_updated',
  params: { ...machineParams(machine), missing: missing.join(', ') },
  summary: `Machine ${withId(machine.name, machine.id)} ${isNew ? 'registered' : 'updated'}`,
  reasoning: missing.length === 0 ? 'Profile complete.' : `Profile incomplete: ${missing.join(', ')}.`,
})

export const calendarChanged = (machine: Machine, entries: readonly CalendarEntry[]): OwnEvent => ({
  kind: 'location',
  location: machine.id,
  code: 'calendar_changed',
  params: { ...machineParams(machine), entries: entries.length },
  summary: `Calendar of ${withId(machine.name, machine.id)}: ${count(entries.length, 'entry', 'entries')}`,
  reasoning: entries.slice(0, ENTRIES_NAMED).map(describeEntry).join('; ') || 'Nothing is stated any more.',
})

export const holidayAnswered = (date: string, holiday: string, closed: number, machines: number): OwnEvent => ({
  kind: 'location',
  code: 'holiday_answered',
  params: { holiday, date, closed, machines },
  summary: `${holiday}, ${date}: ${closed} of ${count(machines, 'machine')} closed`,
  reasoning: 'Stated for a public holiday; it is in the calendars of the machines.',
})

/** Entries named in one text. */
const ENTRIES_NAMED = 5

const describeEntry = ({ from, to, kind, factor, note }: CalendarEntry): string =>
  `${from === to ? from : `${from} to ${to}`} ${kind === 'closed' ? 'closed' : `demand × ${factor}`}${note ? ` (${note})` : ''}`

export const machineRemoved = (machine: Machine, slots: number, readings: number): OwnEvent => ({
  kind: 'location',
  location: machine.id,
  code: 'machine_removed',
  params: { ...machineParams(machine), slots, readings },
  summary: `Machine ${withId(machine.name, machine.id)} removed`,
  reasoning: `Deleted its profile, ${count(slots, 'slot')} and ${count(readings, 'stock reading')}. Events and sales are kept.`,
})

export const slotLocked = (slot: StoredSlot, name: string | undefined, locked: boolean): OwnEvent => ({
  kind: 'location',
  location: slot.location,
  code: locked ? 'slot_locked' : 'slot_unlocked',
  params: slotParams(slot, name),
  summary: `${slot.title} ${locked ? 'locked' : 'unlocked'} in ${withId(name, slot.location)}`,
  reasoning: locked ? 'Skipped by restocking until unlocked.' : 'Included in restocking again.',
})

export const slotCounted = (slot: StoredSlot, name: string | undefined, counted: number): OwnEvent => ({
  kind: 'location',
  location: slot.location,
  code: 'slot_counted',
  params: { ...slotParams(slot, name), counted, before: slot.stock ?? 'unknown' },
  summary: `${slot.title} counted in ${withId(name, slot.location)}: ${counted}`,
  reasoning: `Stock before the count: ${slot.stock ?? 'unknown'}.`,
})

export const slotSettingsChanged = (
  slot: StoredSlot,
  name: string | undefined,
  { capacity, par, position, isPinned }: SlotSettings,
): OwnEvent => {
  const stated = [
    capacity === null ? [] : [`capacity ${capacity}`],
    par === null ? [] : [`par level ${par}`],
    position === null ? [] : [`position ${position.row}${position.column}`],
    isPinned ? ['pinned'] : [],
  ].flat()
  return {
    kind: 'location',
    location: slot.location,
    code: 'slot_settings_changed',
    params: {
      ...slotParams(slot, name),
      capacity: capacity ?? '–',
      par: par ?? '–',
      position: position === null ? '–' : `${position.row}${position.column}`,
    },
    summary: `${slot.title} in ${withId(name, slot.location)}: ${stated.join(', ') || 'no settings of its own'}`,
    reasoning:
      'Stated by an operator. A capacity stated here overrides that of the platform; visits fill to the par level.',
  }
}

const slotParams = ({ location, slotId, title }: StoredSlot, name: string | undefined) => ({
  machine: location,
  name: name ?? location,
  slot: slotId,
  product: title,
})

/** Below 0: units are missing. */
export const slotShrinkage = (
  slot: StoredSlot,
  name: string | undefined,
  counted: number,
  difference: number,
): OwnEvent => ({
  kind: 'location',
  location: slot.location,
  code: difference < 0 ? 'slot_shrinkage' : 'slot_surplus',
  params: { ...slotParams(slot, name), quantity: Math.abs(difference), counted, expected: counted - difference },
  summary: `${slot.title} in ${withId(name, slot.location)}: ${count(Math.abs(difference), 'unit')} ${difference < 0 ? 'missing' : 'too many'}`,
  reasoning: `Counted ${counted}, expected ${counted - difference}.`,
})

const REMOVALS = {
  expired: { code: 'units_expired', word: 'expired' },
  damaged: { code: 'units_damaged', word: 'damaged' },
  recalled: { code: 'units_recalled', word: 'recalled' },
  other: { code: 'units_removed', word: 'other reason' },
} as const

export const unitsRemoved = (slot: StoredSlot, name: string | undefined, { quantity, reason }: Removal): OwnEvent => ({
  kind: 'location',
  location: slot.location,
  code: REMOVALS[reason].code,
  params: { ...slotParams(slot, name), quantity },
  summary: `${count(quantity, 'unit')} of ${slot.title} taken out of ${withId(name, slot.location)}: ${REMOVALS[reason].word}`,
  reasoning: 'Taken out by hand. Not a sale: demand is not changed by it.',
})

/** Without the amount: whoever reads events may not see amounts of cash. */
export const cashCollected = (location: string, name: string | undefined, { bag }: Cash): OwnEvent => ({
  kind: 'location',
  location,
  code: 'cash_collected',
  params: { machine: location, name: name ?? location, ...(bag === undefined ? {} : { bag }) },
  summary: `Cash collected from ${withId(name, location)}${bag === undefined ? '' : `, bag ${bag}`}`,
  reasoning: 'Reported at the machine.',
})

/** With the address of the photo, which pages show beside it. */
export function reportAdded(
  location: string,
  name: string | undefined,
  { fault, photo }: { readonly fault?: string | undefined; readonly photo?: string | undefined },
): OwnEvent {
  const params = { machine: location, name: name ?? location, ...(photo === undefined ? {} : { photo }) }
  const where = withId(name, location)
  return {
    kind: 'location',
    location,
    ...(fault === undefined
      ? { code: 'photo_added', params, summary: `Photo of ${where}` }
      : { code: 'fault_reported', params: { ...params, fault }, summary: `Problem reported at ${where}: ${fault}` }),
    reasoning: 'Reported at the machine.',
  }
}

export const faultFixed = (location: string, name: string | undefined, fault: string): OwnEvent => ({
  kind: 'location',
  location,
  code: 'fault_fixed',
  params: { machine: location, name: name ?? location, fault },
  summary: `Fixed at ${withId(name, location)}: ${fault}`,
  reasoning: 'Stated by a person.',
})

export const unitsReturned = (slot: StoredSlot, name: string | undefined, quantity: number): OwnEvent => ({
  kind: 'location',
  location: slot.location,
  code: 'units_returned',
  params: { ...slotParams(slot, name), quantity },
  summary: `${count(quantity, 'unit')} of ${slot.title} taken out of ${withId(name, slot.location)} and back to the store room`,
  reasoning: 'Good units. Not a sale: demand is not changed by it.',
})

export function serviceUndone({ location, run, slots }: Service, name: string | undefined): OwnEvent {
  const params = { machine: location, name: name ?? location, slots: slots.length }
  const where = withId(name, location)
  return {
    kind: 'location',
    location,
    ...(run === undefined
      ? { code: 'service_undone', params, summary: `Service of ${where} undone: ${count(slots.length, 'slot')}` }
      : { code: 'stop_receipt_undone', params: { ...params, run }, summary: `${run}: receipt at ${where} undone` }),
    reasoning: 'Undone within ten minutes. Stock is as it was before, except where it was read or counted since.',
  }
}

/** A visit that was entered without a network and booked later. */
export function newerStockInfo({ location, slots }: Service): NoteMessage[] {
  const kept = slots.filter(({ isStockKept }) => isStockKept).length
  if (kept === 0) return []
  const text = `${count(kept, 'slot')} of ${location} read or counted after this visit; the newer stock stays`
  return [info('newer_stock_kept', text, undefined, { machine: location, slots: kept })]
}

/** Platforms may answer for machines that do not exist; only the ledger confirms one. */
export const unverifiedWarning = (id: string, days: number, name?: string): NoteMessage =>
  warning(
    'location_unverified',
    `No sales from ${withId(name, id)} in ${count(days, 'day')}. Check that the machine ID is right.`,
    undefined,
    { machine: id, name: name ?? id, days },
  )

export const hoursUnknownWarning = (): NoteMessage =>
  warning('hours_unknown', 'Where opening hours are unknown, this filter is not applied.')

const machineProblem = (machine: Machine, text: string, reason: string): NoteMessage =>
  warning('sync_problem', `${text}: ${reason}`, undefined, { ...machineParams(machine), reason })

export const stockUnknownWarning = (machine: Machine, reason: string): NoteMessage =>
  machineProblem(machine, `Stock of ${withId(machine.name, machine.id)} is unknown`, reason)

export const unreadWarning = (machine: Machine, reason: string): NoteMessage =>
  machineProblem(machine, `${withId(machine.name, machine.id)} could not be read`, reason)

export const unreadSalesWarning = (namespace: string, reason: string): NoteMessage =>
  warning('sync_problem', `Sales of ${namespace} could not be read: ${reason}`, undefined, { namespace, reason })

export const truncatedWarning = (namespace: string, since: string): NoteMessage =>
  warning(
    'history_truncated',
    `Sales of ${namespace} are complete only since ${since}; older ones are being read.`,
    undefined,
    { namespace, since },
  )

export const undatedWarning = (sales: number): NoteMessage =>
  warning(
    'sync_problem',
    `${count(sales, 'sale')} had no valid timestamp and ${sales === 1 ? 'was' : 'were'} not counted`,
    undefined,
    { sales },
  )

export interface SyncTotals {
  readonly synced: number
  readonly machines: number
  readonly slots: number
  readonly products: number
  readonly sales: number
  readonly days: number
}

export function syncCompleted(totals: SyncTotals, problems: readonly { readonly content: string }[]): OwnEvent {
  const { synced, machines, slots, products, sales, days } = totals
  const which = synced === machines ? count(synced, 'machine') : `${synced} of ${count(machines, 'machine')}`
  return {
    kind: 'sync',
    code: 'sync_completed',
    params: { ...totals },
    summary: `Stock and sales read: ${which} (route total: ${count(slots, 'slot')}, ${count(products, 'product')}, ${count(sales, 'sale')} in ${count(days, 'day')})`,
    reasoning: problems.length > 0 ? problemList(problems) : answered(machines),
  }
}

/** Of those that this sync asked: it may have been only the new ones, or none. */
const answered = (machines: number): string =>
  machines === 0 ? 'No machine was asked.' : machines === 1 ? 'It answered.' : `All ${machines} answered.`

export const syncFailed = (reason: string, problems: readonly { readonly content: string }[]): OwnEvent => ({
  kind: 'sync',
  code: 'sync_failed',
  params: { reason },
  summary: `Stock and sales could not be read: ${reason}`,
  reasoning: problemList(problems),
})

const PROBLEMS_LISTED = 20

const problemList = (problems: readonly { readonly content: string }[]): string =>
  problems
    .slice(0, PROBLEMS_LISTED)
    .map(({ content }) => content)
    .join('; ')

/** Rows named in one text. */
const ROWS_NAMED = 5

export type RowProblem = Pick<UnreadableRow, 'id' | 'problem' | 'kind'>

const NOUNS = {
  product: 'product',
  site: 'pickup site',
  slot: 'slot',
  sale: 'sale',
  file: 'file',
  reply: 'answer',
} as const

/** Names a row; one without a readable code is also stored under this name. */
export const rowName = ({ id, kind, problem }: RowProblem): string => id ?? `a ${kind} without a code, ${problem}`

function describeUnreadable(rows: readonly RowProblem[], source: string) {
  const kinds = new Set(rows.map(({ kind }) => kind))
  const [kind] = kinds
  const noun = kinds.size === 1 && kind ? NOUNS[kind] : 'row'
  const list = rows
    .slice(0, ROWS_NAMED)
    .map((row) => (row.id === undefined ? rowName(row) : `${row.id} (${row.problem})`))
    .concat(rows.length > ROWS_NAMED ? [`${rows.length - ROWS_NAMED} more`] : [])
    .join(', ')
  return {
    text: `${count(rows.length, noun)} of ${source} cannot be read`,
    params: { rows: rows.length, kind: noun, source, list },
  }
}

export function unreadableEvent(
  rows: readonly RowProblem[],
  namespace: string,
  location: string | undefined,
): OwnEvent {
  const { text, params } = describeUnreadable(rows, location ?? namespace)
  return {
    kind: 'sync',
    code: 'rows_unreadable',
    params,
    summary: `${text}: ${params.list}`,
    reasoning:
      'The upstream sent rows that do not match its documentation. They are left out; all other rows are used.',
    ...(location === undefined ? {} : { location }),
  }
}

const unreadableNote =
  (note: typeof info | typeof warning) =>
  (source: string, rows: readonly RowProblem[] = []) => {
    if (rows.length === 0) return []
    const { text, params } = describeUnreadable(rows, source)
    const leftOut = `${text} and ${params.rows === 1 ? 'is' : 'are'} left out: ${params.list}`
    return [note('sync_problem', leftOut, undefined, params)]
  }

/** On listings: what is missing from them. */
export const unreadableInfo = unreadableNote(info)

/** On a sync: what was not taken over. */
export const unreadableWarning = unreadableNote(warning)
