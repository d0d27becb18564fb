/** The live event stream, shared by all pages: the feed, and listeners for events of certain kinds. */
import { batch, signal } from '@preact/signals'
import type { Event } from '../../../contract/shapes/event.ts'
import type { EventSubscription, StreamState } from '../../../client/index.ts'
import { client, endSession, reachable } from './api.ts'
import { learnZone } from '../text/format.ts'
import { noteChange } from './freshness.ts'

const FEED_MAX = 200

/** Newest first. */
export const feed = signal<readonly Event[]>([])
export const stream = signal<StreamState['state']>('connecting')
/** IDs of events that arrived while the page was open; the feed highlights them. */
export const newEventIds = new Set<string>()

type Listener = { readonly kinds: readonly string[]; readonly onEvent: () => void }
const listeners = new Set<Listener>()

let subscription: EventSubscription | undefined
/** Whether the connection was lost. More may have been missed than the history holds, so everything is reloaded. */
let wasDown = false

export function onEvents(kinds: readonly string[], onEvent: () => void): () => void {
  const listener = { kinds, onEvent }
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function notifyListeners(kind: string | undefined): void {
  noteChange()
  for (const { kinds, onEvent } of listeners) if (kind === undefined || kinds.includes(kind)) onEvent()
}

export function startLive(): void {
  if (subscription) return
  subscription = client.events({
    onEvent(event, origin) {
      learnZone(event.occurred_at)
      if (origin !== 'history') newEventIds.add(event.id)
      feed.value = [event, ...feed.value.filter(({ id }) => id !== event.id)].slice(0, FEED_MAX)
      if (origin !== 'history') notifyListeners(event.kind)
    },
    onState({ state }) {
      batch(() => {
        stream.value = state
        if (state === 'live') reachable.value = true
        if (state === 'refused') endSession()
      })
      if (state === 'waiting') wasDown = true
      if (state === 'live' && wasDown) {
        wasDown = false
        notifyListeners(undefined)
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

/** Reconnects at once when a phone wakes up, instead of waiting for the next attempt. */
function reconnectIfVisible(): void {
  if (document.visibilityState === 'visible' && stream.value === 'waiting') subscription?.reconnect()
}
addEventListener('online', () => {
  reachable.value = true
  subscription?.reconnect()
  notifyListeners(undefined)
})
document.addEventListener('visibilitychange', reconnectIfVisible)
