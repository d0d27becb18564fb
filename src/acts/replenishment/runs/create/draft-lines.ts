/** The lines of a new run: what the plan orders, without blocked products, at the best known cost. Pure. */
import { ESTIMATED_COST_SHARE } from '../../../../kernel/plan-params.ts'
import { type Fen, fen } from '../../../../kernel/fen.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import type { Message } from '../../../../kernel/message.ts'
import { type Rules, noGoMatch } from '../../../../rules/guardrails/index.ts'
import { type RunLine, MESSAGES_MAX } from '../run.ts'
import type { Source } from '../../../../route/skus/index.ts'
import { blockedProductMessage } from '../texts.ts'

/** A quantity the plan orders for a slot. */
export interface PlannedLine extends Pick<
  RunLine,
  'location' | 'vendorSku' | 'slotId' | 'skuId' | 'title' | 'quantity' | 'plan'
> {
  readonly retailFen: number
}

/** The supplier's price, else the newest cost in the ledger, else a fixed share of the retail price. */
function costOf(
  retailFen: number,
  source: Source | undefined,
  ledgerCostFen?: Fen,
): { costFen: Fen; costEstimated: boolean } {
  const costFen = source?.priceFen ?? ledgerCostFen
  return costFen === undefined
    ? { costFen: fen(Math.round(retailFen * ESTIMATED_COST_SHARE)), costEstimated: true }
    : { costFen, costEstimated: false }
}

/** The entry of the owner's no-go list that matches a product, by its name in the machine or at the supplier. */
export const matchingNoGo = (
  rules: Pick<Rules, 'noGos'>,
  product: { readonly skuId: SkuId; readonly title: string },
  source: Source | undefined,
): string | undefined =>
  noGoMatch(rules, product) ?? (source && noGoMatch(rules, { ...source, title: source.title ?? '' }))

/** The lines of a new run. Products of the no-go list are left out. */
export function draftLines(
  planned: readonly PlannedLine[],
  sources: ReadonlyMap<SkuId, Source>,
  rules: Pick<Rules, 'noGos'>,
  ledgerCosts: ReadonlyMap<SkuId, Fen> = new Map(),
): { readonly lines: readonly RunLine[]; readonly refused: readonly RefusedSlot[] } {
  const refused: RefusedSlot[] = []
  const lines: RunLine[] = []
  for (const { retailFen, ...line } of planned) {
    const source = sources.get(line.skuId)
    const entry = matchingNoGo(rules, line, source)
    if (entry !== undefined) {
      refused.push({ ...line, entry })
      continue
    }
    lines.push({
      n: lines.length + 1,
      ...line,
      ...costOf(retailFen, source, ledgerCosts.get(line.skuId)),
      ...(source ? { source: source.skuId } : {}),
    })
  }
  return { lines, refused }
}

/** A slot whose product no run may take: by an entry of the no-go list or, without one, because no supplier is linked. */
export interface RefusedSlot extends Pick<RunLine, 'slotId' | 'skuId' | 'title'> {
  readonly entry?: string | undefined
}

/** One message per product. */
export const refusedProductMessages = (slots: readonly RefusedSlot[]): Message[] =>
  [...Map.groupBy(slots, ({ skuId, entry }) => `${skuId} ${entry ?? ''}`).values()]
    .map((own) => blockedProductMessage(own[0]!, [...new Set(own.map(({ slotId }) => slotId))], own[0]!.entry))
    .slice(0, MESSAGES_MAX)
