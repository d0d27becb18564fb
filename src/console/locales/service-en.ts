/**
 * Sentences for what the service reports, by code. `{name}` is a value of the report, `{name:unit}` a number with its
 * unit in the singular (`{n:box|boxes}` where the plural is irregular), and a part in `[…]` is left out when one of its
 * values is missing. Of several sentences the first whose values are all given is used.
 */

/** What each value of a form or request is called, by the last name in its path. */
const fields = {
  first_name: 'Contact name',
  phone_number: 'Phone',
  street_address: 'Street address',
  address_locality: 'City',
  postal_code: 'Postal code',
  methods: 'Delivery or pickup',
  selected_destination_id: 'Pickup site',
  selected_option_id: 'Pickup time',
  quantity: 'Quantity',
  quantity_unit: 'Unit',
  name: 'Name',
  id: 'ID',
  reason: 'Reason',
  token: 'Operator token',
  price: 'Price',
  cursor: 'Page',
  from: 'Start date',
  to: 'End date',
}

/** Only for codes whose sentence says more than their title. */
const messages = {
  missing: ['{field} is required.'],
  invalid: ['{field} isn’t valid.'],
  not_found: [
    'Purchase {order} not found.',
    'Run {run} not found.',
    'Product {product} not found.',
    'Slot {slot} not found.',
    'Machine {machine} not found.',
  ],
  out_of_stock: ['The supplier has {stock} of {product}.'],
  item_unavailable: ['{product} is not for sale.'],
  unresolved_sku: ['{product} isn’t linked to a supplier product.'],
  hard_no_go: ['{product} is on the owner’s list of blocked products[ ({entry})].'],
  expired: ['It was not ordered within 24 hours.'],
  approval_required: [
    '{total} exceeds the {limit} limit, so the owner has to approve it.',
    'The owner has to approve it.',
  ],
  kill_switch_engaged: ['Purchases and price changes are blocked[. Reason: {reason}].'],
  guard_unverifiable: ['Purchases and price changes are blocked until the rules file can be read.'],
  already_resolved: ['Someone has already decided on this request.'],
  simulation_disabled: ['No supplier is connected, and simulated purchases are off.'],
  price_estimated: [
    'Unit price of {product} estimated from the box price; the supplier’s invoice is final.',
    'Unit price estimated from the box price; the supplier’s invoice is final.',
  ],
  price_changed: ['The supplier changed its prices: {from} → {to}. Confirm the new total.'],
  price_filter_ignored: ['Prices are in CNY, so the price filter in another currency was ignored.'],
  location_unverified: ['No sales from {machine} in {days:day}. Check that the machine ID is right.'],
  history_truncated: ['Sales are complete only since {since}; older sales are still being loaded.'],
  hours_unknown: ['Opening hours are unknown, so this filter was ignored.'],
  sync_problem: ['{machine}: {reason}', '{count:sale} without a valid timestamp, not counted.'],
  late_order: ['The supplier accepted order {order} although this purchase was closed. It is recorded as bought.'],
  order_restored: ['The order was found in the supplier’s records; what is shown comes from there.'],
  more_than_ordered: ['{product}: {quantity} received, {ordered} ordered.'],
  purchase_not_completed: ['The goods were received before any purchase of this run was ordered.'],
  outcome_pending: ['The supplier hasn’t confirmed the order yet. We keep checking.'],
  covered_by_other_run: ['Run {run} is not ordered yet and covers some of the same slots. Order only one of them.'],
}

const events = {
  purchase_completed: ['Purchase {order} ordered[ for {total}]'],
  purchase_refused: ['Purchase {order} was not ordered[: {reason}]'],
  purchase_unclear: ['Purchase {order} was sent; the supplier hasn’t confirmed it yet'],
  purchase_found_late: ['Purchase {order} was closed, but the supplier has the order[ ({total})]'],
  purchase_canceled: ['Purchase {order} canceled'],
  purchase_expired: ['Purchase {order} expired: not ordered within 24 hours'],
  price_changed: ['[{machine}: ]{product}, {from} → {to}', '[{machine}: ]{count:price} changed'],
  price_change_waiting: [
    '[{machine}: ]{product}, {from} → {to}, is waiting for approval',
    '[{machine}: ]{count:price change} waiting for approval',
    '[{machine}: ]Price change is waiting for approval',
  ],
  price_change_refused: ['[{machine}: ]Price change refused[: {reason}]'],
  price_change_failed: ['[{machine}: ]Price change approved but not applied[: {reason}]'],
  price_change_unclear: ['[{machine}: ]Price change not confirmed by the machine'],
  approval_approved: [
    'Purchase {order} approved[ by {by}]',
    'Run {run} approved[ by {by}]',
    'Price of {product} approved[ by {by}]',
    'Request approved[ by {by}]',
  ],
  approval_rejected: [
    'Purchase {order} rejected[ by {by}]',
    'Run {run} rejected[ by {by}]',
    'Price of {product} rejected[ by {by}]',
    'Request rejected[ by {by}]',
  ],
  approval_withdrawn: [
    'Approval request for purchase {order} withdrawn',
    'Approval request for run {run} withdrawn',
    'Approval request withdrawn',
  ],
  run_created: ['Run {run} created[: {slots:slot} in {machines:machine}][ for {total}]'],
  run_placed: ['Run {run} ordered[: {slots:slot} in {machines:machine}][ for {total}]'],
  run_received: ['Run {run} received[: {quantity:unit}]'],
  run_canceled: ['Run {run} canceled'],
  run_blocked: ['Run {run} not calculated: the emergency stop was on'],
  location_saved: ['Machine {machine} saved'],
  location_removed: ['Machine {machine} removed'],
  slot_locked: ['{product} locked[ in {machine}]'],
  slot_unlocked: ['{product} unlocked[ in {machine}]'],
  sync_completed: [
    'Synced {machines:machine}[: {slots:slot}, {products:product}][, {sales:sale} in {days:day}]',
    'Sync complete',
  ],
  sync_problem: ['Sync problem[ in {machine}][: {reason}]'],
  sale_recorded: [
    'Sold[ at {machine}]: {product}[ × {quantity}][, {total}]',
    'Sold[ at {machine}]: {count:item}[, {total}]',
  ],
  kill_switch_engaged: ['Emergency stop pulled[ by {by}][: {reason}]'],
  kill_switch_released: ['Emergency stop released[ by {by}][: {reason}]'],
}

/** What an approval is about, by its subject, whose id is `{id}`. */
const subjects = {
  checkout: ['Purchase {id}[ for {total}]'],
  replenishment_run: ['Restock run {id}[ for {total}]'],
  price_change: ['[{machine}: ]{product}, {from} → {to}'],
}

/** Why an approval is needed, by the code of its rule. */
const decisions = {
  spending_limit: ['{total} exceeds the {limit} limit per purchase, so it needs approval.'],
  price_cap: [
    'The price of {product} changes by {change}, more than the allowed {limit}, so it needs approval.',
    'The price changes by {change}, more than the allowed {limit}, so it needs approval.',
  ],
  probation: ['Every purchase needs approval until the probation ends on {until}.'],
}

/** Who did it, where the service names a role instead of a person. */
const people = { operator: 'the operator', owner: 'the owner', service: 'the service' }

export const serviceEn = { fields, messages, events, subjects, decisions, people }

export type ServiceTexts = typeof serviceEn
