/** A checkout session as a merchant states it, in one shape for all versions. Pure. */
import {
  type Fields,
  isFields,
  list,
  optionalText,
  object,
  objects,
  text,
  UnreadableReply,
  webUrl,
  int,
} from '../upstream/read-json.ts'
import { errorsAmong } from './refusals.ts'
import { readTotals } from './totals.ts'

const STATUSES = [
  'incomplete',
  'requires_escalation',
  'ready_for_complete',
  'complete_in_progress',
  'completed',
  'canceled',
] as const

export type MerchantSession = Readonly<ReturnType<typeof readSession>>
export type SessionMethod = Readonly<ReturnType<typeof readMethod>>
export type SessionGroup = Readonly<ReturnType<typeof readGroup>>

export function readSession(payload: Fields) {
  const status = STATUSES.find((each) => each === payload['status'])
  if (!status) throw new UnreadableReply('status is not one of a checkout session', 'status')
  const { order, fulfillment } = payload
  const orderId = isFields(order) ? optionalText(order, 'id') : optionalText(payload, 'order_id')
  return {
    id: text(payload, 'id'),
    status,
    currency: text(payload, 'currency'),
    lines: objects(payload['line_items'], 'line_items').map(readLine),
    /** Undefined: what would be charged cannot be read. */
    totals: readTotals(payload['totals']),
    methods: isFields(fulfillment) ? objects(fulfillment['methods'] ?? [], 'methods').map(readMethod) : [],
    orderId,
    /** Where a person can go on. */
    continueUrl: webUrl(payload, 'continue_url'),
    errors: errorsAmong(payload['messages']),
  }
}

function readLine(line: Fields) {
  const item = object(line['item'], 'item')
  return { id: text(line, 'id'), itemId: text(item, 'id'), unit: unitOf(item), quantity: int(line, 'quantity', 1) }
}

/** Codes for a single piece; merchants may leave them out. */
const PIECES = new Set(['C62', 'EA', 'H87'])

/** The code of the unit; undefined: pieces. */
export function unitOf({ quantity_unit: unit }: Fields): string | undefined {
  const code = isFields(unit) ? optionalText(unit, 'unit') : undefined
  return code === undefined || PIECES.has(code) ? undefined : code
}

const readMethod = (method: Fields) => ({
  id: optionalText(method, 'id'),
  type: text(method, 'type'),
  destinations: list(method['destinations'] ?? [], 'destinations').filter(isFields),
  selectedDestinationId: optionalText(method, 'selected_destination_id'),
  groups: objects(method['groups'] ?? [], 'groups').map(readGroup),
})

const readGroup = (group: Fields) => ({
  id: optionalText(group, 'id'),
  options: objects(group['options'] ?? [], 'options').map((option) => ({
    id: text(option, 'id'),
    title: optionalText(option, 'title') ?? '',
    price: optionPrice(option),
  })),
  selectedOptionId: optionalText(group, 'selected_option_id'),
})

/** The first version also states it as a number. One without a readable price is never the cheapest. */
function optionPrice({ total, totals }: Fields): number {
  if (Number.isSafeInteger(total)) return total as number
  const entry = Array.isArray(totals)
    ? totals.find((each): each is Fields => isFields(each) && each['type'] === 'total')
    : undefined
  const amount = entry?.['amount']
  return Number.isSafeInteger(amount) ? (amount as number) : Infinity
}
