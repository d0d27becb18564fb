/** Live delivery: `event-history` first, then one `event` message per new event. */
import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { STREAM_PATH, listLatestEvents, eventView } from '../record/events/index.ts'
import type { StoredEvent, EventStream } from '../record/events/index.ts'
import type { Context } from '../context.ts'
import { EVENT_HISTORY } from '../contract/limits.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { URL_PREFIX } from '../contract/version.ts'
import { SECOND } from '../kernel/clock.ts'
import { refuse } from '../kernel/outcome.ts'
import { errorReply } from './response.ts'
import { isCrossOrigin } from './access/auth.ts'
import type { Metrics } from './metrics.ts'
import { sendReply } from './send.ts'

const PING_MS = 30 * SECOND
const CLIENTS_MAX = 5000
/** A client with this much unsent data is disconnected; the others never wait for it. */
const UNSENT_BYTES_MAX = 1024 * 1024
/** Clients only listen, so larger messages are refused. */
const INCOMING_BYTES_MAX = 1024
const GOING_AWAY = 1001
const POLICY = 1008
const TRY_AGAIN_LATER = 1013
const NO_UPGRADE = 'This path is a WebSocket: connect with an upgrade request'

interface Client {
  isAlive: boolean
  /** New events while the history is being read; undefined afterwards. */
  queued: StoredEvent[] | undefined
  /** `seq` of the events in the history it got. */
  historySeqs: ReadonlySet<number>
  readonly session: string | undefined
  /** Hash of the named key; undefined for the operator token. */
  readonly keyHash: string | undefined
}

type Deps = Pick<Context, 'store' | 'config' | 'log'> & { readonly stream: EventStream; readonly metrics: Metrics }

/** In a Fastify scope of its own, because the plugin adds hooks to every request of its scope. */
export async function mountWebSocket(server: FastifyInstance, needs: Deps): Promise<void> {
  await server.register((scope) => mountStream(scope, needs))
}

async function mountStream(server: FastifyInstance, { store, config, stream, metrics, log }: Deps): Promise<void> {
  const { sessions, people } = server
  const clients = new Map<WebSocket, Client>()
  metrics.gauge('vendops_websocket_clients', 'Clients on the event stream.', () => clients.size)
  await server.register(websocket, {
    options: { maxPayload: INCOMING_BYTES_MAX, perMessageDeflate: false },
    preClose: (done) => {
      unsubscribe?.()
      stopListening()
      stopWatchingKeys()
      clearInterval(pings)
      for (const socket of server.websocketServer.clients) socket.close(GOING_AWAY, 'service is stopping')
      clients.clear()
      server.websocketServer.close(() => {})
      done()
    },
  })

  const drop = (socket: WebSocket) => {
    clients.delete(socket)
    socket.terminate()
  }

  function sendTo(socket: WebSocket, message: string): void {
    if (socket.bufferedAmount > UNSENT_BYTES_MAX) drop(socket)
    else socket.send(message)
  }

  const deliver = (event: StoredEvent) => {
    let message: string | undefined
    for (const [socket, client] of clients) {
      if (client.queued) client.queued.push(event)
      else if (!client.historySeqs.has(event.seq))
        sendTo(socket, (message ??= JSON.stringify({ type: 'event', event: eventView(event, config.timeZone) })))
    }
  }
  /** Only while there is a client: reading every event for nobody took a tenth of the CPU of an event append. */
  let unsubscribe: (() => void) | undefined

  /** Disconnects clients whose session was signed out or has expired. */
  async function closeEndedSessions(): Promise<void> {
    const sessionHashes = new Set([...clients.values()].flatMap(({ session }) => session ?? []))
    if (sessionHashes.size === 0) return
    const open = await sessions.filterOpen([...sessionHashes])
    for (const [socket, { session }] of clients)
      if (session !== undefined && sessionHashes.has(session) && !open.has(session)) {
        clients.delete(socket)
        socket.close(POLICY, 'signed out')
      }
  }
  // If the database does not answer, the next ping tries again.
  const checkSessions = () => void closeEndedSessions().catch(() => {})
  const stopListening = sessions.onEnd(checkSessions)

  /** Disconnects clients whose key was revoked or replaced, or has expired. */
  function closeRevokedKeys(): void {
    const keyHashes = new Set([...clients.values()].flatMap(({ keyHash }) => keyHash ?? []))
    if (keyHashes.size === 0) return
    const active = people.filterActive(keyHashes)
    for (const [socket, { keyHash }] of clients)
      if (keyHash !== undefined && !active.has(keyHash)) {
        clients.delete(socket)
        socket.close(POLICY, 'key revoked')
      }
  }
  const stopWatchingKeys = people.onChange(closeRevokedKeys)

  const pings = setInterval(() => {
    checkSessions()
    for (const [socket, client] of clients) {
      if (!client.isAlive) drop(socket)
      else {
        client.isAlive = false
        socket.ping()
      }
    }
  }, PING_MS)
  pings.unref()

  async function onConnect(socket: WebSocket, request: FastifyRequest): Promise<void> {
    socket.on('error', () => drop(socket))
    socket.on('close', () => {
      clients.delete(socket)
      if (clients.size > 0) return
      unsubscribe?.()
      unsubscribe = undefined
    })
    // A browser sends the cookie from pages of any origin; only our own may listen with it.
    if (request.authMethod !== 'bearer' && isCrossOrigin(request.headers, config.publicUrl))
      return socket.close(POLICY, 'cross-origin request')
    if (clients.size >= CLIENTS_MAX) return socket.close(TRY_AGAIN_LATER, 'too many connections')
    const client: Client = {
      isAlive: true,
      queued: [],
      historySeqs: new Set(),
      session: request.session,
      keyHash: request.key?.hash,
    }
    clients.set(socket, client)
    unsubscribe ??= stream.subscribe(deliver)
    // Read now: a closed socket has no address any more.
    const listener = { request_id: request.id, by: request.by?.name, address: request.ip }
    log.info(listener, 'event stream opened')
    socket.on('close', (code) => log.info({ ...listener, code }, 'event stream closed'))
    socket.on('pong', () => (client.isAlive = true))

    // Events that arrive while the history is read are queued and sent after it, without a gap and without duplicates.
    await stream.start()
    const history = await listLatestEvents(store.db, { limit: EVENT_HISTORY })
    client.historySeqs = new Set(history.map((event) => event.seq))
    sendTo(
      socket,
      JSON.stringify({ type: 'event-history', events: history.map((event) => eventView(event, config.timeZone)) }),
    )
    // The session may have ended since the upgrade.
    if (client.session !== undefined) checkSessions()
    closeRevokedKeys()
    const queued = client.queued ?? []
    client.queued = undefined
    for (const event of queued)
      if (!client.historySeqs.has(event.seq))
        sendTo(socket, JSON.stringify({ type: 'event', event: eventView(event, config.timeZone) }))
  }

  server.route({
    method: 'GET',
    url: `${URL_PREFIX}${STREAM_PATH}`,
    config: { onlyFor: { roles: OPERATIONS.listEvents.roles } },
    wsHandler: onConnect,
    handler: (_request, reply) =>
      sendReply(
        reply.header('upgrade', 'websocket'),
        errorReply(refuse('invalid', NO_UPGRADE, '$', { status: 426 }).refusal),
      ),
  })
}
