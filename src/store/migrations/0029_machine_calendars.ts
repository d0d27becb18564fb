/** Closed days and expected events of a machine, as an operator stated them: CalendarEntry[] as JSON. Null: none. */
export const machineCalendars = (): readonly string[] => [`alter table location add column calendar text`]
