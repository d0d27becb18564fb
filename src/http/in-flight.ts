/**
 * Counts in-flight responses, until their last byte was sent or the caller left. Node calls a connection idle once `end()`
 * was called, even with bytes unsent, so `closeIdleConnections()` would truncate them. Idle connections are therefore closed
 * only when no response is in flight.
 */
import type { Server } from 'node:http'

export function inFlightResponses(server: Server) {
  let count = 0
  let isClosing = false
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    if (count === 0) closeIdle()
  }
  return {
    add: () => void (count += 1),
    remove() {
      count -= 1
      if (isClosing) setImmediate(() => server.closeIdleConnections())
    },
    /** From now on idle connections are closed as soon as no response is in flight. */
    startClosing: () => void (isClosing = true),
  }
}
