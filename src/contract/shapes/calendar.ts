/** Known days of a machine: our own operations, beyond the contract. */
import { type Static, Type } from 'typebox'
import { Count, Day, ENVELOPE, LocationId } from '../common.ts'
import {
  CALENDAR_ENTRIES_MAX,
  CALENDAR_FACTOR_MAX,
  CALENDAR_FACTOR_MIN,
  CLOSED_MACHINES_MAX,
  LINE_MAX,
} from '../limits.ts'
import { answer, list, nullable, oneOf, request } from '../schema-helpers.ts'

const CALENDAR_ENTRY = {
  from: Day,
  to: Type.Optional(Type.String({ format: 'date', maxLength: 10, description: 'Included; absent: one day.' })),
  kind: oneOf(['closed', 'demand'], {
    description: '`closed`: no sales, no visits. `demand`: a multiple of the usual.',
  }),
  factor: Type.Optional(
    Type.Number({
      minimum: CALENDAR_FACTOR_MIN,
      maximum: CALENDAR_FACTOR_MAX,
      description: 'With `demand` only: 2 is twice the usual.',
    }),
  ),
  note: Type.Optional(Type.String({ maxLength: LINE_MAX })),
}

const CalendarEntry = answer('CalendarEntry', { ...CALENDAR_ENTRY, to: Day })
export type CalendarEntry = Static<typeof CalendarEntry>

export const MachineCalendar = answer('MachineCalendar', {
  ...ENVELOPE,
  location: LocationId,
  timezone: Type.String({ description: 'IANA name; days are those of this zone.' }),
  entries: list(CalendarEntry),
})
export type MachineCalendar = Static<typeof MachineCalendar>

export const CalendarRequest = request('CalendarRequest', {
  entries: Type.Array(request('CalendarEntryRequest', CALENDAR_ENTRY), {
    maxItems: CALENDAR_ENTRIES_MAX,
    description: 'All of them: entries left out are removed. Past ones explain past sales.',
  }),
})
export type CalendarRequest = Static<typeof CalendarRequest>

const Holiday = answer('Holiday', {
  date: Day,
  names: answer('HolidayNames', { en: Type.String(), zh: Type.String() }),
  answered: Type.Boolean({ description: 'Somebody said which machines are closed.' }),
  closed: list(LocationId),
})
export type Holiday = Static<typeof Holiday>

export const HolidayList = answer('HolidayList', {
  ...ENVELOPE,
  country: nullable(Type.String({ description: 'Two letters; null: no holidays of this country are known.' })),
  machines: Count,
  holidays: list(Holiday),
})
export type HolidayList = Static<typeof HolidayList>

export const HolidayRequest = request('HolidayRequest', {
  closed: Type.Array(LocationId, {
    maxItems: CLOSED_MACHINES_MAX,
    description: 'All machines that are closed on the day; the others are open.',
  }),
})
export type HolidayRequest = Static<typeof HolidayRequest>

export const HolidayAnswer = answer('HolidayAnswer', { ...ENVELOPE, holiday: Holiday })
