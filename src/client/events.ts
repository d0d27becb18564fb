/**
 * The live event stream. It reconnects when the connection breaks, delivers each event once, and fetches missed events
 * when the history of a new connection does not reach back to the last delivered event.
 */
import type { Event, EventHistoryMessage, EventMessage } from '../contract/shapes/event.ts'
import { VendopsError } from './error.ts'
import { waitMs } from './retry.ts'

/**
 * `history`: older than the first connection. `missed`: happened while the connection was down. `live`: just now.
 */
export type EventOrigin = 'history' | 'missed' | 'live'

export type StreamState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'waiting'; readonly retryInMs: number }
  /** The token is wrong or the cookie has expired; there is no further attempt. */
  | { readonly state: 'refused'; readonly error: VendopsError }
  | { readonly state: 'closed' }

export interface EventListener {
  readonly onEvent: (event: Event, origin: EventOrigin) => void
  readonly onState?: (state: StreamState) => void
  readonly signal?: AbortSignal
}

export interface EventSubscription {
  close(): void
  /** Reconnects at once, for example when a phone wakes up. */
  reconnect(): void
}

export interface StreamDeps {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The newest events over HTTP; also shows whether the credentials are valid. */
  readonly latest: (limit: number) => Promise<readonly Event[]>
  readonly random?: () => number
}

const SEEN_MAX = 2000
const CATCH_UP_MAX = 500
const CONNECT_TIMEOUT_MS = 20_000

/** Node's WebSocket accepts headers; a browser's does not and sends its cookie. */
type Connect = new (url: string, options?: { readonly headers: Readonly<Record<string, string>> }) => WebSocket

export function listenToEvents(deps: StreamDeps, listener: EventListener): EventSubscription {
  const seen = new Set<string>()
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isClosed = false

  const reportState = (state: StreamState) => listener.onState?.(state)

  function deliver(event: Event, origin: EventOrigin): void {
    if (isClosed || seen.has(event.id)) return
    seen.add(event.id)
    if (seen.size > SEEN_MAX) seen.delete(seen.values().next().value as string)
    listener.onEvent(event, origin)
  }

  /** A history arrives newest first and is delivered oldest first. */
  async function catchUp(history: readonly Event[]): Promise<void> {
    const origin = seen.size === 0 ? 'history' : 'missed'
    const hasGap = origin === 'missed' && history.length > 0 && !history.some((event) => seen.has(event.id))
    const missed = hasGap ? await deps.latest(CATCH_UP_MAX).catch(() => history) : history
    for (const event of missed.toReversed()) deliver(event, origin)
    for (const event of history.toReversed()) deliver(event, origin)
  }

  function connect(): void {
    reportState({ state: 'connecting' })
    const created =
      Object.keys(deps.headers).length > 0
        ? new (WebSocket as unknown as Connect)(deps.url, { headers: deps.headers })
        : new WebSocket(deps.url)
    socket = created
    let wasOpened = false
    // Events that arrive while a gap is being filled are delivered after it.
    let order: Promise<void> = Promise.resolve()
    clearTimeout(timer)
    timer = setTimeout(() => created.close(), CONNECT_TIMEOUT_MS)

    created.addEventListener('message', ({ data }: { data: unknown }) => {
      const message = JSON.parse(String(data)) as EventHistoryMessage | EventMessage
      if (message.type === 'event') {
        order = order.then(() => deliver(message.event, 'live'))
        return
      }
      wasOpened = true
      failures = 0
      clearTimeout(timer)
      reportState({ state: 'live' })
      order = catchUp(message.events)
    })
    created.addEventListener('error', () => {})
    created.addEventListener('close', () => {
      if (isClosed || socket !== created) return
      clearTimeout(timer)
      void reconnectLater(wasOpened)
    })
  }

  async function reconnectLater(wasOpened: boolean): Promise<void> {
    // A refused upgrade looks like a broken connection; an ordinary request shows the difference.
    if (!wasOpened) {
      const failure: unknown = await deps.latest(1).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (isClosed) return
      if (failure instanceof VendopsError && (failure.status === 401 || failure.status === 403)) {
        isClosed = true
        return reportState({ state: 'refused', error: failure })
      }
    }
    failures += 1
    const retryInMs = Math.round(waitMs(failures + 1, 0.5, deps.random))
    reportState({ state: 'waiting', retryInMs })
    timer = setTimeout(connect, retryInMs)
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    clearTimeout(timer)
    socket?.close()
    reportState({ state: 'closed' })
  }

  if (listener.signal?.aborted) isClosed = true
  else connect()
  listener.signal?.addEventListener('abort', close, { once: true })

  return {
    close,
    reconnect() {
      if (isClosed) return
      clearTimeout(timer)
      const old = socket
      socket = undefined
      old?.close()
      failures = 0
      connect()
    },
  }
}
