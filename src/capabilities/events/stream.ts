/**
 * Tails the event table and tells every subscriber in this process. A hint on the channel, or a slow beat without one,
 * is only the reason to look; what is told comes from the table, so all instances tell the same.
 */
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../../kernel/clock.ts'
import type { Context } from '../context.ts'
import type { StoredEvent } from './event.ts'
import { EVENTS_CHANNEL, eventsAfter, lastSeq } from './records.ts'

const BEAT_MS = 2 * SECOND
/** Hints that come closer together than anybody notices are one reason to look. */
const HINTS_MS = 10
/** Told between two turns of the event loop: sockets drain before the next bite. */
const BITE = 50
/**
 * On PostgreSQL a transaction can take a number, wait, and commit after a later number is already told. So each look
 * goes back over the last numbers; those told before are remembered and not told twice.
 */
const OVERLAP = 1000

export type Subscriber = (event: StoredEvent) => void

export interface EventStream {
  subscribe(hear: Subscriber): () => void
  /** Looks now and returns when everything committed so far is told. */
  catchUp(): Promise<void>
  close(): Promise<void>
}

export function eventStream({ store, log }: Pick<Context, 'store' | 'log'>): EventStream {
  const subscribers = new Set<Subscriber>()
  const overlap = store.kind === 'postgres' ? OVERLAP : 0
  let told = new Set<number>()
  let position: number | undefined
  let looking: Promise<void> | undefined
  let again = false
  let closed = false
  let beat: NodeJS.Timeout | undefined
  let hinted: NodeJS.Timeout | undefined
  let unlisten: (() => void) | undefined

  async function start(): Promise<void> {
    if (position !== undefined) return
    position = await lastSeq(store.db)
    for (const event of await eventsAfter(store.db, position - overlap, overlap)) told.add(event.seq)
  }

  async function look(): Promise<void> {
    await start()
    let from = (position ?? 0) - overlap
    while (!closed) {
      const bite = await eventsAfter(store.db, from, BITE)
      for (const event of bite) {
        if (event.seq <= (position ?? 0) && (overlap === 0 || told.has(event.seq))) continue
        position = Math.max(position ?? 0, event.seq)
        if (overlap > 0) told.add(event.seq)
        for (const hear of subscribers) hear(event)
      }
      if (bite.length < BITE) break
      from = bite.at(-1)?.seq ?? from
      await turn()
    }
    if (told.size > 4 * OVERLAP) told = new Set([...told].filter((seq) => seq > (position ?? 0) - overlap))
  }

  /** One look at a time; a hint during a look makes one more. */
  async function catchUp(): Promise<void> {
    again = true
    looking ??= (async () => {
      try {
        while (again && !closed) {
          again = false
          await look()
        }
      } catch (err) {
        log.warn({ err }, 'the event stream could not read; it tries again at the next beat')
      } finally {
        looking = undefined
      }
    })()
    await looking
  }

  const keepBeat = () => {
    beat = setTimeout(() => {
      void catchUp()
      if (!closed) keepBeat()
    }, BEAT_MS)
    beat.unref()
  }

  return {
    subscribe(hear) {
      if (!unlisten) {
        unlisten = store.listen(EVENTS_CHANNEL, () => {
          hinted ??= setTimeout(() => {
            hinted = undefined
            void catchUp()
          }, HINTS_MS)
        })
        keepBeat()
        void catchUp()
      }
      subscribers.add(hear)
      return () => void subscribers.delete(hear)
    },
    catchUp,
    async close() {
      closed = true
      clearTimeout(beat)
      clearTimeout(hinted)
      unlisten?.()
      while (looking) await Promise.race([looking, sleep(SECOND)])
    },
  }
}
