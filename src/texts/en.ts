/**
 * Every code with its sentences, in English. Events, messages, approvals and notices are written from their code and
 * values; how a sentence is written is said in fill-sentence.ts. Of several the first whose values are all given is used.
 * Chinese has the same codes and no other values, or it does not compile.
 */
import type { ErrorCode, InfoCode, WarningCode } from '../kernel/message.ts'
import type { Sentences } from './sentences.ts'

type MessageCode = ErrorCode | WarningCode | InfoCode

/** What each code of a message is called. */
export const CODES = {
  missing: 'Something is missing',
  invalid: 'Something isn’t valid',
  not_found: 'Not found',
  unauthorized: 'Sign-in required',
  order_to_send: 'You send this order to the supplier',
  connection_unauthorized: 'Password or key of a connection refused',
  forbidden: 'Not allowed',
  out_of_stock: 'Not enough stock at the supplier',
  item_unavailable: 'Not available',
  request_too_large: 'Request too large',
  rate_limited: 'Too many requests',
  too_many_pending: 'Too many pending approvals',
  namespace_mismatch: 'Products from different suppliers',
  namespace_unsupported: 'Not connected, or can’t do this',
  unresolved_sku: 'No supplier for this product',
  hard_no_go: 'Blocked product',
  approval_rejected: 'Rejected',
  expired: 'Expired',
  confirmation_required: 'Confirmation required',
  approval_required: 'Approval required',
  kill_switch_engaged: 'Emergency stop is on',
  guard_unverifiable: 'The rules can’t be read',
  supplier_rejected: 'Rejected by the supplier or platform',
  upstream_unreachable: 'No response from the supplier or platform',
  already_placed: 'Already ordered',
  already_delivered: 'Already received',
  simulation_disabled: 'No supplier connected',
  idempotency_mismatch: 'Already submitted with different details',
  idempotency_in_progress: 'Already submitted, still in progress',
  not_editable: 'Can no longer be changed',
  already_resolved: 'Already decided',
  canceled: 'Canceled',
  conflict: 'Already in use',
  not_placeable: 'Can’t be ordered',
  not_placed: 'Not ordered yet',
  undo_expired: 'Too late to undo',
  already_received: 'Already received',
  not_enabled: 'Switched off',
  shift_running: 'The built-in operator is already at work',
  service_unavailable: 'The service is temporarily unavailable',
  internal: 'Internal error',
  unreachable: 'The service can’t be reached',
  timeout: 'The service took too long to respond',
  unreadable: 'Unreadable response',
  price_estimated: 'Estimated price',
  price_changed: 'Price changed',
  stock_unknown: 'Stock unknown',
  capacity_unknown: 'Capacity unknown',
  supplier_notice: 'Notice from the supplier',
  above_agreed: 'Costs more than agreed',
  invoice_differs: 'The invoice differs',
  rounded_up: 'Rounded up to what the supplier sells',
  price_filter_ignored: 'Price filter ignored',
  not_in_machine: 'Not in this machine',
  location_unverified: 'Machine not confirmed by the platform',
  history_truncated: 'Sales history is incomplete',
  hours_unknown: 'Opening hours unknown',
  same_namespace: 'From the same source',
  match_still_counts: 'Still counts for the rules',
  sync_problem: 'Some data could not be read',
  outcome_pending: 'Waiting for the supplier',
  handoff: 'To be completed on the supplier’s page',
  outcome_needed: 'Was it ordered?',
  outcome_unconfirmed: 'Not confirmed by an owner',
  decision_withdrawn: 'Approval request withdrawn',
  late_order: 'Ordered after it was closed',
  order_restored: 'Restored from the supplier’s records',
  newer_stock_kept: 'Newer stock kept',
  cost_unknown: 'Cost unknown',
  cost_estimated: 'Some costs are estimates',
  visit_cost_unset: 'No visit cost is set',
  more_than_ordered: 'More received than ordered',
  purchase_not_completed: 'Purchase not ordered',
  storeroom_short: 'The store room had fewer',
  expires_soon: 'Won’t be sold before its date',
  no_visit_due: 'No visit is due',
  dead_stock: 'Not selling',
  not_due: 'Not due yet',
  covered_by_other_run: 'Covered by another run',
} as const satisfies Readonly<Record<MessageCode, string>> & Readonly<Record<string, string>>

/** What each value of a form or request is called, by the last name in its path. */
export const FIELDS = {
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
export const MESSAGES = {
  missing: ['{field} is required.'],
  invalid: [
    '{product}: {counted} counted, expected {expected}. Highest so far: {highest}; capacity: {capacity}.',
    '{product} isn’t sold in this unit ({unit}).',
    '{product} is sold in multiples of {increment}, at least {minimum}.',
    '{field} isn’t valid.',
  ],
  not_found: [
    'Purchase {checkout} not found.',
    'Run {run} not found.',
    'Order {order} not found.',
    'Slot {slot} not found.',
    'Product {product} not found.',
    'Machine {machine} not found.',
  ],
  out_of_stock: ['The supplier has only {stock} of {product} in stock.'],
  item_unavailable: ['{product} is not for sale.', '{sku} is not for sale.'],
  namespace_mismatch: [
    'All lines of a purchase must be from one supplier, here {vendor}.',
    '{sku} is a machine product. Order the linked supplier product instead.',
  ],
  unresolved_sku: ['{product} isn’t linked to a supplier product.', '{sku} isn’t in the supplier catalog yet.'],
  hard_no_go: ['{product} is on the owner’s list of blocked products[ ({entry})].'],
  expired: ['It was not ordered within 24 hours.'],
  approval_required: ['The owner has to approve it[: {amount}, limit {limit}].'],
  canceled: [
    'The purchase from {supplier} was canceled, rejected or expired: {slots:slot} will get nothing from it.',
    'All purchases of this run were canceled, rejected or expired. It brings nothing, and its slots are free again.',
  ],
  kill_switch_engaged: ['Purchases and price changes are blocked[. Reason: {note}].'],
  guard_unverifiable: ['Purchases and price changes are blocked until the rules file can be read.'],
  already_placed: ['Another run has already ordered {product}.'],
  already_resolved: ['Someone has already decided on this request.'],
  simulation_disabled: ['No supplier is connected, and simulated purchases are off.'],
  price_estimated: [
    'The total of {total} is an estimate; the supplier’s invoice is final.',
    'Unit price of {product} estimated from the box price; the supplier’s invoice is final.',
    'Unit price estimated from the box price; the supplier’s invoice is final.',
  ],
  price_changed: [
    'The supplier changed its prices: {before} before, {now} now. Nothing was bought; confirm the new total.',
  ],
  upstream_unreachable: [
    'The order {checkout} may exist. Don’t start another purchase: it would buy twice. We keep asking the supplier.',
  ],
  above_agreed: ['The supplier charges {charged} for order {order}, but {agreed} was agreed.'],
  invoice_differs: [
    'Invoice {invoice}: {product}: {invoiced} invoiced, {expected} expected, a difference of {difference}.',
    'Invoice {invoice}: {product} was not ordered: {difference}.',
    'Invoice {invoice}: {invoiced} charged, {expected} expected, a difference of {difference}.',
  ],
  rounded_up: [
    '{product}: {quantity} instead of {needed}, as the supplier sells it only in larger quantities.',
    '{count:product} are sold only in larger quantities: {quantity} units instead of {needed}. {products}[ and {more} more].',
  ],
  price_filter_ignored: ['Prices are in {prices}, so the price filter was ignored.'],
  not_in_machine: ['{machine} doesn’t hold {product}. The recommendation was sent all the same.'],
  location_unverified: ['No sales from {machine} in {days:day}. Check that the machine ID is right.'],
  history_truncated: [
    'Only {days} of {window_days} days of sales are complete for {machines:machine}.',
    'Sales of {machine} before {since} are not known.',
    'Sales are complete only since {since}; older sales are still being loaded.',
  ],
  approval_rejected: [
    'Rejected by the owner: {comment}',
    'This run was {as} before it was ordered.',
    'The owner rejected it.',
  ],
  hours_unknown: ['Where opening hours are unknown, this filter is not applied.'],
  same_namespace: [
    '{sku} and {other_sku} come from the same source, so nothing was recorded.',
    '{sku} is already in {namespace}.',
  ],
  match_still_counts: [
    'Orders no longer treat {sku} and {other_sku} as the same product. The list of blocked products and the minimum margin still do, until an owner rejects the match as well.',
  ],
  sync_problem: [
    'Left out because it can’t be read: {rows:row} from {source}: {list}',
    'Sales are known only up to {until}.',
    '{machine} could not be read[: {reason}]',
    'Sales of {namespace} could not be read[: {reason}]',
    'Not counted: {sales:sale} without a valid time.',
  ],
  late_order: ['The supplier has order {order} although this purchase is closed. It is recorded as a purchase.'],
  order_restored: ['The order was found in the supplier’s records and is recorded here again.'],
  unauthorized: ['{connection} refused the password or key of its connection.'],
  too_many_pending: [
    '{person} already has {limit:approval} pending. Decide some of them first.',
    '{limit:approval} are already pending. Decide some of them first.',
  ],
  cost_unknown: ['{product}: the cost isn’t known, so the margin of {percent}% wasn’t checked.'],
  newer_stock_kept: ['{machine}: {slots:slot} read or counted after this visit. Their stock stays as it is.'],
  more_than_ordered: ['{product}: {quantity} received, {ordered} ordered.'],
  visit_cost_unset: [
    '{visits:visit} counted as free. An owner can enter in Settings what a trip and a stop cost, or 0 if visits cost nothing.',
  ],
  cost_estimated: ['The real cost is known for {percent}% of the revenue. The rest is estimated at 55% of the price.'],
  stock_unknown: [
    'Left out because their stock is unknown: {slots:slot} in {machines}[ and {more} more]. Once counted, they are planned.',
    'The supplier doesn’t state its stock of {count:product}: {products}[ and {more} more].',
    'The supplier doesn’t state its stock of {product}.',
  ],
  capacity_unknown: ['Left as it is because the capacity is unknown: {slots:slot}. Enter the capacity to include it.'],
  purchase_not_completed: ['The products were received before any purchase of this run was ordered.'],
  storeroom_short: ['{product}: {units} more loaded than the store room should have had.'],
  expires_soon: ['{product}: {units:unit} won’t be sold before {date}.'],
  outcome_pending: ['The supplier hasn’t confirmed the order yet. We keep checking.'],
  handoff: [
    'Nothing was sent yet. Download {document}, send it to the supplier, then say that it was sent.',
    'Nothing was bought yet. Complete the purchase on the supplier’s page, then record the outcome.',
  ],
  outcome_needed: [
    'We can’t find out whether the supplier has the order. Check with the supplier and record the outcome.',
  ],
  outcome_unconfirmed: [
    'An attempt was recorded as not ordered. It counts towards the limits per day and week until an owner confirms it.',
  ],
  no_visit_due: [
    'No visit is due. {slots:slot}: {empty} empty, {at_risk} may run out before the next delivery, {in_transit} on the way.[ A visit still costs more than waiting at {not_due:machine}.][ A delivery is on its way to {delivering:machine}.][ Closed when an order would arrive: {closed:machine}.][ Locked: {locked:machine}.][ Does not fit into the trip: {limit:machine}.][ The next visit is due on {date}.][ No visit is expected within {days:day}.]',
  ],
  dead_stock: [
    'No sale for three weeks or longer from {slots:slot} with {units:unit}: {machines}[ and {more} more]. Nothing more is brought there.',
  ],
  not_due: ['Chosen although not due for a visit yet: {machines}[ and {more} more].'],
  covered_by_other_run: ['{run} is not ordered yet and covers some of the same slots. Order only one of the two.'],
} as const satisfies Partial<Readonly<Record<MessageCode, readonly string[]>>>

/** What happened, as the console tells it. These are all codes that an event of the service may have. */
export const EVENTS = {
  purchase_completed: ['Purchase {checkout} ordered[ for {total}]', 'Purchase {order} ordered[ for {total}]'],
  purchase_already_completed: ['Purchase {checkout} was already ordered'],
  purchase_refused: ['Purchase {checkout} was not ordered[: {reason}]', 'Purchase {order} was not ordered[: {reason}]'],
  purchase_failed: ['Purchase {checkout} was not ordered[: {reason}]'],
  purchase_reassessed: ['Purchase {checkout} was not ordered; status after a new check: {status}'],
  purchase_destination_changed: [
    'Purchase {checkout} now goes to {after}[, before to {before}]',
    'Purchase {checkout} no longer goes to {before}',
  ],
  purchase_handed_off: [
    'Purchase {checkout}: {document} has to be sent to the supplier',
    'Purchase {checkout} has to be completed on the supplier’s page',
  ],
  purchase_outcome_placed: ['Purchase {checkout} was ordered, recorded by {by}: order {order}'],
  purchase_outcome_confirmed: ['Purchase {checkout}: {by} confirmed that attempt {attempt} was not ordered'],
  purchase_outcome_not_placed: ['Purchase {checkout} was not ordered, recorded by {by}'],
  purchase_above_agreed: ['Purchase {checkout} costs {charged}, but {agreed} was agreed'],
  purchase_short: ['Purchase {purchase}: {lines:line} will not be delivered in full'],
  invoice_differs: ['Purchase {purchase}: the invoice differs by {difference}'],
  late_order_found: ['Purchase {checkout} is closed, but the supplier has order {order}'],
  second_order_found: ['Purchase {checkout} has two orders at the supplier: {firstOrder} and {order}'],
  attempt_superseded: ['Purchase {checkout} was ordered by another attempt: order {order}'],
  purchase_booked: ['Purchase {checkout} recorded from the supplier’s records: order {order}'],
  purchase_closed: ['Purchase {checkout}: {as}'],
  purchase_ordered: ['The supplier has accepted purchase {purchase}'],
  purchase_arrived: ['Purchase {purchase} has arrived'],
  purchase_cancelled: ['The supplier canceled purchase {purchase}'],
  price_changed: [
    '{machine}: {product}, {previous} → {price}[ and {more} more]',
    '{machine}: {product}, {from} → {to}',
    '{machine}: {count:price} changed',
  ],
  price_changed_partly: ['{machine}: {product}, {previous} → {price}[ and {more} more]; {unchanged} not changed'],
  prices_already_set: ['{machine}: {product} already costs {price}[ and {more} more]'],
  price_change_waiting: [
    '{machine}: {product}, {previous} → {price}[ and {more} more], waiting for approval',
    '{machine}: {product}, {from} → {to}, waiting for approval',
    '{machine}: price change waiting for approval',
  ],
  price_change_still_waiting: [
    '{machine}: {product}, {previous} → {price}[ and {more} more], still waiting for approval',
  ],
  price_change_refused: ['{machine}: price change refused[: {reason}]'],
  price_change_denied: ['{machine}: price change refused[: {reason}]'],
  price_change_failed: ['{machine}: price change failed[: {reason}]'],
  price_change_not_executed: [
    '{machine}: {product}, {previous} → {price}[ and {more} more], approved but not applied[: {reason}]',
    '{machine}: price change approved but not applied[: {reason}]',
  ],
  price_change_unconfirmed: [
    '{machine}: {product}, {previous} → {price}[ and {more} more], not confirmed by the machine yet',
  ],
  price_change_confirmed: ['{machine}: {product}, {previous} → {price}[ and {more} more], applied after all'],
  price_change_confirmed_partly: ['{machine}: {product}, {previous} → {price}[ and {more} more], applied in part'],
  price_change_not_applied: ['{machine}: {product}, {previous} → {price}[ and {more} more], was not applied'],
  price_change_outcome_unknown: ['{machine}: {product}, {previous} → {price}[ and {more} more], outcome still unknown'],
  price_change_late: ['{machine}: {product}, {previous} → {price}[ and {more} more], applied late'],
  decision_approved: [
    'Approved[ by {by}]: {what}',
    'Approved[ by {by}]: {summary}',
    'Request {decision} approved[ by {by}]',
  ],
  decision_rejected: [
    'Rejected[ by {by}]: {what}',
    'Rejected[ by {by}]: {summary}',
    'Request {decision} rejected[ by {by}]',
  ],
  question_asked: ['Question for the owner: {summary}'],
  question_answered: ['{by} answered “{answer}” to: {summary}'],
  question_expired: ['Nobody answered in time: {summary}'],
  decision_withdrawn: ['Approval request withdrawn: {what}', 'Approval request {decision} withdrawn'],
  run_placed: ['{run} ordered[: {slots:slot} in {machines:machine}][ for {total}]'],
  run_received: ['{run} received[: {quantity} of {ordered:unit}]', '{run} received: {quantity:unit}'],
  run_purchase_ended: ['{run}: nothing comes from {supplier} for {slots:slot}'],
  run_not_placed: ['{run} was not ordered: nothing in it can be ordered now'],
  run_canceled: ['{run} canceled'],
  stop_received: ['{run} received at {machine}: {quantity} of {ordered:unit}'],
  stop_receipt_undone: ['{run}: receipt at {machine} undone'],
  alias_confirmed: ['Linked as the same product: {product} and {other_product}'],
  alias_rejected: ['Not the same product: {product} and {other_product}'],
  shelf_life_stated: ['{product}: shelf life {days:day}'],
  shelf_life_removed: ['{product}: shelf life removed'],
  machine_registered: ['{machine} added'],
  machine_updated: ['{machine} updated'],
  machine_removed: ['{machine} removed'],
  holiday_answered: ['{holiday}, {date}: {closed} of {machines} machines closed'],
  calendar_changed: ['{machine}: calendar changed, {entries:entry|entries}'],
  pack_size_stated: ['{connection}: the pack[ “{pack}”][ of {product}][ and {more} more] holds {items:unit}'],
  pack_size_withdrawn: [
    '{connection}: the size of the pack[ “{pack}”][ of {product}][ and {more} more] has to be entered again',
  ],
  phase_out_ended: ['{product} is ordered again[ for {machine}]', '{product} is ordered again'],
  lane_change_ended: ['{machine}: slot {lane}, {other_product} instead of {product}: {status}'],
  layout_accepted: ['{machine}: {lanes:slot} to change at the next visit, about {gain} more a week'],
  swap_ended: ['{other_product} instead of {product} in {machine}: {status}'],
  swap_trial_started: [
    '{other_product} instead of {product} in {machine} from the next visit, on trial: about {gain} more a week',
  ],
  swap_trial_kept: [
    'Product kept after its trial: {other_product} instead of {product} in {machine}[, {gain} ± {error} a week]',
  ],
  swap_trial_taken_back: [
    'Product taken back after its trial: {product} instead of {other_product} in {machine}[, the trial brought {gain} ± {error} a week]',
  ],
  swap_trial_ended: ['Product trial ended: {other_product} instead of {product} in {machine}'],
  trial_started: ['Price trial: {product} {change} in {machines:machine}; {controls:machine} unchanged for comparison'],
  trial_kept: [
    'Price trial kept: {product} {change} in {machines:machine}[, {gain} ± {error} a week]',
    'Price trial kept: {product} {change}',
  ],
  trial_taken_back: [
    'Price trial taken back: {product} {change} in {machines:machine}[, {gain} ± {error} a week]',
    'Price trial taken back: {product} {change}',
  ],
  trial_ended: ['Price trial ended: {product} {change}'],
  phase_out_started: ['{product} is phased out[ in {machine}]', '{product} is phased out'],
  slot_counted: ['{machine}: {product} counted, {counted:unit}'],
  slot_locked: ['{machine}: {product} locked'],
  slot_settings_changed: ['{machine}: {product} holds {capacity}, is filled to {par}, position {position}'],
  slot_shrinkage: ['{machine}: {product}, {quantity:unit} missing ({counted} counted, {expected} expected)'],
  slot_surplus: ['{machine}: {product}, {quantity:unit} too many ({counted} counted, {expected} expected)'],
  units_damaged: ['{machine}: {quantity:damaged unit} of {product} taken out'],
  units_expired: ['{machine}: {quantity:expired unit} of {product} taken out'],
  units_recalled: ['{machine}: {quantity:recalled unit} of {product} taken out'],
  units_returned: ['{machine}: {quantity:unit} of {product} taken back to the store room'],
  storeroom_received: [
    '{purchase}: {units:unit} came into the store room[, {ordered} were confirmed]',
    '{run}: {units:unit} came into the store room[, {ordered} were confirmed]',
  ],
  storeroom_counted: ['Store room: {product}, {units:unit}[ ({difference}, {reason})]'],
  storeroom_short: ['Store room: {product}, {units:unit} more loaded than it should have had'],
  units_removed: ['{machine}: {quantity:unit} of {product} taken out'],
  cash_collected: ['{machine}: cash collected[, bag {bag}]'],
  fault_reported: ['{machine}: problem reported: {fault}'],
  fault_fixed: ['{machine}: fixed: {fault}'],
  photo_added: ['{machine}: photo added'],
  service_undone: ['{machine}: entry of a visit undone'],
  slot_unlocked: ['{machine}: {product} unlocked'],
  sync_completed: [
    'Stock and sales read: {synced} of {machines:machine}[, {slots:slot}, {products:product}][, {sales:sale} in {days:day}]',
    'Stock and sales read: {machines:machine}[, {slots:slot}, {products:product}][, {sales:sale} in {days:day}]',
    'Stock and sales read',
  ],
  sales_day_differs: ['Daily totals of {day} differ from the platform’s sales in {differences:place}'],
  sync_failed: ['Stock and sales could not be read[: {reason}]'],
  notification_given_up: ['A notification ({notice}) could not be delivered on {channel}: {error}'],
  messages_given_up: ['{count:message} to {receiver} not sent: this receiver was removed'],
  webhook_redelivered: ['Order {order} is sent to {target} once more'],
  webhook_given_up: ['Order {order} could not be delivered to {target}: {error}'],
  rows_unreadable: ['{rows:row} from {source} can’t be read: {list}'],
  sale_recorded: [
    'Not paid at {machine}: {unpaid:unit}[, {total}]',
    'Sold at {machine}: {product}[ × {quantity}][, {total}]',
    'Sold at {machine}: {items:unit}[, {total}][ ({refunded} refunded)]',
  ],
  emergency_stop_engaged: ['Emergency stop pulled[ by {by}][: {note}]'],
  emergency_stop_released: ['Emergency stop released[ by {by}][: {note}]'],
  rules_file_stop_engaged: ['Emergency stop engaged in the rules file'],
  rules_file_stop_released: ['Emergency stop released in the rules file'],
  shift_ended: [
    'The operator ended its shift: {ordered:run} ordered[, {bought:purchase} for {spent}][, {asked:question} asked][, {refused} not done]',
    'The operator ended its shift: {bought:purchase} bought[ for {spent}][, {asked:question} asked][, {refused} not done]',
    'The operator ended its shift: nothing ordered[, {asked:question} asked][, {refused} not done]',
  ],
  operator_changed: ['{by} changed when the operator works'],
  operator_paused: ['{by} paused the operator until {until}'],
  reminder_due: ['Reminder of {by}: {text}'],
  rules_changed: ['Rules changed by {by}: {rules}'],
  settings_changed: ['Settings changed by {by}: {settings}'],
  person_added: ['{name} ({role}) added by {by}'],
  autonomous_added: ['{name} ({role}) added by {by}; it buys and changes prices within the rules without asking'],
  person_key_rotated: ['New key for {name} ({role}) by {by}'],
  person_revoked: ['Key of {name} ({role}) revoked by {by}'],
  passkey_added: ['{name} ({role}) added a passkey: {passkey}'],
  passkey_removed: ['{name} ({role}) removed a passkey: {passkey}'],
  passkey_copied: ['The passkey {passkey} of {name} ({role}) was refused: there may be a copy of it'],
  fetch_failed: ['{connection}: files could not be fetched: {problem}'],
  fetch_set_aside: ['{connection}: {file} from the {source} was not used: {problem}'],
  file_used: ['{connection}: {file} is used now, by {by}'],
  file_waiting: ['{connection}: {file} from {by} is waiting for an owner'],
  file_discarded: ['{connection}: {file} discarded by {by}'],
  connection_added: ['Connection {connection} added by {by}'],
  connection_changed: ['Connection {connection} changed by {by}'],
  connection_removed: ['Connection {connection} removed by {by}'],
} as const satisfies Sentences

/** What an approval is about, by its subject, whose id is `{id}`. */
export const SUBJECTS = {
  checkout: ['Purchase {id}[ for {total}]'],
  replenishment_run: ['Restock {id}[ for {total}]'],
  price_change: ['{machine}: {product}, {previous} → {price}[ and {more} more]', '{machine}: {product}, {from} → {to}'],
  slot: ['{name}: {other_product} instead of {product}, about {gain} more a week'],
} as const satisfies Sentences

/** Questions that the service asks by itself. */
export const QUESTIONS = {
  unlinked_products: [
    'No supplier is known for {count:product} in machines, so they can’t be ordered. Will you link them?',
  ],
  price_trial: ['Try {product} at {change} in {machines:machine}?'],
} as const satisfies Sentences

/** What led to the question. */
export const QUESTION_REASONS = {
  unlinked_products: ['Not linked to a product of a supplier: {products}[ and {more} more].'],
  price_trial: [
    'Other machines keep their price and are compared. After 14 days in stock the price stays if it earned more, else it is taken back.',
  ],
} as const satisfies Sentences

/** The answers it offers, in order; none: yes or no. */
export const QUESTION_OPTIONS = {
  unlinked_products: ['I will link them', 'Leave them out'],
  price_trial: [],
} as const satisfies Sentences

/** Why an approval is needed, by the code of the guardrail that asks for it. */
export const RULES = {
  expired: ['Nobody answered in time.'],
  asked: ['{by} asks before doing it.'],
  spending_limit: ['{total} exceeds the {limit} limit per purchase, so it needs approval.'],
  price_cap: [
    'The price changes by {change}, more than the allowed {cap}, so it needs approval.',
    'The price changes by {change}, more than the allowed {limit}, so it needs approval.',
    'The current price of one slot is not known, so the allowed {cap} can’t be checked and it needs approval.',
  ],
  probation: ['Every purchase needs approval until the trial period ends on {until}.'],
  spending_limit_day: [
    '{total} after {used} in the last 24 hours exceeds the {limit} limit per day, so it needs approval.',
  ],
  spending_limit_week: [
    '{total} after {used} in the last 7 days exceeds the {limit} limit per week, so it needs approval.',
  ],
  supplier_limit: ['{total} exceeds the {limit} limit per purchase from {supplier}, so it needs approval.'],
  supplier_limit_day: [
    '{total} after {used} in the last 24 hours exceeds the {limit} limit per day for {supplier}, so it needs approval.',
  ],
  supplier_limit_week: [
    '{total} after {used} in the last 7 days exceeds the {limit} limit per week for {supplier}, so it needs approval.',
  ],
  key_limit: ['{total} exceeds the {limit} limit per purchase of {key}, so it needs approval.'],
  key_limit_day: [
    '{total} after {used} in the last 24 hours exceeds the {limit} limit per day of {key}, so it needs approval.',
  ],
  key_limit_week: [
    '{total} after {used} in the last 7 days exceeds the {limit} limit per week of {key}, so it needs approval.',
  ],
  unit_price: ['{product} at {price} exceeds the {limit} limit per unit, so it needs approval.'],
  line_quantity: ['{quantity} of {product} exceeds the limit of {limit} per line, so it needs approval.'],
  price_drift: [
    'The price would be {drift} away from the {before} of 7 days ago, more than the allowed {limit}, so it needs approval.',
  ],
  new_product_proposed: [
    '{other_product}, new on the route, at {price} instead of {product} in {name} is expected to earn {gain} more a week. Approving confirms the price.',
  ],
  swap_back: ['{other_product} comes back instead of {product} in {name}.'],
  swap_proposed: [
    '{other_product} instead of {product} in {name} is expected to earn {gain} more a week.',
    '{other_product} instead of {product} in {machine} is expected to earn {gain} more a week.',
  ],
  minimum_margin: [
    '{price} for a cost of {cost} leaves less than the margin of {percent}%, so it needs approval.',
    'The margin of {percent}% is not checked because the cost is not known.',
  ],
} as const satisfies Sentences

/** Values that are words of the service: who, why, as what. Codes and statuses have their own texts. */
export const VALUES = {
  // Not the operator of the service, which has a key of its own.
  operator: 'the operator token',
  owner: 'the owner',
  service: 'the service',
  canceled: 'canceled',
  done: 'done',
  expired: 'expired, not ordered within 24 hours',
  incomplete: 'details are missing',
  declined: 'the supplier declined it',
  rejected: 'the supplier rejected it',
  absent: 'it never reached the supplier',
  unknown: 'the supplier hasn’t confirmed it yet',
  handoff: 'it has to be completed on the supplier’s page',
}

/** The titles of notices. */
export const NOTICE_TITLES = {
  approval_waiting: ['Approval needed: {summary}'],
  approval_expiring: ['Approval about to expire: {summary}'],
  outcome_unknown: ['It is not clear whether {subject} was ordered'],
  above_agreed: ['{subject} was confirmed at {charged}, agreed {agreed}'],
  invoice_differs: ['Invoice for {subject} differs by {difference}'],
  stop_engaged: ['Emergency stop engaged by {by}', ...EVENTS.rules_file_stop_engaged],
  stop_released: ['Emergency stop released by {by}', ...EVENTS.rules_file_stop_released],
  rules_unreadable: ['The rules file cannot be read'],
  rules_changed: ['{by} changed the rules'],
  settings_changed: ['{by} changed the settings'],
  machine_silent: ['No data from {subject}'],
  fault_reported: ['{subject}: {summary}'],
  sync_failing: ['Stock and sales could not be read three times in a row'],
  delivery_overdue: ['Delivery of {subject} is overdue'],
  budget: ['Budget nearly used: {summary}'],
  cash_difference: ['Cash of {subject}: {collected} collected, {expected} expected'],
  summary: ['Daily summary'],
  profit_report: ['Profit of the week: {profit}'],
  shift_report: ['What the operator did'],
  pick_list: ['Pick list of {subject}'],
} as const satisfies Sentences

export const NOTICE_TEXTS = {
  approval_waiting: ['{reason}'],
  approval_expiring: ['Without a decision the purchase is canceled at {at}.[\n{destination}]'],
  outcome_unknown: ['Since {at}. The service keeps asking the supplier and does not order again.[\n{reason}]'],
  above_agreed: ['{reason}'],
  invoice_differs: ['{reason}'],
  stop_engaged: ['[{reason}\n]Purchases and price changes are blocked.'],
  stop_released: ['[{reason}\n]Purchases and price changes are possible again.'],
  settings_changed: ['Changed: {summary}. Orders go to the delivery address that is set there.'],
  rules_changed: ['Changed: {summary}. If you do not know why, pull the emergency stop.'],
  rules_unreadable: ['Purchases and price changes are blocked until it is corrected on the server.'],
  machine_silent: ['It was last read at {at}.', 'It was never read.'],
  fault_reported: ['Reported at {at}[ by {by}].'],
  sync_failing: ['{reason}'],
  delivery_overdue: ['It was ordered at {at} and has not arrived.'],
  pick_list: ['{units:unit} for {machines:machine}:\n{list}'],
  cash_difference: ['Difference {difference}, collected at {at}[ by {by}][, bag {bag}].'],
  budget_day: ['This is what may be spent in 24 hours without approval.'],
  budget_week: ['This is what may be spent in 7 days without approval.'],
} as const satisfies Sentences

/** Lines of notices, and the answers to a press of a button. */
export const NOTICE_LINES = {
  supplier: ['Supplier: {value}'],
  machine: ['Machine: {value}'],
  total: ['Total: {value}'],
  boxes: ['{value:box|boxes}'],
  sold_per_day: ['sells {value} a day'],
  more_lines: ['… and {value} more lines'],
  more: ['… and {more} more'],
  /** Where a purchase goes, for the person who decides in a chat. */
  destination: ['Destination: {destination}'],
  sales: ['Sales on {day}: {units} units, {revenue}'],
  profit_week: ['{from} to {to}, in brackets the week before:'],
  profit_revenue: ['Revenue: {revenue} ({before})'],
  profit_gross: ['Gross profit: {gross} ({before})[, margin {margin}%]'],
  profit_costs: ['Losses and visits: {costs} ({before})'],
  profit_commission: ['Commission and rent: {commission} ({before})'],
  profit_profit: ['Profit: {profit} ({before})'],
  profit_worst: ['Earned least:'],
  profit_machine: ['- {machine}: {profit} ({before})'],
  profit_estimated: ['The real cost is known for {percent}% of the revenue.'],
  empty: ['Empty slots: {empty}. The most missed:', 'No empty slots'],
  empty_slot: ['- {machine}: {title}, {perDay} a day'],
  waits_for_you: ['Waiting for you:'],
  waiting: ['Pending approvals: {waiting}', 'No approvals are pending'],
  approved: ['Approved by {who}'],
  rejected: ['Rejected by {who}'],
  answered: ['{who} answered: {answer}'],
  refused: ['Nothing was decided: {why}'],
  working: ['Being carried out; the result follows'],
} as const satisfies Sentences

/** The title of several notices of one kind in one message. */
export const noticesTitle = (first: string, count: number): string => `${first} and ${count - 1} more`

/** Of `vendops notify test`. */
export const TEST_NOTICE = { title: 'Test message', text: 'This channel of vendops works.' }

export const NOTICE_COMMA = ', '
export const NOTICE_BUTTONS = { approve: 'Approve', reject: 'Reject', open: 'Open' }
