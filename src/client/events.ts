/**
 * The live event stream: connects again when the line breaks, tells each event once, and fetches what happened in
 * between when the history of a new connection does not reach back to what was last heard.
 */
import type { Event, EventHistoryMessage, EventMessage } from '../contract/event.ts'
import { VendopsError } from './error.ts'
import { waitMs } from './retry.ts'

/**
 * `history`: already there at the first connection. `missed`: happened while the line was down. `live`: just now.
 */
export type EventOrigin = 'history' | 'missed' | 'live'

export type StreamState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'waiting'; readonly retryInMs: number }
  /** The service refused us: the token is wrong or the cookie has ended. Nothing more is tried. */
  | { readonly state: 'refused'; readonly error: VendopsError }
  | { readonly state: 'closed' }

export interface EventListener {
  readonly onEvent: (event: Event, origin: EventOrigin) => void
  readonly onState?: (state: StreamState) => void
  readonly signal?: AbortSignal
}

export interface EventSubscription {
  close(): void
  /** Tries at once instead of waiting: after a phone woke up or the network came back. */
  reconnect(): void
}

export interface StreamNeeds {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The newest events over plain HTTP; also tells whether our credentials are good. */
  readonly latest: (limit: number) => Promise<readonly Event[]>
  readonly random?: () => number
}

const REMEMBERED = 2000
const CATCH_UP = 500
const CONNECT_WITHIN_MS = 20_000

/** Node's WebSocket takes headers; a browser's takes none and sends its cookie. */
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

  /** Histories come newest first and are told oldest first. */
  async function catchUp(history: readonly Event[]): Promise<void> {
    const origin = seen.size === 0 ? 'history' : 'missed'
    const gap = origin === 'missed' && history.length > 0 && !history.some((event) => seen.has(event.id))
    const missed = gap ? await needs.latest(CATCH_UP).catch(() => history) : history
    for (const event of missed.toReversed()) tell(event, origin)
    for (const event of history.toReversed()) tell(event, origin)
  }

  function connect(): void {
    state({ state: 'connecting' })
    const created =
      Object.keys(needs.headers).length > 0
        ? new (WebSocket as unknown as Connect)(needs.url, { headers: needs.headers })
        : new WebSocket(needs.url)
    socket = created
    let opened = false
    // What arrives while a gap is being filled is told after it.
    let order: Promise<void> = Promise.resolve()
    clearTimeout(timer)
    timer = setTimeout(() => created.close(), CONNECT_WITHIN_MS)

    created.addEventListener('message', ({ data }: { data: unknown }) => {
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
    created.addEventListener('error', () => {})
    created.addEventListener('close', () => {
      if (closed || socket !== created) return
      clearTimeout(timer)
      void later(opened)
    })
  }

  async function later(wasOpen: boolean): Promise<void> {
    // A refused upgrade looks like any broken line from here; an ordinary request tells the two apart.
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
