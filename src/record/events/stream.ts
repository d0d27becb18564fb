/**
 * Follows the event table and delivers new events to every subscriber in this process. A notification, or a timer
 * without one, only triggers reading: all instances deliver what is in the table. Without a subscriber nothing is read.
 */
import { SECOND } from '../../kernel/clock.ts'
import { yieldToEventLoop, SingleFlight } from '../../lib/concurrency.ts'
import type { Context } from '../../context.ts'
import type { StoredEvent } from './event.ts'
import { EVENTS_CHANNEL, listEventsAfter, readLastSeq } from './records.ts'

const POLL_MS = 2 * SECOND
/** Notifications within this time trigger one read. */
const DEBOUNCE_MS = 10
/** Events delivered before others get a turn of the event loop, so that sockets can drain. */
const BATCH_SIZE = 50
/**
 * On PostgreSQL a transaction can take a number, wait, and commit after a later number was delivered. So each read goes
 * back over the last numbers; those delivered before are remembered and skipped.
 */
const OVERLAP = 1000

export type Subscriber = (event: StoredEvent) => void

export interface EventStream {
  subscribe(subscriber: Subscriber): () => void
  /** Resolves when everything that is committed from now on will be delivered to a subscriber. */
  start(): Promise<void>
  /** Reads now and returns when everything committed so far is delivered. */
  catchUp(): Promise<void>
  close(): Promise<void>
}

export function eventStream({ store, log }: Pick<Context, 'store' | 'log'>): EventStream {
  const subscribers = new Set<Subscriber>()
  const overlap = store.kind === 'postgres' ? OVERLAP : 0
  let delivered = new Set<number>()
  let position: number | undefined
  const reads = new SingleFlight<'events', void>()
  let closed = false
  let pollTimer: NodeJS.Timeout | undefined
  let debounceTimer: NodeJS.Timeout | undefined
  let unlisten: (() => void) | undefined

  async function findPosition(): Promise<void> {
    if (position !== undefined) return
    position = await readLastSeq(store.db)
    for (const event of await listEventsAfter(store.db, position - overlap, overlap)) delivered.add(event.seq)
  }

  async function read(): Promise<void> {
    if (subscribers.size === 0) {
      // The next subscriber starts with what is new then.
      position = undefined
      delivered = new Set()
      return
    }
    await findPosition()
    let from = (position ?? 0) - overlap
    while (!closed) {
      const batch = await listEventsAfter(store.db, from, BATCH_SIZE)
      for (const event of batch) {
        if (event.seq <= (position ?? 0) && (overlap === 0 || delivered.has(event.seq))) continue
        position = Math.max(position ?? 0, event.seq)
        if (overlap > 0) delivered.add(event.seq)
        for (const deliver of subscribers) deliver(event)
      }
      if (batch.length < BATCH_SIZE) break
      from = batch.at(-1)?.seq ?? from
      await yieldToEventLoop()
    }
    if (delivered.size > 4 * OVERLAP)
      delivered = new Set([...delivered].filter((seq) => seq > (position ?? 0) - overlap))
  }

  const catchUp = (): Promise<void> =>
    reads.runNext('events', async () => {
      try {
        if (!closed) await read()
      } catch (err) {
        log.warn({ err }, 'the event stream could not read the database; it tries again in 2 s')
      }
    })

  const poll = () => {
    pollTimer = setTimeout(() => {
      void catchUp()
      if (!closed) poll()
    }, POLL_MS)
    pollTimer.unref()
  }

  return {
    subscribe(subscriber) {
      subscribers.add(subscriber)
      if (!unlisten) {
        unlisten = store.listen(EVENTS_CHANNEL, () => {
          debounceTimer ??= setTimeout(() => {
            debounceTimer = undefined
            void catchUp()
          }, DEBOUNCE_MS)
        })
        poll()
        void catchUp()
      }
      return () => void subscribers.delete(subscriber)
    },
    async start() {
      await catchUp()
      if (position === undefined) throw new Error('The event stream could not read the database')
    },
    catchUp,
    async close() {
      closed = true
      clearTimeout(pollTimer)
      clearTimeout(debounceTimer)
      unlisten?.()
      await reads.running('events')
    },
  }
}
