/** A run (2.8) as plain data, and the rules by which it is made of a plan and takes in what was delivered. Pure. */
import type { PostalAddress } from '../../../contract/common.ts'
import { ESTIMATED_COST_SHARE, PROBLEMS_MAX } from '../../../contract/limits.ts'
import type { ReceiveRequest, RunStatus } from '../../../contract/replenishment.ts'
import { add, fen, times, ZERO } from '../../../kernel/fen.ts'
import type { Fen } from '../../../kernel/fen.ts'
import type { LocationId, Namespace, SkuId } from '../../../kernel/ids.ts'
import { error } from '../../../kernel/message.ts'
import type { ErrorMessage, Message } from '../../../kernel/message.ts'
import { accept, refuseAll } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import type { RunEventTable, RunLineTable } from '../../../store/tables/replenishment.ts'
import type { DecisionId } from '../../approvals/index.ts'
import { noGoMatch } from '../../guardrails/index.ts'
import type { ProductIds, Rules } from '../../guardrails/index.ts'

export type Removed = NonNullable<RunLineTable['removed']>
export type RunEventType = RunEventTable['type']

export interface RunLine {
  /** Counted from 1; its place in the run. */
  readonly n: number
  readonly location: LocationId
  readonly vendorSku: string
  readonly slotId: string
  readonly skuId: SkuId
  readonly title: string
  readonly quantity: number
  readonly costFen: Fen
  readonly costEstimated: boolean
  readonly source?: SkuId
  readonly checkout?: string
  readonly removed?: Removed
  readonly delivered?: number
}

/** A machine on the way. Kept with the run: machines move and are renamed, what was planned is not. */
export interface RouteStop {
  readonly location: LocationId
  readonly name: string
  readonly address: PostalAddress
}

export interface RunEvent {
  readonly n: number
  readonly type: RunEventType
  readonly occurredAt: number
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
  readonly stops: readonly RouteStop[]
  readonly checkouts: readonly RunCheckout[]
  /** What making and placing it had to tell. */
  readonly messages: readonly Message[]
  /** Called off before it was placed, in place of rejected by the owner. */
  readonly canceled?: true
  readonly lines: readonly RunLine[]
  readonly events: readonly RunEvent[]
}

/** What a line needs to know of the slot it fills and of who sells the good. */
export interface Wanted {
  readonly location: LocationId
  readonly vendorSku: string
  readonly slotId: string
  readonly skuId: SkuId
  readonly title: string
  readonly retailFen: number
  readonly quantity: number
}

/** Where a good can be bought, with what the supplier says of it where its catalog could be read. */
export interface Source {
  readonly skuId: SkuId
  readonly priceFen?: Fen
  readonly title?: string
  readonly brand?: string
  readonly category?: string
  readonly barcode?: string
  /** Other ids of the product, by confirmed aliases. */
  readonly aliases?: readonly ProductIds[]
}

/** Messages kept with a run: enough to see what is wrong, never a megabyte of it. */
export const MESSAGES_MAX = 100

export const runIdAt = (ms: number): string => `run-${ms}`

/** The supplier's price, else the ledger's newest cost, else the share of the retail price that stands for it (section 8). */
export function costOf(
  retailFen: number,
  source: Source | undefined,
  ledgerCostFen?: Fen,
): { costFen: Fen; costEstimated: boolean } {
  const costFen = source?.priceFen ?? ledgerCostFen
  return costFen === undefined
    ? { costFen: fen(Math.round(retailFen * ESTIMATED_COST_SHARE)), costEstimated: true }
    : { costFen, costEstimated: false }
}

/** The entry of the owner's list that forbids a good, under its name on the machine or at the supplier. */
export function forbids(
  rules: Pick<Rules, 'noGos'>,
  good: { readonly skuId: SkuId; readonly title: string },
  source: Source | undefined,
): string | undefined {
  return noGoMatch(rules, good) ?? (source && noGoMatch(rules, { ...source, title: source.title ?? '' }))
}

/** Lines of a new run. What the owner forbids is left out and told. */
export function draftLines(
  wanted: readonly Wanted[],
  sources: ReadonlyMap<SkuId, Source>,
  rules: Pick<Rules, 'noGos'>,
  ledgerCosts: ReadonlyMap<SkuId, Fen> = new Map(),
): { readonly lines: readonly RunLine[]; readonly messages: readonly Message[] } {
  const messages: ErrorMessage[] = []
  const lines: RunLine[] = []
  for (const { retailFen, ...want } of wanted) {
    const source = sources.get(want.skuId)
    const entry = forbids(rules, want, source)
    if (entry !== undefined) {
      messages.push(error('hard_no_go', `${want.title} in ${want.slotId} is on the owner's no-go list (${entry})`))
      continue
    }
    lines.push({
      n: lines.length + 1,
      ...want,
      ...costOf(retailFen, source, ledgerCosts.get(want.skuId)),
      ...(source ? { source: source.skuId } : {}),
    })
  }
  return { lines, messages: messages.slice(0, MESSAGES_MAX) }
}

export const activeLines = (lines: readonly RunLine[]): RunLine[] =>
  lines.filter(({ removed }) => removed === undefined)

export const lineFen = ({ costFen, quantity, removed }: RunLine): Fen =>
  removed === undefined ? times(costFen, quantity) : ZERO

/** What the run costs, as far as anyone knows: this figure decides whether the owner is asked. */
export const totalFen = (lines: readonly RunLine[]): Fen => lines.reduce((sum, line) => add(sum, lineFen(line)), ZERO)

export const linePath = ({ n }: Pick<RunLine, 'n'>): string => `$.line_items[${n - 1}]`

/** Counted quantities by line. Every slot once, and only slots the run really ordered for (4.7). */
export function countDelivered(
  lines: readonly RunLine[],
  delivered: ReceiveRequest['delivered'],
): Outcome<ReadonlyMap<number, number>> {
  const lineOf = new Map(activeLines(lines).map(({ slotId, n }) => [slotId, n]))
  const counted = new Map<number, number>()
  const problems: ErrorMessage[] = []
  for (const [index, { slot_id, quantity }] of delivered.entries()) {
    const n = lineOf.get(slot_id)
    const path = `$.delivered[${index}].slot_id`
    if (n === undefined) problems.push(error('invalid', 'this run ordered nothing for that slot', path))
    else if (counted.has(n)) problems.push(error('invalid', 'this slot is counted twice', path))
    else counted.set(n, quantity)
  }
  return problems.length > 0 ? refuseAll(problems.slice(0, PROBLEMS_MAX)) : accept(counted)
}
