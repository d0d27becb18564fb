/**
 * Buys an order once. A session is prepared at the merchant, which buys nothing; what is about to be bought is stored; then
 * one request buys it. Whatever ends in between, that request is never sent for a second session while the first one can
 * still be bought: an earlier session is canceled, and seen to be, before another is opened.
 */
import { createHash } from 'node:crypto'
import { formatAmount } from '../../kernel/currency.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import type { Failure, Result, SendPermit } from '../contract.ts'
import type { SupplyPlacement, SupplyOrder } from '../supply-vendor.ts'
import { orderAttempts } from '../order-attempts.ts'
import { failDenied, fail, failForCertain, succeed } from '../result.ts'
import type { MerchantCatalog } from './catalog.ts'
import { type Merchant, failBeforeBuying } from './merchant.ts'
import { type MerchantSession, readSession } from './merchant-session.ts'
import type { OrderMemory, OrderRecord, StoredRecord } from './order-record.ts'
import {
  BEING_PLACED,
  IN_PROGRESS,
  NO_NUMBER,
  failNotClosed,
  outcomeOf,
  toPlacement,
  SESSION_GONE,
  STOPPED,
} from './placement-outcome.ts'
import { prepareSession } from './prepare-session.ts'
import { failureOfErrors, isNotFound } from './refusals.ts'
import { type WantedLine, type WantedSession, completeBody, destinationOf } from './session-request.ts'
import type { UcpSettings } from './settings.ts'

/** The name space of URLs (RFC 9562, section 6.6). */
const URL_SPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')

export interface KeyedStep {
  readonly namespace: string
  readonly ref: string
  readonly attempt: number
  /** `create`, `update`, `update-2`, `complete` or `cancel`. */
  readonly step: string
}

export const idempotencyKey = ({ namespace, ref, attempt, step }: KeyedStep): string =>
  uuidV5(['urn:vendops', namespace, ref, attempt, step].map((part) => encodeURIComponent(part)).join('/'))

export function uuidV5(name: string): string {
  const hash = createHash('sha1').update(URL_SPACE).update(name).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/** Preparing takes no longer than this many time-outs; then the request that buys is not sent any more. */
const PREPARING_TIMEOUTS = 3
/** An attempt of another process that began this many time-outs ago has ended. */
const ABANDONED_TIMEOUTS = PREPARING_TIMEOUTS + 1

export type OrderPlacer = ReturnType<typeof orderPlacer>

interface Needs extends Pick<AdapterNeeds, 'clock' | 'notice' | 'timeoutMs' | 'connection'> {
  readonly merchant: Merchant
  readonly catalog: MerchantCatalog
  readonly orders: OrderMemory
  readonly settings: Pick<UcpSettings, 'mode' | 'instrument' | 'handler' | 'delivery' | 'delivers_to_account'>
}

export function orderPlacer(needs: Needs) {
  const { merchant, orders, settings, clock, notice, timeoutMs, connection } = needs
  const attempts = orderAttempts<OrderRecord>(orders, clock, {
    begun: ['preparing'],
    placed: 'placed',
    endedAfterMs: ABANDONED_TIMEOUTS * timeoutMs,
    settle: async () => 'closed',
  })
  const discarding = new Set<Promise<unknown>>()

  const keyOf = ({ ref, attempt }: Pick<OrderRecord, 'ref' | 'attempt'>, step: string): string =>
    idempotencyKey({ namespace: connection.namespace, ref, attempt, step })

  const getSession = (id: string): Promise<Result<MerchantSession>> =>
    merchant.call({ operation: 'get', id }, (payload) => succeed(sessionOf(payload, id)))

  const cancelSession = (id: string, key: string): Promise<Result<MerchantSession>> =>
    merchant.call({ operation: 'cancel', id, key }, (payload) => succeed(sessionOf(payload, id)))

  /** Best effort, after everything else: sessions that nobody needs any more. */
  function discard(sessionId: string, key: string): void {
    const canceling = cancelSession(sessionId, key).catch(() => {})
    discarding.add(canceling)
    void canceling.then(() => discarding.delete(canceling))
  }

  async function place(order: SupplyOrder, permit: SendPermit): Promise<Result<SupplyPlacement>> {
    const startedAt = clock.elapsed()
    const problem = findProblem(order) ?? orders.reasonNotToSend(order.ref)
    if (problem !== undefined) return failForCertain(problem)
    const earlier = await findEarlierAttempt(order)
    if ('ok' in earlier) return earlier
    const lines = await needs.catalog.toLines(order.lines)
    if (!lines.ok) return failBeforeBuying(lines)
    const destination = destinationOf(order.fulfillment, order.destination)
    const wanted = { lines: lines.value, currency: order.currency, ...(destination && { destination }) }
    const intent = await writeIntent(order, lines.value, earlier.stored)
    return intent ? attempt(order, wanted, intent, permit, startedAt) : BEING_PLACED
  }

  function findProblem({ fulfillment, currency, totals, maxTotalFen }: SupplyOrder): string | undefined {
    if (fulfillment.method === 'pickup') return 'Orders at this merchant cannot be picked up'
    if (currency !== connection.currency) return `The prices of the merchant are in ${connection.currency}`
    if (totals.total > maxTotalFen) return 'The total of the order is above what may be spent'
    return undefined
  }

  /** The order of an earlier attempt, or why there must not be another one, or that the way is free. */
  async function findEarlierAttempt({
    ref,
    isRecordedAsNotPlaced,
  }: SupplyOrder): Promise<Result<SupplyPlacement> | { readonly stored: StoredRecord | undefined }> {
    for (;;) {
      const stored = await attempts.findEnded(ref, true)
      if (stored === 'running') return BEING_PLACED
      if (!stored || stored.order.state === 'closed') return { stored }
      const { order, version } = stored
      if (order.state === 'placed') return toPlacement(order)
      const closing = await closeSession(stored, isRecordedAsNotPlaced)
      if (closing) return closing
      const closed = await orders.put({ ...order, state: 'closed' }, version)
      if (closed) return { stored: closed }
    }
  }

  /** Undefined once the session of an earlier attempt can no longer be bought. */
  async function closeSession(
    stored: StoredRecord,
    isRecordedAsNotPlaced: true | undefined,
  ): Promise<Result<SupplyPlacement> | undefined> {
    const { order } = stored
    const { sessionId = '' } = order
    const found = await getSession(sessionId)
    const state = found.ok ? found : isNotFound(found) ? 'gone' : found
    if (state === 'gone') return isRecordedAsNotPlaced ? undefined : SESSION_GONE
    if (!state.ok) return failNotClosed(state)
    if (state.value.status === 'completed') return recordPlaced(stored, state.value)
    if (state.value.status === 'canceled') return undefined
    if (state.value.status === 'complete_in_progress') return IN_PROGRESS
    const canceled = await cancelSession(sessionId, keyOf(order, 'cancel'))
    const after = canceled.ok && canceled.value.status === 'canceled' ? canceled : await getSession(sessionId)
    if (after.ok && after.value.status === 'canceled') return undefined
    if (after.ok && after.value.status === 'completed') return recordPlaced(stored, after.value)
    if (!isRecordedAsNotPlaced) return failNotClosed(after)
    notice?.(`The session ${sessionId} of order ${order.ref} cannot be canceled; a person said that nothing was bought`)
    return undefined
  }

  /** Undefined: another instance came first. */
  async function writeIntent(
    order: SupplyOrder,
    lines: readonly WantedLine[],
    earlier: StoredRecord | undefined,
  ): Promise<StoredRecord | undefined> {
    const record: OrderRecord = {
      state: 'preparing',
      ref: order.ref,
      attempt: (earlier?.order.attempt ?? 0) + 1,
      sender: attempts.sender,
      startedAt: clock.now(),
      lines: order.lines.map(({ vendorSku, quantity }, i) => ({
        vendorSku,
        quantity,
        itemId: lines[i]?.itemId ?? '',
        ...(lines[i]?.unit && { unit: lines[i].unit.unit }),
      })),
    }
    return orders.put(record, earlier?.version ?? 0)
  }

  async function attempt(
    order: SupplyOrder,
    wanted: WantedSession,
    intent: StoredRecord,
    permit: SendPermit,
    startedAt: number,
  ): Promise<Result<SupplyPlacement>> {
    let sessionId: string | undefined
    const prepared = await prepareSession(
      {
        merchant,
        delivery: settings.delivery,
        deliversToAccount: settings.delivers_to_account ?? false,
        key: (step) => keyOf(intent.order, step),
        opened: (id) => void (sessionId = id),
      },
      wanted,
    )
    const giveUp = async (failure: Failure): Promise<Failure> => {
      await orders.put({ ...intent.order, state: 'closed' }, intent.version)
      if (sessionId !== undefined) discard(sessionId, keyOf(intent.order, 'cancel'))
      return failure
    }
    if (!prepared.ok) return giveUp(prepared)
    const session = prepared.value
    const total = session.totals?.total ?? Infinity
    const amount = (minor: number) => formatAmount(minor, connection.currency)
    if (total > order.maxTotalFen)
      return giveUp(
        failForCertain(
          `The merchant asks ${amount(total)} with tax and delivery, and no more than ${amount(order.maxTotalFen)} was agreed`,
        ),
      )
    if (clock.elapsed() - startedAt > PREPARING_TIMEOUTS * timeoutMs)
      return giveUp(fail('unsent', 'Preparing the order at the merchant took too long', { raw: 'too late' }))
    if (settings.mode === 'handoff' || !mayBeCompleted(session)) return handOff(session, intent, permit, giveUp)
    return buy(session, intent, permit, giveUp)
  }

  /** The session is prepared, and a person buys it on the page of the merchant. */
  async function handOff(
    session: MerchantSession,
    intent: StoredRecord,
    permit: SendPermit,
    giveUp: (failure: Failure) => Promise<Failure>,
  ): Promise<Result<SupplyPlacement>> {
    const { continueUrl, id, errors } = session
    if (continueUrl === undefined)
      return giveUp(
        errors.length > 0
          ? { ...failureOfErrors(errors), documented: true }
          : failForCertain(
              'The merchant requires further steps for this order but gives no page where a person could complete them',
            ),
      )
    // Nothing is sent, but after an emergency stop nobody is asked to pay either.
    const denial = await permit(() => {})
    if (denial) return giveUp(failDenied(denial))
    const handed = await orders.put({ ...intent.order, state: 'handed_off', sessionId: id }, intent.version)
    if (!handed) return STOPPED
    return succeed({ externalRef: id, handoff: continueUrl })
  }

  async function buy(
    session: MerchantSession,
    intent: StoredRecord,
    permit: SendPermit,
    giveUp: (failure: Failure) => Promise<Failure>,
  ): Promise<Result<SupplyPlacement>> {
    const profile = await merchant.profile()
    if (!profile.ok) return giveUp(failBeforeBuying(profile))
    const stored = await orders.put(
      { ...intent.order, state: 'completing', sessionId: session.id, startedAt: clock.now() },
      intent.version,
    )
    // Another instance has concluded that this attempt ended.
    if (!stored) return STOPPED
    const bought = await merchant.call(
      {
        operation: 'complete',
        id: session.id,
        body: completeBody(settings, profile.value),
        key: keyOf(intent.order, 'complete'),
        permit,
      },
      (payload) => succeed(sessionOf(payload, session.id)),
    )
    try {
      return await record(bought, stored)
    } catch (error) {
      // What happened is known even if it cannot be stored; the next question about it asks the merchant.
      notice?.(`The outcome of order ${intent.order.ref} could not be stored: ${(error as Error).message}`)
      return outcomeOf(bought)
    }
  }

  async function record(bought: Result<MerchantSession>, stored: StoredRecord): Promise<Result<SupplyPlacement>> {
    const outcome = outcomeOf(bought)
    const { order, version } = stored
    if (bought.ok && bought.value.status === 'completed') return recordPlaced(stored, bought.value)
    if (outcome.ok) await orders.put({ ...order, state: 'handed_off' }, version)
    else if (outcome.reason === 'unsent') {
      await orders.put({ ...order, state: 'closed' }, version)
      discard(order.sessionId ?? '', keyOf(order, 'cancel'))
    } else if (outcome.documented && (outcome.reason === 'rejected' || outcome.reason === 'unauthorized'))
      await orders.put({ ...order, state: 'refused' }, version)
    return outcome
  }

  async function recordPlaced({ order }: StoredRecord, session: MerchantSession): Promise<Result<SupplyPlacement>> {
    const { orderId, totals } = session
    if (orderId === undefined) return NO_NUMBER
    const placed: OrderRecord = { ...order, state: 'placed', orderId, ...(totals && { totalFen: totals.total }) }
    for (;;) {
      const latest = await orders.get(order.ref)
      if (latest?.order.state === 'placed' || (latest && latest.order.attempt > order.attempt)) break
      if (await orders.put(placed, latest?.version ?? 0)) break
    }
    return toPlacement(placed)
  }

  return {
    place: (order: SupplyOrder, permit: SendPermit) =>
      attempts.run(order.ref, () =>
        place(order, permit).catch((error: Error) => {
          // Only what comes before the request that buys throws, such as a database that is away.
          notice?.(`Order ${order.ref} is not sent: ${error.message}`)
          return fail('unsent', 'The order could not be stored before it is sent', {
            raw: error.message.slice(0, 200),
          })
        }),
      ),
    findEnded: (ref: string) => attempts.findEnded(ref),
    recordPlaced: (ref: string, orderId: string) => attempts.recordPlaced(ref, { orderId }),
    getSession,
    discard,
    async close(): Promise<void> {
      await Promise.allSettled(discarding)
    },
  }
}

/**
 * Some merchants never say `ready_for_complete`. A session in which nothing is said to be missing may be completed: it has
 * our lines, destination and total by now, and a merchant that needs more refuses.
 */
const mayBeCompleted = ({ status, errors, totals }: MerchantSession): boolean =>
  errors.length === 0 && (status === 'ready_for_complete' || (status === 'incomplete' && totals !== undefined))

/** A reply about another session says nothing about ours. */
function sessionOf(payload: Parameters<typeof readSession>[0], id: string): MerchantSession {
  const session = readSession(payload)
  if (session.id !== id) throw new Error('the reply is about another session')
  return session
}
