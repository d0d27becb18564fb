/** The calendar of a machine: closed days, events on which it sells a multiple of the usual, and public holidays. */
import type { CalendarEntry, Holiday } from '../../contract/shapes/calendar.ts'
import type { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { CommandFailure, UsageError } from '../exit.ts'
import { count } from '../../kernel/text.ts'
import type { ParsedArgs } from '../parsed-args.ts'
import type { Column } from '../table.ts'
import { omitUndefined } from '../../lib/objects.ts'

const COLUMNS: readonly Column<CalendarEntry>[] = [
  { title: 'FROM', cell: ({ from }) => from },
  { title: 'TO', cell: ({ to }) => to },
  { title: 'DEMAND', cell: ({ kind, factor }) => (kind === 'closed' ? 'closed' : `× ${factor}`) },
  { title: 'NOTE', cell: ({ note }) => note, flexible: true },
]

const DAY = /^\d{4}-\d{2}-\d{2}$/

function parseDay(text: string): string {
  if (!DAY.test(text)) throw new UsageError(`"${text}" is not a day such as 2026-12-24`)
  return text
}

/** Entries are replaced as a whole, so those there are are read first. */
async function saveCalendar(
  context: Context,
  id: string,
  change: (entries: readonly CalendarEntry[]) => CalendarEntry[],
): Promise<void> {
  const { entries } = await context.client.getCalendar({ params: { id } })
  const response = await context.client.putCalendar({ params: { id }, body: { entries: change(entries) } })
  await context.writeReply(response)
  await context.writeLines([`${id}: ${count(response.entries.length, 'entry', 'entries')}`])
  context.suggest(`calendar ${id}`, 'shows them')
}

const list: Command = {
  name: 'calendar',
  summary: 'closed days and expected events of a machine',
  args: [{ name: 'machine' }],
  csv: true,
  examples: [['vendops calendar M1001', 'days are those of the machine']],
  async run(context, args) {
    const id = args.arg('machine')
    const response = await context.client.getCalendar({ params: { id } })
    await context.writeReply(response)
    await context.writeTable(response.entries, COLUMNS, { none: 'no closed days and no events' })
    context.suggest(`calendar close ${id} 2026-12-25`, 'states a closed day')
  },
}

/** States entries from one day to another. */
const stateCommand = (
  command: Omit<Command, 'args' | 'run'>,
  entryOf: (args: ParsedArgs) => Pick<CalendarEntry, 'kind' | 'factor'>,
): Command => ({
  ...command,
  args: [{ name: 'machine' }, { name: 'from' }, { name: 'to', optional: true }],
  options: { ...command.options, note: { kind: 'text', value: 'TEXT', summary: 'what it is' } },
  async run(context, args) {
    const from = parseDay(args.arg('from'))
    const to = parseDay(args.optional('to') ?? from)
    const entry = omitUndefined({ from, to, ...entryOf(args), note: args.text('note') })
    await saveCalendar(context, args.arg('machine'), (entries) => [...entries, entry])
  },
})

const close = stateCommand(
  {
    name: 'calendar close',
    summary: 'state days on which a machine is closed',
    examples: [
      ['vendops calendar close M1001 2026-12-25', 'no sales are expected on this day and nobody drives there'],
      [
        'vendops calendar close M1001 2027-02-15 2027-02-22 --note Spring-Festival',
        'past sales of these days are left out',
      ],
    ],
  },
  () => ({ kind: 'closed' }),
)

const event = stateCommand(
  {
    name: 'calendar event',
    summary: 'state days on which a machine sells a multiple of the usual',
    options: { factor: { kind: 'text', value: 'N', summary: 'demand as a multiple of the usual, e.g. 2.5 or 0.4' } },
    examples: [
      [
        'vendops calendar event M1001 2026-11-17 2026-11-20 --factor 2.5',
        'an exhibition: orders cover two and a half times the usual',
      ],
    ],
  },
  (args) => {
    const text = args.text('factor') ?? ''
    const factor = Number(text)
    if (!/^\d+(\.\d+)?$/.test(text) || factor <= 0) throw new UsageError('--factor must be a number above 0, e.g. 2.5')
    return { kind: 'demand', factor }
  },
)

const remove: Command = {
  name: 'calendar remove',
  summary: 'remove what is stated from a day on',
  args: [{ name: 'machine' }, { name: 'from' }],
  examples: [['vendops calendar remove M1001 2026-11-17', 'removes the entries that begin on this day']],
  async run(context, args) {
    const id = args.arg('machine')
    const from = parseDay(args.arg('from'))
    await saveCalendar(context, id, (entries) => {
      const kept = entries.filter((entry) => entry.from !== from)
      if (kept.length === entries.length)
        throw new CommandFailure(`no entry of ${id} begins on ${from}`, { hint: `vendops calendar ${id}   lists them` })
      return kept
    })
  },
}

const holidays: Command = {
  name: 'holidays',
  summary: 'coming public holidays, and how many machines are closed on them',
  csv: true,
  examples: [['vendops holidays', 'of the country of the route, a year ahead']],
  async run(context) {
    const response = await context.client.getHolidays()
    await context.writeReply(response)
    const closed = ({ closed: ids, answered }: Holiday) =>
      ids.length > 0 || answered ? `${ids.length} of ${count(response.machines, 'machine')}` : 'not answered yet'
    await context.writeTable(
      response.holidays,
      [
        { title: 'DATE', cell: ({ date }) => date },
        { title: 'HOLIDAY', cell: ({ names }) => names.en, flexible: true },
        { title: 'CLOSED', cell: closed },
      ],
      { none: 'no holidays are known for the country of this route' },
    )
    const next = response.holidays.find(({ answered }) => !answered)
    if (next) context.suggest(`holidays close ${next.date} --all`, 'states that all machines are closed')
  },
}

async function listMachines({ client }: Context): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of client.all.searchLocations({ body: { pagination: { limit: 100 } } })) ids.push(id)
  return ids
}

const closeOnHoliday: Command = {
  name: 'holidays close',
  summary: 'state which machines are closed on a public holiday; the others are open',
  args: [{ name: 'date' }, { name: 'machines', optional: true, many: true }],
  options: { all: { kind: 'flag', summary: 'all machines' } },
  examples: [
    ['vendops holidays close 2027-01-01 --all', 'no sales are expected on this day and nobody drives there'],
    ['vendops holidays close 2027-01-01 M1001 M1002', 'these two; the others are open'],
    ['vendops holidays close 2027-01-01', 'none: all machines are open'],
  ],
  async run(context, args) {
    const date = parseDay(args.arg('date'))
    const all = args.flag('all')
    const closed = all ? await listMachines(context) : [...args.rest('machines')]
    const response = await context.client.putHoliday({ params: { date }, body: { closed } })
    await context.writeReply(response)
    await context.writeLines([
      `${date} ${response.holiday.names.en}: ${count(response.holiday.closed.length, 'machine')} closed`,
    ])
  },
}

export const CALENDAR: readonly Command[] = [list, close, event, remove, holidays, closeOnHoliday]
