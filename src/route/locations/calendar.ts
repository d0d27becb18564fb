/**
 * GET and PUT /locations/{id}/calendar: closed days and expected events of a machine. PUT replaces all entries. Days are
 * those of the machine's time zone, so entries stay right when the zone is corrected.
 */
import { isDeepStrictEqual } from 'node:util'
import type { CalendarEntry, CalendarRequest, MachineCalendar } from '../../contract/shapes/calendar.ts'
import { CALENDAR_RANGE_DAYS_MAX } from '../../contract/limits.ts'
import { DAY } from '../../kernel/clock.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { copyFields, omitUndefined } from '../../lib/objects.ts'
import type { Queryable } from '../../store/store.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context } from '../../context.ts'
import { loadLedgerMachines } from '../sales/index.ts'
import { type LocationRecord, findLocation, lockLocation, updateCalendar } from './records.ts'
import { calendarChanged, machineNotFound } from './texts.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>
type CalendarView = Omit<MachineCalendar, 'ucp'>

export async function getCalendar({ store, config }: Deps, id: string): Promise<Outcome<CalendarView>> {
  const machine = await findLocation(store.db, id)
  return machine ? accept(await loadCalendarView(store.db, machine, config)) : refuse('not_found', machineNotFound(id))
}

export async function putCalendar(ctx: Deps, id: string, { entries }: CalendarRequest): Promise<Outcome<CalendarView>> {
  const checked = checkEntries(entries)
  if (!checked.ok) return checked
  const calendar = checked.value
  return ctx.store.transaction(async (tx) => {
    await lockLocation(tx, id, ctx.clock.now())
    const machine = await findLocation(tx, id)
    if (!machine) return refuse('not_found', machineNotFound(id))
    if (!isDeepStrictEqual(machine.calendar, calendar)) {
      await updateCalendar(tx, id, calendar)
      await recordEvent(ctx, tx, calendarChanged(machine, calendar))
    }
    return accept(await loadCalendarView(tx, { ...machine, calendar }, ctx.config))
  })
}

async function loadCalendarView(
  db: Queryable,
  machine: LocationRecord,
  { timeZone }: Pick<Context['config'], 'timeZone'>,
): Promise<CalendarView> {
  const zone = (await loadLedgerMachines(db, [machine.id]))(machine).timeZone ?? timeZone
  return { location: machine.id, timezone: zone, entries: [...machine.calendar] }
}

const ENTRY_FIELDS = { from: true, to: true, kind: true, factor: true, note: true } as const

/** Sorted by day. Closed days may lie within an event; two events at once would not say what to expect. */
function checkEntries(entries: CalendarRequest['entries']): Outcome<CalendarEntry[]> {
  const checked: CalendarEntry[] = []
  for (const [i, entry] of entries.entries()) {
    const path = `$.entries[${i}]`
    const { from, to = from, kind, factor } = entry
    const note = entry.note?.trim()
    if (to < from) return refuse('invalid', 'to must not be before from', `${path}.to`)
    if (dayNumberOf(to) - dayNumberOf(from) >= CALENDAR_RANGE_DAYS_MAX)
      return refuse('invalid', `An entry covers at most ${CALENDAR_RANGE_DAYS_MAX} days`, `${path}.to`)
    if (kind === 'demand' && factor === undefined)
      return refuse('missing', 'factor is required with kind demand', `${path}.factor`)
    if (kind === 'closed' && factor !== undefined)
      return refuse('invalid', 'A closed day has no factor', `${path}.factor`)
    const other = checked.findIndex((each) => each.kind === kind && each.from <= to && from <= each.to)
    if (other >= 0)
      return refuse(
        'invalid',
        `Overlaps the entry from ${checked[other]!.from} to ${checked[other]!.to}`,
        `${path}.from`,
      )
    checked.push(copyFields<CalendarEntry>(omitUndefined({ ...entry, to, note: note || undefined }), ENTRY_FIELDS))
  }
  return accept(checked.toSorted((a, b) => (a.from === b.from ? (a.kind < b.kind ? -1 : 1) : a.from < b.from ? -1 : 1)))
}

/** Days since 1970-01-01: a calendar day is the same number in every zone. */
const dayNumberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY

/** For the planner: numbered local days, and a factor of 0 for closed ones. */
export const knownDaysOf = (calendar: readonly CalendarEntry[]) =>
  calendar.length === 0
    ? undefined
    : calendar.map(({ from, to, factor = 0 }) => ({ from: dayNumberOf(from), to: dayNumberOf(to), factor }))
