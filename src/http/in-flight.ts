/**
 * Requests on their way through the service, until the last byte of the answer left or the caller did. Node takes a
 * connection for idle as soon as its answer was handed over, though bytes may still wait to be sent; a stop would cut them
 * off. So idle connections are closed only when nothing is on its way.
 */
import type { Server } from 'node:http'

export interface InFlightResponses {
  add(): void
  remove(): void
  /** From now on idle connections are closed as soon as nothing is on its way. */
  startClosing(): void
}

export function inFlightResponses(server: Server): InFlightResponses {
  let count = 0
  let stopping = false
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    if (count === 0) closeIdle()
  }
  return {
    add: () => void (count += 1),
    remove() {
      count -= 1
      if (stopping) setImmediate(() => server.closeIdleConnections())
    },
    startClosing: () => void (stopping = true),
  }
}
