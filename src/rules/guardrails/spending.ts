/**
 * What a purchase is compared with: the limits per purchase, day and week, of the deployment, of its supplier and of who
 * buys, and the limits of a line. Pure.
 */
import type { ApprovalCode } from '../../contract/event-codes.ts'
import { DAY, rfc3339 } from '../../kernel/clock.ts'
import { type CurrencyCode, formatAmount, money } from '../../kernel/currency.ts'
import { type Fen, add, ZERO } from '../../kernel/fen.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { type Evidence, type Rules, type SpendingLimits, type Verdict, isOnProbation, toVerdict } from './rules.ts'

export type SpendingWindow = 'run' | 'day' | 'week'

export interface SpendingLimit {
  readonly rule: 'spendingLimitPerRun' | 'spendingLimitPerDay' | 'spendingLimitPerWeek' | ScopedRule
  readonly window: SpendingWindow
  readonly limitFen: Fen
  /** Only purchases from this supplier. */
  readonly supplier?: string
  /** Only purchases of this person or agent. */
  readonly key?: string
}

type ScopedRule = 'spendingLimitBySupplier' | 'spendingLimitByKey'

export const WINDOW_MS: Readonly<Record<Exclude<SpendingWindow, 'run'>, number>> = { day: DAY, week: 7 * DAY }

/** Purchases committed in the last 24 hours and 7 days, by one person or agent from one supplier. */
export interface SpendingTotals {
  readonly supplier: string
  readonly key: string
  readonly day: WindowTotal
  readonly week: WindowTotal
}

export interface WindowTotal {
  readonly totalFen: Fen
  /** When the oldest of them was committed; undefined when there are none. */
  readonly oldestAt: number | undefined
}

export interface Purchase {
  readonly totalFen: Fen
  /** Undefined for a run, which may buy from several: each of its purchases is compared again. */
  readonly supplier?: string
  readonly key: string
  readonly lines?: readonly PurchaseLine[]
  /** The owner approved the run that it is part of, which covers the limits per purchase and the probation. */
  readonly isRunApproved?: boolean
}

export interface PurchaseLine {
  readonly skuId: SkuId
  /** As ordered: a piece or a box. */
  readonly unit: string
  readonly title: string
  readonly quantity: number
  /** Of one unit as ordered. */
  readonly priceFen: Fen
}

const WINDOWS = [
  ['run', 'perRun'],
  ['day', 'perDay'],
  ['week', 'perWeek'],
] as const satisfies readonly (readonly [SpendingWindow, keyof SpendingLimits])[]

export function spendingLimits(rules: Rules): readonly SpendingLimit[] {
  const { spendingLimitPerRun, spendingLimitPerDay, spendingLimitPerWeek } = rules
  return [
    { rule: 'spendingLimitPerRun', window: 'run', limitFen: spendingLimitPerRun },
    ...(spendingLimitPerDay === undefined
      ? []
      : [{ rule: 'spendingLimitPerDay', window: 'day', limitFen: spendingLimitPerDay } as const]),
    ...(spendingLimitPerWeek === undefined
      ? []
      : [{ rule: 'spendingLimitPerWeek', window: 'week', limitFen: spendingLimitPerWeek } as const]),
    ...Object.entries(rules.spendingLimitBySupplier ?? {}).flatMap(([supplier, limits]) =>
      scopedLimits('spendingLimitBySupplier', { supplier }, limits),
    ),
    ...Object.entries(rules.spendingLimitByKey ?? {}).flatMap(([key, limits]) =>
      scopedLimits('spendingLimitByKey', { key }, limits),
    ),
  ]
}

const scopedLimits = (
  rule: ScopedRule,
  scope: Pick<SpendingLimit, 'supplier' | 'key'>,
  limits: SpendingLimits,
): readonly SpendingLimit[] =>
  WINDOWS.flatMap(([window, member]) => {
    const limitFen = limits[member]
    return limitFen === undefined ? [] : [{ rule, window, limitFen, ...scope }]
  })

/** Whether earlier purchases count; otherwise they need not be read. */
export const hasSpendingWindows = (rules: Rules): boolean =>
  spendingLimits(rules).some(({ window }) => window !== 'run')

/** What is used of a limit, and when the oldest part of it is free again. */
export function usedOf(
  { window, supplier, key }: SpendingLimit,
  spent: readonly SpendingTotals[],
): { readonly usedFen: Fen; readonly freesAt: number | undefined } {
  if (window === 'run') return { usedFen: ZERO, freesAt: undefined }
  const counted = spent.filter(
    (one) => (supplier === undefined || one.supplier === supplier) && (key === undefined || one.key === key),
  )
  const oldest = counted.map((one) => one[window].oldestAt).filter((at) => at !== undefined)
  return {
    usedFen: add(...counted.map((one) => one[window].totalFen)),
    freesAt: oldest.length === 0 ? undefined : Math.min(...oldest) + WINDOW_MS[window],
  }
}

/**
 * A total strictly above a limit, or any total during probation, needs the owner's approval. The purchase itself
 * counts towards the limits of a day and a week.
 */
export function spendVerdict(rules: Rules, purchase: Purchase, now: number, spent: readonly SpendingTotals[]): Verdict {
  const limits = spendingLimits(rules).filter(
    ({ supplier, key }) =>
      (supplier === undefined || supplier === purchase.supplier) && (key === undefined || key === purchase.key),
  )
  const cover = (evidence: Evidence): Evidence =>
    purchase.isRunApproved && evidence.needsApproval
      ? { ...evidence, text: `${evidence.text}, and the owner approved its run`, needsApproval: false }
      : evidence
  return toVerdict([
    ...limits.map((limit) => {
      const evidence = limitEvidence(limit, purchase.totalFen, usedOf(limit, spent).usedFen, rules.currency)
      return limit.window === 'run' ? cover(evidence) : evidence
    }),
    ...mergeLines(purchase.lines ?? []).flatMap((line) => lineEvidence(rules, line)),
    ...probationEvidence(rules, now).map(cover),
  ])
}

const CODES: Readonly<Record<'all' | 'supplier' | 'key', Readonly<Record<SpendingWindow, ApprovalCode>>>> = {
  all: { run: 'spending_limit', day: 'spending_limit_day', week: 'spending_limit_week' },
  supplier: { run: 'supplier_limit', day: 'supplier_limit_day', week: 'supplier_limit_week' },
  key: { run: 'key_limit', day: 'key_limit_day', week: 'key_limit_week' },
}

const PERIODS: Readonly<Record<SpendingWindow, string>> = { run: 'purchase', day: 'day', week: 'week' }
const SINCE: Readonly<Record<SpendingWindow, string>> = {
  run: '',
  day: ' in the last 24 hours',
  week: ' in the last 7 days',
}

function limitEvidence(
  { rule, window, limitFen, supplier, key }: SpendingLimit,
  totalFen: Fen,
  usedFen: Fen,
  currency: CurrencyCode,
): Evidence {
  const isOver = add(usedFen, totalFen) > limitFen
  const amount = (value: Fen) => formatAmount(value, currency)
  const after = usedFen > 0 ? ` after ${amount(usedFen)}${SINCE[window]}` : ''
  const whose = supplier !== undefined ? ` for supplier ${supplier}` : key !== undefined ? ` of ${key}` : ''
  return {
    rule,
    code: CODES[supplier !== undefined ? 'supplier' : key !== undefined ? 'key' : 'all'][window],
    params: {
      total: money(totalFen, currency),
      limit: money(limitFen, currency),
      ...(window === 'run' ? {} : { used: money(usedFen, currency) }),
      ...(supplier === undefined ? {} : { supplier }),
      ...(key === undefined ? {} : { key }),
    },
    text: `${amount(totalFen)}${after} ${isOver ? 'exceeds' : 'is within'} the ${amount(limitFen)} limit per ${PERIODS[window]}${whose}`,
    needsApproval: isOver,
  }
}

/** One line for each product and unit: several lines of one product are one order of it. */
function mergeLines(lines: readonly PurchaseLine[]): readonly PurchaseLine[] {
  const merged = new Map<string, PurchaseLine>()
  for (const line of lines) {
    const key = `${line.unit} ${line.skuId}`
    merged.set(key, { ...line, quantity: line.quantity + (merged.get(key)?.quantity ?? 0) })
  }
  return [...merged.values()]
}

/** Only what is above the limit: a basket may have hundreds of lines. */
function lineEvidence({ maxUnitPrice, maxQuantityPerLine, currency }: Rules, line: PurchaseLine): readonly Evidence[] {
  const { title: product, quantity, priceFen } = line
  const evidence: Evidence[] = []
  if (maxUnitPrice !== undefined && priceFen > maxUnitPrice)
    evidence.push({
      rule: 'maxUnitPrice',
      code: 'unit_price',
      params: { product, price: money(priceFen, currency), limit: money(maxUnitPrice, currency) },
      text: `${product} at ${formatAmount(priceFen, currency)} exceeds the ${formatAmount(maxUnitPrice, currency)} limit per unit`,
      needsApproval: true,
    })
  if (maxQuantityPerLine !== undefined && quantity > maxQuantityPerLine)
    evidence.push({
      rule: 'maxQuantityPerLine',
      code: 'line_quantity',
      params: { product, quantity, limit: maxQuantityPerLine },
      text: `${quantity} of ${product} exceeds the limit of ${maxQuantityPerLine} per line`,
      needsApproval: true,
    })
  return evidence
}

function probationEvidence(rules: Rules, now: number): readonly Evidence[] {
  const { probationUntil, timeZone } = rules
  if (probationUntil === undefined) return []
  const isActive = isOnProbation(rules, now)
  const until = rfc3339(probationUntil, timeZone)
  return [
    {
      rule: 'probationUntil',
      code: 'probation',
      params: { until },
      text: isActive ? `The probation period lasts until ${until}` : `The probation period ended at ${until}`,
      needsApproval: isActive,
    },
  ]
}
