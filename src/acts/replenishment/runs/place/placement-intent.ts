/**
 * What a placement with real suppliers is about to open, stored before any supplier is asked. A retry goes on with it, and
 * while it is stored no other run orders for its slots. A session is opened only while the intent that names it is stored,
 * under the purchase order number that the intent has for it.
 */
import type { CheckoutCreateRequest } from '../../../../contract/shapes/checkout.ts'
import { type Namespace, type SkuId, namespaceOf } from '../../../../kernel/ids.ts'
import { RefusedError } from '../../../../kernel/outcome.ts'
import { ConflictError } from '../../../../lib/concurrency.ts'
import type { Queryable, Tx } from '../../../../store/store.ts'
import { type Session, closeSession, findSessions, isOpen, isOverdue, reserveNumber } from '../../../checkout/index.ts'
import type { Context, WriteContext } from '../../../../context.ts'
import { type CheckedLine, checkLines, mayBeOrdered } from './check-lines.ts'
import { findSlotsOrderedSince } from '../slot-run-records.ts'
import type { PlacementInput } from './mark-placed.ts'
import { neededUnits, orderQuantities, orderUnitsOf } from '../create/order-quantities.ts'
import { setReservations } from '../../../../route/storeroom/index.ts'
import { requireSameStoreroom } from '../../storeroom/reserve.ts'
import {
  type PlacementIntent,
  hasPlacementIntent,
  readPlacementIntent,
  replacePlacementIntent,
  writePlacementIntent,
} from './intent-records.ts'
import { incrementRunsVersion } from '../records.ts'
import { type Run, unitsToBuy, reservedUnits } from '../run.ts'
import { refuseUnreadCatalog } from '../texts.ts'

type Deps = WriteContext
type NumberDeps = Deps & Pick<Context, 'config' | 'sentNumbers' | 'log'>

const findIntentSessions = (db: Queryable, { requests }: PlacementIntent): Promise<Session[]> =>
  findSessions(
    db,
    requests.map(({ body }) => body.id),
  )

/** Nothing was sent, and nothing can be any more. */
export const hasEndedUnsent = (session: Session, now: number): boolean =>
  !session.orderMayExist && (session.status === 'canceled' || isOverdue(session, now))

/** What a placement that was interrupted has left: an intent with sessions, or one without any. */
export type Interruption = 'none' | 'unopened' | 'opened'

/** None, too, when all sessions have ended unsent, so that placing starts again. */
export async function findInterruption(ctx: Deps, run: string): Promise<Interruption> {
  const intent = await readPlacementIntent(ctx.store.db, run)
  if (!intent) return 'none'
  const sessions = await findIntentSessions(ctx.store.db, intent)
  if (sessions.length === 0) return 'unopened'
  return sessions.some((session) => !hasEndedUnsent(session, ctx.clock.now())) ? 'opened' : 'none'
}

/** The stored intent, where sessions that ended unsent, such as after a day, are replaced by new ones. */
export async function continueIntent(ctx: NumberDeps, run: string): Promise<PlacementIntent | undefined> {
  const intent = await readPlacementIntent(ctx.store.db, run)
  if (!intent) return undefined
  const now = ctx.clock.now()
  if (!(await findIntentSessions(ctx.store.db, intent)).some((session) => hasEndedUnsent(session, now))) return intent
  return ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    const sessions = await findIntentSessions(tx, intent)
    const ended = new Set<string>()
    for (const session of sessions)
      if (hasEndedUnsent(session, now)) {
        if (session.status !== 'canceled') await closeSession(ctx, tx, session, 'expired')
        ended.add(session.id)
      }
    const next = ended.size === sessions.length ? null : { ...intent, requests: await renew(ctx, tx, intent, ended) }
    if (!(await replacePlacementIntent(tx, run, intent, next))) throw new ConflictError()
    if (next === null) await setReservations(tx, run, new Map())
    return next ?? undefined
  })
}

const renew = (ctx: NumberDeps, tx: Tx, { requests }: PlacementIntent, ended: ReadonlySet<string>) =>
  mapInOrder(requests, async ({ vendor, body }) => ({
    vendor,
    body: ended.has(body.id) ? { ...body, id: await reserveNumber(ctx, tx) } : body,
  }))

/** A transaction runs one statement at a time. */
async function mapInOrder<A, B>(list: readonly A[], change: (each: A) => Promise<B>): Promise<B[]> {
  const changed: B[] = []
  for (const each of list) changed.push(await change(each))
  return changed
}

/** The first caller stores the intent; concurrent callers continue with the stored one. */
export async function storeIntent(ctx: Context, run: Run, input: PlacementInput): Promise<PlacementIntent> {
  const { sources, rules, verdict } = input
  return ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    await requireSameStoreroom(ctx, tx, run)
    const locations = run.stops.map(({ location }) => location)
    const ordered = await findSlotsOrderedSince(tx, run.id, locations, run.createdAt)
    const checked = checkLines(run.lines, { sources, rules, ordered, needsSource: true })
    const unread = unreadSupplier(run, checked.lines, sources)
    if (unread !== undefined) throw new RefusedError(refuseUnreadCatalog(unread).refusal)
    const requests = await mapInOrder(
      requestsFor(run, checked.lines, sources, ctx.config.defaultDestination),
      async ({ vendor, body }) => ({ vendor, body: { id: await reserveNumber(ctx, tx), ...body } }),
    )
    const intent: PlacementIntent = { ...checked, requests, verdict }
    if (intent.requests.length === 0) return intent
    const written = await writePlacementIntent(tx, run.id, intent)
    if (!written) throw new ConflictError()
    await setReservations(tx, run.id, reservedUnits(written.lines))
    return written
  })
}

/** A supplier whose catalog could not be read: in which quantities it sells is unknown. A product that was read has a title. */
export function unreadSupplier(
  run: Run,
  lines: readonly CheckedLine[],
  sources: PlacementInput['sources'],
): Namespace | undefined {
  const unread = lines.find(
    (line, i) =>
      mayBeOrdered(line) &&
      line.source !== undefined &&
      unitsToBuy({ ...run.lines[i]!, ...line }) > 0 &&
      sources.get(run.lines[i]!.skuId)?.title === undefined,
  )
  return unread?.source && namespaceOf(unread.source)
}

/** A product for several slots is one line of the order, in a quantity that its supplier sells. */
export function requestsFor(
  run: Pick<Run, 'lines'>,
  lines: readonly CheckedLine[],
  sources: PlacementInput['sources'],
  destination: Context['config']['defaultDestination'],
): readonly { readonly vendor: Namespace; readonly body: CheckoutCreateRequest }[] {
  const ordered = lines.flatMap((line, i) => (mayBeOrdered(line) ? [{ ...run.lines[i]!, ...line }] : []))
  const quantities = orderQuantities(neededUnits(ordered), orderUnitsOf(sources.values()))
  const byVendor = Map.groupBy(quantities, ({ source }) => namespaceOf(source))
  const method = { type: 'shipping' as const, ...(destination ? { destinations: [destination] } : {}) }
  return [...byVendor].map(([vendor, own]) => ({
    vendor,
    body: {
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
export const unitsOrdered = ({ requests }: PlacementIntent) =>
  new Map(
    requests.flatMap(({ body }) =>
      body.line_items.map(
        ({ item, quantity_unit }) => [item.id as SkuId, { unit: quantity_unit?.unit ?? 'EA' }] as const,
      ),
    ),
  )

/** In the transaction that opens a session of the intent, or that marks its run as placed. */
export async function isStillStored(tx: Tx, run: string, intent: PlacementIntent): Promise<boolean> {
  await incrementRunsVersion(tx)
  return hasPlacementIntent(tx, run, intent)
}

/** What the caller has found under the numbers of an intent. */
interface FoundSessions {
  readonly own: readonly string[]
  /** Opened by somebody else, under a number of the intent. */
  readonly taken: readonly string[]
}

/**
 * None of it can be ordered: the next placement stores a new intent. Its sessions that are open are closed, because no run
 * would own them any more.
 */
export const deleteIntent = (
  ctx: Deps,
  run: string,
  intent: PlacementIntent,
  { own, taken }: FoundSessions = { own: [], taken: [] },
): Promise<void> =>
  ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    const sessions = (await findIntentSessions(tx, intent)).filter(({ id }) => !taken.includes(id))
    // Another caller opened one meanwhile.
    if (sessions.some(({ id }) => !own.includes(id))) throw new ConflictError()
    for (const session of sessions)
      if (isOpen(session) && !session.orderMayExist) await closeSession(ctx, tx, session, 'canceled')
    if (!(await replacePlacementIntent(tx, run, intent, null))) throw new ConflictError()
    await setReservations(tx, run, new Map())
  })

/**
 * Gives up an interrupted placement: closes the sessions that it opened. False, and nothing is changed, when an order may
 * have been sent. Call `incrementRunsVersion` first.
 */
export async function giveUpIntent(ctx: Deps, tx: Tx, run: string): Promise<boolean> {
  const intent = await readPlacementIntent(tx, run)
  if (!intent) return true
  const sessions = (await findIntentSessions(tx, intent)).filter(
    (session) => session.orderMayExist || session.status !== 'canceled',
  )
  if (sessions.some((session) => session.orderMayExist || !isOpen(session))) return false
  for (const session of sessions) await closeSession(ctx, tx, session, 'canceled')
  if (!(await replacePlacementIntent(tx, run, intent, null))) throw new ConflictError()
  await setReservations(tx, run, new Map())
  return true
}
