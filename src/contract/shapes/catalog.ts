/** Products, their sale units, aliases and machine stock; the requests of the catalog and the SKU registry. */
import { type Static, Type } from 'typebox'
import {
  Amount,
  Currency,
  ENVELOPE,
  LocationId,
  Namespace,
  PaginationRequest,
  PaginationResponse,
  Price,
  SkuId,
  Timestamp,
  UcpEnvelope,
  Url,
} from '../common.ts'
import {
  ALIASES_MAX,
  BATCH_IDS_MAX,
  CATEGORIES_MAX,
  QUERY_MAX,
  SKU_ID_MAX,
  SLOT_COLUMN_MAX,
  SLOT_ROW_MAX,
  WORD_MAX,
  SHELF_DAYS_MAX,
} from '../limits.ts'
import { answer, list, nullable, oneOf, request, text } from '../schema-helpers.ts'

export const NamespaceEntry = answer('NamespaceEntry', {
  namespace: Namespace,
  vendor: Type.String(),
  role: oneOf(['supply', 'machine']),
  status: oneOf(['live', 'planned']),
  capabilities: list(Type.String()),
})
export type NamespaceEntry = Static<typeof NamespaceEntry>

export const NamespaceDefaults = answer('NamespaceDefaults', {
  machine: Type.Optional(Namespace),
  supply: Type.Optional(Namespace),
})
export type NamespaceDefaults = Static<typeof NamespaceDefaults>

export const NamespaceList = answer('NamespaceList', {
  ucp: UcpEnvelope,
  namespaces: list(NamespaceEntry),
  defaults: NamespaceDefaults,
})
export type NamespaceList = Static<typeof NamespaceList>

export const UnitCode = oneOf(['EA', 'BX'], { title: 'UnitCode' })
export type UnitCode = Static<typeof UnitCode>

const QUANTITY_UNIT = {
  unit: UnitCode,
  display_text: Type.String({ description: 'each or box.' }),
  increment: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: 'Smallest order multiple.' })),
  contains: Type.Optional(Type.Integer({ minimum: 1, description: 'EA in one of this unit; absent for EA.' })),
  minimum: Type.Optional(Type.Integer({ minimum: 1, description: 'Smallest quantity of an order line; absent: 1.' })),
}

/** In responses: the official schemas require the display text of every unit. */
export const QuantityUnit = answer('QuantityUnit', QUANTITY_UNIT)
export type QuantityUnit = Static<typeof QuantityUnit>

/** In requests only the unit counts. A scale other than 0 would change the quantity. */
export const QuantityUnitRequest = request('QuantityUnitRequest', {
  unit: UnitCode,
  scale: Type.Optional(Type.Literal(0)),
})
export type QuantityUnitRequest = Static<typeof QuantityUnitRequest>

export const SaleUnit = answer('SaleUnit', {
  ...QUANTITY_UNIT,
  price: Price,
  price_derived: Type.Optional(Type.Boolean({ description: 'True when computed from the price of another unit.' })),
})
export type SaleUnit = Static<typeof SaleUnit>

export const Alias = answer('Alias', {
  sku_id: SkuId,
  source: oneOf(['barcode', 'manual', 'suggested']),
  confirmed_at: Type.Optional(nullable(Timestamp)),
})
export type Alias = Static<typeof Alias>

const Barcode = answer('Barcode', { type: Type.String(), value: Type.String() })
export type Barcode = Static<typeof Barcode>

export const Description = answer('Description', {
  plain: Type.Optional(Type.String()),
  markdown: Type.Optional(Type.String()),
})
export type Description = Static<typeof Description>

export const Media = answer('Media', {
  type: oneOf(['image', 'video', 'model_3d']),
  url: Url,
  alt_text: Type.Optional(Type.String()),
})
export type Media = Static<typeof Media>

const Lane = answer('Lane', {
  code: Type.String({ description: 'As the machine platform names the lane; a number where it names none.' }),
  price: nullable(Price),
  stock: nullable(Type.Integer()),
  capacity: nullable(Type.Integer()),
})

const SLOT_POSITION = {
  row: Type.String({ minLength: 1, maxLength: SLOT_ROW_MAX, description: 'As labelled, from the top: `A`, `1`.' }),
  column: Type.Integer({ minimum: 1, maximum: SLOT_COLUMN_MAX }),
}
export const SlotPosition = answer('SlotPosition', SLOT_POSITION)
export type SlotPosition = Static<typeof SlotPosition>
export const SlotPositionRequest = request('SlotPositionRequest', SLOT_POSITION)

export const Inventory = answer('Inventory', {
  location: LocationId,
  slot_id: Type.String(),
  stock: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: unknown.' }),
  stock_source: Type.Optional(
    oneOf(['told', 'kept', 'unknown'], {
      description:
        '`told`: reported by the machine platform. `kept`: it reports none, so this is the last count or receipt minus the sales since. `unknown`: never counted.',
    }),
  ),
  capacity: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description: 'Only when counted on site, stated by the platform or inferred from history.',
    }),
  ),
  capacity_source: Type.Optional(
    oneOf(['told', 'counted', 'inferred'], {
      description: '`counted`: stated by an operator, which overrides the platform. `told`: stated by the platform.',
    }),
  ),
  par: Type.Optional(Type.Integer({ description: 'The level to which an operator wants the slot filled.' })),
  position: Type.Optional(SlotPosition),
  pinned: Type.Optional(Type.Boolean({ description: 'True: the product keeps at least one lane of the machine.' })),
  counted_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When the stock was last counted, while no newer reading replaced the count.',
    }),
  ),
  received_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When the stock was last refilled, while no newer reading or count replaced that.',
    }),
  ),
  reported_stock: Type.Optional(
    Type.Integer({ description: 'What the machine says, where that differs from `stock`.' }),
  ),
  lanes: Type.Optional(list(Lane)),
  locked: Type.Optional(Type.Boolean({ description: 'Locked by an operator: skipped by restocking.' })),
})
export type Inventory = Static<typeof Inventory>

const Measure = answer('Measure', { value: Type.Number(), unit: Type.String(), display_text: Type.String() })

export const UnitPrice = answer('UnitPrice', {
  amount: Amount,
  currency: Currency,
  measure: Measure,
  reference: Measure,
})
export type UnitPrice = Static<typeof UnitPrice>

const Availability = answer('Availability', {
  available: Type.Boolean(),
  status: oneOf(['in_stock', 'out_of_stock', 'backorder', 'preorder', 'discontinued']),
})

const VariantInput = answer('VariantInput', { id: Type.String(), match: oneOf(['exact', 'featured']) })

export const Variant = answer('Variant', {
  id: SkuId,
  title: Type.String(),
  description: Description,
  price: Price,
  sku: Type.Optional(Type.String()),
  barcodes: Type.Optional(list(Barcode)),
  quantity_unit: Type.Optional(QuantityUnit),
  sale_units: Type.Optional(list(SaleUnit)),
  unit_price: Type.Optional(UnitPrice),
  availability: Type.Optional(Availability),
  media: Type.Optional(list(Media)),
  inventory: Type.Optional(Inventory),
  aliases: Type.Optional(list(Alias)),
  inputs: Type.Optional(
    Type.Immutable(Type.Array(VariantInput, { minItems: 1, description: 'In lookup responses only.' })),
  ),
  metadata: Type.Optional(
    Type.Object({
      vendor_sku: Type.Optional(Type.String()),
      spec: Type.Optional(Type.String()),
      brand: Type.Optional(Type.String()),
      supplier_stock: Type.Optional(Type.Integer()),
    }),
  ),
})
export type Variant = Static<typeof Variant>

export const Site = answer('Site', {
  id: Type.String(),
  name: Type.Optional(Type.String()),
  address: Type.Optional(Type.String()),
})
export type Site = Static<typeof Site>

const Category = answer('Category', { value: Type.String(), taxonomy: Type.Optional(Type.String()) })

export const Product = answer('Product', {
  id: SkuId,
  title: Type.String(),
  description: Description,
  price_range: answer('PriceRange', { min: Price, max: Price }),
  variants: Type.Immutable(Type.Array(Variant, { minItems: 1 })),
  categories: Type.Optional(list(Category)),
  media: Type.Optional(list(Media)),
  metadata: Type.Optional(Type.Object({ sites: Type.Optional(list(Site)) })),
})
export type Product = Static<typeof Product>

export const ProductList = answer('ProductList', {
  ...ENVELOPE,
  products: list(Product),
  pagination: Type.Optional(PaginationResponse),
})
export type ProductList = Static<typeof ProductList>

export const ProductDetail = answer('ProductDetail', { ...ENVELOPE, product: Product })
export type ProductDetail = Static<typeof ProductDetail>

export const PurchasableSource = answer('PurchasableSource', {
  sku_id: SkuId,
  title: Type.String(),
  sale_units: list(SaleUnit),
})
export type PurchasableSource = Static<typeof PurchasableSource>

const PhaseOut = answer('PhaseOut', {
  route: Type.Boolean({ description: 'Nothing more is ordered for any machine.' }),
  locations: list(LocationId),
})
export type PhaseOut = Static<typeof PhaseOut>

export const PhaseOutRequest = request('PhaseOutRequest', {
  phase_out: Type.Boolean({ description: 'True: no more orders; what is in the machines sells off.' }),
  location: Type.Optional(LocationId),
})
export type PhaseOutRequest = Static<typeof PhaseOutRequest>

export const SkuRecord = answer('SkuRecord', {
  ...ENVELOPE,
  sku_id: SkuId,
  namespace: Namespace,
  vendor_sku: Type.String(),
  title: Type.Optional(Type.String()),
  barcodes: Type.Optional(list(Barcode)),
  aliases: Type.Optional(list(Alias)),
  purchasable_from: Type.Optional(list(PurchasableSource)),
  shelf_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Days that it may stay in a machine, stated for it or for the same product, or learned.',
    }),
  ),
  shelf_days_source: Type.Optional(
    oneOf(['stated', 'learned'], { description: 'By a person, or from units that a driver took out as expired.' }),
  ),
  phase_out: Type.Optional(PhaseOut),
})
export type SkuRecord = Static<typeof SkuRecord>

export const Resolution = answer('Resolution', {
  ...ENVELOPE,
  resolved: list(answer('ResolvedSku', { from: SkuId, to: SkuId })),
  unresolved: Type.Immutable(
    Type.Array(Type.String(), { description: 'As requested, including texts that are not valid SKU ids.' }),
  ),
})
export type Resolution = Static<typeof Resolution>

export const CatalogFilters = request('CatalogFilters', {
  namespace: Type.Optional(Namespace),
  location: Type.Optional(LocationId),
  categories: Type.Optional(Type.Array(text(WORD_MAX), { maxItems: CATEGORIES_MAX })),
  price: Type.Optional(request('PriceFilter', { min: Type.Optional(Amount), max: Type.Optional(Amount) })),
})
export type CatalogFilters = Static<typeof CatalogFilters>

const Context = request('Context', {
  language: Type.Optional(Type.String({ maxLength: WORD_MAX })),
  currency: Type.Optional(Type.String({ maxLength: WORD_MAX })),
})

export const CatalogSearchRequest = request('CatalogSearchRequest', {
  query: Type.Optional(Type.String({ maxLength: QUERY_MAX, description: 'Found anywhere in brand plus name.' })),
  filters: Type.Optional(CatalogFilters),
  context: Type.Optional(Context),
  pagination: Type.Optional(PaginationRequest),
})
export type CatalogSearchRequest = Static<typeof CatalogSearchRequest>

/** Above the maximum: `request_too_large`, counted with duplicates. */
const Ids = Type.Array(text(SKU_ID_MAX), { minItems: 1, maxItems: BATCH_IDS_MAX })

export const CatalogLookupRequest = request('CatalogLookupRequest', {
  ids: Ids,
  filters: Type.Optional(CatalogFilters),
  context: Type.Optional(Context),
})
export type CatalogLookupRequest = Static<typeof CatalogLookupRequest>

export const CatalogProductRequest = request('CatalogProductRequest', {
  id: text(SKU_ID_MAX),
  filters: Type.Optional(CatalogFilters),
  context: Type.Optional(Context),
})
export type CatalogProductRequest = Static<typeof CatalogProductRequest>

export const ResolveRequest = request('ResolveRequest', {
  ids: Ids,
  to_namespace: Namespace,
})
export type ResolveRequest = Static<typeof ResolveRequest>

export const ShelfLifeRequest = request('ShelfLifeRequest', {
  shelf_days: Type.Union([Type.Integer({ minimum: 1, maximum: SHELF_DAYS_MAX }), Type.Null()], {
    description: 'Null: no longer stated.',
  }),
})
export type ShelfLifeRequest = Static<typeof ShelfLifeRequest>

export const AliasesRequest = request('AliasesRequest', {
  aliases: Type.Array(
    request('AliasRequest', {
      sku_id: SkuId,
      source: Type.Optional(
        Type.Enum(['barcode', 'manual', 'suggested', 'rejected'], {
          type: 'string',
          description: '`manual` (default) confirms, `rejected` withdraws; the others leave the alias as it is.',
        }),
      ),
    }),
    { maxItems: ALIASES_MAX },
  ),
})
export type AliasesRequest = Static<typeof AliasesRequest>
