/** The sentences about runs: messages, refusals, decisions and events. */
import type { OwnEvent } from '../../../record/events/index.ts'
import { REASONING_MAX } from '../../../contract/limits.ts'
import type { RunStatus } from '../../../contract/shapes/run-status.ts'
import { type CurrencyCode, formatAmount, money } from '../../../kernel/currency.ts'
import type { Namespace, SkuId } from '../../../kernel/ids.ts'
import {
  type TextParams,
  type ErrorMessage,
  type Message,
  type NoteMessage,
  error,
  info,
  warning,
} from '../../../kernel/message.ts'
import { refuse, refuseAll } from '../../../kernel/outcome.ts'
import { count, nameProducts, withId } from '../../../kernel/text.ts'
import type { NewDecision } from '../../../rules/approvals/index.ts'
import { type Verdict, approvalReason, describeEvidence } from '../../../rules/guardrails/index.ts'
import type { VisitReason } from '../planner/trips/visit.ts'
import {
  type OrderQuantity,
  type RouteStop,
  type Run,
  type RunLine,
  activeLines,
  linePath,
  spendFen,
  sizeOf,
} from './run.ts'

export const refuseUnknownRun = (id: string) =>
  refuseAll([error('not_found', `Run "${id}" not found`, undefined, { run: id })])

const machinesOf = (lines: readonly RunLine[]): number => sizeOf(lines).machines

/** `12 slots in 3 machines for about ¥123.00` */
function describeSize(run: Pick<Run, 'lines' | 'extraFen' | 'chargesFen'>, currency: CurrencyCode): string {
  const lines = activeLines(run.lines)
  const about = lines.some(({ costEstimated }) => costEstimated) ? 'about ' : ''
  const total = formatAmount(spendFen(run), currency)
  const { slots, machines } = sizeOf(lines)
  return `${count(slots, 'slot')} in ${count(machines, 'machine')} for ${about}${total}`
}

const SLOTS_NAMED = 5

/** `M1001-G-1, M1001-G-2 and 3 more slots` */
function describeSlots(slots: readonly string[]): string {
  const more = slots.length - SLOTS_NAMED
  return more > 0 ? `${slots.slice(0, SLOTS_NAMED).join(', ')} and ${count(more, 'more slot')}` : slots.join(', ')
}

const describeLines = (lines: readonly RunLine[]): string =>
  activeLines(lines)
    .map(({ slotId, quantity, title }) => `${slotId}: ${quantity} × ${title}`)
    .join('; ')

const cutReasoning = (text: string): string => text.slice(0, REASONING_MAX)

/** What the owner is asked, or what the rules decided without asking. */
export const decisionAbout = (
  run: Pick<Run, 'id' | 'lines' | 'extraFen' | 'chargesFen'>,
  verdict: Verdict,
  currency: CurrencyCode,
): NewDecision => ({
  kind: 'restock_plan',
  ...approvalReason(verdict),
  summary: `Restock ${describeSize(run, currency)} (${run.id})`,
  reasoning: cutReasoning(`${describeEvidence(verdict.evidence)} ${describeLines(run.lines)}`),
  subject: { type: 'replenishment_run', id: run.id },
})

// Messages.

/** Why the owner has to approve a run again that was approved; undefined where it costs no more than that. */
export const aboveApprovedError = (run: Run, currency: CurrencyCode): ErrorMessage | undefined => {
  const [approved, now] = [run.approval?.fen, spendFen(run)]
  if (approved === undefined || now <= approved) return undefined
  return error(
    'approval_required',
    `The owner approved ${formatAmount(approved, currency)}, and the run costs ${formatAmount(now, currency)} now, so the owner has to approve it again`,
    undefined,
    { approved: money(approved, currency), now: money(now, currency) },
  )
}

type Product = Pick<RunLine, 'skuId' | 'title'>

const noGoText = ({ skuId, title }: Product, entry: string): string =>
  `${withId(title, skuId)} is on the owner's no-go list (${entry})`

export const noGoError = (product: Product, entry: string, path: string): ErrorMessage =>
  error('hard_no_go', noGoText(product, entry), path, { rule: 'hardNoGos', product: product.title, entry })

export const alreadyOrderedError = ({ slotId, title }: RunLine, path: string): ErrorMessage =>
  error('already_placed', `Another run has already ordered for ${slotId} (${title})`, path, {
    slot: slotId,
    product: title,
  })

const unlinkedText = ({ skuId, title }: Product): string =>
  `${withId(title, skuId)} is not linked to a product of a connected supplier`

export const unlinkedProductError = (line: RunLine, path: string): ErrorMessage =>
  error('unresolved_sku', unlinkedText(line), path, { product: line.title })

export const unlinkedProductWarning = (line: RunLine, path: string): NoteMessage =>
  warning('unresolved_sku', unlinkedText(line), path, { product: line.title })

export const notForSaleError = (line: RunLine, source: SkuId): ErrorMessage =>
  error('item_unavailable', `${withId(line.title, source)} is not for sale`, linePath(line), { product: line.title })

/** Its supplier refused the whole purchase; other purchases of the run are open. */
export const notOrderedError = (line: RunLine, source: SkuId, why: string): ErrorMessage =>
  error('item_unavailable', `${withId(line.title, source)} was not ordered: ${why}`, linePath(line), {
    product: line.title,
  })

export const refuseUnreadCatalog = (vendor: Namespace) =>
  refuse('upstream_unreachable', `The catalog of ${vendor} cannot be read, so nothing was ordered. Try again later.`)

/** Part of a placed run brings nothing any more. */
export const purchaseEndedError = (vendor: string, slots: number): ErrorMessage =>
  error(
    'canceled',
    `The purchase from ${vendor} was canceled, rejected or expired: ${count(slots, 'slot')} will get nothing from it`,
    undefined,
    { supplier: vendor, slots },
  )

export const surplusWarning = (line: RunLine, received: number): NoteMessage =>
  warning(
    'more_than_ordered',
    `${line.slotId} (${line.title}): ${received} received, ${line.quantity} ordered`,
    `${linePath(line)}.quantity`,
    { slot: line.slotId, product: line.title, quantity: received, ordered: line.quantity },
  )

export const purchaseNotCompleted: NoteMessage = warning(
  'purchase_not_completed',
  'Received before any purchase of this run was ordered',
  '$.checkouts',
)

/** Suppliers sell the products only in larger quantities. One warning, however many they are; the lines say which. */
export function roundWarnings(
  rounded: readonly OrderQuantity[],
  titleOf: (product: OrderQuantity) => string,
): readonly NoteMessage[] {
  const [first, ...others] = rounded
  if (!first) return []
  if (others.length === 0) {
    const { source, unit, quantity, needed, ordered } = first
    const product = titleOf(first)
    const boxes = unit === 'BX' ? ` (${count(quantity, 'box', 'boxes')})` : ''
    const text = `${product}: ${ordered} are ordered for ${needed} needed${boxes}; the supplier sells it only in larger quantities`
    return [warning('rounded_up', text, undefined, { product, sku: source, quantity: ordered, needed })]
  }
  const needed = rounded.reduce((sum, each) => sum + each.needed, 0)
  const ordered = rounded.reduce((sum, each) => sum + each.ordered, 0)
  const { text, params } = nameProducts(rounded.map(titleOf))
  return [
    warning(
      'rounded_up',
      `${rounded.length} products are sold only in larger quantities: ${ordered} units are ordered for ${needed} needed (${text})`,
      '$.line_items',
      { ...params, quantity: ordered, needed },
    ),
  ]
}

export const otherRunInfo = (run: string, slots: readonly string[]): NoteMessage =>
  info(
    'covered_by_other_run',
    `${run} is not placed yet and also covers ${describeSlots(slots)}. Place only one of the two runs.`,
    undefined,
    { run, slots: slots.length },
  )

/** What no run may take is left out: one message per product, with its slots. */
export function blockedProductMessage(product: Product, slots: readonly string[], entry: string | undefined): Message {
  const where = ` (${describeSlots(slots)})`
  const params = { product: product.title, slot: slots[0] ?? '', slots: slots.length }
  return entry === undefined
    ? warning('unresolved_sku', `${unlinkedText(product)}${where}`, undefined, params)
    : error('hard_no_go', `${noGoText(product, entry)}${where}`, undefined, { ...params, entry })
}

/** What a run without lines says: what is missing, why no visit is due, and when one will be. */
export interface WaitingRoute {
  readonly slots: number
  readonly empty: number
  readonly atRisk: number
  readonly inTransit: number
  /** Machines by the reason for which they wait. */
  readonly waiting: Readonly<Partial<Record<VisitReason, number>>>
  /** The first day on which a visit is expected to be due. */
  readonly date: string | undefined
  readonly days: number
}

export function noVisitDueInfo({ slots, empty, atRisk, inTransit, waiting, date, days }: WaitingRoute): NoteMessage {
  const are = (n: number, what: string) => `${n} ${n === 1 ? 'is' : 'are'} ${what}`
  const machines = (why: VisitReason) => waiting[why] ?? 0
  const reasons = [
    machines('not_due') > 0 ? `Waiting still costs less than a visit at ${count(machines('not_due'), 'machine')}.` : '',
    machines('in_transit') > 0 ? `A delivery is on its way to ${count(machines('in_transit'), 'machine')}.` : '',
    machines('closed') > 0 ? `Closed when an order would arrive: ${count(machines('closed'), 'machine')}.` : '',
    machines('locked') > 0 ? `Locked: ${count(machines('locked'), 'machine')}.` : '',
    machines('limit') > 0 ? `Does not fit into the trip: ${count(machines('limit'), 'machine')}.` : '',
  ].filter((reason) => reason !== '')
  const next = date === undefined ? `No visit is expected within ${days} days.` : `The next visit is due on ${date}.`
  const state = `Of ${count(slots, 'slot')}, ${are(empty, 'empty')}, ${are(atRisk, 'at risk')}, ${are(inTransit, 'in transit')}.`
  return info('no_visit_due', ['No visit is due.', state, ...reasons, next].join(' '), undefined, {
    slots,
    empty,
    at_risk: atRisk,
    in_transit: inTransit,
    ...Object.fromEntries(
      Object.entries(waiting).map(([why, n]) => [why === 'in_transit' ? 'delivering' : why, n] as const),
    ),
    ...(date === undefined ? { days } : { date }),
  })
}

export const notDueInfo = ({ text, params }: { readonly text: string; readonly params: TextParams }): NoteMessage =>
  info('not_due', `Chosen although not due for a visit yet: ${text}`, undefined, params)

// Events.

/** A run with one stop belongs to that machine. */
const locationOf = ({ stops: [stop, ...others] }: Run) =>
  stop && others.length === 0 ? { location: stop.location } : {}

export const canceledEvent = (run: Run, currency: CurrencyCode): OwnEvent => ({
  kind: 'replenishment',
  code: 'run_canceled',
  params: { run: run.id },
  summary: `${run.id} canceled: ${describeSize(run, currency)}`,
  reasoning: 'Canceled before it was placed. Nothing was ordered.',
  ...locationOf(run),
})

export function purchasesEndedEvent(
  run: Run,
  gone: readonly RunLine[],
  removed: readonly RunLine[],
  status: RunStatus,
): OwnEvent {
  const ended = new Set(gone.map(({ checkout }) => checkout))
  const vendors = run.checkouts.flatMap(({ id, vendor }) => (ended.has(id) ? [vendor] : [])).join(', ')
  return {
    kind: 'replenishment',
    code: 'run_purchase_ended',
    params: { run: run.id, supplier: vendors, slots: gone.length },
    summary: `${run.id}: nothing comes from ${vendors} for ${count(gone.length, 'slot')}`,
    reasoning: cutReasoning(
      [
        'The purchase was canceled, rejected or expired.',
        removed.length > 0 ? `These slots are free again: ${describeSlots(removed.map(({ slotId }) => slotId))}.` : '',
        removed.length < gone.length ? `The store room serves ${count(gone.length - removed.length, 'slot')}.` : '',
        status === 'rejected' ? 'Nothing is left of the run, so it is closed.' : '',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
    ),
    ...locationOf(run),
  }
}

export const notPlacedEvent = (run: Run, [first, ...reasons]: readonly ErrorMessage[]): OwnEvent => ({
  kind: 'replenishment',
  code: 'run_not_placed',
  params: { run: run.id },
  summary: `${run.id} not placed: nothing in it can be ordered now`,
  reasoning: cutReasoning(
    [...reasons, ...(reasons.length === 0 && first ? [first] : [])].map(({ content }) => `${content}.`).join(' '),
  ),
  ...locationOf(run),
})

export function placedEvent(
  run: Run,
  supplier: string,
  decision: string,
  { evidence }: Verdict,
  currency: CurrencyCode,
): OwnEvent {
  const lines = activeLines(run.lines)
  return {
    kind: 'replenishment',
    code: 'run_placed',
    params: {
      run: run.id,
      supplier,
      slots: lines.length,
      machines: machinesOf(lines),
      total: money(spendFen(run), currency),
    },
    summary: `${run.id} placed (${supplier}): ${describeSize({ ...run, lines }, currency)}`,
    reasoning: cutReasoning(`Decision: ${decision}. ${describeEvidence(evidence)}`),
    ...locationOf(run),
  }
}

export const refuseUnknownStop = (run: string, location: string) =>
  refuseAll([error('not_found', `${run} brings nothing to machine ${location}`, undefined, { run, machine: location })])

export function stopReceivedEvent(
  run: Run,
  { location, name }: Pick<RouteStop, 'location' | 'name'>,
  units: number,
  note: string | undefined,
): OwnEvent {
  const own = activeLines(run.lines).filter((line) => line.location === location)
  const ordered = own.reduce((total, { quantity }) => total + quantity, 0)
  return {
    kind: 'replenishment',
    code: 'stop_received',
    params: { run: run.id, machine: location, name, quantity: units, ordered },
    summary: `${run.id} received at ${withId(name, location)}: ${units} of ${count(ordered, 'unit')}`,
    reasoning: cutReasoning(note ?? 'Counted on site.'),
    location,
  }
}

export function receivedEvent(run: Run, units: number, note: string | undefined): OwnEvent {
  const ordered = activeLines(run.lines).reduce((total, { quantity }) => total + quantity, 0)
  return {
    kind: 'replenishment',
    code: 'run_received',
    params: { run: run.id, quantity: units, ordered },
    summary: `${run.id} received: ${units} of ${count(ordered, 'unit')}`,
    reasoning: cutReasoning(note ?? 'Counted on site.'),
    ...locationOf(run),
  }
}
