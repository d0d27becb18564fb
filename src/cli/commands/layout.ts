/** Lanes of a machine that would earn more with another of its products. */
import type { Layout } from '../../contract/shapes/planning/layout.ts'
import { type CurrencyCode, formatAmount, money } from '../../kernel/currency.ts'
import { type Command, YES } from '../command.ts'
import { UsageError } from '../exit.ts'
import { count } from '../../kernel/text.ts'
import type { Column } from '../table.ts'

const columnsOf = (currency: CurrencyCode): readonly Column<Layout['lanes'][number]>[] => [
  { title: 'LANE', cell: ({ lane }) => lane },
  { title: 'NOW', cell: ({ now }) => now.title, flexible: true },
  { title: 'BETTER', cell: ({ proposed }) => proposed.title, flexible: true },
  { title: 'GAIN/WEEK', cell: (lane) => money(lane.weekly_gain, currency), as: 'number' },
  { title: '±', cell: (lane) => money(lane.gain_error, currency), as: 'number' },
  { title: 'STATUS', cell: ({ status }) => status, as: 'state' },
]

const list: Command = {
  name: 'layout',
  summary: 'slots of a machine that would earn more with another of its products',
  args: [{ name: 'machine' }],
  csv: true,
  examples: [['vendops layout M1001', 'the largest gain first']],
  async run(context, args) {
    const response = await context.client.getLayout({ query: { location: args.arg('machine') } })
    await context.writeReply(response)
    await context.writeTable(response.lanes, columnsOf(response.currency), {
      none: 'each product has the slots it needs',
    })
    const { visit_days: days } = response
    if (days && days.after !== days.now)
      await context.writeLines([`Best days between visits: ${days.after} instead of ${days.now}`])
    const { result, currency } = response
    if (result)
      await context.writeLines([
        `${count(result.lanes, 'slot')} changed: ${formatAmount(result.gain, currency)} ± ${formatAmount(result.error, currency)} a week in ${count(result.days, 'day')}, expected ${formatAmount(result.expected, currency)}`,
      ])
    const first = response.lanes.find(({ status }) => status === 'proposed')
    if (first) context.suggest(`layout accept ${response.location} ${first.lane}`, 'changes it at the next visit')
  },
}

const acceptCommand: Command = {
  name: 'layout accept',
  summary: 'accept proposed slots; the next visit changes them and brings what fits',
  args: [{ name: 'machine' }, { name: 'lane', many: true }],
  options: { yes: YES },
  examples: [['vendops layout accept M1001 12 14', 'two of the slots that are proposed']],
  async run(context, args) {
    const location = args.arg('machine')
    const { lanes: proposed, currency } = await context.client.getLayout({ query: { location } })
    const lanes = args.rest('lane').map((lane) => {
      const change = proposed.find((each) => each.lane === lane && each.status === 'proposed')
      if (!change) throw new UsageError(`slot "${lane}" is not proposed: vendops layout ${location}`)
      return change
    })
    await context.writeTable(lanes, columnsOf(currency))
    const question = `Type yes to change ${count(lanes.length, 'slot')} at the next visit: `
    await context.confirm(question, (answer) => answer === 'yes', args.flag('yes'))
    const wanted = lanes.map(({ lane, proposed: { id } }) => ({ lane, item: { id } }))
    const response = await context.client.acceptLayout({ body: { location, lanes: wanted, confirm: true } })
    await context.writeReply(response)
  },
}

const endCommand: Command = {
  name: 'layout end',
  summary: 'say that a slot was changed, or with --cancel that it will not be',
  args: [{ name: 'machine' }, { name: 'lane' }],
  options: { cancel: { kind: 'flag', summary: 'the product stays, with its room' } },
  examples: [['vendops layout end M1001 12', 'where neither the driver nor the machine says so']],
  async run(context, args) {
    const status = args.flag('cancel') ? 'canceled' : 'done'
    const body = { lane: args.arg('lane'), status } as const
    await context.writeJson(await context.client.endLaneChange({ params: { id: args.arg('machine') }, body }))
    await context.writeLines([`Slot ${body.lane}: ${status}`])
  },
}

export const LAYOUT: readonly Command[] = [list, acceptCommand, endCommand]
