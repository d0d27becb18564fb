/**
 * What a supplier asks for a basket in total, with tax, fees and delivery. Read live, outside of transactions: for every
 * request that changes a session, and again before it is bought.
 */
import { type CurrencyCode, money } from '../../../kernel/currency.ts'
import type { Fen } from '../../../kernel/fen.ts'
import { type ErrorMessage, type Message, error, warning } from '../../../kernel/message.ts'
import type { Namespace } from '../../../kernel/ids.ts'
import type { Failure } from '../../../vendors/contract.ts'
import type { SupplyQuote, SupplyQuoteRequest, SupplyVendor } from '../../../vendors/supply-vendor.ts'
import type { Context } from '../../../context.ts'
import { TEXTS } from '../texts.ts'
import { isTotalConsistent } from './totals.ts'

export type Quoted =
  /** The supplier quotes nothing: the prices of its catalog are all it asks. */
  | { readonly kind: 'none' }
  | { readonly kind: 'quoted'; readonly quote: SupplyQuote }
  /** It would quote, but the basket cannot be bought as it is. */
  | { readonly kind: 'not_asked' }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** `request` is made only for a supplier that is asked. `problems` are those of the basket: a supplier is asked only about one that lacks nothing but a destination. */
export async function readQuote(
  { vendors }: Pick<Context, 'vendors'>,
  namespace: Namespace,
  supply: SupplyVendor,
  request: () => SupplyQuoteRequest,
  problems: readonly Message[],
): Promise<Quoted> {
  if (!supply.quote || !vendors.supports(namespace, 'quote')) return { kind: 'none' }
  if (problems.some(({ code }) => code !== 'missing')) return { kind: 'not_asked' }
  const answer = (await supply.quote?.(request())) ?? NO_QUOTE
  if (!answer.ok) return { kind: 'failed', failure: answer }
  const { subtotal, fulfillment, tax, fee, total } = answer.value.totals
  // Members in this order: they are part of the order hash.
  const totals = { subtotal, fulfillment, tax, fee, total }
  // Totals that do not add up say nothing about what would be charged.
  return isTotalConsistent(totals)
    ? { kind: 'quoted', quote: { ...answer.value, totals } }
    : { kind: 'failed', failure: { ok: false, reason: 'unknown', message: TEXTS.quoteInconsistent } }
}

const NO_QUOTE: Failure = { ok: false, reason: 'unsupported', message: TEXTS.noQuote }

/** A basket that the supplier refuses to quote cannot be bought from it. */
export const quoteProblems = (quoted: Quoted): readonly ErrorMessage[] =>
  quoted.kind === 'failed' && quoted.failure.reason === 'rejected'
    ? [error('supplier_rejected', quoted.failure.message, '$.line_items')]
    : []

/** What the caller should know about the totals. */
export function quoteWarnings(quoted: Quoted, totalFen: Fen, currency: CurrencyCode): readonly Message[] {
  const estimateWarning = (text: string): Message =>
    warning('price_estimated', text, '$.totals', { total: money(totalFen, currency) })
  switch (quoted.kind) {
    case 'none':
      return []
    case 'quoted':
      return [
        ...(quoted.quote.isFinal ? [] : [estimateWarning(TEXTS.totalEstimated)]),
        ...(quoted.quote.warnings ?? []).map((text) => warning('supplier_notice', text)),
      ]
    case 'not_asked':
      return [estimateWarning(TEXTS.totalNotQuoted)]
    case 'failed':
      return quoted.failure.reason === 'rejected' ? [] : [estimateWarning(TEXTS.quoteFailed(quoted.failure.message))]
  }
}
