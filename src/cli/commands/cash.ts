/** What machines took in cash by their counters, and what was collected. */
import type { CashCollection, CashMachine } from '../../contract/shapes/money/cash.ts'
import type { Command } from '../command.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { formatTime } from '../format.ts'
import type { Column } from '../table.ts'

export const CASH: Command = {
  name: 'cash',
  summary: 'what machines should hold in cash, and what was collected',
  args: [{ name: 'machine', optional: true }],
  csv: true,
  options: {
    collections: { kind: 'flag', summary: 'list the collections instead of the machines' },
    limit: { kind: 'text', value: 'N', summary: 'with --collections: max. rows (default 20)' },
  },
  details: 'EXPECTED is empty where the machine did not count all the time.',
  examples: [
    ['vendops cash', 'what is in the machines, and how far the last collection was off'],
    ['vendops cash M1001 --collections', 'the collections of one machine'],
    ['vendops cash --collections --csv > collections.csv', 'for a spreadsheet'],
  ],
  async run(context, args) {
    const isList = args.flag('collections')
    const query = { location: args.optional('machine'), limit: args.wholeNumber('limit', 20, 1, 100) }
    const answer = await context.client.getCash({ query })
    await context.writeJson(answer)
    const money = (amount: number | null) => (amount === null ? undefined : formatAmount(amount, answer.currency))
    const machines: readonly Column<CashMachine>[] = [
      { title: 'MACHINE', cell: ({ location }) => location },
      { title: 'NAME', cell: ({ name }) => name, flexible: true },
      { title: 'EXPECTED', cell: ({ expected }) => money(expected), as: 'number' },
      { title: 'COLLECTED', cell: ({ last_collected_at: at }) => (at === null ? undefined : formatTime(at)) },
      { title: 'AMOUNT', cell: ({ amount }) => money(amount), as: 'number' },
      { title: 'DIFFERENCE', cell: ({ difference }) => money(difference), as: 'number' },
      { title: '90 DAYS', cell: ({ running_difference: sum }) => money(sum), as: 'number' },
    ]
    const collections: readonly Column<CashCollection>[] = [
      { title: 'COLLECTED', cell: ({ at }) => formatTime(at) },
      { title: 'MACHINE', cell: ({ location }) => location },
      { title: 'NAME', cell: ({ name }) => name, flexible: true },
      { title: 'AMOUNT', cell: ({ amount }) => money(amount), as: 'number' },
      { title: 'EXPECTED', cell: ({ expected }) => money(expected), as: 'number' },
      { title: 'DIFFERENCE', cell: ({ difference }) => money(difference), as: 'number' },
      { title: 'BAG', cell: ({ bag }) => bag ?? undefined },
      { title: 'BY', cell: ({ by }) => by?.name },
    ]
    if (isList) return context.writeTable(answer.collections, collections)
    if (answer.machines.length === 0) return context.writeLines(['no machine reports cash, and none was collected'])
    return context.writeTable(answer.machines, machines)
  },
}
