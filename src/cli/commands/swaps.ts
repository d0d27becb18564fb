/** Products that would earn more in a slot. */
import type { Swap, SwapTrial } from '../../contract/shapes/planning/swaps.ts'
import { type CurrencyCode, formatAmount, money } from '../../kernel/currency.ts'
import type { Command } from '../command.ts'
import { count } from '../../kernel/text.ts'
import { parseAmount } from '../format.ts'
import { createSkuResolver } from '../lookups.ts'
import type { Column } from '../table.ts'

const columnsOf = (currency: CurrencyCode): readonly Column<Swap>[] => [
  { title: 'MACHINE', cell: (swap) => swap.location_name ?? swap.location, flexible: true },
  { title: 'SLOT', cell: (swap) => swap.slot_id },
  { title: 'NOW', cell: (swap) => swap.out.item.title, flexible: true },
  { title: 'INSTEAD', cell: (swap) => swap.in.item.title, flexible: true },
  { title: 'SKU', cell: (swap) => swap.in.item.id, optional: true },
  {
    title: 'NEW AT',
    cell: (swap) => (swap.in.price === undefined ? '' : money(swap.in.price, currency)),
    as: 'number',
    optional: true,
  },
  { title: 'GAIN/WEEK', cell: (swap) => money(swap.weekly_gain, currency), as: 'number' },
  {
    title: 'SOLD ELSEWHERE',
    cell: ({ evidence }) => evidence && `${evidence.units} in ${count(evidence.machines, 'machine')}`,
    optional: true,
  },
  { title: 'STATUS', cell: (swap) => swap.status, as: 'state' },
]

const trialColumns = (currency: CurrencyCode): readonly Column<SwapTrial>[] => [
  { title: 'MACHINE', cell: (trial) => trial.location_name ?? trial.location, flexible: true },
  { title: 'SLOT', cell: (trial) => trial.slot_id },
  { title: 'BEFORE', cell: (trial) => trial.out.title, flexible: true },
  { title: 'ON TRIAL', cell: (trial) => trial.in.title, flexible: true },
  { title: 'STATUS', cell: (trial) => trial.status, as: 'state' },
  { title: 'EXPECTED/WEEK', cell: ({ expected }) => gainText(expected, currency), as: 'number' },
  { title: 'MEASURED', cell: ({ measured }) => measured && gainText(measured, currency), as: 'number' },
]

const gainText = ({ gain, error }: SwapTrial['expected'], currency: CurrencyCode): string =>
  `${formatAmount(gain, currency)} ± ${formatAmount(error, currency)}`

const list: Command = {
  name: 'swaps',
  summary: 'products that would earn more in slots that earn little, and what trials of them came to',
  args: [{ name: 'machine', optional: true }],
  csv: true,
  examples: [
    ['vendops swaps', 'the largest gain first'],
    ['vendops swaps M1001', 'of one machine'],
  ],
  async run(context, args) {
    const location = args.optional('machine')
    const response = await context.client.getSwaps({ query: { location } })
    await context.writeReply(response)
    await context.writeTable(response.swaps, columnsOf(response.currency), { none: 'no swap would pay' })
    if (response.trials.length > 0)
      await context.writeTable(response.trials, trialColumns(response.currency), { none: 'no trial' })
    const { record } = response
    if (record)
      await context.writeLines([
        `${count(record.judged, 'trial')} finished, ${record.kept} kept; expected ${formatAmount(record.expected, response.currency)}, measured ${formatAmount(record.measured, response.currency)} a week`,
      ])
    const first = response.swaps.find(({ status }) => status === 'proposed')
    if (first) context.suggest(`swaps accept ${first.slot_id} ${first.in.item.id}`, 'asks the owner to decide')
  },
}

const acceptCommand: Command = {
  name: 'swaps accept',
  summary: 'accept a proposed swap; the owner decides, or with --start it is tried from the next visit',
  args: [{ name: 'slot' }, { name: 'sku' }],
  options: {
    start: { kind: 'flag', summary: 'start the trial without asking the owner' },
    price: { kind: 'text', summary: 'of a product that no machine holds yet: confirm the proposed price' },
  },
  examples: [
    [
      'vendops swaps accept M1001-G-0007 acme-machine:G-0001',
      'after approval nothing more of the old product is ordered for this machine',
    ],
    [
      'vendops swaps accept M1001-G-0007 acme-machine:G-0001 --start',
      'after 21 days in stock it is kept or taken back',
    ],
    [
      'vendops swaps accept M1001-G-0007 acme-supply:SP1032 --start --price 6.00',
      'a product that no machine holds, at the price that is proposed',
    ],
  ],
  async run(context, args) {
    const slot_id = args.arg('slot')
    const complete = await createSkuResolver(context.client, [args.arg('sku')])
    const starts = args.flag('start')
    const stated = args.text('price')
    const price = stated === undefined ? undefined : parseAmount(stated, (await context.client.getMe()).currency)
    const response = await context.client.acceptSwap({
      body: { slot_id, item: { id: complete(args.arg('sku')) }, ...(starts ? { confirm: true as const } : {}), price },
    })
    await context.writeReply(response)
    const { swap } = response
    await context.writeLines([
      `${swap.in.item.title} instead of ${swap.out.item.title} in ${slot_id}: ${swap.status}${swap.decision === undefined ? '' : `, ${swap.decision}`}`,
    ])
    if (!starts) context.suggest('approvals', 'lists what the owner has to decide')
  },
}

const endCommand: Command = {
  name: 'swaps end',
  summary: 'say that a swap was made, or with --cancel that it will not be; or end its trial',
  args: [{ name: 'slot' }],
  options: {
    cancel: { kind: 'flag', summary: 'the product stays, and is ordered again' },
    keep: { kind: 'flag', summary: 'ends the trial: the new product stays' },
    'take-back': { kind: 'flag', summary: 'ends the trial: the old product comes back at the next visit' },
  },
  examples: [['vendops swaps end M1001-G-0007', 'where the machine does not report its new product by itself']],
  async run(context, args) {
    const status = args.flag('cancel')
      ? 'canceled'
      : args.flag('keep')
        ? 'kept'
        : args.flag('take-back')
          ? 'taken_back'
          : 'done'
    const response = await context.client.endSwap({ params: { slot_id: args.arg('slot') }, body: { status } })
    await context.writeJson(response)
    const { swap } = response
    const told = status === 'kept' || status === 'taken_back' ? status : swap.status
    await context.writeLines([`${swap.in.item.title} instead of ${swap.out.item.title}: ${told}`])
  },
}

export const SWAPS: readonly Command[] = [list, acceptCommand, endCommand]
