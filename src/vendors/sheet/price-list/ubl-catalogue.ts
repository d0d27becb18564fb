/** A UBL catalogue (Peppol BIS Catalogue 3) to products. The same rules as for price lists; rows are numbered by line. */
import { minorOf } from '../../../kernel/minor-units.ts'
import { omitUndefined } from '../../../lib/objects.ts'
import { UnreadableReply } from '../../upstream/read-json.ts'
import {
  type LeftOutReason,
  type ListedProduct,
  type ProductList,
  barcodeOf,
  collectProducts,
  isUsableSku,
} from './listed-products.ts'
import type { ReplySettings } from '../documents/order-reply.ts'
import { type PackQuestion, type Prices, askAboutPack, pricesOf } from './price-list.ts'
import { type OrderUnit, unitOf, wholeOf } from '../documents/units.ts'
import { type AskedPack, type FindWord, packText } from '../../packs.ts'
import { type XmlNode, childOf, childrenOf, readXml, textAt } from '../documents/xml.ts'

export interface CatalogueSettings extends ReplySettings {
  /** Today as `2026-08-25`, in the time zone of the connection: validity is stated in days. */
  readonly today: string
  /** What was said about packs without a certain size. */
  readonly wordFor?: FindWord
}

/** ISO 6523 code list of GTINs. */
const GTIN_SCHEME = '0160'

export function readCatalogue(bytes: Uint8Array, settings: CatalogueSettings): ProductList {
  try {
    const root = readXml(bytes)
    if (root.name !== 'Catalogue') return { ok: false, problem: `the document is ${root.name}, not a Catalogue` }
    if (textAt(root, 'ActionCode') === 'Delete') return { ok: false, problem: 'the document withdraws a catalogue' }
    const isValid = isCurrent(childOf(root, 'ValidityPeriod'), settings.today)
    return collectProducts(
      childrenOf(root, 'CatalogueLine').map((line, i) => {
        const { read, asked } = readLine(line, settings)
        const vendorSku = textAt(line, 'Item', 'SellersItemIdentification', 'ID')
        return {
          row: i + 1,
          vendorSku,
          isWithoutPrice: read === 'no_price',
          text: unitText(line),
          asked,
          read: typeof read === 'string' || isValid ? read : { ...read, isForSale: false },
        }
      }),
    )
  } catch (error) {
    if (!(error instanceof UnreadableReply)) throw error
    return { ok: false, problem: error.message }
  }
}

/** Today lies between both days; a day that is missing does not limit. */
function isCurrent(period: XmlNode | undefined, today: string): boolean {
  const [start, end] = [textAt(period, 'StartDate'), textAt(period, 'EndDate')]
  // Dates may carry a time zone behind the day; the day is what counts.
  return (start === undefined || start.slice(0, 10) <= today) && (end === undefined || today <= end.slice(0, 10))
}

/** A pack without a number of items is asked about by its unit. */
const unitText = (line: XmlNode): string => packText(textAt(line, 'OrderableUnit') ?? '')

interface ReadLine {
  readonly read: ListedProduct | LeftOutReason
  readonly asked?: AskedPack
}

function readLine(line: XmlNode, settings: CatalogueSettings): ReadLine {
  let asked: AskedPack | undefined
  const read = readProduct(line, settings, (question) => {
    const answer = askAboutPack(question, settings.wordFor)
    asked = answer.asked
    return answer.prices
  })
  return { read, ...(asked && { asked }) }
}

function readProduct(
  line: XmlNode,
  settings: CatalogueSettings,
  ask: (question: PackQuestion) => Prices | LeftOutReason,
): ListedProduct | LeftOutReason {
  if (textAt(line, 'ActionCode') === 'Delete') return 'withdrawn'
  const item = childOf(line, 'Item')
  const vendorSku = textAt(item, 'SellersItemIdentification', 'ID')
  const title = textAt(item, 'Name')?.replaceAll(/\s+/g, ' ')
  if (vendorSku === undefined) return 'no_sku'
  if (title === undefined) return 'no_title'

  const orderableUnit = textAt(line, 'OrderableUnit')
  const unit = orderableUnit === undefined ? 'each' : unitOf(orderableUnit)
  if (unit === undefined) return 'unknown_unit'
  const size = unit === 'pack' ? contentOf(childOf(line, 'ContentUnitQuantity')) : undefined
  const priced = findPrice(line, settings.today)
  if (!priced) return 'no_price'
  const amount = childOf(priced.price, 'PriceAmount')
  if ((amount?.attributes['currencyID'] ?? settings.currency) !== settings.currency) return 'other_currency'
  const price = priceOf(priced.price, { unit, size, digits: settings.digits })
  if (price === undefined) return 'unreadable_price'
  if (price <= 0) return 'no_price'
  if (!isUsableSku(vendorSku)) return 'unusable_sku'
  const certain =
    unit === 'each' ? pricesOf(undefined, price, undefined) : pricesOf(price, undefined, size === 1 ? 'one' : size)
  const prices =
    certain === 'unknown_pack'
      ? ask({ vendorSku, title, text: unitText(line), packPrice: price, eachPrice: undefined, reason: certain })
      : certain
  if (typeof prices === 'string') return prices
  const minOrder = countOf(childOf(line, 'MinimumOrderQuantity'), { unit, size })
  const increment = countOf(childOf(line, 'OrderQuantityIncrementNumeric'), { unit, size })
  if (minOrder === 'unreadable' || increment === 'unreadable') return 'unreadable_quantity'

  const standard = childOf(item, 'StandardItemIdentification', 'ID')
  const barcode = standard?.attributes['schemeID'] === GTIN_SCHEME ? barcodeOf(standard.text.trim()) : undefined
  const limits = { minOrder: minOrder || undefined, increment: increment || undefined }
  return {
    vendorSku,
    title,
    ...omitUndefined({ brand: textAt(item, 'BrandName'), barcode, ...limits }),
    ...prices,
    stock: null,
    isForSale:
      !/^(?:false|0)$/.test(textAt(line, 'OrderableIndicator') ?? 'true') &&
      isCurrent(childOf(line, 'LineValidityPeriod'), settings.today) &&
      priced.isCurrent,
  }
}

/** Items in the orderable unit. Ten kilograms in a box tell nothing about the number of items. */
function contentOf(content: XmlNode | undefined): number | undefined {
  const size = wholeOf(content?.text.trim())
  const code = content?.attributes['unitCode']
  return size !== undefined && size > 0 && (code === undefined || unitOf(code) === 'each') ? size : undefined
}

/** The price for the smallest quantity that is valid today, else one that is not; those from a larger quantity on do not count. */
function findPrice(line: XmlNode, today: string): { readonly price: XmlNode; readonly isCurrent: boolean } | undefined {
  const all = childrenOf(line, 'RequiredItemLocationQuantity').flatMap((entry) => {
    const price = childOf(entry, 'Price')
    const least = wholeOf(textAt(entry, 'MinimumQuantity') ?? '0')
    if (!price || textAt(price, 'PriceAmount') === undefined || least === undefined || least > 1) return []
    return [{ price, isCurrent: isCurrent(childOf(price, 'ValidityPeriod'), today) }]
  })
  return all.find((entry) => entry.isCurrent) ?? all[0]
}

/** Unit prices may have more digits than the currency, such as 0.125 for one of 24: the price of the pack has to come out exact. */
const EXTRA_DIGITS = 4

/**
 * The price of one orderable unit in minor units. PriceAmount is per BaseQuantity, which may be given in items although
 * packs are ordered; OrderableUnitFactorRate, where stated, must be equal to as the size of the pack.
 */
function priceOf(
  price: XmlNode,
  { unit, size, digits }: { readonly unit: OrderUnit; readonly size: number | undefined; readonly digits: number },
): number | undefined {
  const amount = minorOf(textAt(price, 'PriceAmount') ?? '', digits + EXTRA_DIGITS, '.')
  const base = childOf(price, 'BaseQuantity')
  const baseCount = base ? wholeOf(base.text.trim()) : 1
  if (amount === undefined || amount < 0 || !baseCount) return undefined
  const baseCode = base?.attributes['unitCode']
  const baseUnit = baseCode === undefined ? unit : unitOf(baseCode)
  const units = baseUnit === unit ? 1 : baseUnit === 'each' ? size : undefined
  if (units === undefined) return undefined
  const rate = textAt(price, 'OrderableUnitFactorRate')
  if (rate !== undefined && wholeOf(rate) !== units) return undefined
  const exact = (BigInt(amount) * BigInt(units)) / BigInt(baseCount * 10 ** EXTRA_DIGITS)
  const isExact = exact * BigInt(baseCount * 10 ** EXTRA_DIGITS) === BigInt(amount) * BigInt(units)
  return isExact && exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : undefined
}

/** A count of orderable units. One in items, as examples have it, is rounded up to whole packs. */
function countOf(
  node: XmlNode | undefined,
  { unit, size }: { readonly unit: OrderUnit; readonly size: number | undefined },
): number | undefined | 'unreadable' {
  if (!node) return undefined
  const count = wholeOf(node.text.trim())
  const code = node.attributes['unitCode']
  const stated = code === undefined ? unit : unitOf(code)
  if (count === undefined || stated === undefined) return 'unreadable'
  if (stated === unit) return count
  return stated === 'each' && size !== undefined ? Math.ceil(count / size) : 'unreadable'
}
