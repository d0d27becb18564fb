/** Supplier products, and aliases between supplier and machine products. */
import type { Product, SkuRecord } from '../../contract/shapes/catalog.ts'
import { count } from '../../kernel/text.ts'
import { type Command, LIMIT } from '../command.ts'
import type { Context } from '../context.ts'
import { exitOfMessages } from '../exit.ts'
import { formatTime } from '../format.ts'
import { collect, parseWholeNumber } from '../lookups.ts'

const boxOf = (product: Product) => product.variants[0]?.sale_units?.find(({ unit }) => unit === 'BX')

const catalog: Command = {
  name: 'catalog',
  summary: 'search the supplier catalog',
  csv: true,
  args: [{ name: 'query', optional: true }],
  options: {
    limit: LIMIT,
    namespace: { kind: 'text', value: 'NAME', summary: 'supplier (default: the default supplier)' },
  },
  examples: [['vendops catalog 可乐', 'products whose brand or name contains the word']],
  async run(context, args) {
    const namespace = args.text('namespace')
    const limit = args.wholeNumber('limit', 20, 1, 1000)
    const body = {
      query: args.optional('query'),
      filters: namespace === undefined ? undefined : { namespace },
      pagination: { limit: Math.min(100, limit + 1) },
    }
    const { found, hasMore } = await collect(context.client.all.searchCatalog({ body }), limit)
    await context.writeJson({ products: found, has_more: hasMore })
    await context.writeTable(
      found,
      [
        { title: 'SKU', cell: ({ id }) => id },
        { title: 'PRODUCT', cell: ({ title }) => title, flexible: true },
        { title: 'EACH', cell: ({ variants }) => variants[0]?.price, as: 'number' },
        { title: 'BOX', cell: (product) => boxOf(product)?.price, as: 'number' },
        { title: 'PER BOX', cell: (product) => boxOf(product)?.contains, as: 'number' },
        { title: 'STOCK', cell: ({ variants }) => variants[0]?.metadata?.supplier_stock, as: 'number' },
      ],
      { none: 'no products found' },
    )
    context.suggest(`checkout create --line ${found[0]?.id ?? '<sku>'}=1bx`, 'starts a purchase')
  },
}

async function printSku(context: Context, record: SkuRecord): Promise<void> {
  await context.writeJson(record)
  await context.writeFields([
    ['sku', record.sku_id],
    ['title', record.title],
    ['barcodes', record.barcodes?.map(({ value }) => value).join(', ') || undefined],
    [
      'shelf life',
      record.shelf_days &&
        `${count(record.shelf_days, 'day')}${record.shelf_days_source === 'learned' ? ' (learned from expired units)' : ''}`,
    ],
  ])
  const aliases = record.aliases ?? []
  if (aliases.length === 0) await context.writeLines(['no aliases'])
  else
    await context.writeTable(aliases, [
      { title: 'ALIAS', cell: ({ sku_id }) => sku_id },
      { title: 'SOURCE', cell: ({ source }) => source },
      { title: 'CONFIRMED', cell: ({ confirmed_at }) => formatTime(confirmed_at) },
    ])
  context.writeMessages(record.messages)
}

const alias: Command = {
  name: 'alias',
  summary: 'show, confirm or reject aliases: the same product elsewhere',
  args: [{ name: 'sku' }, { name: 'same-as', optional: true, many: true }],
  options: {
    reject: { kind: 'flag', summary: 'the products are different: reject the alias' },
    'shelf-days': { kind: 'text', value: 'N', summary: 'days the product may stay in a machine; 0 removes them' },
  },
  examples: [
    ['vendops alias acme-machine:G-0001', 'aliases of one product'],
    ['vendops alias acme-machine:G-0001 acme-supply:SP1001', 'confirms that both are the same product'],
    ['vendops alias acme-machine:G-0001 acme-supply:SP1002 --reject', 'rejects a wrong alias'],
    ['vendops alias acme-machine:G-0001 --shelf-days 60', 'never orders more than sells in 60 days'],
  ],
  async run(context, args) {
    const sku_id = args.arg('sku')
    const others = args.rest('same-as')
    const days = args.text('shelf-days')
    if (days !== undefined) {
      const shelf_days = parseWholeNumber(days, 'days') || null
      await context.client.setShelfLife({ params: { sku_id }, body: { shelf_days } })
    }
    if (others.length === 0) {
      const record = await context.client.getSku({ params: { sku_id } })
      await printSku(context, record)
      const suggested = record.aliases?.find(({ source }) => source === 'suggested')
      if (suggested) context.suggest(`alias ${sku_id} ${suggested.sku_id}`, 'confirms the suggestion')
      else context.suggest('runs', 'shows products without a supplier in each run')
      return exitOfMessages(record.messages)
    }
    const source = args.flag('reject') ? ('rejected' as const) : ('manual' as const)
    const record = await context.client.confirmAliases({
      params: { sku_id },
      body: { aliases: others.map((other) => ({ sku_id: other, source })) },
    })
    await printSku(context, record)
    context.suggest('plan', 'shows what to order now')
    return exitOfMessages(record.messages)
  },
}

export const CATALOG: readonly Command[] = [catalog, alias]
