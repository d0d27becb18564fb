/**
 * Bounds the memory that one connection can use. Pipelined requests wait until the response before theirs was sent, so at
 * most one response per connection is in memory. A caller that pipelines too many, or does not read, is disconnected.
 */
import type { Server } from 'node:http'
import { Socket } from 'node:net'
import { SECOND } from '../kernel/clock.ts'

export interface ConnectionLimits {
  /** Connections of one process. The event stream alone may have 5,000. */
  readonly connectionsMax: number
  readonly pipelinedMax: number
  /** Waiting requests of all connections. */
  readonly pipelinedTotalMax: number
  /** A response of which no byte was read for this long is dropped. */
  readonly stalledMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  connectionsMax: 6000,
  pipelinedMax: 64,
  pipelinedTotalMax: 10_000,
  stalledMs: 30 * SECOND,
}

interface Connection {
  isResponding: boolean
  /** What starts each waiting request. */
  readonly pipelined: (() => void)[]
}

export function serializeResponses(
  server: Server,
  { connectionsMax, pipelinedMax, pipelinedTotalMax, stalledMs }: ConnectionLimits,
) {
  const connections = new WeakMap<Socket, Connection>()
  let waiting = 0

  server.maxConnections = connectionsMax
  // One timer of the server instead of one for each response. It fires when the socket made no progress, also at the end of
  // keep-alive. Without unsent bytes the service is slow, not the caller.
  server.setTimeout(stalledMs, (socket) => {
    if (!connections.get(socket)?.isResponding || socket.writableLength > 0) socket.destroy()
  })

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket)
    if (known) return known
    const created: Connection = { isResponding: false, pipelined: [] }
    connections.set(socket, created)
    socket.once('close', () => {
      waiting -= created.pipelined.length
      created.pipelined.length = 0
    })
    return created
  }

  return {
    /** Calls `start` once the responses to all earlier requests of this connection were sent. */
    enter(socket: Socket, start: () => void): void {
      // An injected request (tests) has no connection.
      if (!(socket instanceof Socket)) return start()
      if (socket.destroyed) return
      const connection = connectionOf(socket)
      if (!connection.isResponding) {
        connection.isResponding = true
        return start()
      }
      if (connection.pipelined.length >= pipelinedMax || waiting >= pipelinedTotalMax) return void socket.destroy()
      waiting += 1
      if (connection.pipelined.push(start) === 1) socket.pause()
    },
    /** The response of a started request was sent, or its caller left. */
    leave(socket: Socket): void {
      const connection = connections.get(socket)
      if (!connection) return
      const next = connection.pipelined.shift()
      connection.isResponding = next !== undefined
      if (next === undefined) return
      waiting -= 1
      if (socket.destroyed) return
      // The body of the last request may not have arrived yet.
      if (connection.pipelined.length === 0) socket.resume()
      next()
    },
  }
}
