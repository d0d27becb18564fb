/**
 * The live event stream: reconnects, delivers each event once, and fetches missed events when the history of a new
 * connection does not reach back to the last delivered one.
 */
import type { Event, EventHistoryMessage, EventMessage } from '../contract/event.ts'
import { VendopsError } from './error.ts'
import { waitMs } from './retry.ts'

/**
 * `history`: from before the first connection. `missed`: from while the connection was down. `live`: new.
 */
export type EventOrigin = 'history' | 'missed' | 'live'

export type StreamState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'waiting'; readonly retryInMs: number }
  /** The service refused the credentials. There are no more attempts. */
  | { readonly state: 'refused'; readonly error: VendopsError }
  | { readonly state: 'closed' }

export interface EventListener {
  readonly onEvent: (event: Event, origin: EventOrigin) => void
  readonly onState?: (state: StreamState) => void
  readonly signal?: AbortSignal
}

export interface EventSubscription {
  close(): void
  /** Reconnects at once instead of waiting, e.g. after the device woke up. */
  reconnect(): void
}

export interface StreamNeeds {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The newest events over HTTP; also shows whether the credentials are valid. */
  readonly latest: (limit: number) => Promise<readonly Event[]>
  readonly random?: () => number
}

const REMEMBERED = 2000
const CATCH_UP = 500
const CONNECT_WITHIN_MS = 20_000

/** Node's WebSocket accepts headers; a browser's does not and sends the cookie. */
type Connect = new (url: string, options?: { readonly headers: Readonly<Record<string, string>> }) => WebSocket

export function listenToEvents(needs: StreamNeeds, listener: EventListener): EventSubscription {
  const seen = new Set<string>()
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let closed = false

  const state = (now: StreamState) => listener.onState?.(now)

  function tell(event: Event, origin: EventOrigin): void {
    if (closed || seen.has(event.id)) return
    seen.add(event.id)
    if (seen.size > REMEMBERED) seen.delete(seen.values().next().value as string)
    listener.onEvent(event, origin)
  }

  /** Histories arrive newest first and are delivered oldest first. */
  async function catchUp(history: readonly Event[]): Promise<void> {
    const origin = seen.size === 0 ? 'history' : 'missed'
    const gap = origin === 'missed' && history.length > 0 && !history.some((event) => seen.has(event.id))
    const missed = gap ? await needs.latest(CATCH_UP).catch(() => history) : history
    for (const event of missed.toReversed()) tell(event, origin)
    for (const event of history.toReversed()) tell(event, origin)
  }

  function connect(): void {
    state({ state: 'connecting' })
    const made =
      Object.keys(needs.headers).length > 0
        ? new (WebSocket as unknown as Connect)(needs.url, { headers: needs.headers })
        : new WebSocket(needs.url)
    socket = made
    let opened = false
    // Events that arrive while missed ones are fetched are delivered after them.
    let order: Promise<void> = Promise.resolve()
    clearTimeout(timer)
    timer = setTimeout(() => made.close(), CONNECT_WITHIN_MS)

    made.addEventListener('message', ({ data }: { data: unknown }) => {
      const message = JSON.parse(String(data)) as EventHistoryMessage | EventMessage
      if (message.type === 'event') {
        order = order.then(() => tell(message.event, 'live'))
        return
      }
      opened = true
      failures = 0
      clearTimeout(timer)
      state({ state: 'live' })
      order = catchUp(message.events)
    })
    made.addEventListener('error', () => {})
    made.addEventListener('close', () => {
      if (closed || socket !== made) return
      clearTimeout(timer)
      void later(opened)
    })
  }

  async function later(wasOpen: boolean): Promise<void> {
    // A refused upgrade looks like a lost connection; an HTTP request distinguishes the two.
    if (!wasOpen) {
      const failure: unknown = await needs.latest(1).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (closed) return
      if (failure instanceof VendopsError && (failure.status === 401 || failure.status === 403)) {
        closed = true
        return state({ state: 'refused', error: failure })
      }
    }
    failures += 1
    const retryInMs = Math.round(waitMs(failures + 1, 0.5, needs.random))
    state({ state: 'waiting', retryInMs })
    timer = setTimeout(connect, retryInMs)
  }

  function close(): void {
    if (closed) return
    closed = true
    clearTimeout(timer)
    socket?.close()
    state({ state: 'closed' })
  }

  if (listener.signal?.aborted) closed = true
  else connect()
  listener.signal?.addEventListener('abort', close, { once: true })

  return {
    close,
    reconnect() {
      if (closed) return
      clearTimeout(timer)
      const old = socket
      socket = undefined
      old?.close()
      failures = 0
      connect()
    },
  }
}
