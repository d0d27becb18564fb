/** An X12 price catalogue (832) to products. The same rules as for price lists; rows are numbered by item. */
import { minorOf } from '../../../kernel/minor-units.ts'
import { omitUndefined } from '../../../lib/objects.ts'
import { UnreadableReply } from '../../upstream/read-json.ts'
import { type AskedPack, packText, sizeByPrices } from '../../packs.ts'
import { wholeOf, unitOf } from '../documents/units.ts'
import { skuIn } from '../documents/x12/x12-elements.ts'
import { type X12Segment, readInterchange } from '../documents/x12/x12-text.ts'
import {
  type LeftOutReason,
  type ListedProduct,
  type ProductList,
  barcodeOf,
  collectProducts,
  isUsableSku,
} from './listed-products.ts'
import { type PackSize, askAboutPack, pricesOf } from './price-list.ts'
import type { CatalogueSettings } from './ubl-catalogue.ts'

/** What a buyer pays, the surest first. Prices for others, such as resale and retail, never count. */
const PRICE_CLASSES = ['CON', 'NET', 'UCP', 'WHL', 'CAT', 'LPR', ''] as const
/** Of the whole list. Others change or withdraw a part of an earlier one. */
const PURPOSES = new Set(['', '00', '05'])
const BARCODES = new Set(['UP', 'UK', 'UI', 'UA', 'EN'])

export function readX12Catalogue(bytes: Uint8Array, settings: CatalogueSettings): ProductList {
  try {
    const sets = readInterchange(bytes).filter(({ type }) => type === '832')
    if (sets.length === 0) return { ok: false, problem: 'the document holds no catalogue (832)' }
    const items = sets.flatMap(({ segments }) => {
      const header = segments.find(({ id }) => id === 'BCT')
      if (!PURPOSES.has(header?.elements[10]?.trim() ?? ''))
        throw new UnreadableReply('the document changes a part of another catalogue')
      const currency = segments.find(({ id }) => id === 'CUR')?.elements[2]?.trim()
      if (currency && currency !== settings.currency) throw new UnreadableReply('the catalogue is in another currency')
      return splitItems(segments)
    })
    return collectProducts(
      items.map((item, i) => {
        const { read, asked } = readItem(item, settings)
        return {
          row: i + 1,
          vendorSku: skuIn(item[0]!, 2),
          isWithoutPrice: read === 'no_price',
          text: unitText(item),
          ...(asked && { asked }),
          read,
        }
      }),
    )
  } catch (error) {
    if (!(error instanceof UnreadableReply)) throw error
    return { ok: false, problem: error.message }
  }
}

type Item = readonly X12Segment[]

function splitItems(segments: readonly X12Segment[]): readonly Item[] {
  const items: X12Segment[][] = []
  for (const segment of segments) {
    if (segment.id === 'CTT') break
    if (segment.id === 'LIN') items.push([segment])
    else items.at(-1)?.push(segment)
  }
  return items
}

const all = (item: Item, id: string): readonly X12Segment[] => item.filter((segment) => segment.id === id)

/** A pack without a number of items is asked about by its unit and what is stated of its size. */
function unitText(item: Item): string {
  const [po4] = all(item, 'PO4')
  const unit = all(item, 'CTP').map(unitAt).find(Boolean) ?? ''
  return packText(unit, (po4?.elements.slice(1, 4) ?? []).filter(Boolean).join(' '))
}

const unitAt = ({ elements }: X12Segment): string => elements[5]?.split(/[>:^]/)[0]?.trim() ?? ''

interface ReadItem {
  readonly read: ListedProduct | LeftOutReason
  readonly asked?: AskedPack
}

function readItem(item: Item, settings: CatalogueSettings): ReadItem {
  const [lin] = item
  const vendorSku = lin && skuIn(lin, 2)
  const title = titleOf(item)
  if (vendorSku === undefined) return { read: 'no_sku' }
  if (title === undefined) return { read: 'no_title' }
  if (all(item, 'G53').some(({ elements }) => elements[1] === '002')) return { read: 'withdrawn' }
  const priced = findPrice(item, settings.digits)
  if (typeof priced === 'string') return { read: priced }
  if (!isUsableSku(vendorSku)) return { read: 'unusable_sku' }
  const { packPrice, eachPrice } = priced
  const certain = pricesOf(packPrice, eachPrice, packPrice === undefined ? undefined : sizeOf(item))
  const asked =
    certain === 'unknown_pack' && packPrice !== undefined
      ? askAboutPack(
          {
            vendorSku,
            title,
            text: unitText(item),
            packPrice,
            eachPrice,
            reason: certain,
            suggested: eachPrice === undefined ? undefined : sizeByPrices(packPrice, eachPrice),
          },
          settings.wordFor,
        )
      : undefined
  const prices = asked?.prices ?? certain
  if (typeof prices === 'string') return { read: prices, ...(asked && { asked: asked.asked }) }
  return {
    read: {
      vendorSku,
      title,
      ...omitUndefined({ barcode: barcodeIn(lin) }),
      ...prices,
      stock: null,
      isForSale: !all(item, 'DTM').some((date) => isPast(date, settings.today)),
    },
    ...(asked && { asked: asked.asked }),
  }
}

/** Its name, and not that of its group. */
function titleOf(item: Item): string | undefined {
  const texts = all(item, 'PID').filter(({ elements }) => elements[1] === 'F' && elements[5]?.trim())
  const named =
    texts.find(({ elements }) => (elements[2] ?? '') === '') ?? texts.find(({ elements }) => elements[2] === '08')
  return named?.elements[5]?.replaceAll(/\s+/g, ' ').trim()
}

/** The surest price for one pack and the surest for one item. One from a larger quantity on does not count. */
function findPrice(
  item: Item,
  digits: number,
): { readonly packPrice: number | undefined; readonly eachPrice: number | undefined } | LeftOutReason {
  const prices = all(item, 'CTP').flatMap((ctp) => {
    const { elements } = ctp
    const rank = PRICE_CLASSES.findIndex((known) => known === (elements[2]?.trim() ?? ''))
    const quantity = elements[4]?.trim() ?? ''
    return rank === -1 || !elements[3] || (quantity !== '' && wholeOf(quantity) !== 1) ? [] : [{ ctp, rank }]
  })
  if (prices.length === 0) return 'no_price'
  const known = prices.map(({ ctp, rank }) => ({
    rank,
    unit: unitOf(unitAt(ctp)),
    price: minorOf(ctp.elements[3]?.trim() ?? '', digits, '.'),
  }))
  if (known.some(({ unit }) => unit === undefined)) return 'unknown_unit'
  if (known.some(({ price }) => price === undefined || price < 0)) return 'unreadable_price'
  const surest = (unit: 'pack' | 'each') =>
    known.filter((each) => each.unit === unit && each.price !== 0).toSorted((a, b) => a.rank - b.rank)[0]?.price
  const [packPrice, eachPrice] = [surest('pack'), surest('each')]
  return packPrice === undefined && eachPrice === undefined ? 'no_price' : { packPrice, eachPrice }
}

/** PO401 counts inner packs where PO414 states how many items are in one, else items. One is asked about. */
function sizeOf(item: Item): PackSize {
  const [po4, second] = all(item, 'PO4')
  const outer = second ? undefined : wholeOf(po4?.elements[1]?.trim())
  const inner = po4?.elements[14]?.trim() ? wholeOf(po4.elements[14].trim()) : 1
  const size = outer === undefined || inner === undefined ? undefined : outer * inner
  return size !== undefined && size >= 2 ? size : undefined
}

function barcodeIn(lin: X12Segment | undefined): string | undefined {
  const elements = lin?.elements ?? []
  for (let i = 2; i + 1 < elements.length; i += 2)
    if (BARCODES.has(elements[i] ?? '')) return barcodeOf(elements[i + 1]?.trim() ?? '')
  return undefined
}

/** DTM 036: the price ends with this day. */
function isPast({ elements }: X12Segment, today: string): boolean {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(elements[2]?.trim() ?? '') ?? []
  return elements[1] === '036' && year !== undefined && `${year}-${month}-${day}` < today
}
