/** A checkout session as a merchant states it, in one shape for all versions. Pure. */
import type { SupplyTotals } from '../supply-vendor.ts'
import {
  isFields,
  list,
  optionalText,
  record,
  records,
  text,
  UnreadableReply,
  webUrl,
  int,
} from '../upstream/read-json.ts'
import type { Fields } from '../upstream/read-json.ts'
import { type StatedError, errorsAmong } from './refusals.ts'
import { readTotals } from './totals.ts'

const STATUSES = [
  'incomplete',
  'requires_escalation',
  'ready_for_complete',
  'complete_in_progress',
  'completed',
  'canceled',
] as const

export interface MerchantSession {
  readonly id: string
  readonly status: (typeof STATUSES)[number]
  readonly currency: string
  readonly lines: readonly SessionLine[]
  /** Undefined: what would be charged cannot be read. */
  readonly totals: SupplyTotals | undefined
  readonly methods: readonly SessionMethod[]
  readonly orderId: string | undefined
  /** Where a person can go on. */
  readonly continueUrl: string | undefined
  readonly errors: readonly StatedError[]
}

export interface SessionLine {
  readonly id: string
  readonly itemId: string
  /** The code of the unit; undefined: pieces. */
  readonly unit: string | undefined
  readonly quantity: number
}

export interface SessionMethod {
  readonly id: string | undefined
  readonly type: string
  readonly destinations: readonly Fields[]
  readonly selectedDestinationId: string | undefined
  readonly groups: readonly SessionGroup[]
}

export interface SessionGroup {
  readonly id: string | undefined
  readonly options: readonly { readonly id: string; readonly title: string; readonly price: number }[]
  readonly selectedOptionId: string | undefined
}

export function readSession(payload: Fields): MerchantSession {
  const status = STATUSES.find((each) => each === payload['status'])
  if (!status) throw new UnreadableReply('status is not one of a checkout session', 'status')
  const { order, fulfillment } = payload
  const orderId = isFields(order) ? optionalText(order, 'id') : optionalText(payload, 'order_id')
  return {
    id: text(payload, 'id'),
    status,
    currency: text(payload, 'currency'),
    lines: records(payload['line_items'], 'line_items').map(readLine),
    totals: readTotals(payload['totals']),
    methods: isFields(fulfillment) ? records(fulfillment['methods'] ?? [], 'methods').map(readMethod) : [],
    orderId,
    continueUrl: webUrl(payload, 'continue_url'),
    errors: errorsAmong(payload['messages']),
  }
}

function readLine(line: Fields): SessionLine {
  const item = record(line['item'], 'item')
  return { id: text(line, 'id'), itemId: text(item, 'id'), unit: unitOf(item), quantity: int(line, 'quantity', 1) }
}

/** Codes for a single piece; merchants may leave them out. */
const PIECES = new Set(['C62', 'EA', 'H87'])

export function unitOf(item: Fields): string | undefined {
  const { quantity_unit: unit } = item
  const code = isFields(unit) ? optionalText(unit, 'unit') : undefined
  return code === undefined || PIECES.has(code) ? undefined : code
}

const readMethod = (method: Fields): SessionMethod => ({
  id: optionalText(method, 'id'),
  type: text(method, 'type'),
  destinations: list(method['destinations'] ?? [], 'destinations').filter(isFields),
  selectedDestinationId: optionalText(method, 'selected_destination_id'),
  groups: records(method['groups'] ?? [], 'groups').map(readGroup),
})

const readGroup = (group: Fields): SessionGroup => ({
  id: optionalText(group, 'id'),
  options: records(group['options'] ?? [], 'options').map((option) => ({
    id: text(option, 'id'),
    title: optionalText(option, 'title') ?? '',
    price: optionPrice(option),
  })),
  selectedOptionId: optionalText(group, 'selected_option_id'),
})

/** The first version also states it as a number. One without a readable price is never the cheapest. */
function optionPrice(option: Fields): number {
  const { total, totals } = option
  if (Number.isSafeInteger(total)) return total as number
  const entry = Array.isArray(totals)
    ? totals.find((each): each is Fields => isFields(each) && each['type'] === 'total')
    : undefined
  const amount = entry?.['amount']
  return Number.isSafeInteger(amount) ? (amount as number) : Infinity
}
