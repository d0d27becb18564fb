/** Changes live prices on a machine. Shows the changes and the price cap before anything is sent. */
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import { type Command, YES } from '../command.ts'
import { exitOfMessages, UsageError } from '../exit.ts'
import { parseAmount } from '../format.ts'
import { formatAmount } from '../../kernel/currency.ts'
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
