/** Checkout sessions, which are draft purchase orders to one supplier, and their requests. */
import { type Static, Type } from 'typebox'
import { PO_NUMBER_PATTERN } from '../../kernel/ids.ts'
import { Description, QuantityUnit, QuantityUnitRequest } from './catalog.ts'
import {
  Actions,
  Buyer,
  Currency,
  Link,
  Messages,
  Namespace,
  PAGED,
  PaginationResponse,
  POSTAL_ADDRESS,
  PostalAddress,
  SkuId,
  Timestamp,
  Total,
  UcpEnvelope,
  Url,
  DRY_RUN,
} from '../common.ts'
import { PAYMENT_HANDLER_ID } from '../capabilities.ts'
import {
  CHECKOUT_LINES_MAX,
  DESTINATIONS_MAX,
  GROUPS_MAX,
  LINE_MAX,
  METHODS_MAX,
  QUANTITY_MAX,
  WORD_MAX,
} from '../limits.ts'
import { answer, anything, list, nullable, oneOf, request, text } from '../schema-helpers.ts'

export const CheckoutStatus = oneOf(
  ['incomplete', 'requires_escalation', 'ready_for_complete', 'complete_in_progress', 'completed', 'canceled'],
  { title: 'CheckoutStatus' },
)
export type CheckoutStatus = Static<typeof CheckoutStatus>

export const Item = answer('Item', {
  id: SkuId,
  title: Type.String(),
  price: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Whole minor units of `currency` for one `quantity_unit`.',
  }),
  quantity_unit: Type.Optional(QuantityUnit),
  image_url: Type.Optional(Url),
})
export type Item = Static<typeof Item>

export const LineItem = answer('LineItem', {
  id: Type.String(),
  item: Item,
  quantity: Type.Integer({ minimum: 1, description: 'Counted in the unit of the line.' }),
  totals: list(Total),
  quantity_unit: QuantityUnit,
})
export type LineItem = Static<typeof LineItem>

export const FulfillmentDestination = answer('FulfillmentDestination', {
  ...POSTAL_ADDRESS,
  type: oneOf(['shipping_address', 'business_location']),
  id: Type.String(),
  name: Type.Optional(Type.String()),
  address: Type.Optional(PostalAddress),
})
export type FulfillmentDestination = Static<typeof FulfillmentDestination>

export const FulfillmentOption = answer('FulfillmentOption', {
  id: Type.String(),
  title: Type.String(),
  description: Type.Optional(Description),
  totals: list(Total),
  fulfillable_on: Type.Optional(Timestamp),
  earliest_fulfillment_time: Type.Optional(Timestamp),
})
export type FulfillmentOption = Static<typeof FulfillmentOption>

const FulfillmentGroup = answer('FulfillmentGroup', {
  id: Type.String(),
  line_item_ids: list(Type.String()),
  options: list(FulfillmentOption),
  selected_option_id: nullable(Type.String()),
})
export type FulfillmentGroup = Static<typeof FulfillmentGroup>

const MethodType = oneOf(['shipping', 'pickup'])

export const FulfillmentMethod = answer('FulfillmentMethod', {
  id: Type.String(),
  type: MethodType,
  line_item_ids: list(Type.String()),
  destinations: list(FulfillmentDestination),
  selected_destination_id: nullable(Type.String()),
  groups: list(FulfillmentGroup),
})
export type FulfillmentMethod = Static<typeof FulfillmentMethod>

const PaymentInstrument = answer('PaymentInstrument', {
  id: Type.String(),
  handler_id: oneOf([PAYMENT_HANDLER_ID]),
  type: oneOf(['on_account']),
  selected: Type.Boolean(),
  display: Type.Optional(anything('Words and pictures for people.')),
})

const OrderConfirmation = answer('OrderConfirmation', {
  id: Type.String(),
  permalink_url: Url,
  label: Type.Optional(Type.String({ description: "The supplier's own order number." })),
})
export type OrderConfirmation = Static<typeof OrderConfirmation>

const OrderDocument = answer('OrderDocument', {
  file_name: Type.String(),
  media_type: Type.String(),
  content: Type.String({ description: 'What a person sends to the supplier.' }),
})

export const Checkout = answer('Checkout', {
  ucp: UcpEnvelope,
  id: Type.String({ description: 'Also the reference the supplier knows the order by.' }),
  status: CheckoutStatus,
  currency: Currency,
  vendor: Namespace,
  line_items: list(LineItem),
  buyer: Type.Optional(Buyer),
  fulfillment: Type.Optional(answer('CheckoutFulfillment', { methods: list(FulfillmentMethod) })),
  totals: list(Total),
  payment: Type.Optional(answer('Payment', { instruments: list(PaymentInstrument) })),
  messages: Type.Optional(Messages),
  actions: Type.Optional(Actions),
  links: list(Link),
  continue_url: Type.Optional(Url),
  expires_at: Timestamp,
  order: Type.Optional(OrderConfirmation),
  order_document: Type.Optional(OrderDocument),
  ...DRY_RUN,
})
export type Checkout = Static<typeof Checkout>

export const CheckoutList = answer('CheckoutList', {
  ucp: UcpEnvelope,
  checkouts: list(Checkout),
  pagination: PaginationResponse,
  messages: Type.Optional(Messages),
})
export type CheckoutList = Static<typeof CheckoutList>

export const CheckoutListQuery = request('CheckoutListQuery', {
  status: Type.Optional(CheckoutStatus),
  vendor: Type.Optional(Namespace),
  ...PAGED,
})
export type CheckoutListQuery = Static<typeof CheckoutListQuery>

/** The unit may be on the line (our extension) or in the item (protocol); two different units are `invalid`. */
export const LineItemRequest = request('LineItemRequest', {
  id: Type.Optional(text(WORD_MAX)),
  item: request('LineItemReference', { id: SkuId, quantity_unit: Type.Optional(QuantityUnitRequest) }),
  quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX }),
  quantity_unit: Type.Optional(QuantityUnitRequest),
})
export type LineItemRequest = Static<typeof LineItemRequest>

const LineItemIds = Type.Array(text(WORD_MAX), {
  maxItems: CHECKOUT_LINES_MAX,
  description: "Absent or `['*']`: all lines.",
})

const DestinationRequests = Type.Array(
  request('FulfillmentDestinationRequest', {
    ...POSTAL_ADDRESS,
    type: Type.Optional(oneOf(['shipping_address', 'business_location'])),
    id: Type.Optional(text(WORD_MAX)),
    name: Type.Optional(Type.String({ maxLength: LINE_MAX })),
  }),
  { maxItems: DESTINATIONS_MAX },
)

const GroupRequests = Type.Array(
  request('FulfillmentGroupRequest', {
    id: Type.Optional(text(WORD_MAX)),
    line_item_ids: Type.Optional(LineItemIds),
    selected_option_id: Type.Optional(nullable(text(WORD_MAX))),
  }),
  { maxItems: GROUPS_MAX },
)

export const FulfillmentMethodRequest = request('FulfillmentMethodRequest', {
  id: Type.Optional(text(WORD_MAX)),
  type: MethodType,
  line_item_ids: Type.Optional(LineItemIds),
  destinations: Type.Optional(DestinationRequests),
  selected_destination_id: Type.Optional(nullable(text(WORD_MAX))),
  groups: Type.Optional(GroupRequests),
})
export type FulfillmentMethodRequest = Static<typeof FulfillmentMethodRequest>

/** On PUT omitted members keep their value; null or an empty list clears it. */
export const FulfillmentMethodUpdateRequest = request('FulfillmentMethodUpdateRequest', {
  id: Type.Optional(text(WORD_MAX)),
  type: Type.Optional(MethodType),
  line_item_ids: Type.Optional(LineItemIds),
  destinations: Type.Optional(Type.Union([DestinationRequests, Type.Null()])),
  selected_destination_id: Type.Optional(nullable(text(WORD_MAX))),
  groups: Type.Optional(Type.Union([GroupRequests, Type.Null()])),
})
export type FulfillmentMethodUpdateRequest = Static<typeof FulfillmentMethodUpdateRequest>

const FulfillmentRequest = request('FulfillmentRequest', {
  methods: Type.Array(FulfillmentMethodRequest, { maxItems: METHODS_MAX }),
})

const FulfillmentUpdateRequest = request('FulfillmentUpdateRequest', {
  methods: Type.Array(FulfillmentMethodUpdateRequest, { maxItems: METHODS_MAX }),
})

const LineItems = Type.Array(LineItemRequest, { minItems: 1, maxItems: CHECKOUT_LINES_MAX })

export const CheckoutCreateRequest = request('CheckoutCreateRequest', {
  id: Type.Optional(Type.String({ pattern: PO_NUMBER_PATTERN, description: 'PO number; generated if omitted.' })),
  line_items: LineItems,
  fulfillment: Type.Optional(FulfillmentRequest),
  buyer: Type.Optional(Buyer),
})
export type CheckoutCreateRequest = Static<typeof CheckoutCreateRequest>

/** Lines replace all lines; a method is merged into the one it names; omitted members stay as they are. */
export const CheckoutUpdateRequest = request('CheckoutUpdateRequest', {
  line_items: Type.Optional(LineItems),
  fulfillment: Type.Optional(FulfillmentUpdateRequest),
  buyer: Type.Optional(Buyer),
})
export type CheckoutUpdateRequest = Static<typeof CheckoutUpdateRequest>

/** Spends real money, so only the JSON literal true is accepted. */
export const Confirm = Type.Literal(true, {
  description: 'The JSON literal true; anything else is `confirmation_required`.',
})

export const CheckoutOutcomeRequest = request('CheckoutOutcomeRequest', {
  placed: Type.Boolean({ description: 'Whether the supplier has the order.' }),
  label: Type.Optional(text(WORD_MAX)),
  canceled: Type.Optional(
    Type.Literal(true, {
      description: 'With `placed`: the supplier had it and canceled it, by a word that we cannot read.',
    }),
  ),
})
export type CheckoutOutcomeRequest = Static<typeof CheckoutOutcomeRequest>

export const CheckoutCompleteRequest = request('CheckoutCompleteRequest', {
  confirm: Confirm,
  payment: Type.Optional(
    request('PaymentRequest', {
      instruments: Type.Array(
        request('PaymentInstrumentRequest', {
          id: text(WORD_MAX),
          handler_id: oneOf([PAYMENT_HANDLER_ID]),
          type: oneOf(['on_account']),
        }),
        { minItems: 1, maxItems: 1 },
      ),
    }),
  ),
})
export type CheckoutCompleteRequest = Static<typeof CheckoutCompleteRequest>
