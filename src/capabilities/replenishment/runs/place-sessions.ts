/**
 * Places a run with real suppliers: one checkout session per supply namespace. The intent is stored first, and the id of
 * each session follows from the run, so that a retry after a crash finds the sessions of the first try instead of opening
 * more. Completing a session stays a separate, confirmed call.
 */
import type { CheckoutCreateRequest } from '../../../contract/checkout.ts'
import { namespaceOf } from '../../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../../kernel/ids.ts'
import type { Message } from '../../../kernel/message.ts'
import { accept } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { ConflictError } from '../../../lib/retry-on-conflict.ts'
import { createCheckout } from '../../checkout/index.ts'
import type { Context } from '../../context.ts'
import { isOrdered, checkLines } from './check-lines.ts'
import type { CheckedLine, CheckedLines } from './check-lines.ts'
import { neededItems, orderQuantities, unitsOf } from './order-quantities.ts'
import { clearPlacementIntent, incrementRunsVersion, readPlacementIntent, writePlacementIntent } from './records.ts'
import { slotsOrderedSince } from './history-records.ts'
import { MESSAGES_MAX } from './run.ts'
import type { Run, RunCheckout } from './run.ts'
import { markPlaced, nothingToPlace } from './mark-placed.ts'
import type { PlacedRun, PlacementInput } from './mark-placed.ts'
import { notForSale } from './texts.ts'

interface PlacementIntent extends CheckedLines {
  readonly requests: readonly { readonly vendor: Namespace; readonly body: CheckoutCreateRequest & { id: string } }[]
}

export async function placeWithSuppliers(ctx: Context, run: Run, input: PlacementInput): Promise<Outcome<PlacedRun>> {
  const intent =
    (await readPlacementIntent<PlacementIntent>(ctx.store.db, run.id)) ?? (await storeIntent(ctx, run, input))
  if (intent.requests.length === 0) return nothingToPlace(run, intent)

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
    return nothingToPlace(run, { lines, messages })
  }
  const placement = {
    supplier: checkouts.map(({ vendor }) => vendor).join(', '),
    checkouts,
    units: unitsOrdered(intent),
    lines,
    messages,
  }
  return ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    return accept({ run: await markPlaced(ctx, tx, run, placement, input), messages: [] })
  })
}

/** The first caller stores the intent; concurrent callers continue with the stored one. */
async function storeIntent(ctx: Context, run: Run, { sources, rules }: PlacementInput): Promise<PlacementIntent> {
  return ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    const locations = run.stops.map(({ location }) => location)
    const ordered = await slotsOrderedSince(tx, run.id, locations, run.createdAt)
    const checked = checkLines(run.lines, { sources, rules, ordered, needsSource: true })
    const requests = requestsFor(run, checked.lines, sources, ctx.config.defaultDestination)
    const intent: PlacementIntent = { ...checked, requests }
    if (intent.requests.length === 0) return intent
    const written = await writePlacementIntent(tx, run.id, intent)
    if (!written) throw new ConflictError()
    return written
  })
}

/** A product for several slots is one line of the order, in a quantity that its supplier sells. */
function requestsFor(
  run: Run,
  lines: readonly CheckedLine[],
  sources: PlacementInput['sources'],
  destination: Context['config']['defaultDestination'],
): PlacementIntent['requests'] {
  const ordered = lines.flatMap(({ source, removed }, i) =>
    source === undefined || removed !== undefined ? [] : [{ source, quantity: run.lines[i]!.quantity }],
  )
  const quantities = orderQuantities(neededItems(ordered), unitsOf(sources.values()))
  const byVendor = Map.groupBy(quantities, ({ source }) => namespaceOf(source))
  const method = { type: 'shipping' as const, ...(destination ? { destinations: [destination] } : {}) }
  return [...byVendor].map(([vendor, own]) => ({
    vendor,
    body: {
      id: `${run.id}-${vendor}`,
      line_items: own.map(({ source: id, unit, quantity }) => ({
        item: { id },
        quantity,
        ...(unit === 'BX' && { quantity_unit: { unit } }),
      })),
      fulfillment: { methods: [method] },
    },
  }))
}

/** As the stored intent says: the catalog may have changed since. */
const unitsOrdered = ({ requests }: PlacementIntent) =>
  new Map(
    requests.flatMap(({ body }) =>
      body.line_items.map(
        ({ item, quantity_unit }) => [item.id as SkuId, { unit: quantity_unit?.unit ?? 'EA' }] as const,
      ),
    ),
  )

/** Lines whose product no session could buy are removed, with a message. */
function withSessions(run: Run, intent: PlacementIntent, bought: ReadonlyMap<SkuId, string>) {
  const messages: Message[] = [...intent.messages]
  const lines = intent.lines.map((line, i) => {
    if (line.source === undefined || line.removed !== undefined) return line
    const checkout = bought.get(line.source)
    if (checkout !== undefined) return { ...line, checkout }
    messages.push(notForSale(run.lines[i]!, line.source))
    return { ...line, removed: 'item_unavailable' as const }
  })
  return { lines, messages: messages.slice(0, MESSAGES_MAX) }
}
