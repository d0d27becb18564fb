/**
 * Bounds the memory that one connection can use. Pipelined requests wait until the response before theirs was sent, so at
 * most one response per connection is in memory. A caller that pipelines too many, or does not read, is disconnected.
 */
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { SECOND } from '../kernel/clock.ts'

export interface ConnectionLimits {
  /** Connections of one process. The event stream alone may have 5,000. */
  readonly connectionsMax: number
  /** Waiting requests of one connection. */
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

interface WaitingRequest {
  readonly response: ServerResponse
  readonly start: () => void
}

interface Connection {
  isResponding: boolean
  readonly pipelined: WaitingRequest[]
}

/** The returned function calls `start` once the responses to all earlier requests of this connection were sent. */
export function serializeResponses({ pipelinedMax, pipelinedTotalMax, stalledMs }: ConnectionLimits) {
  const connections = new WeakMap<Socket, Connection>()
  let waiting = 0

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

  function run(socket: Socket, connection: Connection, { response, start }: WaitingRequest): void {
    connection.isResponding = true
    // Fires when the socket made no progress. Without unsent bytes the service is slow, not the caller.
    response.setTimeout(stalledMs, () => {
      if (socket.writableLength > 0) socket.destroy()
    })
    response.once('close', () => {
      connection.isResponding = false
      const next = connection.pipelined.shift()
      if (next === undefined) return
      waiting -= 1
      if (socket.destroyed) return
      // The body of the last request may not have arrived yet.
      if (connection.pipelined.length === 0) socket.resume()
      run(socket, connection, next)
    })
    start()
  }

  return (socket: Socket, response: ServerResponse, start: () => void): void => {
    // An injected request (tests) has no connection.
    if (!(socket instanceof Socket)) return start()
    if (socket.destroyed) return
    const connection = connectionOf(socket)
    if (!connection.isResponding) return run(socket, connection, { response, start })
    if (connection.pipelined.length >= pipelinedMax || waiting >= pipelinedTotalMax) return void socket.destroy()
    waiting += 1
    if (connection.pipelined.push({ response, start }) === 1) socket.pause()
  }
}
