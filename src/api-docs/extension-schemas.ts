/**
 * The JSON Schema of each extension capability, published for platforms to compose with the official ones: one entry
 * in `$defs` per capability it extends, named like it. Fields that only we write are marked `ucp_request: omit`.
 */
import type { TSchema } from 'typebox'
import { Approval, ApprovalList, ResolveApprovalRequest } from '../contract/shapes/approval.ts'
import {
  DEFAULT_SCHEMA_BASE,
  EXTENSION_SHORT_NAMES,
  PAYMENT_HANDLER_ID,
  PAYMENT_TYPE,
  PREFIX,
  schemaUrl,
} from '../contract/capabilities.ts'
import {
  Alias,
  AliasesRequest,
  CatalogFilters,
  Inventory,
  NamespaceEntry,
  QuantityUnit,
  Resolution,
  ResolveRequest,
  SaleUnit,
  SkuRecord,
} from '../contract/shapes/catalog.ts'
import { Checkout, Confirm } from '../contract/shapes/checkout.ts'
import { Event, EventList, EventRequest } from '../contract/shapes/event.ts'
import { Location, LocationRequest, SyncReport, SyncRequest } from '../contract/shapes/location.ts'
import { Order } from '../contract/shapes/order.ts'
import { PriceChange, PriceChangeRequest } from '../contract/shapes/pricing.ts'
import { type JsonSchema, type Publisher, publisher } from './json-schema.ts'
import { ReplenishmentPlan, RestockRequest } from '../contract/shapes/replenishment.ts'
import { ReceiveRequest, ReplenishmentRun, RunLineItem } from '../contract/shapes/run.ts'
import { Score } from '../contract/shapes/score.ts'
import { EXTENSION_VERSION, UCP_VERSION } from '../contract/version.ts'

export const SCHEMA_NAMES = [...EXTENSION_SHORT_NAMES, 'on_account'] as const
export type SchemaName = (typeof SCHEMA_NAMES)[number]

const OFFICIAL = `https://ucp.dev/${UCP_VERSION}/schemas`

const official = (capability: string, fragment = ''): JsonSchema => ({
  $ref: `${OFFICIAL}/${capability}.json${fragment && `#/$defs/${fragment}`}`,
})

/** Set by the service; refused or ignored in requests. */
const ownMember = (schema: JsonSchema): JsonSchema => ({ ...schema, ucp_request: 'omit' })

const object = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
})
const array = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const extend = (base: JsonSchema, extra: JsonSchema): JsonSchema => ({ allOf: [base, extra] })

/** Some members of one of our schemas, as published. */
const members = (shapes: Publisher, shape: { properties: Record<string, TSchema> }, names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => {
      const property = shape.properties[name]
      if (property === undefined) throw new Error(`no such member to publish: ${name}`)
      return [name, ownMember(shapes.publish(property))]
    }),
  )

/** The catalog's official schemas contain several operations; an extension repeats each of them. */
const CATALOG = {
  'dev.ucp.shopping.catalog.search': { file: 'shopping/catalog_search', operations: ['search'] },
  'dev.ucp.shopping.catalog.lookup': { file: 'shopping/catalog_lookup', operations: ['lookup', 'get_product'] },
} as const

function onCatalog(variant: Record<string, JsonSchema>, filters?: JsonSchema): Record<string, JsonSchema> {
  const product = object({ variants: array(object(variant)) })
  const answers = { search: 'products', lookup: 'products', get_product: 'product' } as const
  return Object.fromEntries(
    Object.entries(CATALOG).map(([parent, { file, operations }]) => [
      parent,
      {
        $defs: Object.fromEntries(
          operations.flatMap((operation) => {
            const member = answers[operation]
            const request = official(file, `${operation}_request`)
            const found = member === 'product' ? product : array(product)
            return [
              [`${operation}_request`, filters ? extend(request, object({ filters })) : request],
              [`${operation}_response`, extend(official(file, `${operation}_response`), object({ [member]: found }))],
            ]
          }),
        ),
      },
    ]),
  )
}

const LOCATION = {
  'dev.ucp.common.location.search': { file: 'common/location_search', operation: 'search' },
  'dev.ucp.common.location.lookup': { file: 'common/location_lookup', operation: 'lookup' },
} as const

const onLocations = (
  parents: readonly (keyof typeof LOCATION)[],
  location: Record<string, JsonSchema>,
): Record<string, JsonSchema> =>
  Object.fromEntries(
    parents.map((parent) => {
      const { file, operation } = LOCATION[parent]
      return [
        parent,
        {
          $defs: {
            [`${operation}_request`]: official(file, `${operation}_request`),
            [`${operation}_response`]: extend(
              official(file, `${operation}_response`),
              object({ locations: array(object(location)) }),
            ),
          },
        },
      ]
    }),
  )

const onCheckout = (extra: Record<string, JsonSchema>) => ({
  'dev.ucp.shopping.checkout': extend(official('shopping/checkout'), object(extra)),
})

const onOrder = (extra: Record<string, JsonSchema>) => ({
  'dev.ucp.shopping.order': extend(official('shopping/order'), object(extra)),
})

interface Draft {
  readonly title: string
  readonly description: string
  /** Schemas of the capability's own operations. */
  readonly shapes: readonly TSchema[]
  readonly extends: (shapes: Publisher) => Record<string, JsonSchema>
}

const DRAFTS = {
  sku: {
    title: 'Vendor SKUs',
    description:
      'Identities of products by vendor namespace, sale units (each and box) with their prices, and aliases between ' +
      'namespaces. A box is a unit chosen at order time, not an article of its own.',
    shapes: [NamespaceEntry, SkuRecord, ResolveRequest, Resolution, AliasesRequest],
    extends: (shapes) => {
      const unit = { quantity_unit: shapes.publish(QuantityUnit) }
      const line = array(object({ item: object(unit) }))
      return {
        ...onCatalog(
          { sale_units: ownMember(array(shapes.publish(SaleUnit))), aliases: ownMember(array(shapes.publish(Alias))) },
          shapes.publish(CatalogFilters),
        ),
        ...onCheckout({ ...members(shapes, Checkout, ['vendor']), line_items: line }),
        ...onOrder({ line_items: line }),
      }
    },
  },
  inventory: {
    title: 'Machine inventory',
    description: 'Live stock of one machine slot on a catalog variant.',
    shapes: [Inventory],
    extends: (shapes) => onCatalog({ inventory: ownMember(shapes.publish(Inventory)) }),
  },
  location: {
    title: 'Vending machines',
    description: 'What is known of a machine beside its address, and the operations of the roster.',
    shapes: [LocationRequest, SyncRequest, SyncReport],
    extends: (shapes) =>
      onLocations(
        ['dev.ucp.common.location.search', 'dev.ucp.common.location.lookup'],
        members(shapes, Location, [
          'online',
          'venue_name',
          'venue_type',
          'placement',
          'last_synced_at',
          'profile_complete',
          'missing',
          'profile',
        ]),
      ),
  },
  approval: {
    title: 'Owner approval',
    description:
      'The action under which a waiting decision stands in a checkout, and the explicit confirmation without which ' +
      'no checkout completes.',
    shapes: [Approval, ApprovalList, ResolveApprovalRequest],
    extends: (shapes) =>
      onCheckout({
        confirm: {
          ...shapes.publish(Confirm),
          ucp_request: { create: 'omit', update: 'omit', complete: 'required' },
          ucp_response: 'omit',
        },
        actions: ownMember(
          object({
            [`${PREFIX}.approval`]: {
              ...array(object({ id: { type: 'string', pattern: '^dec-' } }, ['id'])),
              minItems: 1,
            },
          }),
        ),
      }),
  },
  order: {
    title: 'Purchases and machine sales',
    description: 'Which of the two an order is, the raw status of a sale, and the supplier status of a purchase.',
    shapes: [Order],
    extends: (shapes) =>
      onOrder(
        members(shapes, Order, [
          'kind',
          'created_at',
          'location',
          'location_name',
          'trade_status',
          'trade_status_label',
          'supplier_status',
          'logistics',
        ]),
      ),
  },
  pricing: {
    title: 'Live prices',
    description: 'Changes of the prices on a machine. Locations are answered as before.',
    shapes: [PriceChangeRequest, PriceChange],
    extends: () => onLocations(['dev.ucp.common.location.lookup'], {}),
  },
  replenishment: {
    title: 'Replenishment',
    description: 'Plans, runs that have the shape of an order, and the score of past forecasts.',
    shapes: [ReplenishmentPlan, ReplenishmentRun, ReceiveRequest, Score, RestockRequest],
    extends: (shapes) =>
      onOrder({
        ...members(shapes, ReplenishmentRun, [
          'status',
          'placed_at',
          'delivered_at',
          'supplier',
          'cost_is_estimated',
          'checkouts',
        ]),
        line_items: array(object(members(shapes, RunLineItem, ['slot_id', 'location', 'source']))),
      }),
  },
  events: {
    title: 'Event stream',
    description: 'What happened on the route. Orders are answered as before.',
    shapes: [Event, EventList, EventRequest],
    extends: () => onOrder({}),
  },
  on_account: {
    title: 'On account',
    description: 'Payment handler: purchases are booked to the supplier account and no credential is carried.',
    shapes: [],
    extends: () => ({
      on_account_instrument: extend(
        official('shopping/types/payment_instrument'),
        object({
          handler_id: { const: PAYMENT_HANDLER_ID },
          type: { const: PAYMENT_TYPE },
          credential: { not: {} },
        }),
      ),
      business_schema: official('payment_handler', 'business_schema'),
      response_schema: official('payment_handler', 'response_schema'),
    }),
  },
} as const satisfies Record<SchemaName, Draft>

export type SchemaDocument = ReturnType<typeof schemaDocument>

/** @param schemaBase its host must fit the reverse-domain prefix, or platforms drop the capability */
export function schemaDocument(short: SchemaName, schemaBase: string = DEFAULT_SCHEMA_BASE) {
  const draft: Draft = DRAFTS[short]
  const shapes = publisher('#/$defs')
  const parents = draft.extends(shapes)
  for (const shape of draft.shapes) shapes.publish(shape)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaUrl(short, schemaBase),
    name: `${PREFIX}.${short}`,
    version: EXTENSION_VERSION,
    title: draft.title,
    description: draft.description,
    requires: { protocol: { min: UCP_VERSION } },
    $defs: { ...shapes.definitions, ...parents },
  }
}
