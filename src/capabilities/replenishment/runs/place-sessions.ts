/**
 * Placing with real suppliers: one checkout session per supply namespace. What is to be asked of whom is on disk first,
 * and each session's number follows from the run, so that a second try after a crash finds the sessions of the first
 * instead of opening more. Completing a session remains a separate, confirmed call.
 */
import type { CheckoutCreateRequest } from '../../../contract/checkout.ts'
import { namespaceOf } from '../../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../../kernel/ids.ts'
import { error } from '../../../kernel/message.ts'
import type { Message } from '../../../kernel/message.ts'
import { accept } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { createCheckout } from '../../checkout/index.ts'
import type { Context } from '../../context.ts'
import { isOrdered, checkLines } from './check-lines.ts'
import type { CheckedLine, CheckedLines } from './check-lines.ts'
import { clearPlacementIntent, countRunChange, readPlacementIntent, writePlacementIntent } from './records.ts'
import { orderedSince } from './run-history.ts'
import { linePath, MESSAGES_MAX } from './run.ts'
import type { Run, RunCheckout } from './run.ts'
import { RunChangedError, nothingLeft, markPlaced } from './mark-placed.ts'
import type { Placed, PlacingNeeds } from './mark-placed.ts'

interface Intent extends CheckedLines {
  readonly requests: readonly { readonly vendor: Namespace; readonly body: CheckoutCreateRequest & { id: string } }[]
}

export async function placeWithSuppliers(ctx: Context, run: Run, needs: PlacingNeeds): Promise<Outcome<Placed>> {
  const intent = (await readPlacementIntent<Intent>(ctx.store.db, run.id)) ?? (await intend(ctx, run, needs))
  if (intent.requests.length === 0) return nothingLeft(run, intent)

  const checkouts: RunCheckout[] = []
  const bought = new Map<SkuId, string>()
  for (const { vendor, body } of intent.requests) {
    const session = await createCheckout(ctx, body)
    if (session.ok) {
      checkouts.push({ id: body.id, vendor })
      for (const { skuId } of session.value.lines) bought.set(skuId, body.id)
    } else if (session.refusal.messages[0]?.code !== 'item_unavailable') return session
  }

  const { lines, messages } = withSessions(run, intent, bought)
  if (!lines.some(isOrdered)) {
    await clearPlacementIntent(ctx.store.db, run.id)
    return nothingLeft(run, { lines, messages })
  }
  const placed = { supplier: checkouts.map(({ vendor }) => vendor).join(', '), checkouts, lines, messages }
  return ctx.store.transaction(async (tx) => {
    await countRunChange(tx)
    return accept({ run: await markPlaced(ctx, tx, run, placed, needs.verdict), messages: [] })
  })
}

/** Written down by the first who comes; everyone else goes on with what stands there. */
async function intend(ctx: Context, run: Run, { sources, rules }: PlacingNeeds): Promise<Intent> {
  return ctx.store.transaction(async (tx) => {
    await countRunChange(tx)
    const locations = run.stops.map(({ location }) => location)
    const ordered = await orderedSince(tx, run.id, locations, run.createdAt)
    const judged = checkLines(run.lines, { sources, rules, ordered, mustResolve: true })
    const intent: Intent = { ...judged, requests: requestsFor(run, judged.lines, ctx.config.defaultDestination) }
    if (intent.requests.length === 0) return intent
    const written = await writePlacementIntent(tx, run.id, intent)
    if (!written) throw new RunChangedError()
    return written
  })
}

/** The same good for several slots is one line of the order. */
export function requestsFor(
  run: Run,
  lines: readonly CheckedLine[],
  destination: Context['config']['defaultDestination'],
): Intent['requests'] {
  const byVendor = new Map<Namespace, Map<SkuId, number>>()
  for (const [i, { source, removed }] of lines.entries()) {
    if (source === undefined || removed !== undefined) continue
    const vendor = namespaceOf(source)
    const units = byVendor.get(vendor) ?? new Map<SkuId, number>()
    byVendor.set(vendor, units.set(source, (units.get(source) ?? 0) + run.lines[i]!.quantity))
  }
  const method = { type: 'shipping' as const, ...(destination ? { destinations: [destination] } : {}) }
  return [...byVendor].map(([vendor, units]) => ({
    vendor,
    body: {
      id: `${run.id}-${vendor}`,
      line_items: [...units].map(([id, quantity]) => ({ item: { id }, quantity })),
      fulfillment: { methods: [method] },
    },
  }))
}

/** Lines whose good no session took up are not ordered, and say so. */
function withSessions(run: Run, intent: Intent, bought: ReadonlyMap<SkuId, string>) {
  const messages: Message[] = [...intent.messages]
  const lines = intent.lines.map((line, i) => {
    if (line.source === undefined || line.removed !== undefined) return line
    const checkout = bought.get(line.source)
    if (checkout !== undefined) return { ...line, checkout }
    messages.push(error('item_unavailable', `${line.source} is not for sale`, linePath(run.lines[i]!)))
    return { ...line, removed: 'item_unavailable' as const }
  })
  return { lines, messages: messages.slice(0, MESSAGES_MAX) }
}
