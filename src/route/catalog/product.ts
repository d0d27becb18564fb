/** A supplier's product or a machine's slot as a Product of the wire. Costs are never part of it. */
import type { Config } from '../../config.ts'
import type { Alias as WireAlias, Media, Product, Site, Variant } from '../../contract/shapes/catalog.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { type CurrencyCode, money } from '../../kernel/currency.ts'
import { type Fen, fen } from '../../kernel/fen.ts'
import { type LocationId, type SkuId, slotIdOf, vendorSkuOf } from '../../kernel/ids.ts'
import { type MachineSlot, lanePrices } from '../../vendors/machine-vendor.ts'
import type { SupplyProduct } from '../../vendors/supply-vendor.ts'
import { CAPACITY_UNKNOWN, bookingView, capacityOf, chooseLevel, laneView, statedView } from '../locations/index.ts'
import type { Booking, SlotFacts, StockSource } from '../locations/index.ts'
import { type Alias, barcodesOf, EACH, saleUnits } from '../skus/index.ts'
import { type Size, sizeOf, unitPriceOf } from './unit-price.ts'

type Availability = NonNullable<Variant['availability']>

const IN_STOCK: Availability = { available: true, status: 'in_stock' }
const OUT_OF_STOCK: Availability = { available: false, status: 'out_of_stock' }
const DISCONTINUED: Availability = { available: false, status: 'discontinued' }

/** Unknown stock counts as in stock: only the supplier can say that it has none. */
const availabilityOf = (stock: number | null): Availability => (stock === null || stock > 0 ? IN_STOCK : OUT_OF_STOCK)

export const aliasView = ({ skuId, source, confirmedAt }: Alias, timeZone: string): WireAlias => ({
  sku_id: skuId,
  source,
  confirmed_at: confirmedAt === null ? null : rfc3339(confirmedAt, timeZone),
})

const mediaOf = (url: string | undefined, title: string): { media?: readonly Media[] } =>
  url === undefined ? {} : { media: [{ type: 'image', url, alt_text: title }] }

const withBarcodes = (barcode: string | undefined) => {
  const barcodes = barcodesOf(barcode)
  return barcodes.length === 0 ? {} : { barcodes }
}

const withUnitPrice = (priceFen: Fen, currency: CurrencyCode, size: Size | undefined): Pick<Variant, 'unit_price'> =>
  size ? { unit_price: unitPriceOf(priceFen, currency, size) } : {}

/** A product has one variant: packaging is a unit chosen when ordering, never a variant. */
const productOf = (variant: Variant, more: Partial<Product>): Product => ({
  id: variant.id,
  title: variant.title,
  description: variant.description,
  price_range: { min: variant.price, max: variant.price },
  ...more,
  variants: [variant],
})

export function supplyProductView(
  id: SkuId,
  product: SupplyProduct,
  currency: CurrencyCode,
  sites: readonly Site[],
  aliases: readonly WireAlias[],
): Product {
  const media = mediaOf(product.imageUrl, product.title)
  const variant: Variant = {
    id,
    title: product.title,
    description: { plain: product.spec ?? product.title },
    price: money(product.eachPriceFen, currency),
    sku: product.vendorSku,
    ...withBarcodes(product.barcode),
    quantity_unit: EACH,
    sale_units: saleUnits(product, currency),
    ...withUnitPrice(product.eachPriceFen, currency, sizeOf([product.title, product.spec], product.packSize)),
    availability: product.isForSale ? availabilityOf(product.stock) : DISCONTINUED,
    ...media,
    ...(aliases.length > 0 && { aliases }),
    metadata: {
      vendor_sku: product.vendorSku,
      ...(product.spec !== undefined && { spec: product.spec }),
      ...(product.brand !== undefined && { brand: product.brand }),
      ...(product.stock !== null && { supplier_stock: product.stock }),
    },
  }
  return productOf(variant, {
    ...(product.category !== undefined && { categories: [{ value: product.category }] }),
    ...media,
    metadata: { sites },
  })
}

/** How times and prices of a deployment are written. */
type Locale = Pick<Config, 'timeZone' | 'currency'>

interface ShownLevel {
  readonly stock: number | null
  readonly stockSource: StockSource
  readonly booking?: Booking | undefined
}

/** What the next sync would make of this reading; it is not saved. */
function shownLevel(slot: MachineSlot, facts: SlotFacts | undefined, readAt: number): ShownLevel {
  const level = facts?.level
  const chosen = chooseLevel(level?.known, slot, readAt)
  if (chosen.from === 'reading' && chosen.stock !== null) return { stock: chosen.stock, stockSource: 'told' }
  if (!level) return { stock: null, stockSource: 'unknown' }
  const { stock, stockSource, known } = level
  return chosen.from === 'booking'
    ? { stock: chosen.units, stockSource, booking: known.booking }
    : { stock, stockSource, booking: known.booking }
}

/** What the machine says, where a count or receipt of ours is shown instead. */
function reportedView({ stock: reported }: MachineSlot, { stock, booking }: ShownLevel) {
  if (!booking || reported === null || Math.max(0, reported) === stock) return {}
  return { reported_stock: Math.max(0, reported) }
}

export function machineProductView(
  id: SkuId,
  slot: MachineSlot,
  { currency, timeZone }: Locale,
  location: LocationId,
  facts: SlotFacts | undefined,
  readAt: number,
  aliases: readonly WireAlias[],
): Product {
  const media = mediaOf(slot.imageUrl, slot.title)
  const level = shownLevel(slot, facts, readAt)
  const { stock, stockSource } = level
  const { capacity, source } = capacityOf(facts?.knownCapacity ?? CAPACITY_UNKNOWN, slot.capacity, stock)
  const variant: Variant = {
    id,
    title: slot.title,
    description: { plain: slot.title },
    price: money(slot.priceFen, currency),
    sku: slot.vendorSku,
    ...withBarcodes(slot.barcode),
    quantity_unit: EACH,
    ...withUnitPrice(slot.priceFen, currency, sizeOf([slot.title], 1)),
    ...(stock === null ? {} : { availability: availabilityOf(stock) }),
    ...media,
    inventory: {
      location,
      slot_id: slotIdOf(location, vendorSkuOf(id)),
      stock,
      stock_source: stockSource,
      ...bookingView(level.booking, timeZone),
      ...reportedView(slot, level),
      capacity,
      ...(source === null ? {} : { capacity_source: source }),
      ...(facts && statedView(facts)),
      ...(slot.lanes && { lanes: slot.lanes.map((lane) => laneView(lane, currency)) }),
      locked: facts?.locked ?? false,
    },
    ...(aliases.length > 0 && { aliases }),
  }
  const prices = lanePrices(slot).filter((price) => price !== null)
  const [min, max] = [fen(Math.min(...prices)), fen(Math.max(...prices))]
  return productOf(variant, { price_range: { min: money(min, currency), max: money(max, currency) }, ...media })
}

/** In lookup replies a variant names the requested ids that led to it: here always its own. */
export const withLookupInputs = (product: Product): Product => ({
  ...product,
  variants: product.variants.map((variant) => ({ ...variant, inputs: [{ id: variant.id, match: 'exact' }] })),
})
