/** The operator's products: what the product map of a machine refers to. */
import { type Fen, fen } from '../../kernel/fen.ts'
import { type Fields, webUrl } from '../upstream/read-json.ts'
import { minorOfNumber } from '../../kernel/minor-units.ts'
import { type Currency, idIn, nullableText, nullableWhole, readListing, requiredId } from './reply.ts'

export type OperatorProduct = Readonly<ReturnType<typeof readProduct>>

const WORDS = {
  NayaxProductID: 'product code',
  ProductName: 'title',
  EANCode: 'barcode',
  ProductBarcode: 'barcode',
  ProductPackageQuantity: 'pack size',
}

/** By id. */
export const readOperatorProducts = (json: unknown, { digits }: Currency) =>
  readListing(
    json,
    { kind: 'product', id: idIn('NayaxProductID'), fieldNames: WORDS, read: (row) => readProduct(row, digits) },
    (rows): ReadonlyMap<string, OperatorProduct> => new Map(rows.map((product) => [product.id, product])),
  )

const readProduct = (row: Fields, digits: number) => ({
  id: requiredId(row, 'NayaxProductID'),
  name: nullableText(row, 'ProductName'),
  barcode: nullableText(row, 'EANCode') ?? nullableText(row, 'ProductBarcode'),
  /** Null when it is missing, or finer than the currency's smallest unit. */
  costFen: costOf(row['ProductCostPrice'], digits),
  imageUrl: webUrl(row, 'ProductPictureURL') ?? null,
  packSize: nullableWhole(row, 'ProductPackageQuantity', 0) || null,
})

/** A cost is a help, not a price: one that cannot be read does not cost us the product. */
function costOf(value: unknown, digits: number): Fen | null {
  const amount = minorOfNumber(value, digits)
  return amount === undefined || amount < 0 ? null : fen(amount)
}
