/**
 * Where a session stands (3.1): everything that is missing or forbidden at once, then what the guardrails say of the
 * sum. Pure: the same basket, catalog and rules give the same answer.
 */
import { PROBLEMS_MAX } from '../../contract/limits.ts'
import type { Fen } from '../../kernel/fen.ts'
import { vendorSkuOf } from '../../kernel/ids.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { error, warning } from '../../kernel/message.ts'
import type { ErrorMessage, Message } from '../../kernel/message.ts'
import { noGoMatch, spendVerdict } from '../guardrails/index.ts'
import type { ProductIds, Rules, Verdict } from '../guardrails/index.ts'
import { orderHashOf, isApproved } from './basket.ts'
import type { ProductsBySku } from './lines.ts'
import type { Line, Method, Session } from './session.ts'
import { linesTotal } from './totals.ts'
import type { AssessedStatus } from './transitions.ts'

export interface Appraised {
  readonly vendor: Session['vendor']
  readonly lines: readonly Line[]
  readonly methods: readonly Method[]
  /** What keeps the order from being placed, found before: lines gone, fulfillment unfinished. */
  readonly blocking: readonly ErrorMessage[]
  /** What was asked for and is not for sale: nobody buys a part of it without saying so. */
  readonly dropped: readonly Message[]
}

export interface Assessment {
  readonly status: AssessedStatus
  readonly findings: readonly Message[]
  readonly totalFen: Fen
  readonly orderHash: string
  readonly verdict: Verdict
}

/** `approval` is what the owner said yes to: nothing else is covered. */
export function assess(
  { vendor, lines, methods, blocking, dropped }: Appraised,
  products: ProductsBySku,
  identities: Identities,
  rules: Rules,
  now: number,
  approval: Pick<Session, 'approvedOrderHash' | 'approvedTotalFen'>,
): Assessment {
  const problems = [
    ...lines.flatMap((line, index) => noGoProblems(line, index, products, identities, rules)),
    ...stockProblems(lines, products),
    ...blocking,
    ...(methods.length === 0 ? [error('missing', 'say how the goods get here', '$.fulfillment.methods')] : []),
  ]
  const totalFen = linesTotal(lines)
  const orderHash = orderHashOf({ vendor, lines, methods })
  const verdict = spendVerdict(rules, totalFen, now)
  const covered = verdict.allowed || isApproved(approval, { vendor, lines, methods })
  return {
    status:
      problems.length + dropped.length > 0 ? 'incomplete' : covered ? 'ready_for_complete' : 'requires_escalation',
    findings: [...problems.slice(0, PROBLEMS_MAX), ...estimateWarnings(lines)],
    totalFen,
    orderHash,
    verdict,
  }
}

/** Under which other ids each line is known, by confirmed aliases. */
export type Identities = ReadonlyMap<SkuId, readonly ProductIds[]>

function noGoProblems(
  { skuId, title }: Line,
  index: number,
  products: ProductsBySku,
  identities: Identities,
  rules: Rules,
): readonly ErrorMessage[] {
  const { brand, category, barcode } = products.get(vendorSkuOf(skuId)) ?? {}
  const entry = noGoMatch(rules, { skuId, title, brand, category, barcode, aliases: identities.get(skuId) })
  if (entry === undefined) return []
  return [error('hard_no_go', `${title} is on the owner's no-go list (${entry})`, `$.line_items[${index}]`)]
}

/** Stock counts single units, and several lines of one good share it. */
function stockProblems(lines: readonly Line[], products: ProductsBySku): readonly ErrorMessage[] {
  const wanted = new Map<string, number>()
  return lines.flatMap(({ skuId, quantity, contains = 1 }, index) => {
    const sku = vendorSkuOf(skuId)
    const units = (wanted.get(sku) ?? 0) + quantity * contains
    wanted.set(sku, units)
    const stock = products.get(sku)?.stock
    if (stock === undefined || units <= stock) return []
    return [error('out_of_stock', `the supplier has ${stock} of ${skuId}`, `$.line_items[${index}].quantity`)]
  })
}

const estimateWarnings = (lines: readonly Line[]): readonly Message[] =>
  lines.flatMap(({ priceDerived, skuId }, index) =>
    priceDerived
      ? [
          warning(
            'price_estimated',
            `the price of one ${skuId} is computed from the box price; the supplier's statement settles it`,
            `$.line_items[${index}].item.price`,
          ),
        ]
      : [],
  )
