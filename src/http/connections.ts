/**
 * What one connection may hold of the service's memory. Requests that a caller sends ahead (pipelining) wait until the
 * answer before theirs has left, so at most one answer per connection is in memory; who sends too many ahead, or does
 * not read its answer, is cut.
 */
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { SECOND } from '../kernel/clock.ts'

export interface ConnectionLimits {
  /** Connections of one process; the event stream alone may have 5,000. */
  readonly connectionsMax: number
  /** Requests that one connection may send ahead. */
  readonly pipelinedMax: number
  /** The same over all connections. */
  readonly pipelinedTotalMax: number
  /** An answer of which not a byte was taken for this long is given up. */
  readonly stalledMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  connectionsMax: 6000,
  pipelinedMax: 64,
  pipelinedTotalMax: 10_000,
  stalledMs: 30 * SECOND,
}

interface Request {
  readonly response: ServerResponse
  readonly start: () => void
}

interface Connection {
  answering: boolean
  /** Sent ahead, in the order they came. */
  readonly ahead: Request[]
}

/** The returned function calls `start` as soon as the answer to every earlier request of this connection has left. */
export function serializeResponses({ pipelinedMax, pipelinedTotalMax, stalledMs }: ConnectionLimits) {
  const connections = new WeakMap<Socket, Connection>()
  let total = 0

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket)
    if (known) return known
    const made: Connection = { answering: false, ahead: [] }
    connections.set(socket, made)
    socket.once('close', () => {
      total -= made.ahead.length
      made.ahead.length = 0
    })
    return made
  }

  function run(socket: Socket, connection: Connection, { response, start }: Request): void {
    connection.answering = true
    // Fires when the socket made no progress for so long. Without unsent bytes it is we who are slow, not the caller.
    response.setTimeout(stalledMs, () => {
      if (socket.writableLength > 0) socket.destroy()
    })
    response.once('close', () => {
      connection.answering = false
      const next = connection.ahead.shift()
      if (next === undefined) return
      total -= 1
      if (socket.destroyed) return
      // The body of the last one may still be on its way.
      if (connection.ahead.length === 0) socket.resume()
      run(socket, connection, next)
    })
    start()
  }

  return (socket: Socket, response: ServerResponse, start: () => void): void => {
    // A request that was handed over inside the process has no connection.
    if (!(socket instanceof Socket)) return start()
    if (socket.destroyed) return
    const connection = connectionOf(socket)
    if (!connection.answering) return run(socket, connection, { response, start })
    if (connection.ahead.length >= pipelinedMax || total >= pipelinedTotalMax) return void socket.destroy()
    total += 1
    if (connection.ahead.push({ response, start }) === 1) socket.pause()
  }
}
