/** The store room: what is there, what moved, and counting it. */
import { STOREROOM_REASONS, type StoreroomReason } from '../../contract/shapes/storeroom.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { count } from '../../kernel/text.ts'
import { omitUndefined } from '../../lib/objects.ts'
import { type Command, LIMIT } from '../command.ts'
import { formatTime } from '../format.ts'
import { collect, parseWholeNumber } from '../lookups.ts'

const list: Command = {
  name: 'storeroom list',
  alias: 'storeroom',
  summary: 'what is in the store room, what of it is kept for runs, and its value',
  csv: true,
  options: {
    find: { kind: 'text', value: 'TEXT', summary: 'only products with this in their title or id' },
    all: { kind: 'flag', summary: 'also products of which nothing is there' },
    limit: LIMIT,
  },
  examples: [
    ['vendops storeroom', 'what is there'],
    ['vendops storeroom --find cola', 'one product'],
  ],
  async run(context, args) {
    const limit = args.wholeNumber('limit', 20, 1, 100_000)
    const query = omitUndefined({ query: args.text('find'), in_stock: args.flag('all') ? undefined : true })
    const first = await context.client.getStoreroom({ query: { ...query, limit: 1 } })
    const { found, hasMore } = await collect(context.client.all.getStoreroom({ query }), limit)
    await context.writeJson({ products: found, value: first.value })
    await context.writeTable(found, [
      { title: 'SKU', cell: ({ item }) => item.id },
      { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
      { title: 'UNITS', cell: ({ units }) => units, as: 'number' },
      { title: 'FREE', cell: ({ free }) => free, as: 'number' },
      {
        title: 'VALUE',
        cell: ({ value }) => (value ? formatAmount(value.amount, value.currency) : undefined),
        as: 'number',
      },
      { title: 'BEST BEFORE', cell: ({ lots }) => lots[0]?.best_before ?? undefined },
      { title: 'COUNTED', cell: ({ counted_at: at }) => (at === null ? undefined : formatTime(at)) },
    ])
    if (context.csv) return
    const worth = first.value ? `, worth ${formatAmount(first.value.amount, first.value.currency)} in all` : ''
    await context.writeLines([`${count(found.length, 'product')}${hasMore ? ' and more' : ''}${worth}`])
    context.writeMessages(first.messages)
    context.suggest('storeroom count SKU UNITS', 'records a count')
  },
}

const countCommand: Command = {
  name: 'storeroom count',
  summary: 'record how many units of a product are in the store room',
  args: [{ name: 'sku' }, { name: 'units' }],
  options: {
    reason: { kind: 'text', value: 'REASON', summary: 'default: count', choices: STOREROOM_REASONS },
    expected: { kind: 'text', value: 'N', summary: 'refuse when another number is there' },
    'best-before': { kind: 'text', value: 'DATE', summary: 'of all these units, such as 2027-03-31' },
    note: { kind: 'text', value: 'TEXT', summary: 'why' },
  },
  examples: [
    ['vendops storeroom count acme-supply:SP1 18', 'counted'],
    ['vendops storeroom count acme-supply:SP1 16 --reason damaged --expected 18', 'two were damaged'],
  ],
  async run(context, args) {
    const expected = args.text('expected')
    const body = omitUndefined({
      units: parseWholeNumber(args.arg('units'), 'units'),
      reason: (args.text('reason') ?? 'count') as StoreroomReason,
      expected_units: expected === undefined ? undefined : parseWholeNumber(expected, 'units'),
      best_before: args.text('best-before'),
      note: args.text('note'),
    })
    const product = await context.client.countStoreroom({ params: { sku_id: args.arg('sku') }, body })
    await context.writeJson(product)
    await context.writeLines([`${product.item.title}: ${count(product.units, 'unit')}, ${product.free} free`])
  },
}

const movements: Command = {
  name: 'storeroom movements',
  summary: 'what came into the store room and went out of it, newest first',
  csv: true,
  options: {
    sku: { kind: 'text', value: 'ID', summary: 'only this product' },
    from: { kind: 'text', value: 'DATE', summary: 'from this day' },
    to: { kind: 'text', value: 'DATE', summary: 'up to this day' },
    limit: LIMIT,
  },
  examples: [['vendops storeroom movements --sku acme-supply:SP1', 'the history of one product']],
  async run(context, args) {
    const limit = args.wholeNumber('limit', 20, 1, 100_000)
    const query = omitUndefined({ sku_id: args.text('sku'), from: args.text('from'), to: args.text('to') })
    const { found } = await collect(context.client.all.listStoreroomMovements({ query }), limit)
    await context.writeJson({ movements: found })
    await context.writeTable(found, [
      { title: 'AT', cell: ({ at }) => formatTime(at) },
      { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
      { title: 'UNITS', cell: ({ units }) => (units > 0 ? `+${units}` : units), as: 'number' },
      { title: 'KIND', cell: ({ kind }) => kind },
      { title: 'BY', cell: ({ by }) => by?.name },
      { title: 'FOR', cell: ({ reference }) => reference?.id },
    ])
  },
}

export const STOREROOM: readonly Command[] = [list, countCommand, movements]
