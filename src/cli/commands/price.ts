/** Changes live prices on a machine, or tries one in several. Shows what will change before anything is sent. */
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import type { ExperimentList } from '../../contract/shapes/planning/experiments.ts'
import { type Command, YES } from '../command.ts'
import { exitOfMessages, UsageError } from '../exit.ts'
import { parseAmount } from '../format.ts'
import { type CurrencyCode, formatAmount } from '../../kernel/currency.ts'
import { count } from '../../kernel/text.ts'
import { parsePairs, listMachineProducts, createSkuResolver } from '../lookups.ts'

export const PRICE: Command = {
  name: 'price',
  summary: 'change live prices on a machine',
  args: [{ name: 'machine' }, { name: 'sku=price', many: true }],
  options: { yes: YES },
  details:
    'Shows old price, new price and cap, then asks. A change above the cap needs the owner (exit code 3), and approval\napplies it.',
  examples: [
    ['vendops price M1001 G-0001=3.50', 'one price; uses the default machine platform'],
    ['vendops price M1001 acme-machine:G-0001=3.50 acme-machine:G-0002=4 --yes', 'two prices, without confirmation'],
  ],
  async run(context, args) {
    const { client } = context
    const location = args.arg('machine')
    const pairs = parsePairs(args.rest('sku=price'), 'G-0001=3.50')
    const skuId = await createSkuResolver(
      client,
      pairs.map(({ key }) => key),
      location,
    )
    const guardrails = await client.getGuardrails()
    const { currency } = guardrails
    const cap = guardrails.rules.priceCapPerItem
    const format = (amount: number) => formatAmount(amount, currency)
    const wanted = pairs.map(({ key, value }) => ({ id: skuId(key), after: parseAmount(value, currency) }))
    const products = await listMachineProducts(context, location)
    const variants = new Map(products.flatMap((product) => product.variants).map((variant) => [variant.id, variant]))
    const changes = wanted.map(({ id, after }) => {
      const variant = variants.get(id)
      if (!variant)
        throw new UsageError(`${location} has no product ${id}; vendops slots ${location} lists its products`)
      const before = variant.price.amount
      return { id, title: variant.title, before, after, exceedsCap: Math.abs(after - before) > cap }
    })
    await context.writeTable(changes, [
      { title: 'SKU', cell: ({ id }) => id },
      { title: 'PRODUCT', cell: ({ title }) => title, flexible: true },
      { title: 'NOW', cell: ({ before }) => format(before), as: 'number' },
      { title: 'NEW', cell: ({ after }) => format(after), as: 'number' },
      { title: 'CHANGE', cell: ({ before, after }) => format(after - before), as: 'number' },
      { title: '', cell: ({ exceedsCap }) => (exceedsCap ? 'above the cap: needs approval' : '') },
    ])
    await context.writeLines([`price cap: ${format(cap)} per item`])
    const question = `Type yes to change ${count(changes.length, 'price')} on ${location}: `
    await context.confirm(question, (answer) => answer === 'yes', args.flag('yes'))

    const prices = changes.map(({ id, after }) => ({ item: { id }, price: { amount: after, currency } }))
    const response = await client.changePrices({ params: { id: location }, body: { prices, confirm: true } })
    await context.writeReply(response)
    for (const { item, previous, price } of response.updated)
      await context.writeLines([`${item.id}  ${format(previous.amount)} → ${format(price.amount)}`])
    const decision = response.actions?.[APPROVAL_ACTION]?.[0]?.id
    if (decision) context.suggest(`approvals show ${decision}`, 'shows the pending approval')
    else context.suggest(`slots ${location}`, 'shows the current prices')
    return exitOfMessages(response.messages)
  },
}

type Gain = ExperimentList['proposals'][number]['expected']

const describeGain = (gain: Gain | undefined, currency: CurrencyCode): string =>
  gain ? `${formatAmount(gain.gain, currency)} ± ${formatAmount(gain.error, currency)}` : ''

const treatedCount = ({ machines }: Pick<ExperimentList['proposals'][number], 'machines'>): number =>
  machines.filter(({ role }) => role === 'treated').length

const listTrials: Command = {
  name: 'trials',
  summary: 'price trials: running, past and proposed, with expected and measured gain',
  csv: true,
  examples: [['vendops trials', 'running ones first, then proposals, then what earlier ones came to']],
  async run(context) {
    const response = await context.client.listExperiments()
    await context.writeReply(response)
    const { currency, running, proposals, past } = response
    const rows = [
      ...running.map((trial) => ({ ...trial, name: trial.id })),
      ...proposals.map((proposal) => ({
        ...proposal,
        name: proposal.item.id,
        status: 'proposed',
        measured: undefined,
      })),
      ...past.map((trial) => ({ ...trial, name: trial.id })),
    ]
    await context.writeTable(
      rows,
      [
        { title: 'TRIAL', cell: ({ name }) => name },
        { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
        { title: 'CHANGE', cell: ({ change }) => formatAmount(change, currency), as: 'number' },
        { title: 'MACHINES', cell: treatedCount, as: 'number' },
        { title: 'EXPECTED/WEEK', cell: ({ expected }) => describeGain(expected, currency), as: 'number' },
        { title: 'MEASURED/WEEK', cell: ({ measured }) => describeGain(measured, currency), as: 'number' },
        { title: 'STATUS', cell: ({ status }) => status, as: 'state' },
      ],
      { none: 'nothing is tried, and no price is worth a trial now' },
    )
    const [best] = proposals
    if (best) context.suggest(`trials start ${best.item.id}`, 'tries it in half of the machines')
  },
}

const startTrial: Command = {
  name: 'trials start',
  summary: 'try the proposed price of a product in half of the machines',
  args: [{ name: 'sku' }],
  options: { yes: YES },
  examples: [['vendops trials start acme-machine:G-0008', 'after 14 days in stock it is kept or taken back']],
  async run(context, args) {
    const { client } = context
    const { proposals, currency } = await client.listExperiments()
    const proposal = proposals.find(({ item }) => item.id === args.arg('sku'))
    if (!proposal) throw new UsageError(`no trial of "${args.arg('sku')}" is proposed: vendops trials`)
    const { item, change, machines, expected } = proposal
    await context.writeTable(machines, [
      { title: 'MACHINE', cell: ({ location }) => location },
      { title: 'NAME', cell: ({ location_name: name }) => name, flexible: true },
      { title: 'NOW', cell: ({ price }) => formatAmount(price, currency), as: 'number' },
      {
        title: 'TRIAL',
        cell: ({ trial_price: price }) => (price === undefined ? 'stays' : formatAmount(price, currency)),
        as: 'number',
      },
    ])
    await context.writeLines([`expected: ${describeGain(expected, currency)} a week`])
    const question = `Type yes to try ${item.title} in ${count(treatedCount(proposal), 'machine')}: `
    await context.confirm(question, (answer) => answer === 'yes', args.flag('yes'))
    const response = await client.startExperiment({ body: { item: { id: item.id }, change, confirm: true } })
    await context.writeReply(response)
    await context.writeLines([`${response.experiment.id}: ${response.experiment.status}`])
  },
}

const endTrial: Command = {
  name: 'trials end',
  summary: 'end a price trial: take its prices back, or with --keep leave them',
  args: [{ name: 'trial' }],
  options: { keep: { kind: 'flag', summary: 'the new prices stay' }, yes: YES },
  examples: [['vendops trials end trial-1794975327896-46990038', 'the old prices come back']],
  async run(context, args) {
    const keep = args.flag('keep')
    const question = `Type yes to ${keep ? 'keep the new prices' : 'take the new prices back'}: `
    await context.confirm(question, (answer) => answer === 'yes', args.flag('yes'))
    const response = await context.client.endExperiment({
      params: { id: args.arg('trial') },
      body: { keep, confirm: true },
    })
    await context.writeReply(response)
    await context.writeLines([`${response.experiment.id}: ${response.experiment.status}`])
  },
}

export const TRIALS: readonly Command[] = [listTrials, startTrial, endTrial]
