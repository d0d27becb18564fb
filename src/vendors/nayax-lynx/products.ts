/** The operator's products: what the product map of a machine refers to. */
import { type Fen, fen } from '../../kernel/fen.ts'
import type { Result } from '../contract.ts'
import { webUrl } from '../upstream/read-json.ts'
import { minorOfNumber } from '../../kernel/minor-units.ts'
import { type Currency, idIn, nullableText, nullableWhole, readListing, requiredId } from './reply.ts'

export interface OperatorProduct {
  readonly id: string
  readonly name: string | null
  readonly barcode: string | null
  /** Null when it is missing, or finer than the currency's smallest unit. */
  readonly costFen: Fen | null
  readonly imageUrl: string | null
  readonly packSize: number | null
}

const WORDS = {
  NayaxProductID: 'product code',
  ProductName: 'title',
  EANCode: 'barcode',
  ProductBarcode: 'barcode',
  ProductPackageQuantity: 'pack size',
}

/** By id. */
export const readOperatorProducts = (
  json: unknown,
  { digits }: Currency,
): Result<ReadonlyMap<string, OperatorProduct>> =>
  readListing(
    json,
    {
      kind: 'product',
      id: idIn('NayaxProductID'),
      fieldNames: WORDS,
      read: (row): OperatorProduct => ({
        id: requiredId(row, 'NayaxProductID'),
        name: nullableText(row, 'ProductName'),
        barcode: nullableText(row, 'EANCode') ?? nullableText(row, 'ProductBarcode'),
        costFen: costOf(row['ProductCostPrice'], digits),
        imageUrl: webUrl(row, 'ProductPictureURL') ?? null,
        packSize: nullableWhole(row, 'ProductPackageQuantity', 0) || null,
      }),
    },
    (rows) => new Map(rows.map((product) => [product.id, product])),
  )

/** A cost is a help, not a price: one that cannot be read does not cost us the product. */
function costOf(value: unknown, digits: number): Fen | null {
  const amount = minorOfNumber(value, digits)
  return amount === undefined || amount < 0 ? null : fen(amount)
}
