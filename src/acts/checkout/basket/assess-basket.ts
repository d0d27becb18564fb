/**
 * Assesses a basket in two steps, between which the supplier may be asked for a quote: it is prepared, which prices
 * it by the supplier's catalog and finds what is missing, and then assessed, which checks products and total against the
 * rules. Once for every request, and again before buying. Pure except
 * `loadInput`, `loadRuleInput` and `assessPurchase`.
 */
import type { FulfillmentMethodUpdateRequest } from '../../../contract/shapes/checkout.ts'
import { nameProducts } from '../../../kernel/text.ts'
import { PROBLEMS_MAX } from '../../../contract/limits.ts'
import { callerKey } from '../../../kernel/caller.ts'
import { type Fen, add, fen } from '../../../kernel/fen.ts'
import { type SkuId, vendorSkuOf } from '../../../kernel/ids.ts'
import { type ErrorMessage, type Message, error, warning } from '../../../kernel/message.ts'
import { type Outcome, accept, refuseAll } from '../../../kernel/outcome.ts'
import type { Queryable } from '../../../store/store.ts'
import { toRefusal } from '../../../vendors/refusal.ts'
import type { SupplyCatalog, SupplyVendor } from '../../../vendors/supply-vendor.ts'
import type { Context } from '../../../context.ts'
import { noGoMatch, requireWritesAllowed, spendVerdict } from '../../../rules/guardrails/index.ts'
import type { ProductIds, Rules, SpendingTotals, Verdict } from '../../../rules/guardrails/index.ts'
import { findIdentities } from '../../../route/skus/index.ts'
import { contentsOf, isApproved, isWithin, orderHashOf, quoteRequest } from './basket.ts'
import { type ResolvedMethod, resolveMethod, readMethods } from './fulfillment.ts'
import { type ProductsBySku, type RequestedLine, priceRequested, repriceLines } from './lines.ts'
import type { PickupSlot } from './pickup-slots.ts'
import { type Quoted, quoteProblems, quoteWarnings, readQuote } from './quote.ts'
import { findSessionsOfRun } from '../records.ts'
import { type Line, type Method, type Session, bringsNothing } from '../session.ts'
import { loadSpendingTotals } from '../purchase/spending-records.ts'
import { TEXTS } from '../texts.ts'
import { linesTotal } from './totals.ts'
import type { AssessedStatus } from '../transitions.ts'

/** What was read for one assessment. */
export interface AssessmentInput {
  readonly products: ProductsBySku
  readonly sites: SupplyCatalog['sites']
  readonly pickupSlots: readonly PickupSlot[]
  /** Under which other ids each product is known, by confirmed aliases. */
  readonly identities: ReadonlyMap<SkuId, readonly ProductIds[]>
  readonly rules: Rules
  /** What counts towards the limits per day and week. */
  readonly spent: readonly SpendingTotals[]
  /** The most that the approval of its run covers; absent where none does. */
  readonly coveredFen?: Fen
  readonly now: number
}

/** All but the rules and the spending that they limit. */
export type BasketInput = Omit<AssessmentInput, 'rules' | 'spent' | 'coveredFen'>

export const loadRuleInput = async (
  { store }: Pick<Context, 'store'>,
  input: BasketInput,
  rules: Rules,
  session: Pick<Session, 'id' | 'runApproval'>,
): Promise<AssessmentInput> => ({
  ...input,
  rules,
  spent: await loadSpendingTotals(store.db, rules, input.now),
  ...(await loadCovered(store.db, session, input.now)),
})

/** What the approval of the run leaves for this purchase beside the others of the run. */
export async function loadCovered(
  db: Queryable,
  { id, runApproval }: Pick<Session, 'id' | 'runApproval'>,
  now: number,
): Promise<Pick<AssessmentInput, 'coveredFen'>> {
  if (!runApproval || now >= runApproval.until) return {}
  const others = (await findSessionsOfRun(db, runApproval)).filter((other) => other.id !== id && !bringsNothing(other))
  const usedFen = add(...others.map(({ totalFen }) => totalFen))
  return usedFen > runApproval.approvedFen ? {} : { coveredFen: fen(runApproval.approvedFen - usedFen) }
}

/** For the products of these lines. */
export async function loadInput(
  { store, clock, productIndex, pickupSlots }: Context,
  catalog: SupplyCatalog,
  lines: readonly { readonly skuId: SkuId }[],
): Promise<BasketInput> {
  const now = clock.now()
  const skuIds = lines.map(({ skuId }) => skuId)
  return {
    products: productIndex(catalog, skuIds),
    sites: catalog.sites,
    pickupSlots: pickupSlots(now),
    identities: await findIdentities(store.db, skuIds),
    now,
  }
}

type AssessedFields = 'lines' | 'methods' | 'unavailableLines' | 'findings' | 'totalFen' | 'totals' | 'orderHash'

export interface BasketAssessment extends Pick<Session, AssessedFields> {
  readonly status: AssessedStatus
  readonly verdict: Verdict
}

/** What a request changes; what it leaves out stays as the session has it. */
export interface BasketChange {
  readonly requestedLines?: readonly RequestedLine[]
  readonly methods?: readonly FulfillmentMethodUpdateRequest[]
}

type AssessedSession = Pick<
  Session,
  'vendor' | 'lines' | 'methods' | 'unavailableLines' | 'approvedOrderHash' | 'approvedTotalFen' | 'runApproval'
>

/**
 * A selection that is not offered leaves an existing session as it was; `notOffered` has the messages. A new session has
 * nothing to keep, so there the messages are findings.
 */
export type PreparedChange = { readonly notOffered: readonly ErrorMessage[] } | { readonly basket: PreparedBasket }

/** Lines at current prices with a fulfillment, and what keeps them from being bought. */
export interface PreparedBasket {
  readonly lines: readonly Line[]
  readonly methods: readonly Method[]
  readonly unavailableLines: readonly Message[]
  readonly problems: readonly ErrorMessage[]
}

export function prepareChange(
  session: AssessedSession,
  change: BasketChange,
  input: BasketInput,
  isNew: boolean,
): Outcome<PreparedChange> {
  const priced = change.requestedLines
    ? priceRequested(change.requestedLines, input.products)
    : accept(repriceLines(session.lines, input.products))
  if (!priced.ok) return priced
  const { lines, unavailable } = priced.value
  if (lines.length === 0) return refuseAll(unavailable.slice(0, PROBLEMS_MAX), { status: 200 })

  // A method may name a requested line that was left out because its product is not for sale.
  const namedLines = (change.requestedLines ?? lines).map(({ id }) => id)
  const merged = change.methods ? readMethods(change.methods, session.methods, namedLines) : undefined
  if (merged && !merged.ok) return merged
  const resolved = resolveMethods(merged?.value.map(({ method }) => method) ?? session.methods, lines, input)
  const notOffered = resolved.flatMap((one) => one.notOffered)
  const isRequested = ({ path }: ErrorMessage) =>
    merged?.value.some(({ selectionPaths }) => selectionPaths.has(path ?? '')) ?? false
  const refused = notOffered.filter(isRequested)
  if (!isNew && refused.length > 0) return accept({ notOffered: refused })
  const problems = [
    ...(change.requestedLines ? [] : unavailable),
    ...resolved.flatMap(({ missing }) => missing),
    ...notOffered.map((message) => (isRequested(message) ? message : chooseAgain(message))),
  ]
  const unavailableLines = change.requestedLines ? unavailable.slice(0, PROBLEMS_MAX) : session.unavailableLines
  return accept({ basket: toPrepared(lines, resolved, problems, unavailableLines, input) })
}

/** The same basket at the current prices and stock. */
function prepareBasket(session: AssessedSession, input: BasketInput): PreparedBasket {
  const { lines, unavailable } = repriceLines(session.lines, input.products)
  const resolved = resolveMethods(session.methods, lines, input)
  const problems = [
    ...unavailable,
    ...resolved.flatMap(({ missing, notOffered }) => [...missing, ...notOffered.map(chooseAgain)]),
  ]
  return toPrepared(lines, resolved, problems, session.unavailableLines, input)
}

/** For a site that closed or an hour that passed: the caller made no mistake and has to choose again. */
const chooseAgain = ({ path }: ErrorMessage): ErrorMessage => error('missing', TEXTS.chooseAgain, path)

const resolveMethods = (
  methods: readonly Method[],
  lines: readonly Line[],
  { sites, pickupSlots }: BasketInput,
): readonly ResolvedMethod[] =>
  methods.map((method) => resolveMethod(method, { lineIds: lines.map(({ id }) => id), sites, pickupSlots }))

function toPrepared(
  lines: readonly Line[],
  resolved: readonly ResolvedMethod[],
  otherProblems: readonly ErrorMessage[],
  unavailableLines: readonly Message[],
  { products }: BasketInput,
): PreparedBasket {
  const methods = resolved.map(({ method }) => method)
  const problems = [
    ...stockProblems(lines, products),
    ...otherProblems,
    ...(methods.length === 0 ? [error('missing', TEXTS.chooseMethod, '$.fulfillment.methods')] : []),
  ]
  return { lines, methods, unavailableLines, problems }
}

/** Checks a prepared basket against the rules, at the total that the supplier quoted. */
export function assessBasket(
  session: AssessedSession,
  basket: PreparedBasket,
  quoted: Quoted,
  input: AssessmentInput,
): BasketAssessment {
  const { vendor } = session
  const { lines, methods, unavailableLines } = basket
  const problems = [
    ...lines.flatMap((line, index) => noGoProblems(line, index, input)),
    ...basket.problems,
    ...quoteProblems(quoted),
  ]
  const totals = quoted.kind === 'quoted' ? quoted.quote.totals : undefined
  const totalFen = totals?.total ?? linesTotal(lines)
  const verdict = basketVerdict({ vendor, lines, methods, totalFen, runApproval: session.runApproval }, input)
  const isAllowed = verdict.allowed || isApproved(session, { vendor, lines, methods, totals, totalFen })
  // A basket of which a part is not for sale stays incomplete: the rest is bought only if the caller asks for it.
  const isComplete = problems.length + unavailableLines.length === 0
  return {
    status: !isComplete ? 'incomplete' : isAllowed ? 'ready_for_complete' : 'requires_escalation',
    lines,
    methods,
    unavailableLines,
    findings: [
      ...problems.slice(0, PROBLEMS_MAX),
      ...estimateWarnings(lines),
      ...stockWarnings(lines, input.products),
      ...quoteWarnings(quoted, totalFen, input.rules.currency),
    ],
    totalFen,
    ...(totals && { totals }),
    orderHash: orderHashOf({ vendor, lines, methods, totals }),
    verdict,
  }
}

type VerdictBasket = Pick<Session, 'vendor' | 'lines' | 'methods' | 'totalFen'> & {
  readonly runApproval: Session['runApproval'] | undefined
}

/** Also in the transaction that claims a purchase, with what counts by then. */
export const basketVerdict = (
  { vendor, lines, methods, totalFen, runApproval }: VerdictBasket,
  { rules, spent, now, coveredFen }: Pick<AssessmentInput, 'rules' | 'spent' | 'now' | 'coveredFen'>,
): Verdict => {
  const approved = runApproval?.contents
  const isRunApproved =
    coveredFen !== undefined &&
    totalFen <= coveredFen &&
    (approved === undefined || isWithin(contentsOf({ lines, methods }), approved))
  return spendVerdict(rules, { totalFen, supplier: vendor, key: callerKey() ?? '', lines, isRunApproved }, now, spent)
}

function noGoProblems(
  { skuId, title }: Line,
  index: number,
  { products, identities, rules }: AssessmentInput,
): readonly ErrorMessage[] {
  const { brand, category, barcode } = products.get(vendorSkuOf(skuId)) ?? {}
  const entry = noGoMatch(rules, { skuId, title, brand, category, barcode, aliases: identities.get(skuId) })
  if (entry === undefined) return []
  return [
    error('hard_no_go', TEXTS.noGo(title, entry), `$.line_items[${index}]`, {
      rule: 'hardNoGos',
      product: title,
      entry,
    }),
  ]
}

/** Stock counts single units, and several lines of one product share it. */
function stockProblems(lines: readonly Line[], products: ProductsBySku): readonly ErrorMessage[] {
  const ordered = new Map<string, number>()
  return lines.flatMap(({ skuId, title, quantity, contains = 1 }, index) => {
    const sku = vendorSkuOf(skuId)
    const units = (ordered.get(sku) ?? 0) + quantity * contains
    ordered.set(sku, units)
    // A supplier that does not state its stock may have enough.
    const stock = products.get(sku)?.stock ?? Infinity
    if (units <= stock) return []
    const params = { product: title, stock, ordered: units }
    return [error('out_of_stock', TEXTS.outOfStock(title, stock), `$.line_items[${index}].quantity`, params)]
  })
}

/** One warning, however many they are: a supplier that states no stock states none of any product. */
function stockWarnings(lines: readonly Line[], products: ProductsBySku): readonly Message[] {
  const unknown = lines.flatMap(({ skuId, title }, index) =>
    products.get(vendorSkuOf(skuId))?.stock === null ? [{ title, path: `$.line_items[${index}].quantity` }] : [],
  )
  const [first, ...others] = unknown
  if (!first) return []
  if (others.length === 0)
    return [warning('stock_unknown', TEXTS.stockUnknown(first.title), first.path, { product: first.title })]
  const { text, params } = nameProducts(unknown.map(({ title }) => title))
  return [warning('stock_unknown', TEXTS.stocksUnknown(unknown.length, text), '$.line_items', params)]
}

const estimateWarnings = (lines: readonly Line[]): readonly Message[] =>
  lines.flatMap(({ priceDerived, title }, index) =>
    priceDerived
      ? [warning('price_estimated', TEXTS.priceEstimated, `$.line_items[${index}].item.price`, { product: title })]
      : [],
  )

export interface AssessedPurchase {
  readonly assessment: BasketAssessment
  readonly products: ProductsBySku
  readonly rules: Rules
}

/** Checks the session once more, at the supplier's current prices and with the current rules. Writes nothing. */
export async function assessPurchase(
  ctx: Context,
  session: Session,
  supply: SupplyVendor,
): Promise<Outcome<AssessedPurchase>> {
  const catalog = await supply.catalog({ live: true })
  if (!catalog.ok) return toRefusal(catalog)
  const input = await loadInput(ctx, catalog.value, session.lines)
  const basket = prepareBasket(session, input)
  const request = () => quoteRequest(basket, input.products, ctx.config.currency)
  const quoted = await readQuote(ctx, session.vendor, supply, request, basket.problems)
  // Nothing is bought at a total that the supplier does not confirm now.
  if (quoted.kind === 'failed') return toRefusal(quoted.failure)
  // Checked again: the supplier's answers may have taken seconds.
  const allowed = await requireWritesAllowed(ctx)
  if (!allowed.ok) return allowed
  const { rules } = allowed.value
  const assessment = assessBasket(session, basket, quoted, await loadRuleInput(ctx, input, rules, session))
  return accept({ assessment, products: input.products, rules })
}
