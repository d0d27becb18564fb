/** Supplier goods, and which machine goods are the same. */
import type { Product, SkuRecord } from '../../contract/catalog.ts'
import type { Command } from '../command.ts'
import { LIMIT } from '../command.ts'
import type { Context } from '../context.ts'
import { exitOfMessages } from '../exit.ts'
import { when, yuan } from '../format.ts'
import { take } from '../lookups.ts'

const boxOf = (product: Product) => product.variants[0]?.sale_units?.find(({ unit }) => unit === 'BX')

const catalog: Command = {
  name: 'catalog',
  group: 'Buy',
  summary: 'search the supplier’s goods',
  args: [{ name: 'query', optional: true }],
  options: { limit: LIMIT, namespace: { kind: 'text', value: 'NAME', summary: 'another supplier than the default' } },
  examples: [['vendops catalog 可乐', 'goods whose brand or name has the word']],
  async run(context, given) {
    const query = given.optional('query')
    const namespace = given.text('namespace')
    const limit = given.whole('limit', 20, 1, 1000)
    const body = {
      ...(query === undefined ? {} : { query }),
      ...(namespace === undefined ? {} : { filters: { namespace } }),
      pagination: { limit: Math.min(100, limit + 1) },
    }
    const { found, more } = await take(context.client.all.searchCatalog({ body }), limit)
    await context.data({ products: found, has_more: more })
    if (found.length === 0) await context.say(['no goods found'])
    else
      await context.table(found, [
        { title: 'SKU', cell: ({ id }) => id },
        { title: 'GOOD', cell: ({ title }) => title, flexible: true },
        { title: 'EACH', cell: ({ variants }) => yuan(variants[0]?.price.amount ?? 0), as: 'number' },
        {
          title: 'BOX',
          cell: (product) => (boxOf(product) ? yuan(boxOf(product)?.price.amount ?? 0) : undefined),
          as: 'number',
        },
        { title: 'OF', cell: (product) => boxOf(product)?.contains, as: 'number' },
        { title: 'STOCK', cell: ({ variants }) => variants[0]?.metadata?.supplier_stock, as: 'number' },
      ])
    context.next(`checkout create --line ${found[0]?.id ?? '<sku>'}=1bx --pickup`, 'starts buying')
  },
}

async function present(context: Context, record: SkuRecord): Promise<void> {
  await context.data(record)
  await context.fields([
    ['sku', record.sku_id],
    ['title', record.title],
    ['barcodes', record.barcodes?.map(({ value }) => value).join(', ') || undefined],
  ])
  const aliases = record.aliases ?? []
  if (aliases.length === 0) await context.say(['no aliases'])
  else
    await context.table(aliases, [
      { title: 'ALIAS', cell: ({ sku_id }) => sku_id },
      { title: 'SOURCE', cell: ({ source }) => source },
      { title: 'CONFIRMED', cell: ({ confirmed_at }) => when(confirmed_at) },
    ])
  context.messages(record.messages)
}

const alias: Command = {
  name: 'alias',
  group: 'Buy',
  summary: 'which goods are the same; confirm or withdraw it',
  args: [{ name: 'sku' }, { name: 'same-as', optional: true, many: true }],
  options: { reject: { kind: 'flag', summary: 'they are not the same: withdraw the alias' } },
  examples: [
    ['vendops alias acme-machine:G-0001', 'what it is known as elsewhere'],
    ['vendops alias acme-machine:G-0001 acme-supply:SP1001', 'confirms by hand that they are the same good'],
    ['vendops alias acme-machine:G-0001 acme-supply:SP1002 --reject', 'undoes a wrong one'],
  ],
  async run(context, given) {
    const sku_id = given.arg('sku')
    const others = given.rest('same-as')
    if (others.length === 0) {
      const record = await context.client.getSku({ params: { sku_id } })
      await present(context, record)
      const suggested = record.aliases?.find(({ source }) => source === 'suggested')
      if (suggested) context.next(`alias ${sku_id} ${suggested.sku_id}`, 'confirms the suggestion')
      else context.next('runs', 'runs name goods that have no source yet')
      return exitOfMessages(record.messages)
    }
    const source = given.flag('reject') ? ('rejected' as const) : ('manual' as const)
    const record = await context.client.confirmAliases({
      params: { sku_id },
      body: { aliases: others.map((other) => ({ sku_id: other, source })) },
    })
    await present(context, record)
    context.next('plan', 'what to order now')
    return exitOfMessages(record.messages)
  },
}

export const CATALOG: readonly Command[] = [catalog, alias]
