/** The trips of the days ahead: which machines to visit together, in which order. */
import type { Trip } from '../../contract/shapes/trips.ts'
import type { Command } from '../command.ts'
import { formatAmount, money } from '../../kernel/currency.ts'
import { count, plainCode } from '../../kernel/text.ts'
import { CommandFailure } from '../exit.ts'
import type { Column } from '../table.ts'

const machinesOf = ({ date, firm, area, stops }: Trip) =>
  stops.flatMap(({ sequence, site, locations }) =>
    locations.map((machine) => ({ date, firm, area, sequence, site, ...machine })),
  )
type TripMachine = ReturnType<typeof machinesOf>[number]

const TRIP_COLUMNS: readonly Column<TripMachine>[] = [
  { title: 'DATE', cell: ({ date }) => date },
  { title: 'FIRM', cell: ({ firm }) => (firm ? 'yes' : 'no') },
  { title: 'AREA', cell: ({ area }) => area },
]

const MACHINE_COLUMNS: readonly Column<TripMachine>[] = [
  { title: '#', cell: ({ sequence }) => sequence, as: 'number' },
  { title: 'MACHINE', cell: ({ location }) => location },
  { title: 'SITE', cell: ({ site }) => site, flexible: true },
  { title: 'UNITS', cell: ({ load }) => load, as: 'number' },
  { title: 'SLOTS', cell: ({ lines }) => lines, as: 'number' },
  { title: 'WHY', cell: ({ why }) => plainCode(why), as: 'state' },
  { title: 'EVERY', cell: ({ rhythm_days }) => rhythm_days && `${rhythm_days}d`, as: 'number' },
]

export const TRIPS: Command = {
  name: 'trips',
  summary: 'which machines to visit together, when and in which order',
  csv: true,
  options: {
    days: { kind: 'text', value: 'N', summary: 'days ahead, 1 to 14 (default 7); only today is firm' },
    area: { kind: 'text', value: 'AREA', summary: 'only this area' },
  },
  examples: [
    ['vendops trips', 'the trips of a week'],
    ['vendops trips --days 1 --area Shanghai', "today's trip of one area"],
    ['vendops trips --csv > trips.csv', 'one row per machine, in driving order'],
  ],
  async run(context, args) {
    const area = args.text('area')
    const query = { days: args.wholeNumber('days', 7, 1, 14), area }
    const answer = await context.withProgress('planning', () => context.client.getTrips({ query }))
    await context.writeJson(answer)
    if (area !== undefined && answer.trips.length + answer.waiting.length === 0) {
      // They may say why machines of the area are left out.
      context.writeMessages(answer.messages)
      throw new CommandFailure(`no machine that can be planned is in the area ${area}`)
    }
    if (context.csv) {
      context.writeMessages(answer.messages)
      return context.writeTable(answer.trips.flatMap(machinesOf), [...TRIP_COLUMNS, ...MACHINE_COLUMNS])
    }
    const { currency } = answer
    const costOf = (fen: number | undefined) => (fen === undefined ? undefined : money(fen, currency))
    for (const trip of answer.trips) {
      const { date, firm, area: name, stops, units, driving } = trip
      // A driver gets no amounts.
      const reason =
        'due_because' in trip
          ? `; waiting costs ${formatAmount(trip.due_because.waiting, currency)}, worth it from ${formatAmount(trip.due_because.worth, currency)}`
          : ''
      const way = driving.distance_m === undefined ? '' : `, ${(driving.distance_m / 1000).toFixed(1)} km`
      await context.writeLines([
        `${date}${firm ? '' : ' (forecast)'}  ${name}  ${count(stops.length, 'stop')}, ${count(units, 'unit')}${way}, ${driving.minutes} min${reason}`,
      ])
      await context.writeTable(machinesOf(trip), MACHINE_COLUMNS)
    }
    if (answer.trips.length === 0) await context.writeLines(['no trip is worth it yet'])
    if (answer.waiting.length > 0)
      await context.writeTable(answer.waiting, [
        { title: 'WAITING', cell: ({ location }) => location },
        { title: 'NEXT', cell: ({ next_due_on }) => next_due_on ?? undefined },
        { title: 'UNITS', cell: ({ load }) => load, as: 'number' },
        { title: 'WHY', cell: ({ why }) => plainCode(why), as: 'state' },
        { title: 'WAITING COSTS', cell: ({ waiting: loss }) => costOf(loss), as: 'number', ifFilled: true },
        { title: 'WORTH IT FROM', cell: ({ worth }) => costOf(worth), as: 'number', ifFilled: true },
      ])
    context.writeMessages(answer.messages)
    if (answer.trips.some(({ firm }) => firm)) context.suggest('runs create', 'creates a run for the trips of today')
    else context.suggest('plan', 'shows what each slot needs')
  },
}
