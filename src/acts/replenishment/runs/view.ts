/** A run on the wire: an order whose lines are machine products, with the fields that only runs have. */
import type { SkuId } from '../../../kernel/ids.ts'
import { ACTIVE, APPROVAL_ACTION } from '../../../contract/capabilities.ts'
import type { CheckoutStatus } from '../../../contract/shapes/checkout.ts'
import { success } from '../../../contract/envelope.ts'
import type { Total } from '../../../contract/common.ts'
import type { Expectation, FulfillmentEvent } from '../../../contract/shapes/order.ts'
import type { RunStatus } from '../../../contract/shapes/run-status.ts'
import type { ReplenishmentRun, RunLineItem, RunSource } from '../../../contract/shapes/run.ts'
import type { RunVisit } from '../../../contract/shapes/service.ts'
import { rfc3339 } from '../../../kernel/clock.ts'
import { money } from '../../../kernel/currency.ts'
import { add, ZERO } from '../../../kernel/fen.ts'
import { type Message, error, rejectedMessage } from '../../../kernel/message.ts'
import type { Config } from '../../../config.ts'
import { approvalRequiredError } from '../../../rules/guardrails/index.ts'
import { undoDeadlineOf } from '../../../route/locations/index.ts'
import { EACH } from '../../../route/skus/index.ts'
import { aboveApprovedError } from './texts.ts'
import {
  type Run,
  type RunEvent,
  type RunLine,
  lineFen,
  lineUnits,
  activeLines,
  spendFen,
  storeroomUnits,
  totalFen,
} from './run.ts'

export type RunBody = Omit<ReplenishmentRun, 'ucp'>

/** `sessions` has the status of the run's checkout sessions; `extra` are messages of this answer only. */
export function runView(
  run: Run,
  { publicUrl, timeZone, currency, hasStoreroom }: Pick<Config, 'publicUrl' | 'timeZone' | 'currency' | 'hasStoreroom'>,
  sessions: ReadonlyMap<string, CheckoutStatus>,
  extra: readonly Message[] = [],
): RunBody {
  const { id, status, lines, placedAt, deliveredAt, supplier, decision, note, checkouts } = run
  const all = [
    ...(run.canceled ? CANCELED : STATE_MESSAGES[status](run, currency)),
    ...extra,
    ...run.messages.filter(isStored),
  ]
  // What stops the run comes before what is only to be known about it.
  const messages = [...all.filter(({ type }) => type === 'error'), ...all.filter(({ type }) => type !== 'error')]
  return {
    id,
    checkout_id: id,
    permalink_url: `${publicUrl}/runs/${id}`,
    currency,
    status,
    created_at: rfc3339(run.createdAt, timeZone),
    ...(placedAt === undefined ? {} : { placed_at: rfc3339(placedAt, timeZone) }),
    ...(deliveredAt === undefined ? {} : { delivered_at: rfc3339(deliveredAt, timeZone) }),
    ...(supplier === undefined ? {} : { supplier }),
    cost_is_estimated: activeLines(lines).some(({ costEstimated }) => costEstimated),
    strategy_version: run.strategyVersion,
    line_items: lines.map((line) => lineView(line, run)),
    fulfillment: {
      expectations: expectations(run, timeZone),
      events: run.events.map((event) => eventView(run, event, timeZone)),
    },
    totals: runTotals(run),
    ...(hasStoreroom && run.extraFen && { stays_in_storeroom: money(run.extraFen, currency) }),
    ...(checkouts.length === 0
      ? placedAt !== undefined && supplier === undefined && { checkouts: [] }
      : { checkouts: checkouts.map((each) => ({ ...each, status: sessions.get(each.id) ?? 'incomplete' })) }),
    ...visitsView(run, timeZone),
    ...(note === undefined ? {} : { note }),
    ...(run.by === undefined ? {} : { by: run.by }),
    ...(status === 'pending_approval' && decision ? { actions: { [APPROVAL_ACTION]: [{ id: decision }] } } : {}),
    ...(messages.length === 0 ? {} : { messages }),
  }
}

/** Runs from before still hold the messages about other runs, which are found when a run is read. */
const isStored = ({ code }: Message): boolean => code !== 'covered_by_other_run'

/** What a run brings to one machine. The totals stay those of the run. */
export function narrowToMachine({ line_items: all, fulfillment, visits, ...run }: RunBody, location: string): RunBody {
  const { expectations = [], events = [] } = fulfillment
  const lines = all.filter((line) => line.location === location)
  const ids = new Set(lines.map(({ id }) => id))
  return {
    ...run,
    line_items: lines,
    fulfillment: {
      expectations: expectations.filter(({ id }) => id === visitId(location)),
      events: events.map((event) => ({ ...event, line_items: event.line_items.filter(({ id }) => ids.has(id)) })),
    },
    ...(visits === undefined ? {} : { visits: visits.filter((visit) => visit.location === location) }),
  }
}

const ENVELOPE = success(ACTIVE.replenishment)

/** In a list each run has its own envelope, as orders have. */
export const runListEntry = (body: RunBody): ReplenishmentRun => ({ ucp: ENVELOPE, ...body })

const STATE_MESSAGES: Readonly<Record<RunStatus, (run: Run, currency: Config['currency']) => readonly Message[]>> = {
  blocked: () => [error('kill_switch_engaged', 'Not calculated: the emergency stop was on when this run was created')],
  nothing_to_do: () => [],
  pending_approval: (run, currency) => [
    {
      ...(aboveApprovedError(run, currency) ??
        approvalRequiredError('The owner has to approve this run', run.approvalNeed)),
      path: `$.actions['${APPROVAL_ACTION}'][0]`,
    },
  ],
  approved: () => [],
  rejected: ({ rejectedBecause, purchasesEnded }) => [
    purchasesEnded ? PURCHASES_ENDED : rejectedMessage('The owner rejected this run', rejectedBecause),
  ],
  placed: () => [],
  delivered: () => [],
}

const PURCHASES_ENDED = error(
  'canceled',
  'All purchases of this run were canceled, rejected or expired, so it brings nothing. Its slots are free again',
)

const CANCELED: readonly Message[] = [
  error('approval_rejected', 'This run was canceled before it was placed', undefined, { as: 'canceled' }),
]

const totals = (amount: number): Total[] => [
  { type: 'subtotal', amount },
  { type: 'total', amount },
]

/** What is paid: for the lines and for what stays in the store room of whole boxes. */
function runTotals({ lines, extraFen = ZERO, chargesFen = ZERO }: Run): Total[] {
  return [
    { type: 'subtotal', amount: add(totalFen(lines), extraFen) },
    ...(chargesFen === ZERO
      ? []
      : [{ type: 'tax', amount: chargesFen, display_text: 'Tax, delivery and price changes' }]),
    { type: 'total', amount: spendFen({ lines, extraFen, chargesFen }) },
  ]
}

const lineId = ({ n }: Pick<RunLine, 'n'>): string => `li_${n}`

function lineView(line: RunLine, { boxed, roundedTo, status }: Run): RunLineItem {
  const { quantity: original, delivered = 0 } = line
  // Left out of the receipt of the run: 0 were received.
  const isLeftOut = status === 'delivered' && delivered === 0
  const total = isLeftOut ? 0 : Math.max(lineUnits(line), Math.min(original, delivered))
  const fulfilled = Math.min(total, delivered)
  return {
    id: lineId(line),
    item: { id: line.skuId, title: line.title, price: line.costFen, quantity_unit: EACH },
    quantity: { original, total, fulfilled },
    totals: totals(lineFen(line)),
    status: lineStatus(total, fulfilled),
    slot_id: line.slotId,
    location: line.location,
    ...(line.source === undefined ? {} : { source: sourceView(line.source, boxed, roundedTo) }),
    ...(line.fromStoreroom && { from_storeroom: storeroomUnits(line) }),
    cost_is_estimated: line.costEstimated,
  }
}

function sourceView(skuId: SkuId, boxed: Run['boxed'], roundedTo: Run['roundedTo']): RunSource {
  const ordered = roundedTo?.[skuId]
  const unit = boxed?.includes(skuId) ? 'BX' : 'EA'
  return { sku_id: skuId, unit, ...(ordered === undefined ? {} : { ordered }) }
}

function lineStatus(total: number, fulfilled: number): RunLineItem['status'] {
  if (total === 0) return 'removed'
  if (fulfilled === total) return 'fulfilled'
  return fulfilled > 0 ? 'partial' : 'processing'
}

const visitId = (location: string): string => `visit-${location}`

/** One visit per machine. */
function expectations({ lines, stops }: Run, timeZone: string): Expectation[] {
  const linesAt = Map.groupBy(activeLines(lines), ({ location }) => location)
  return stops.flatMap(({ location, name, address, expectedAt }, i) => {
    const own = linesAt.get(location)
    if (!own) return []
    return [
      {
        id: visitId(location),
        line_items: own.map((line) => ({ id: lineId(line), quantity: line.quantity })),
        method_type: 'operator_visit',
        destination: address,
        description: name,
        sequence: i + 1,
        ...(expectedAt === undefined ? {} : { fulfillable_on: rfc3339(expectedAt, timeZone) }),
      },
    ]
  })
}

/** The stops of a run that was placed, with those that were received. */
function visitsView({ status, stops, lines }: Run, timeZone: string): Pick<RunBody, 'visits'> {
  if (status !== 'placed' && status !== 'delivered') return {}
  const linesAt = Map.groupBy(activeLines(lines), ({ location }) => location)
  const visits = stops.flatMap(({ location, name }, i): RunVisit[] => {
    const [line] = linesAt.get(location) ?? []
    if (!line) return []
    const { deliveredAt, bookedAt, service } = line
    return [
      {
        location,
        name,
        sequence: i + 1,
        ...(deliveredAt === undefined
          ? { status: 'open' }
          : { status: 'received', received_at: rfc3339(deliveredAt, timeZone) }),
        ...(bookedAt === undefined || service === undefined
          ? {}
          : { service_id: service, undo_until: rfc3339(undoDeadlineOf({ bookedAt }), timeZone) }),
      },
    ]
  })
  return { visits }
}

/** The lines of an event that names none. They never change: lines that are removed after placing are named by their event. */
const EVENT_LINES: Readonly<Record<RunEvent['type'], (run: Run) => readonly { n: number; quantity: number }[]>> = {
  planned: ({ lines }) => lines,
  approved: ({ lines }) => lines,
  canceled: ({ lines, placedAt }) =>
    placedAt === undefined ? lines : lines.filter(({ removed }) => removed !== undefined && removed !== 'canceled'),
  ordered: ({ lines }) => lines.filter(({ removed }) => removed === undefined || removed === 'canceled'),
  delivered: ({ lines }) =>
    lines.flatMap(({ n, delivered = 0 }) => (delivered > 0 ? [{ n, quantity: delivered }] : [])),
  delivery_undone: () => [],
}

const eventView = (run: Run, { n, type, occurredAt, by, lines }: RunEvent, timeZone: string): FulfillmentEvent => ({
  id: `${run.id}-${n}`,
  occurred_at: rfc3339(occurredAt, timeZone),
  type,
  line_items: (lines ?? EVENT_LINES[type](run)).map((line) => ({ id: lineId(line), quantity: line.quantity })),
  ...(by === undefined ? {} : { by }),
})
