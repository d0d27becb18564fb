/** A supplier's good or a machine's slot as a Product of the wire (2.4). Pure, field by field; costs have no place here. */
import type { Alias as WireAlias, Media, Product, Site, Variant } from '../../contract/catalog.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import type { Fen } from '../../kernel/fen.ts'
import { slotIdOf, vendorSkuOf } from '../../kernel/ids.ts'
import type { LocationId, SkuId } from '../../kernel/ids.ts'
import type { MachineSlot, SupplyProduct } from '../../vendors/contract.ts'
import type { SlotFacts } from '../locations/index.ts'
import type { Alias } from '../skus/index.ts'
import { barcodesOf, EACH, price, saleUnits } from '../skus/index.ts'
import { sizeOf, unitPriceOf } from './unit-price.ts'
import type { Size } from './unit-price.ts'

type Availability = NonNullable<Variant['availability']>

const IN_STOCK: Availability = { available: true, status: 'in_stock' }
const OUT_OF_STOCK: Availability = { available: false, status: 'out_of_stock' }
const DISCONTINUED: Availability = { available: false, status: 'discontinued' }

const stocked = (stock: number): Availability => (stock > 0 ? IN_STOCK : OUT_OF_STOCK)

export const aliasView = ({ skuId, source, confirmedAt }: Alias, timeZone: string): WireAlias => ({
  sku_id: skuId,
  source,
  confirmed_at: confirmedAt === null ? null : rfc3339(confirmedAt, timeZone),
})

const pictures = (url: string | undefined, title: string): { media?: readonly Media[] } =>
  url === undefined ? {} : { media: [{ type: 'image', url, alt_text: title }] }

const codes = (barcode: string | undefined) => {
  const barcodes = barcodesOf(barcode)
  return barcodes.length === 0 ? {} : { barcodes }
}

const comparison = (priceFen: Fen, size: Size | undefined): Pick<Variant, 'unit_price'> =>
  size ? { unit_price: unitPriceOf(priceFen, size) } : {}

/** One good is one product with one variant: packaging is a unit chosen when ordering, never a variant (2.2). */
function productOf(variant: Variant, more: Partial<Product>): Product {
  return {
    id: variant.id,
    title: variant.title,
    description: variant.description,
    price_range: { min: variant.price, max: variant.price },
    ...more,
    variants: [variant],
  }
}

export function supplyView(
  id: SkuId,
  good: SupplyProduct,
  sites: readonly Site[],
  aliases: readonly WireAlias[],
): Product {
  const media = pictures(good.imageUrl, good.title)
  const variant: Variant = {
    id,
    title: good.title,
    description: { plain: good.spec ?? good.title },
    price: price(good.eachPriceFen),
    sku: good.vendorSku,
    ...codes(good.barcode),
    quantity_unit: EACH,
    sale_units: saleUnits(good),
    ...comparison(good.eachPriceFen, sizeOf([good.title, good.spec], good.packSize)),
    availability: good.onShelf ? stocked(good.stock) : DISCONTINUED,
    ...media,
    ...(aliases.length > 0 && { aliases }),
    metadata: {
      vendor_sku: good.vendorSku,
      ...(good.spec !== undefined && { spec: good.spec }),
      ...(good.brand !== undefined && { brand: good.brand }),
      supplier_stock: good.stock,
    },
  }
  return productOf(variant, {
    ...(good.category !== undefined && { categories: [{ value: good.category }] }),
    ...media,
    metadata: { sites },
  })
}

export function slotView(
  id: SkuId,
  slot: MachineSlot,
  location: LocationId,
  facts: SlotFacts | undefined,
  aliases: readonly WireAlias[],
): Product {
  const media = pictures(slot.imageUrl, slot.title)
  const variant: Variant = {
    id,
    title: slot.title,
    description: { plain: slot.title },
    price: price(slot.priceFen),
    sku: slot.vendorSku,
    ...codes(slot.barcode),
    quantity_unit: EACH,
    ...comparison(slot.priceFen, sizeOf([slot.title], 1)),
    availability: stocked(slot.stock),
    ...media,
    inventory: {
      location,
      slot_id: slotIdOf(location, vendorSkuOf(id)),
      stock: slot.stock,
      capacity: facts?.capacity ?? null,
      locked: facts?.locked ?? false,
    },
    ...(aliases.length > 0 && { aliases }),
  }
  return productOf(variant, media)
}

/** In lookup answers a variant says which of the requested ids led to it: here always its own. */
export const looksUp = (product: Product): Product => ({
  ...product,
  variants: product.variants.map((variant) => ({ ...variant, inputs: [{ id: variant.id, match: 'exact' }] })),
})
