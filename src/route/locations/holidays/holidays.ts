/**
 * GET /holidays and PUT /holidays/{date}: the coming public holidays of the country, and which machines are closed on one.
 * The answer becomes entries of their calendars; nothing is closed that nobody confirmed.
 */
import type { CalendarEntry, Holiday, HolidayList, HolidayRequest } from '../../../contract/shapes/calendar.ts'
import { CALENDAR_ENTRIES_MAX } from '../../../contract/limits.ts'
import { addDays, localDay } from '../../../kernel/clock.ts'
import { type Outcome, RefusedError, accept, refuse } from '../../../kernel/outcome.ts'
import { yieldToEventLoop } from '../../../lib/concurrency.ts'
import type { Context } from '../../../context.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { type LocationRecord, findLocation, listLocations, lockLocation, updateCalendar } from '../records.ts'
import { holidayAnswered, machineNotFound } from '../texts.ts'
import { type Holiday as Dated, countryNamed, countryOfZone, listHolidays } from './dates.ts'
import { listAnswered, saveAnswered } from './records.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

/** A year: next year's Spring Festival is known a year before. */
const DAYS_AHEAD = 365

/** Where goods go, else where the clocks are. Of a country that is not known no other one's holidays are shown. */
const countryOf = ({ config }: Deps): string | undefined => {
  const stated = config.defaultDestination?.address_country
  return stated === undefined ? countryOfZone(config.timeZone) : countryNamed(stated)
}

const listComingHolidays = (ctx: Deps, country: string): readonly Dated[] => {
  const today = localDay(ctx.clock.now(), ctx.config.timeZone)
  return listHolidays(country, today, addDays(today, DAYS_AHEAD))
}

const isClosedOn = ({ calendar }: LocationRecord, date: string): boolean =>
  calendar.some(({ kind, from, to }) => kind === 'closed' && from <= date && date <= to)

const holidayView = (
  { date, names }: Dated,
  machines: readonly LocationRecord[],
  answered: ReadonlySet<string>,
): Holiday => ({
  date,
  names,
  answered: answered.has(date),
  closed: machines.filter((machine) => isClosedOn(machine, date)).map(({ id }) => id),
})

export async function getHolidays(ctx: Deps): Promise<Outcome<Omit<HolidayList, 'ucp'>>> {
  const country = countryOf(ctx)
  const machines = await listLocations(ctx.store.db)
  const answered = await listAnswered(ctx.store.db)
  const holidays: Holiday[] = []
  for (const holiday of country === undefined ? [] : listComingHolidays(ctx, country)) {
    holidays.push(holidayView(holiday, machines, answered))
    await yieldToEventLoop()
  }
  return accept({ country: country ?? null, machines: machines.length, holidays })
}

export async function putHoliday(
  ctx: Deps,
  date: string,
  { closed }: HolidayRequest,
): Promise<Outcome<{ readonly holiday: Holiday }>> {
  const country = countryOf(ctx)
  const holiday =
    country === undefined ? undefined : listComingHolidays(ctx, country).find((each) => each.date === date)
  if (!holiday) return refuse('not_found', `No coming public holiday is on ${date}`, '$.date')
  return ctx.store.transaction(async (tx) => {
    // First the row of the day: of two answers at once, the second finds what the first wrote.
    await saveAnswered(tx, date, ctx.clock.now())
    const known = new Map((await listLocations(tx)).map((machine) => [machine.id as string, machine]))
    const unknown = closed.findIndex((id) => !known.has(id))
    if (unknown >= 0) throw refused('not_found', machineNotFound(closed[unknown]!), `$.closed[${unknown}]`)
    const isMeant = new Set<string>(closed)
    const name = holiday.names[ctx.config.language]
    for (const id of known.keys()) {
      if (isClosedOn(known.get(id)!, date) === isMeant.has(id)) continue
      await lockLocation(tx, id, ctx.clock.now())
      const machine = await findLocation(tx, id)
      if (!machine) continue
      const calendar = isMeant.has(id) ? addClosing(machine, date, name) : removeClosing(machine, date)
      if (calendar.length > CALENDAR_ENTRIES_MAX)
        throw refused('invalid', `The calendar of ${id} has its ${CALENDAR_ENTRIES_MAX} entries`, '$.closed')
      await updateCalendar(tx, id, calendar)
      known.set(id, { ...machine, calendar })
      await yieldToEventLoop()
    }
    const view = holidayView(holiday, [...known.values()], new Set([date]))
    await recordEvent(ctx, tx, holidayAnswered(date, name, view.closed.length, known.size))
    return accept({ holiday: view })
  })
}

/** Takes back what the transaction wrote. */
const refused = (...reason: Parameters<typeof refuse>): RefusedError => new RefusedError(refuse(...reason).refusal)

function addClosing(machine: LocationRecord, date: string, note: string): readonly CalendarEntry[] {
  const { calendar } = machine
  if (isClosedOn(machine, date)) return calendar
  const entry: CalendarEntry = { from: date, to: date, kind: 'closed', note }
  return [...calendar, entry].toSorted((a, b) =>
    a.from < b.from ? -1 : a.from > b.from ? 1 : a.kind < b.kind ? -1 : 1,
  )
}

/** Only this day: a longer closing was stated for another reason, and stays. */
const removeClosing = ({ calendar }: LocationRecord, date: string): readonly CalendarEntry[] =>
  calendar.filter(({ kind, from, to }) => kind !== 'closed' || from !== date || to !== date)
