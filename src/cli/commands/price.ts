/** Changes live prices on a machine. Shows the changes and the price cap before anything is sent. */
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import type { Command } from '../command.ts'
import { YES } from '../command.ts'
import { exitOfMessages, UsageError } from '../exit.ts'
import { count, parseYuan, yuan } from '../format.ts'
import { parsePairs, listMachineProducts, createSkuResolver } from '../lookups.ts'

interface Change {
  readonly id: string
  readonly title: string
  readonly before: number
  readonly after: number
  readonly exceedsCap: boolean
}

export const PRICE: Command = {
  name: 'price',
  group: 'Stock and prices',
  summary: 'change live prices on a machine',
  args: [{ name: 'machine' }, { name: 'sku=yuan', many: true }],
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
    const pairs = parsePairs(args.rest('sku=yuan'), 'G-0001=3.50')
    const skuId = await createSkuResolver(
      client,
      pairs.map(({ key }) => key),
      location,
    )
    const wanted = pairs.map(({ key, value }) => ({ id: skuId(key), after: parseYuan(value) }))
    const [products, guardrails] = await Promise.all([listMachineProducts(context, location), client.getGuardrails()])
    const cap = guardrails.rules.priceCapPerItem
    const variants = new Map(products.flatMap((product) => product.variants).map((variant) => [variant.id, variant]))
    const changes = wanted.map(({ id, after }): Change => {
      const variant = variants.get(id)
      if (!variant)
        throw new UsageError(`${location} has no product ${id}; vendops slots ${location} lists its products`)
      const before = variant.price.amount
      return { id, title: variant.title, before, after, exceedsCap: Math.abs(after - before) > cap }
    })
    await context.writeTable(changes, [
      { title: 'SKU', cell: ({ id }) => id },
      { title: 'PRODUCT', cell: ({ title }) => title, flexible: true },
      { title: 'NOW', cell: ({ before }) => yuan(before), as: 'number' },
      { title: 'NEW', cell: ({ after }) => yuan(after), as: 'number' },
      { title: 'CHANGE', cell: ({ before, after }) => yuan(after - before), as: 'number' },
      { title: '', cell: ({ exceedsCap }) => (exceedsCap ? 'above the cap: needs approval' : '') },
    ])
    await context.writeLines([`price cap: ${yuan(cap)} per item`])
    const question = `Type yes to change ${count(changes.length, 'price')} on ${location}: `
    await context.confirm(question, (answer) => answer === 'yes', args.flag('yes'))

    const prices = changes.map(({ id, after }) => ({
      item: { id },
      price: { amount: after, currency: 'CNY' as const },
    }))
    const response = await client.changePrices({ params: { id: location }, body: { prices, confirm: true } })
    await context.writeJson(response)
    context.writeMessages(response.messages)
    for (const { item, previous, price } of response.updated)
      await context.writeLines([`${item.id}  ${yuan(previous.amount)} → ${yuan(price.amount)}`])
    const decision = response.actions?.[APPROVAL_ACTION]?.[0]?.id
    if (decision) context.suggest(`approvals show ${decision}`, 'shows the pending approval')
    else context.suggest(`slots ${location}`, 'shows the current prices')
    return exitOfMessages(response.messages)
  },
}
