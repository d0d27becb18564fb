/** Known days of a machine: our own operations, beyond the contract. */
import { type Static, Type } from 'typebox'
import { Day, ENVELOPE, LocationId } from '../common.ts'
import { CALENDAR_ENTRIES_MAX, CALENDAR_FACTOR_MAX, CALENDAR_FACTOR_MIN, LINE_MAX } from '../limits.ts'
import { answer, list, oneOf, request } from '../schema-helpers.ts'

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
