/** Products of a merchant as ours, and the units in which each can be ordered. Pure. */
import { eachOf, fen } from '../../kernel/fen.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { SupplyProduct } from '../supply-vendor.ts'
import {
  type Fields,
  isFields,
  list,
  optionalText,
  object,
  text,
  UnreadableReply,
  webUrl,
  int,
} from '../upstream/read-json.ts'
import type { RowReader } from '../upstream/rows.ts'
import { unitOf } from './merchant-session.ts'
import type { UcpSettings } from './settings.ts'
import { toVendorSku } from './variant-id.ts'

/** As an order line states it to the merchant; null: a single piece, which needs no unit. */
export type UnitCode = { readonly unit: string; readonly display_text: string } | null

/** Absent: it cannot be ordered that way. */
export interface OrderUnits {
  readonly each?: UnitCode
  readonly pack?: UnitCode
}

export interface ListedVariant {
  /** Undefined: in a unit of which we do not know how many items it holds. */
  readonly product: SupplyProduct | undefined
  readonly units: OrderUnits
}

/** A variant with the product it belongs to, as one row. */
export const toRows = (payload: Fields): readonly unknown[] =>
  list(payload['products'], 'products').flatMap((product): readonly unknown[] => {
    if (!isFields(product) || !Array.isArray(product['variants'])) return [product]
    return product['variants'].map((variant: unknown) => (isFields(variant) ? { ...variant, of: product } : variant))
  })

export const variantReader = (
  currency: string,
  configured: NonNullable<UcpSettings['units']>,
): RowReader<ListedVariant> => ({
  kind: 'product',
  id: 'id',
  fieldNames: { price: 'price', title: 'title', sale_units: 'price', quantity_unit: 'unit' },
  read: (variant) => readVariant(variant, currency, configured),
})

function readVariant(variant: Fields, currency: string, configured: NonNullable<UcpSettings['units']>): ListedVariant {
  const id = text(variant, 'id')
  const prices = readPrices(variant, currency, configured[id]?.contains)
  const [each, pack] = [prices.find(({ contains }) => contains === 1), prices.find(({ contains }) => contains > 1)]
  const units = { ...(each && { each: each.unit }), ...(pack && { pack: pack.unit }) }
  const basis = pack ?? each
  if (!basis) return { product: undefined, units }
  const { available } = isFields(variant['availability']) ? variant['availability'] : {}
  return {
    units,
    product: {
      vendorSku: toVendorSku(id),
      ...readTexts(variant),
      packSize: basis.contains,
      packPriceFen: fen(basis.amount),
      eachPriceFen: each ? fen(each.amount) : eachOf(fen(basis.amount), basis.contains),
      eachPriceDerived: each?.isDerived ?? true,
      stock: null,
      // A price of nothing is no price.
      isForSale: available !== false && basis.amount > 0,
      units: each && pack ? 'both' : each ? 'each' : 'pack',
    },
  }
}

/** A price for each unit that the merchant offers, or the one of its basis. */
function readPrices(variant: Fields, currency: string, contains: number | undefined) {
  const { sale_units: offered } = variant
  if (Array.isArray(offered) && offered.length > 0)
    return offered.flatMap((unit) => readPrice(object(unit, 'sale_units'), { quantity_unit: unit }, currency) ?? [])
  return [readPrice(variant, variant, currency, contains)].filter((price) => price !== undefined)
}

function readPrice(priced: Fields, item: Fields, currency: string, configured?: number) {
  const price = object(priced['price'], 'price')
  if (price['currency'] !== currency) throw new UnreadableReply(`price is not in ${currency}`, 'price')
  const { quantity_unit: stated } = item
  const code = unitOf(item)
  const fields = isFields(stated) ? stated : {}
  if (fields['scale'] !== undefined && fields['scale'] !== 0) return undefined
  const contains =
    (code === undefined ? undefined : fields['contains']) ?? configured ?? (code === undefined ? 1 : undefined)
  if (!Number.isSafeInteger(contains) || (contains as number) < 1) return undefined
  return {
    unit: code === undefined ? null : { unit: code, display_text: optionalText(fields, 'display_text') ?? code },
    /** Items in one unit. */
    contains: contains as number,
    amount: int(price, 'amount', 0),
    isDerived: priced['price_derived'] === true,
  }
}

/** What shops with one variant put into its title. */
const NO_TITLE = /^default( title)?$/i

function readTexts(variant: Fields): Pick<SupplyProduct, 'title'> & Partial<SupplyProduct> {
  const product = isFields(variant['of']) ? variant['of'] : {}
  const name = text(variant, 'title')
  const general = optionalText(product, 'title')
  const isComplete = general === undefined || name.toLowerCase().includes(general.toLowerCase())
  const title = isComplete ? name : NO_TITLE.test(name) ? general : `${general} ${name}`
  const metadata = isFields(variant['metadata']) ? variant['metadata'] : {}
  const spec = plainText(variant['description']) ?? plainText(product['description'])
  return omitUndefined({
    title,
    brand: optionalText(metadata, 'brand'),
    spec: spec === title ? undefined : spec,
    category: firstOf(variant['categories'], 'value') ?? firstOf(product['categories'], 'value'),
    imageUrl: imageOf(variant['media']) ?? imageOf(product['media']),
    barcode: firstOf(variant['barcodes'], 'value'),
  })
}

const plainText = (description: unknown): string | undefined =>
  isFields(description) ? optionalText(description, 'plain') : undefined

const firstOf = (values: unknown, member: string): string | undefined => {
  const [first] = Array.isArray(values) ? (values as unknown[]) : []
  return isFields(first) ? optionalText(first, member) : undefined
}

const imageOf = (media: unknown): string | undefined =>
  Array.isArray(media)
    ? media.flatMap((each: unknown) =>
        isFields(each) && each['type'] === 'image' ? (webUrl(each, 'url') ?? []) : [],
      )[0]
    : undefined
