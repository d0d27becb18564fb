/** A run as plain data: how its lines follow from a plan, what it costs, and what was delivered. Pure. */
import type { PostalAddress } from '../../../contract/common.ts'
import { PROBLEMS_MAX } from '../../../contract/limits.ts'
import type { RunStatus } from '../../../contract/shapes/run-status.ts'
import type { ReceiveRequest } from '../../../contract/shapes/run.ts'
import { DAY } from '../../../kernel/clock.ts'
import { type Fen, add, times, ZERO } from '../../../kernel/fen.ts'
import type { LocationId, Namespace, SkuId } from '../../../kernel/ids.ts'
import { type ErrorMessage, type Message, error } from '../../../kernel/message.ts'
import { accept, refuseAll } from '../../../kernel/outcome.ts'
import type { Person } from '../../../kernel/person.ts'
import { type RunSize, runSize } from '../../../kernel/sizes.ts'
import type { Columns } from '../../../store/schema.ts'
import type { DecisionId } from '../../../rules/approvals/index.ts'
import type { ApprovalNeed } from '../../../rules/guardrails/index.ts'
import type { OrderUnit } from '../../../route/skus/index.ts'

export interface OrderQuantity {
  readonly source: SkuId
  readonly unit: OrderUnit['unit']
  /** In `unit`. */
  readonly quantity: number
  /** Units that the lines need, and units that are ordered. */
  readonly needed: number
  readonly ordered: number
}

export type RemovedReason = NonNullable<Columns<'run_line'>['removed']>
export type RunEventType = Columns<'run_event'>['type']

/** Units by supply product. */
export type FromStoreroom = Readonly<Record<SkuId, number>>

export interface RunLine {
  /** Position in the run, from 1. */
  readonly n: number
  readonly location: LocationId
  readonly vendorSku: string
  readonly slotId: string
  readonly skuId: SkuId
  readonly title: string
  readonly quantity: number
  /** What the store room gives; a forecast until the run is placed. */
  readonly fromStoreroom?: FromStoreroom
  /** Units to buy, where that is less than the store room leaves open. */
  readonly bought?: number
  /** What the store room gives and the supplier confirmed, where that is less. */
  readonly confirmed?: number
  readonly costFen: Fen
  readonly costEstimated: boolean
  readonly source?: SkuId
  readonly checkout?: string
  readonly removed?: RemovedReason
  readonly delivered?: number
  /** When its stop was received. */
  readonly deliveredAt?: number
  /** The service that received it; absent in runs from before services. */
  readonly service?: string
  /** When the receipt was booked. */
  readonly bookedAt?: number
  /** What the plan said of the slot when the run was made; absent in runs from before. */
  readonly plan?: LinePlan
}

export interface LinePlan {
  readonly stock: number
  readonly dailyRate: number
  /** Null where no stock-out was expected. */
  readonly daysOfCover: number | null
}

/** A machine to visit. Stored with the run, because machines are moved and renamed later. */
export interface RouteStop {
  readonly location: LocationId
  readonly name: string
  readonly address: PostalAddress
  /** When it is expected to be visited; absent in runs from before trips. */
  readonly expectedAt?: number
}

export interface EventLine {
  readonly n: number
  readonly quantity: number
}

export interface RunEvent {
  readonly n: number
  readonly type: RunEventType
  readonly occurredAt: number
  readonly by?: Person
  /** Of receipts; the lines of other events follow from their type. */
  readonly lines?: readonly EventLine[]
}

export interface RunCheckout {
  readonly id: string
  readonly vendor: Namespace
}

export interface Run {
  readonly id: string
  readonly createdAt: number
  readonly status: RunStatus
  readonly placedAt?: number
  readonly deliveredAt?: number
  readonly supplier?: string
  readonly decision?: DecisionId
  readonly strategyVersion: string
  readonly note?: string
  /** Who created it. */
  readonly by?: Person
  readonly stops: readonly RouteStop[]
  readonly checkouts: readonly RunCheckout[]
  /** Supplier products that are bought in boxes; the others are bought in single items. */
  readonly boxed?: readonly SkuId[]
  /** Units that are ordered, by supplier product, where that is more than its lines need. */
  readonly roundedTo?: Readonly<Record<SkuId, number>>
  /** What rounding up to boxes may cost above the lines; absent in runs from before. */
  readonly extraFen?: Fen
  /** What its suppliers ask for tax and delivery, as far as they quote it, and for prices that rose before it is placed. */
  readonly chargesFen?: Fen
  /** The sum that the owner approved, and when. */
  readonly approval?: { readonly fen: Fen; readonly at: number }
  /** What creating and placing it reported. */
  readonly messages: readonly Message[]
  /** Canceled before it was placed, instead of rejected by the owner. */
  readonly canceled?: true
  /** What the owner who rejected it said. */
  readonly rejectedBecause?: string
  /** All its purchases were canceled, rejected or expired after it was placed. */
  readonly purchasesEnded?: true
  /** Why the owner had to approve it when this was checked last. */
  readonly approvalNeed?: ApprovalNeed
  readonly lines: readonly RunLine[]
  readonly events: readonly RunEvent[]
}

/** Messages stored with a run: enough to see what is wrong, without megabytes of them. */
export const MESSAGES_MAX = 100

/** How long the owner's approval of a run covers its placing and its purchases. */
export const APPROVAL_LIFETIME_MS = 7 * DAY

export const runIdAt = (ms: number): string => `run-${ms}`

export const activeLines = (lines: readonly RunLine[]): RunLine[] =>
  lines.filter(({ removed }) => removed === undefined)

export const storeroomUnits = ({ fromStoreroom = {} }: Pick<RunLine, 'fromStoreroom'>): number =>
  Object.values(fromStoreroom).reduce((sum, units) => sum + units, 0)

type BoughtLine = Pick<RunLine, 'quantity' | 'fromStoreroom' | 'bought'>

/** The units of a line that a purchase has to bring. */
export const unitsToBuy = (line: BoughtLine): number =>
  Math.min(line.bought ?? Infinity, line.quantity - storeroomUnits(line))

/** Units that it was planned with and that nothing brings yet. */
export const missingUnits = (line: BoughtLine): number => line.quantity - storeroomUnits(line) - unitsToBuy(line)

/** The units that a line brings. */
export const lineUnits = (line: BoughtLine & Pick<RunLine, 'confirmed' | 'removed'>): number =>
  line.removed === undefined ? (line.confirmed ?? storeroomUnits(line) + unitsToBuy(line)) : 0

/** What is paid for it: units of the store room were paid before. */
export const lineFen = (line: RunLine): Fen =>
  times(line.costFen, Math.max(0, lineUnits(line) - (line.removed === undefined ? storeroomUnits(line) : 0)))

export const sizeOf = (lines: readonly RunLine[]): RunSize =>
  runSize(lines.map((line) => ({ location: line.location, quantity: { total: lineUnits(line) } })))

/** The expected cost of the run: it decides whether the owner has to approve. */
export const totalFen = (lines: readonly RunLine[]): Fen =>
  lines.reduce((total, line) => add(total, lineFen(line)), ZERO)

/** The most that is spent: the lines, what the supplier sells only in larger quantities, and tax and delivery. */
export const spendFen = ({
  lines,
  extraFen = ZERO,
  chargesFen = ZERO,
}: Pick<Run, 'lines' | 'extraFen' | 'chargesFen'>): Fen => add(totalFen(lines), extraFen, chargesFen)

export const linePath = ({ n }: Pick<RunLine, 'n'>): string => `$.line_items[${n - 1}]`

/** Each slot once, and only slots the run ordered for. */
export function matchDelivered(lines: readonly RunLine[], delivered: ReceiveRequest['delivered']) {
  const lineOf = new Map(activeLines(lines).map((line) => [line.slotId, line]))
  const listed = new Set<number>()
  const deliveredByLine = new Map<number, number>()
  const problems: ErrorMessage[] = []
  const alreadyReceived: ErrorMessage[] = []
  for (const [index, { slot_id, quantity }] of delivered.entries()) {
    const line = lineOf.get(slot_id)
    const path = `$.delivered[${index}].slot_id`
    if (line === undefined) problems.push(error('invalid', 'This run ordered nothing for this slot', path))
    else if (listed.has(line.n)) problems.push(error('invalid', 'This slot is listed twice', path))
    else if (line.deliveredAt === undefined) deliveredByLine.set(line.n, quantity)
    else alreadyReceived.push(error('already_delivered', 'This slot was received with its stop', path))
    if (line) listed.add(line.n)
  }
  return problems.length > 0
    ? refuseAll(problems.slice(0, PROBLEMS_MAX))
    : accept({ deliveredByLine, alreadyReceived: alreadyReceived.slice(0, PROBLEMS_MAX) })
}

/** By supply product: what these lines take from the store room. */
export function reservedUnits(
  lines: readonly Pick<RunLine, 'removed' | 'deliveredAt' | 'fromStoreroom'>[],
): ReadonlyMap<SkuId, number> {
  const reserved = new Map<SkuId, number>()
  for (const { removed, deliveredAt, fromStoreroom = {} } of lines)
    if (removed === undefined && deliveredAt === undefined)
      for (const [skuId, units] of Object.entries(fromStoreroom) as [SkuId, number][])
        reserved.set(skuId, (reserved.get(skuId) ?? 0) + units)
  return reserved
}
