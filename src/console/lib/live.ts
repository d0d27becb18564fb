/** The live event stream, shared by all pages: the feed, and who wants to know when something of a kind happens. */
import { batch, signal } from '@preact/signals'
import type { Event } from '../../contract/event.ts'
import type { EventSubscription, StreamState } from '../../client/index.ts'
import { client, end, reachable } from './api.ts'
import { learnZone } from './format.ts'
import { noteChange } from './freshness.ts'

const FEED_MAX = 200

/** Newest first. */
export const feed = signal<readonly Event[]>([])
export const stream = signal<StreamState['state']>('connecting')
/** Ids of events that came while we were looking, for a short highlight. */
export const arrived = new Set<string>()

type Hearer = { readonly kinds: readonly string[]; readonly hear: () => void }
const hearers = new Set<Hearer>()

let subscription: EventSubscription | undefined
/** Whether the line was down; what was missed may be more than the history tells, so everything is asked for anew. */
let wasDown = false

export function onEvents(kinds: readonly string[], hear: () => void): () => void {
  const hearer = { kinds, hear }
  hearers.add(hearer)
  return () => void hearers.delete(hearer)
}

function tell(kind: string | undefined): void {
  noteChange()
  for (const { kinds, hear } of hearers) if (kind === undefined || kinds.includes(kind)) hear()
}

export function startLive(): void {
  if (subscription) return
  subscription = client.events({
    onEvent(event, origin) {
      learnZone(event.occurred_at)
      if (origin !== 'history') arrived.add(event.id)
      feed.value = [event, ...feed.value.filter(({ id }) => id !== event.id)].slice(0, FEED_MAX)
      if (origin !== 'history') tell(event.kind)
    },
    onState({ state }) {
      batch(() => {
        stream.value = state
        if (state === 'live') reachable.value = true
        if (state === 'refused') end()
      })
      if (state === 'waiting') wasDown = true
      if (state === 'live' && wasDown) {
        wasDown = false
        tell(undefined)
      }
      if (state === 'refused' || state === 'closed') subscription = undefined
    },
  })
}

export function stopLive(): void {
  subscription?.close()
  subscription = undefined
  feed.value = []
}

/** A phone that wakes up, or a network that comes back, should not wait for the next try. */
function wake(): void {
  if (document.visibilityState === 'visible' && stream.value === 'waiting') subscription?.reconnect()
}
addEventListener('online', () => {
  reachable.value = true
  subscription?.reconnect()
  tell(undefined)
})
document.addEventListener('visibilitychange', wake)
