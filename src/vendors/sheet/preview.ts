/** What a price list would become, for a trial before it is used. */
import { formatAmount } from '../../kernel/currency.ts'
import { count } from '../../kernel/text.ts'
import { type AdapterNeeds, type Preview, type PreviewFile, refusedPreview } from '../adapter-module.ts'
import { todayIn } from './price-list/catalog.ts'
import { LEFT_OUT, readList, wholeLines } from './price-list/examine-list.ts'
import { sizeProblem } from './price-list/list-file.ts'
import type { LeftOut, ListedProduct } from './price-list/listed-products.ts'
import type { SheetSettings } from './settings.ts'

export async function previewPriceList(
  { bytes }: PreviewFile,
  { catalog }: SheetSettings,
  needs: AdapterNeeds,
): Promise<Preview> {
  const { currency, timeZone } = needs.connection
  const refuse = (problem: string) => refusedPreview(`The list is refused: ${problem}`)
  const problem = sizeProblem(bytes.length)
  if (problem !== undefined) return refuse(problem)
  const { whole, isCut } = wholeLines(bytes, catalog)
  const list = readList(whole, catalog, {
    currency,
    today: todayIn(timeZone, needs.clock.now()),
    statedPacks: (await needs.statedPacks?.()) ?? [],
  })
  if (!list.ok) return refuse(list.problem)
  const rowsLeftOut = list.leftOut.reduce((sum, entry) => sum + entry.count, isCut ? 1 : 0)
  return {
    summary: `${count(list.products.length, 'product')}, ${count(rowsLeftOut, 'row')} left out`,
    tables: [
      {
        title: 'products',
        columns: ['sku', 'title', 'sold as', 'pack', 'pack price', 'each price', 'stock'],
        rows: list.products.map((product) => toRow(product, currency)),
      },
    ],
    leftOut: [
      ...list.leftOut.map(toLeftOut),
      ...(isCut ? [{ where: 'last row', reason: 'has no line end, so it may be incomplete' }] : []),
    ],
    notes: list.notes ?? [],
  }
}

const toRow = (product: ListedProduct, currency: string): readonly string[] => {
  const { vendorSku, title, units, packSize, packPriceFen, eachPriceFen, eachPriceDerived, stock, isForSale } = product
  return [
    vendorSku,
    title,
    isForSale ? units : 'not for sale',
    units === 'each' ? '' : String(packSize),
    units === 'each' ? '' : formatAmount(packPriceFen, currency),
    `${formatAmount(eachPriceFen, currency)}${eachPriceDerived ? ' (computed)' : ''}`,
    stock === null ? 'unknown' : String(stock),
  ]
}

function toLeftOut({ reason, count: total, rows }: LeftOut) {
  const more = total > rows.length ? ` and ${total - rows.length} more` : ''
  return { where: `row ${rows.join(', ')}${more}`, reason: LEFT_OUT[reason] }
}
