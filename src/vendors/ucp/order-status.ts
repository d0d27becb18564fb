/**
 * What became of an order. No merchant finds an order by our number, so memory names the session or the order, and the
 * merchant is asked about that. Only asks: a session that could still be bought is left alone.
 */
import type { Clock } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { Result } from '../contract.ts'
import type { LogisticsStep, SupplyLineStatus, SupplyOrderStatus, SupplyState } from '../supply-vendor.ts'
import { fail, succeed } from '../result.ts'
import {
  type Fields,
  isFields,
  optionalText,
  object,
  objects,
  text,
  UnreadableReply,
  webUrl,
  int,
} from '../upstream/read-json.ts'
import type { Merchant } from './merchant.ts'
import { unitOf } from './merchant-session.ts'
import { BEING_PLACED, SESSION_GONE } from './placement-outcome.ts'
import type { OrderPlacer } from './place-order.ts'
import type { RecordLine, OrderRecord } from './order-record.ts'
import { isNotFound } from './refusals.ts'
import { readTotals } from './totals.ts'

/** A request that was sent arrives within this many time-outs, or never. */
const ARRIVING_TIMEOUTS = 2

interface Needs {
  readonly merchant: Merchant
  readonly placer: OrderPlacer
  readonly clock: Clock
  readonly timeoutMs: number
  readonly currency: string
}

export async function readOrderStatus(needs: Needs, ref: string): Promise<Result<SupplyOrderStatus>> {
  const { placer, clock, timeoutMs } = needs
  const stored = await placer.findEnded(ref)
  if (stored === 'running') return BEING_PLACED
  if (!stored || stored.order.state === 'closed') return fail('absent', 'This order was not sent to the merchant')
  const { order } = stored
  if (order.state === 'placed') return readPlaced(needs, order)

  const session = await placer.getSession(order.sessionId ?? '')
  if (!session.ok) return isNotFound(session) ? SESSION_GONE : session
  const { status, orderId, totals } = session.value
  if (status === 'completed' && orderId !== undefined)
    return readPlaced(needs, { ...order, orderId, ...(totals && { totalFen: totals.total }) })
  if (status === 'completed' || status === 'complete_in_progress')
    return fail('unknown', 'The merchant has not stated an order yet', { raw: status })
  const mayArrive =
    order.state === 'completing' && Math.abs(clock.now() - order.startedAt) < ARRIVING_TIMEOUTS * timeoutMs
  if (mayArrive && status !== 'canceled')
    return fail('unknown', 'The order may still be on its way to the merchant', { raw: status })
  return fail('absent', 'The merchant did not complete this order')
}

/** Merchants without orders, or that no longer list this one: it was bought, and more is not known. */
async function readPlaced({ merchant, currency }: Needs, order: OrderRecord): Promise<Result<SupplyOrderStatus>> {
  const { orderId = '', totalFen } = order
  const status = await merchant.call({ operation: 'order', id: orderId }, (payload) =>
    succeed(readOrder(payload, order, currency)),
  )
  if (status.ok || !isNotFound(status)) return status
  return succeed({
    externalRef: orderId,
    state: 'ordered',
    description: 'bought',
    rawStatus: 0,
    createdAt: order.startedAt,
    logistics: [],
    ...(totalFen !== undefined && { totalFen: fen(totalFen) }),
  })
}

type OrderLine = Readonly<ReturnType<typeof readLine>>

function readOrder(payload: Fields, order: OrderRecord, currency: string): SupplyOrderStatus {
  const externalRef = text(payload, 'id')
  if (externalRef !== order.orderId) throw new UnreadableReply('the reply is about another order', 'id')
  const items = objects(payload['line_items'], 'line_items')
  const lines = items.map(readLine)
  const state = stateOf(lines)
  const totals =
    payload['currency'] === undefined || payload['currency'] === currency ? readTotals(payload['totals']) : undefined
  const fulfillment = isFields(payload['fulfillment']) ? payload['fulfillment'] : {}
  return {
    externalRef,
    state,
    description: describe(state, lines),
    rawStatus: 0,
    raw: [...new Set(items.map((line) => optionalText(line, 'status') ?? '?'))].join(' '),
    createdAt: order.startedAt,
    logistics: readLogistics(fulfillment['events']),
    lines: order.lines.map((line) => lineStatus(line, lines)),
    ...(totals && { totalFen: totals.total }),
  }
}

function readLine(line: Fields) {
  const item = object(line['item'], 'item')
  const { quantity } = line
  const ordered = { itemId: text(item, 'id'), unit: unitOf(item) }
  // Some merchants of the first version state only how many were ordered.
  if (typeof quantity === 'number') return { ...ordered, total: int(line, 'quantity'), fulfilled: 0 }
  const fields = object(quantity, 'quantity')
  if (fields['original'] !== undefined) int(fields, 'original')
  return { ...ordered, total: int(fields, 'total'), fulfilled: int(fields, 'fulfilled') }
}

function stateOf(lines: readonly OrderLine[]): SupplyState {
  const standing = lines.filter(({ total }) => total > 0)
  if (standing.length === 0) return 'cancelled'
  return standing.every(({ total, fulfilled }) => fulfilled >= total) ? 'arrived' : 'ordered'
}

function describe(state: SupplyState, lines: readonly OrderLine[]): string {
  if (state !== 'ordered') return state === 'arrived' ? 'fulfilled' : 'cancelled'
  return lines.some(({ fulfilled }) => fulfilled > 0) ? 'partly fulfilled' : 'processing'
}

/** What the merchant took away will not come. A line that it no longer lists was taken away whole. */
function lineStatus({ vendorSku, quantity, itemId, unit }: RecordLine, lines: readonly OrderLine[]): SupplyLineStatus {
  const own = lines.filter((line) => line.itemId === itemId && line.unit === unit)
  const sum = (of: 'total' | 'fulfilled') => own.reduce((all, line) => all + line[of], 0)
  const total = Math.min(quantity, sum('total'))
  return { vendorSku, shipped: Math.min(total, sum('fulfilled')), cancelled: quantity - total }
}

/** Unreadable events count as none: they must not make the state of the order unknown. */
const readLogistics = (events: unknown): LogisticsStep[] =>
  Array.isArray(events) ? events.filter(isFields).map(readStep) : []

function readStep(event: Fields): LogisticsStep {
  const at = Date.parse(optionalText(event, 'occurred_at') ?? '')
  return omitUndefined({
    at: Number.isNaN(at) ? null : at,
    text: optionalText(event, 'description') ?? optionalText(event, 'type') ?? '',
    carrier: optionalText(event, 'carrier'),
    trackingNumber: optionalText(event, 'tracking_number'),
    trackingUrl: webUrl(event, 'tracking_url'),
    received: event,
  })
}
