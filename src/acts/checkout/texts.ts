/** The sentences of checkout: messages to callers and events. */
import type { EventCode } from '../../contract/event-codes.ts'
import { type CurrencyCode, formatAmount } from '../../kernel/currency.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { ErrorCode, TextParams } from '../../kernel/message.ts'
import type { Refusal } from '../../kernel/outcome.ts'
import { count, plainCode } from '../../kernel/text.ts'
import type { EventParams, OwnEvent } from '../../record/events/index.ts'
import type { ClosedAs, Session } from './session.ts'

export const TEXTS = {
  notFound: (id: string) => `Checkout session "${id}" not found`,
  notEditable: ({ id, status }: Pick<Session, 'id' | 'status'>) => `Checkout session ${id} is ${status}`,
  invalidNumber: 'id must not be "." or ".."',
  differentBody: (id: string) => `${id} already exists and was created with other contents`,
  numberOfSale: (id: string) => `${id} is the number of a sale. Choose another purchase order number`,
  otherSupplier: ({ id, vendor }: Pick<Session, 'id' | 'vendor'>) => `${id} is an order to ${vendor}`,
  orderMayExist: (id: string) =>
    `An order for ${id} may have reached the supplier, so its contents cannot change. To order something else, first make sure that the supplier has no order, then cancel this session and create another`,

  differentUnits: 'The line and its item have different units',
  machineProduct: (skuId: string) =>
    `${skuId} is a machine product. Use /skus/resolve to find the supplier product first`,
  oneSupplier: (vendor: string) => `All lines of an order must be from one supplier, here ${vendor}`,
  duplicateLineId: 'Another line has this ID',
  reservedLineId: 'id must not be "*", which means all lines',
  notForSale: (skuId: string) => `${skuId} is not for sale`,
  noLongerForSale: (title: string) => `${title} is no longer for sale`,
  unitNotSold: (title: string, unit: string) => `${title} is not sold in unit ${unit}`,
  quantityNotSold: ({ product, increment, minimum }: { product: string; increment: number; minimum: number }) =>
    `${product} is sold ${[
      ...(minimum > 1 ? [`from a quantity of ${minimum}`] : []),
      ...(increment > 1 ? [`in multiples of ${increment}`] : []),
    ].join(' and ')}`,
  totalTooLarge: 'The order total exceeds the maximum',
  noGo: (title: string, entry: string) => `${title} is on the owner's no-go list (entry "${entry}")`,
  outOfStock: (title: string, stock: number) => `The supplier has only ${stock} of ${title} in stock`,
  stockUnknown: (title: string) => `The supplier does not state its stock of ${title}`,
  stocksUnknown: (products: number, named: string) =>
    `The supplier does not state its stock of ${products} products: ${named}`,
  totalEstimated: "The total is an estimate; the supplier's invoice is final",
  totalNotQuoted: 'Delivery, tax and fees are not included yet: the supplier quotes them once the order is complete',
  quoteFailed: (text: string) =>
    `Delivery, tax and fees are not included: the supplier could not be asked for its total (${text})`,
  noQuote: 'The supplier did not state a total',
  quoteInconsistent: 'The amounts of the quote do not add up to its total',
  priceEstimated: "Unit price estimated from the box price; the supplier's invoice is final",

  chooseMethod: 'Choose delivery or pickup',
  chooseAgain: 'The selection is no longer available; choose again',
  choose: (what: string) => `Choose a ${what}`,
  notOffered: (what: string) => `This ${what} is not available`,
  required: (field: string) => `${field} is required`,
  oneMethod: 'An order has one fulfillment method',
  oneGroup: 'A fulfillment method has one group',
  unknownLine: 'No line has this ID',
  uncoveredLines: (ids: readonly string[]) => `No fulfillment method covers ${ids.join(', ')}`,
  duplicateDestinationId: 'Another destination has this ID',
  noPickupSite: 'The supplier has no pickup site',
  noPickupSlot: 'No pickup slots are available',

  approvalRequired: 'The owner has to approve this purchase',
  approvalRejected: 'The owner rejected this purchase',
  expired: 'The session was not completed within 24 hours',
  pricesChanged: (beforeFen: Fen, nowFen: Fen, currency: CurrencyCode) =>
    `The supplier changed its prices: ${formatAmount(beforeFen, currency)} before, ${formatAmount(nowFen, currency)} now. Nothing was bought; confirm the new total`,
  lateOrder: (order: string) =>
    `The supplier has order ${order} from an earlier attempt although this session is closed. It is recorded as a purchase`,
  awaitingSupplier: 'The order was sent; waiting for the supplier to answer',
  handoff:
    "Nothing was bought yet. Complete the purchase on the supplier's page (continue_url), then record the outcome",
  toSendByHand:
    'Nothing was sent yet. Send the order (order_document) to the supplier, then record the outcome; do not send it twice',
  noHandoffPage: 'The supplier asked for a person to complete the purchase but gave no usable page',
  outcomeNeeded: (text: string) =>
    `It is not known whether the supplier has the order (${text}). Check with the supplier, then record the outcome`,
  outcomeTooEarly: (minutes: number) =>
    `The supplier is still being asked. Its answer decides; otherwise the outcome can be recorded in ${count(minutes, 'minute')}`,
  attemptRunning: 'The order is being sent. Wait for the supplier to answer',
  differentOutcome: ({ id, supplierOrderNo }: Pick<Session, 'id' | 'supplierOrderNo'>) =>
    `${id} is completed with order ${supplierOrderNo}`,
  canceledUnplaced: 'An order that the supplier never had cannot have been canceled by it',
  notOrdered: (id: string) => `${id} was not ordered, so the supplier cannot have canceled it`,
  alreadyCame: (id: string) => `${id} came into the store room, so it was not canceled`,
  supplierSaysItself: (vendor: string) => `${vendor} is asked about its orders and says itself when it cancels one`,
  labelTaken: (label: string, holder: string) => `Order ${label} is already recorded for ${holder}`,
  recordedPlaced: (by: string) => `Recorded by ${by}: the supplier has the order.`,
  recordedNotPlaced: (by: string, freesBudget: boolean) =>
    `Recorded by ${by}: the supplier has no order.${freesBudget ? '' : ' It counts towards the limits per day and week until an owner confirms it.'}`,
  outcomeUnconfirmed:
    'An attempt was recorded as not placed. It counts towards the limits per day and week until an owner records the outcome once more',
  outcomeUnknown: (text: string) =>
    `It is not known yet whether the supplier has the order (${text}). The service keeps checking`,
  numberTaken: (id: string, order: string) =>
    `The supplier already has order ${order} under the number ${id}, but no attempt of this session is on record. After restoring a backup, run "vendops audit --repair" on the server; otherwise create another session`,
  numberSent: (id: string, vendor: string | undefined) =>
    `An order was already sent under the number ${id}${vendor === undefined ? '' : ` to ${vendor}`}, but no attempt of this session is on record. After restoring a backup, run "vendops audit --repair" on the server; otherwise create another session`,
  numbersUnreadable:
    'The numbers of the orders that were sent cannot be read on the server, so nothing is bought: a number could be used twice. Run "vendops doctor" on the server; it says what to do',
  numberNotRecorded:
    'The order was not sent: its number could not be recorded on the server. Run "vendops doctor" on the server; it says what to do',
  otherOrder: (order: string, recordedFor: string) =>
    `The supplier answered with order ${order}, which belongs to ${recordedFor}`,
  mayExist: (id: string, text: string) =>
    `${text}. The order may exist, and the service keeps asking. Do not open a second session: it would buy twice. Read ${id} again, or complete it again`,
  tooLateToSend: 'The order was not sent: it waited longer than the time-out',
  keptChanging: 'The session kept changing while it was completed; nothing was sent by this call',
  noAnswer: 'The supplier did not answer',
  statusNotRead: 'The order status could not be read',
  outcomeNotRecorded: 'An attempt was started and its outcome is not known',
  absent: 'The supplier has no order, and a request that was sent can no longer arrive',

  contentsFromSession: 'Its lines and total are those of the session on record.',
  linesUnknown: "Its lines are not on record here; see the supplier's statement.",
  contentsUnknown: "Its lines and total are not on record here; see the supplier's statement.",
} as const

/** Summaries start with the id of the session: the audit recognizes events of a session by it. */
const event =
  <Code extends EventCode, A extends readonly unknown[]>(
    code: Code,
    make: (...args: A) => {
      summary: string
      reasoning: string
      params: TextParams & Omit<EventParams<Code>, 'checkout'>
    },
  ) =>
  (id: string, ...args: A): OwnEvent => {
    const { summary, reasoning, params } = make(...args)
    return {
      kind: 'checkout',
      code,
      params: { checkout: id, ...params },
      summary: `${id} ${summary}`,
      reasoning,
    } as OwnEvent
  }

export const EVENTS = {
  completed: event('purchase_completed', (order: string, reasoning: string) => ({
    summary: `completed: order ${order}`,
    reasoning,
    params: { order },
  })),
  alreadyCompleted: event('purchase_already_completed', (order: string) => ({
    summary: `is already completed: order ${order}`,
    reasoning: 'An earlier or concurrent call completed it; this one sent nothing.',
    params: { order },
  })),
  refused: event('purchase_refused', ({ messages }: Pick<Refusal, 'messages'>) => ({
    summary: `not completed: ${plainCode(messages[0]?.code ?? 'refused')}`,
    reasoning: messages.map(({ content }) => content).join('. '),
    params: { reason: messages[0]?.code ?? 'internal' },
  })),
  notReady: event('purchase_refused', (reason: ErrorCode | 'incomplete' | 'handoff', reasoning: string) => ({
    summary: `not completed: ${plainCode(reason)}`,
    reasoning,
    params: { reason },
  })),
  reassessed: event('purchase_reassessed', (status: string, reasoning: string) => ({
    summary: `not completed: it is ${plainCode(status)} after it was checked again`,
    reasoning,
    params: { status },
  })),
  failed: event('purchase_failed', (reason: string, summary: string, reasoning: string) => ({
    summary: `not completed: ${summary}`,
    reasoning,
    params: { reason },
  })),
  handedOff: event('purchase_handed_off', (reasoning: string, document: string | undefined) => ({
    summary:
      document === undefined
        ? "not completed: a person has to complete it on the supplier's page"
        : `not completed: a person has to send ${document} to the supplier`,
    reasoning,
    params: document === undefined ? {} : { document },
  })),
  recordedPlaced: event('purchase_outcome_placed', (order: string, reasoning: string, by: string) => ({
    summary: `completed: order ${order}, recorded by ${by}`,
    reasoning,
    params: { order, by },
  })),
  recordedNotPlaced: event('purchase_outcome_not_placed', (reasoning: string, by: string) => ({
    summary: `not completed: the supplier has no order, recorded by ${by}`,
    reasoning,
    params: { by },
  })),
  confirmedNotPlaced: event('purchase_outcome_confirmed', (attempt: number, by: string) => ({
    summary: `attempt ${attempt} placed no order, confirmed by ${by}`,
    reasoning: `Confirmed by ${by}: it no longer counts towards the limits per day and week.`,
    params: { attempt, by },
  })),
  lateOrder: event('late_order_found', (order: string, reasoning: string) => ({
    summary: `is closed, but the supplier has order ${order}`,
    reasoning,
    params: { order },
  })),
  superseded: event('attempt_superseded', (order: string, attempt: number, byAttempt: number) => ({
    summary: `was completed by attempt ${byAttempt} while attempt ${attempt} was in progress: order ${order}`,
    reasoning: `The supplier answers a known number with its first order, so attempt ${attempt} orders nothing.`,
    params: { order, attempt, byAttempt },
  })),
  secondOrder: event('second_order_found', (order: string, firstOrder: string, attempt: number) => ({
    summary: `has a second order: ${order} in addition to ${firstOrder}`,
    reasoning: `The supplier answered attempt ${attempt} with ${order}. Cancel one of the two orders with the supplier.`,
    params: { order, firstOrder, attempt },
  })),
  booked: event('purchase_booked', (order: string, reasoning: string) => ({
    summary: `booked from the supplier's records: order ${order}`,
    reasoning,
    params: { order },
  })),
  destinationChanged: event(
    'purchase_destination_changed',
    (before: string | undefined, after: string | undefined) => ({
      summary: after === undefined ? 'has no destination any more' : `now goes to ${after}`,
      reasoning: before === undefined ? 'It had no destination before.' : `Before, it went to ${before}.`,
      params: { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) },
    }),
  ),
  closed: event('purchase_closed', (as: Exclude<ClosedAs, 'approval_rejected'>) => ({
    summary: as,
    reasoning: CLOSED_REASONS[as],
    params: { as },
  })),
} as const

const CLOSED_REASONS = {
  canceled: 'It was canceled. Canceling does not contact the supplier.',
  expired: 'It was not completed within 24 hours. Expiry does not contact the supplier.',
} as const
