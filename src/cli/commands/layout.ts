/** Lanes of a machine that would earn more with another of its products. */
import type { Layout } from '../../contract/shapes/planning/layout.ts'
import { type CurrencyCode, money } from '../../kernel/currency.ts'
import type { Command } from '../command.ts'
import type { Column } from '../table.ts'

const columnsOf = (currency: CurrencyCode): readonly Column<Layout['lanes'][number]>[] => [
  { title: 'LANE', cell: ({ lane }) => lane },
  { title: 'NOW', cell: ({ now }) => now.title, flexible: true },
  { title: 'BETTER', cell: ({ proposed }) => proposed.title, flexible: true },
  { title: 'GAIN/WEEK', cell: (lane) => money(lane.weekly_gain, currency), as: 'number' },
]

export const LAYOUT: Command = {
  name: 'layout',
  summary: 'lanes of a machine that would earn more with another of its products',
  args: [{ name: 'machine' }],
  csv: true,
  examples: [['vendops layout M1001', 'the largest gain first']],
  async run(context, args) {
    const response = await context.client.getLayout({ query: { location: args.arg('machine') } })
    await context.writeReply(response)
    await context.writeTable(response.lanes, columnsOf(response.currency), {
      none: 'each product has the lanes it needs',
    })
    const { visit_days: days } = response
    if (days && days.after !== days.now)
      await context.writeLines([`Best days between visits: ${days.after} instead of ${days.now}`])
  },
}
