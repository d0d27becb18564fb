/**
 * Places an order once. Memory is written first at every step and each step is a compare-and-set, so whatever ends in
 * between (a process, a connection, another instance), an order is sent at most once, and `absent` is only answered after
 * the attempt it is about can no longer send.
 */
import { createHash } from 'node:crypto'
import { MINUTE } from '../../../kernel/clock.ts'
import type { AdapterNeeds } from '../../adapter-module.ts'
import type { Result, SendPermit } from '../../contract.ts'
import type { SupplyPlacement, SupplyOrder } from '../../supply-vendor.ts'
import { orderAttempts } from '../../order-attempts.ts'
import { fail, failForCertain, succeed, failForPerson } from '../../result.ts'
import type { OrderProgress } from '../inbox/order-progress.ts'
import type { OrderMemory, OrderRecord, StoredRecord, X12Numbers } from '../order-record.ts'
import type { SendOutcome, Transport } from './transport.ts'
import type { OrderWriter } from '../documents/write-order.ts'

/** An attempt of another process that began this long ago has ended: every exchange has a shorter time limit. */
const ABANDONED_MS = 2 * MINUTE

interface Needs extends Pick<AdapterNeeds, 'clock' | 'notice'> {
  readonly orders: OrderMemory
  readonly transport: Transport
  readonly writer: OrderWriter
  /** Reads new replies. Whether all that may answer this order could be read; throws when the folder cannot be read. */
  readonly collectReplies: (order: OrderRecord) => Promise<boolean>
  /** What the replies that were read say about an order. */
  readonly loadProgress: (order: OrderRecord) => Promise<OrderProgress>
}

export const UNKNOWN = failForPerson(
  'It is not certain whether the supplier has the order; a person has to find out',
  'unknown',
)
/** We certainly sent nothing, so another order has this number, or somebody sent it by hand. */
export const ANSWERED_UNSENT = failForPerson(
  'The supplier answered an order that was not sent; a person has to find out what it has',
  'answered unsent',
)
export const contradictsUnsent = ({ used }: OrderProgress): boolean => used.some(({ kind }) => kind !== 'rejected')

const NO_REPLIES = fail('unsent', 'The folder with the replies of the supplier cannot be read', { raw: 'inbox' })
export const BEING_SENT = fail('unknown', 'The order is being sent', { raw: 'sending' })

export function orderPlacer(needs: Needs) {
  const { orders, transport, writer, clock, notice } = needs
  const attempts = orderAttempts<OrderRecord>(orders, clock, {
    begun: ['writing', 'sending'],
    placed: 'sent',
    endedAfterMs: ABANDONED_MS,
    settle: async (order) => (order.state === 'sending' ? transport.settle(order) : 'unsent'),
    afterSettled: async (order) => (order.state === 'writing' ? transport.discard?.(order) : undefined),
  })

  async function place(order: SupplyOrder, permit: SendPermit): Promise<Result<SupplyPlacement>> {
    const problem = writer.findProblem(order)
    if (problem !== undefined) return failForCertain(`The order cannot be sent: ${problem}`)
    if (order.totals.total > order.maxTotalFen)
      return failForCertain('The total of the order is above what may be spent')
    const taken = orders.reasonNotToSend(order.ref)
    if (taken !== undefined) return failForCertain(taken)
    const intent = await writeIntent(order)
    if ('ok' in intent) return intent
    return attempt(order, intent, permit)
  }

  const findPlacement = async (order: OrderRecord): Promise<Result<SupplyPlacement>> =>
    succeed({ externalRef: (await needs.loadProgress(order)).status.externalRef })

  /** The answer where an earlier attempt leaves no room for another; undefined: the order may be sent. */
  async function settleEarlier(
    { order: earlier }: StoredRecord,
    { isRecordedAsNotPlaced }: SupplyOrder,
  ): Promise<Result<SupplyPlacement> | undefined> {
    if (earlier.state === 'sent') return findPlacement(earlier)
    // A file that cannot be read may be the reply to this order.
    const isReadable = await needs.collectReplies(earlier).catch(() => false)
    if (!isReadable) return earlier.state === 'unknown' ? UNKNOWN : NO_REPLIES
    const progress = await needs.loadProgress(earlier)
    if (earlier.state === 'unknown' && progress.used.length > 0) return findPlacement(earlier)
    if (isRecordedAsNotPlaced) return undefined
    if (earlier.state === 'unknown') return UNKNOWN
    return contradictsUnsent(progress) ? ANSWERED_UNSENT : undefined
  }

  const assignNumbers = async (ref: string): Promise<X12Numbers | undefined> =>
    writer.needsNumbers ? orders.assignX12Numbers(ref, writer.needsShortNumber(ref)) : undefined

  /** The stored intent, or the answer where nothing is to be sent. */
  async function writeIntent(order: SupplyOrder): Promise<StoredRecord | Result<SupplyPlacement>> {
    const { ref } = order
    for (;;) {
      const earlier = await attempts.findEnded(ref, true)
      if (earlier === 'running') return BEING_SENT
      const answer = earlier && (await settleEarlier(earlier, order))
      if (answer) return answer
      const repliesBefore = earlier ? (await orders.replies(ref)).map(({ id }) => id) : []
      const now = clock.now()
      const numbers = earlier?.order.x12 ?? (await assignNumbers(ref))
      const document = writer.write(writer.toOrder(order, now), { numbers, includesSecrets: false })
      if (!document.ok) return failForCertain(`The order cannot be sent: ${document.problem}`)
      const stored = await orders.put(
        {
          state: 'writing',
          ref,
          attempt: (earlier?.order.attempt ?? 0) + 1,
          document: document.document,
          hash: createHash('sha256').update(document.document).digest('hex'),
          lines: writer.toOrder(order, now).lines,
          total: order.totals.total,
          startedAt: now,
          sender: attempts.sender,
          ...(repliesBefore.length > 0 && { repliesBefore }),
          ...(numbers && { x12: numbers }),
        },
        earlier?.version ?? 0,
      )
      if (stored) return stored
    }
  }

  async function attempt(
    order: SupplyOrder,
    intent: StoredRecord,
    permit: SendPermit,
  ): Promise<Result<SupplyPlacement>> {
    const { ref, attempt: number, startedAt, x12 } = intent.order
    const document = writer.toOrder(order, startedAt)
    const written = writer.write(document, { numbers: x12, includesSecrets: true })
    if (!written.ok) return failForCertain(`The order cannot be sent: ${written.problem}`)
    let stored = intent
    const begin = async (): Promise<boolean> => {
      try {
        const begun = await orders.put({ ...stored.order, state: 'sending' }, stored.version)
        if (begun) stored = begun
        return begun !== undefined
      } catch (error) {
        notice?.(`The order ${ref} is not sent, because that could not be stored: ${(error as Error).message}`)
        return false
      }
    }
    const outgoing = {
      order: document,
      attempt: number,
      fileName: `${ref}.${writer.extension}`,
      mediaType: writer.mediaType,
      document: written.document,
    }
    const outcome = await transport.send(outgoing, begin, permit)
    try {
      return await record(outcome, stored)
    } catch (error) {
      // What happened is known even if it cannot be stored; the next question about it looks for itself.
      notice?.(`The outcome of order ${ref} could not be stored: ${(error as Error).message}`)
      return outcome.kind === 'sent' ? succeed({ externalRef: ref }) : outcome.failure
    }
  }

  async function record(outcome: SendOutcome, { order, version }: StoredRecord): Promise<Result<SupplyPlacement>> {
    if (outcome.kind === 'sent') {
      await recordSent(order)
      return findPlacement(order)
    }
    const recorded = await orders.put({ ...order, state: outcome.kind }, version)
    if (recorded) return outcome.failure
    if (outcome.kind === 'unsent') {
      await recordUnsent(order)
      return outcome.failure
    }
    // Another instance has settled this attempt in between, and knows more.
    const latest = await orders.get(order.ref)
    if (latest?.order.state === 'sent') return findPlacement(latest.order)
    if (latest?.order.state === 'unsent' && latest.order.attempt === order.attempt)
      return fail('unsent', 'Another instance has stopped this attempt', { raw: 'stopped' })
    return outcome.failure
  }

  /** Over whatever another instance assumed: that it was sent is certain, and stops a later attempt before it sends. */
  async function recordSent(order: OrderRecord): Promise<void> {
    for (;;) {
      const latest = await orders.get(order.ref)
      if (latest?.order.state === 'sent') return
      if (await orders.put({ ...order, state: 'sent' }, latest?.version ?? 0)) return
    }
  }

  /** A record that was reported as failed may have been written all the same. Only this process knows that nothing was sent. */
  async function recordUnsent(order: OrderRecord): Promise<void> {
    const latest = await orders.get(order.ref)
    const isOurs = latest?.order.sender === attempts.sender && latest.order.attempt === order.attempt
    if (latest && isOurs && latest.order.state === 'sending')
      await orders.put({ ...order, state: 'unsent' }, latest.version)
  }

  return {
    place: (order: SupplyOrder, permit: SendPermit) => attempts.run(order.ref, () => place(order, permit)),
    findEnded: (ref: string) => attempts.findEnded(ref),
    /** A reply shows that an order whose outcome was unknown has arrived. */
    async confirm({ order, version }: StoredRecord): Promise<void> {
      await orders.put({ ...order, state: 'sent' }, version)
    },
    /** Maybe under a number of the supplier's own. */
    recordPlaced: (ref: string, externalRef: string) =>
      attempts.recordPlaced(ref, externalRef === ref ? {} : { externalRef }),
  }
}
