/** One HTTP request and its reply, with one deadline for all of it; reports whether a byte of the request was written. */
import { Agent, request } from '../../lib/node-http.ts'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { Socket } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import type { SendDenial, SendPermit } from '../contract.ts'

/** How long an idle connection is kept; less where the upstream announces a shorter time. */
const IDLE_MS = 4_000

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ConnectionFailure {
  readonly failure: string
  readonly raw: string
  /** False: not a byte of the request was written, so the upstream cannot have acted. */
  readonly isRequestWritten: boolean
  /** Not sent because the permit was denied. */
  readonly denial?: SendDenial
}

interface HttpRequest extends Pick<RequestOptions, 'method' | 'path' | 'headers'> {
  readonly body?: string
}

interface Limits {
  readonly timeoutMs: number
  readonly responseBytes: number
  readonly signal?: AbortSignal | undefined
}

/** Connections to one upstream. */
export function connections(origin: URL, { keepAlive }: { readonly keepAlive: boolean }) {
  const isSecure = origin.protocol === 'https:'
  const agent = new (isSecure ? SecureAgent : Agent)({ keepAlive, timeout: IDLE_MS })
  const where = urlToHttpOptions(origin)
  const begin = isSecure ? secureRequest : request
  return {
    isSecure,
    open: (options: RequestOptions) => begin({ ...where, ...options, agent }),
    close: () => agent.destroy(),
  }
}

/** `permit` is asked once the connection is established; without one the request is written at once. */
export function httpExchange(
  upstream: ReturnType<typeof connections>,
  { body, ...head }: HttpRequest,
  limits: Limits,
  permit?: SendPermit,
): Promise<Reply | ConnectionFailure> {
  const { timeoutMs, responseBytes, signal } = limits
  return new Promise((resolve) => {
    let isRequestWritten = false
    let isSettled = false

    const settle = (result: Reply | ConnectionFailure) => {
      if (isSettled) return
      isSettled = true
      clearTimeout(deadline)
      signal?.removeEventListener('abort', stop)
      resolve(result)
    }
    let outgoing: ClientRequest | undefined
    const giveUp = (failure: string, raw: string) => {
      settle({ failure, raw, isRequestWritten })
      outgoing?.destroy()
    }
    const fail = (error: Error & { code?: string }) =>
      settle({ ...describeError(error, isRequestWritten), isRequestWritten })
    const failOnClose = () => fail(new Error('closed'))
    const stop = () => giveUp('The service is stopping', 'stopped')
    // For the whole exchange: a reply that trickles in would never exceed a limit per part.
    const deadline = setTimeout(
      () => giveUp(`No reply from the vendor within ${timeoutMs / 1000} s`, 'time-out'),
      timeoutMs,
    )
    signal?.addEventListener('abort', stop)

    const read = (incoming: IncomingMessage) => {
      const chunks: Buffer[] = []
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > responseBytes) giveUp('The reply of the vendor is too large', 'too large')
        else chunks.push(chunk)
      })
      incoming.on('end', () =>
        settle({ status: incoming.statusCode as number, headers: incoming.headers, body: Buffer.concat(chunks) }),
      )
      incoming.on('error', fail)
      incoming.on('close', failOnClose)
    }

    const askPermit = async (write: () => void, ask: SendPermit) => {
      try {
        const denial = await ask(write)
        // Once written, the request counts as sent, whatever the permit returns.
        if (!denial || isRequestWritten) return
        settle({ failure: denial.message, raw: denial.code, isRequestWritten, denial })
        outgoing?.destroy()
      } catch {
        giveUp('Could not check whether the request may be sent', 'no permit')
      }
    }

    // The request is handed over only once the connection, with TLS where required, is established.
    const writeOnce = (connected: ClientRequest, socket: Socket) => {
      const write = () => {
        if (isSettled || isRequestWritten) return
        isRequestWritten = true
        connected.end(body)
      }
      const begin = permit ? () => void askPermit(write, permit) : write
      if (connected.reusedSocket) begin()
      else socket.once(upstream.isSecure ? 'secureConnect' : 'connect', begin)
    }

    try {
      const opened = (outgoing = upstream.open(head))
      opened.once('socket', (socket) => writeOnce(opened, socket))
      opened.on('error', fail)
      opened.on('close', failOnClose)
      opened.once('response', (incoming) => {
        // From here on the reply ends the exchange: the socket may close while its last bytes are still being read.
        opened.off('close', failOnClose)
        read(incoming)
      })
    } catch (error) {
      fail(error as Error)
    }
  })
}

function describeError(error: Error & { code?: string }, isWritten: boolean): { failure: string; raw: string } {
  const raw = error.code ?? error.name
  if (!isWritten) return { failure: 'The vendor could not be reached', raw }
  return { failure: 'The connection to the vendor broke before the reply was complete', raw }
}
