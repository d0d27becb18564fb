/** Live delivery (4.9): `event-history` first, then one `event` message per new event. */
import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { STREAM_PATH, latestEvents, eventView } from '../capabilities/events/index.ts'
import type { StoredEvent, EventStream } from '../capabilities/events/index.ts'
import type { Context } from '../capabilities/context.ts'
import { EVENT_HISTORY } from '../contract/limits.ts'
import { URL_PREFIX } from '../contract/version.ts'
import { SECOND } from '../kernel/clock.ts'
import { refuse } from '../kernel/outcome.ts'
import { errorReply } from './response.ts'
import { isCrossOrigin } from './auth.ts'
import type { Metrics } from './metrics.ts'
import { sendReply } from './send.ts'

const PING_MS = 30 * SECOND
const CLIENTS_MAX = 5000
/** A client that does not drain is dropped at this much unsent data; the others never wait for it. */
const UNSENT_BYTES_MAX = 1024 * 1024
/** Clients only listen; whoever sends more than a few bytes is not one of ours. */
const INCOMING_BYTES_MAX = 1024
const GOING_AWAY = 1001
const POLICY = 1008
const TRY_AGAIN_LATER = 1013
const NO_UPGRADE = 'this path is a WebSocket: connect with an upgrade'

interface Client {
  alive: boolean
  held: StoredEvent[] | undefined
  known: ReadonlySet<number>
  readonly session: string | undefined
}

type Needs = Pick<Context, 'store' | 'config'> & { readonly stream: EventStream; readonly metrics: Metrics }

/** In a scope of its own: what the plugin does with every request is of no use to the others. */
export async function mountWebSocket(server: FastifyInstance, needs: Needs): Promise<void> {
  await server.register((scope) => mountStream(scope, needs))
}

async function mountStream(server: FastifyInstance, needs: Needs): Promise<void> {
  const { store, config, stream, metrics } = needs
  const { sessions } = server
  const clients = new Map<WebSocket, Client>()
  metrics.gauge('vendops_websocket_clients', 'Clients on the event stream.', () => clients.size)
  await server.register(websocket, {
    options: { maxPayload: INCOMING_BYTES_MAX, perMessageDeflate: false },
    preClose: (done) => {
      unsubscribe()
      stopHearing()
      clearInterval(pings)
      for (const socket of server.websocketServer.clients) socket.close(GOING_AWAY, 'the service stops')
      clients.clear()
      server.websocketServer.close(() => {})
      done()
    },
  })

  const drop = (socket: WebSocket) => {
    clients.delete(socket)
    socket.terminate()
  }

  function tell(socket: WebSocket, message: string): void {
    if (socket.bufferedAmount > UNSENT_BYTES_MAX) drop(socket)
    else socket.send(message)
  }

  const unsubscribe = stream.subscribe((event) => {
    let message: string | undefined
    for (const [socket, client] of clients) {
      if (client.held) client.held.push(event)
      else if (!client.known.has(event.seq))
        tell(socket, (message ??= JSON.stringify({ type: 'event', event: eventView(event, config.timeZone) })))
    }
  })

  /** A session that was signed out, or is over, hears nothing more. */
  async function closeEnded(): Promise<void> {
    const known = new Set([...clients.values()].flatMap(({ session }) => session ?? []))
    if (known.size === 0) return
    const open = await sessions.filterOpen([...known])
    for (const [socket, { session }] of clients)
      if (session !== undefined && known.has(session) && !open.has(session)) {
        clients.delete(socket)
        socket.close(POLICY, 'signed out')
      }
  }
  // Where the database does not answer, the next ping looks again.
  const lookForEnded = () => void closeEnded().catch(() => {})
  const stopHearing = sessions.onEnd(lookForEnded)

  const pings = setInterval(() => {
    lookForEnded()
    for (const [socket, client] of clients) {
      if (!client.alive) drop(socket)
      else {
        client.alive = false
        socket.ping()
      }
    }
  }, PING_MS)
  pings.unref()

  async function welcome(socket: WebSocket, request: FastifyRequest): Promise<void> {
    socket.on('error', () => drop(socket))
    socket.on('close', () => clients.delete(socket))
    // A browser sends the cookie from any page; only our own may listen with it.
    if (request.proof !== 'bearer' && isCrossOrigin(request.headers, config.publicUrl))
      return socket.close(POLICY, 'foreign origin')
    if (clients.size >= CLIENTS_MAX) return socket.close(TRY_AGAIN_LATER, 'too many listeners')
    const client: Client = { alive: true, held: [], known: new Set(), session: request.session }
    clients.set(socket, client)
    socket.on('pong', () => (client.alive = true))

    // What arrives while the history is read is held back and told after it, without a gap and without a repeat.
    const history = await latestEvents(store.db, { limit: EVENT_HISTORY })
    client.known = new Set(history.map((event) => event.seq))
    tell(
      socket,
      JSON.stringify({ type: 'event-history', events: history.map((event) => eventView(event, config.timeZone)) }),
    )
    // It may have ended between the upgrade and now.
    if (client.session !== undefined) lookForEnded()
    const held = client.held ?? []
    client.held = undefined
    for (const event of held)
      if (!client.known.has(event.seq))
        tell(socket, JSON.stringify({ type: 'event', event: eventView(event, config.timeZone) }))
  }

  server.route({
    method: 'GET',
    url: `${URL_PREFIX}${STREAM_PATH}`,
    wsHandler: welcome,
    handler: (_request, reply) =>
      sendReply(
        reply.header('upgrade', 'websocket'),
        errorReply(refuse('invalid', NO_UPGRADE, '$', { status: 426 }).refusal),
      ),
  })
}
