/** Live prices on a machine: what would change is shown beside the cap before anything is sent. */
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import type { Command } from '../command.ts'
import { YES } from '../command.ts'
import { exitOfMessages, UsageError } from '../exit.ts'
import { count, fenOf, yuan } from '../format.ts'
import { pairsOf, shelfOf, skuReader } from '../lookups.ts'

interface Change {
  readonly id: string
  readonly title: string
  readonly before: number
  readonly after: number
  readonly above: boolean
}

export const PRICE: Command = {
  name: 'price',
  group: 'Stock and prices',
  summary: 'change live prices on a machine',
  args: [{ name: 'machine' }, { name: 'sku=yuan', many: true }],
  options: { yes: YES },
  details:
    'Shows old and new price and the cap first and asks. A change above the cap is not made: it becomes a decision for\nthe owner (exit code 3), and approving it makes it.',
  examples: [
    ['vendops price M1001 G-0001=3.50', 'one price; the default machine vendor is meant'],
    ['vendops price M1001 acme-machine:G-0001=3.50 acme-machine:G-0002=4 --yes', 'two prices, without asking'],
  ],
  async run(context, given) {
    const { client } = context
    const location = given.arg('machine')
    const pairs = pairsOf(given.rest('sku=yuan'), 'G-0001=3.50')
    const skuId = await skuReader(
      client,
      'machine',
      pairs.map(({ key }) => key),
    )
    const wanted = pairs.map(({ key, value }) => ({ id: skuId(key), after: fenOf(value) }))
    const [shelf, guardrails] = await Promise.all([shelfOf(context, location), client.getGuardrails()])
    const cap = guardrails.rules.priceCapPerItem
    const goods = new Map(shelf.flatMap((product) => product.variants).map((variant) => [variant.id, variant]))
    const changes = wanted.map(({ id, after }): Change => {
      const good = goods.get(id)
      if (!good) throw new UsageError(`${id} is not in ${location}; vendops slots ${location} lists what is`)
      const before = good.price.amount
      return { id, title: good.title, before, after, above: Math.abs(after - before) > cap }
    })
    await context.table(changes, [
      { title: 'SKU', cell: ({ id }) => id },
      { title: 'GOOD', cell: ({ title }) => title, flexible: true },
      { title: 'NOW', cell: ({ before }) => yuan(before), as: 'number' },
      { title: 'NEW', cell: ({ after }) => yuan(after), as: 'number' },
      { title: 'CHANGE', cell: ({ before, after }) => yuan(after - before), as: 'number' },
      { title: '', cell: ({ above }) => (above ? 'above the cap: needs approval' : '') },
    ])
    await context.say([`the cap is ${yuan(cap)} per item`])
    const question = `Type yes to change ${count(changes.length, 'price')} on ${location}: `
    await context.confirm(question, (answer) => answer === 'yes', given.flag('yes'))

    const prices = changes.map(({ id, after }) => ({
      item: { id },
      price: { amount: after, currency: 'CNY' as const },
    }))
    const answer = await client.changePrices({ params: { id: location }, body: { prices, confirm: true } })
    await context.data(answer)
    context.messages(answer.messages)
    for (const { item, previous, price } of answer.updated)
      await context.say([`${item.id}  ${yuan(previous.amount)} → ${yuan(price.amount)}`])
    const decision = answer.actions?.[APPROVAL_ACTION]?.[0]?.id
    if (decision) context.next(`approvals show ${decision}`, 'the decision that was opened')
    else context.next(`slots ${location}`, 'shows the prices as they are now')
    return exitOfMessages(answer.messages)
  },
}
