/** One request and its reply over undici, with one deadline over all of it and knowledge of whether anything was sent. */
import { Agent } from 'undici'
import type { Dispatcher } from 'undici'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export interface Broken {
  readonly broken: string
  readonly raw: string
  /** False: not a byte of the request was written, so the upstream cannot have acted. */
  readonly sent: boolean
}

interface Connections {
  readonly timeoutMs: number
  readonly responseBytes: number
}

const settings = ({ timeoutMs, responseBytes }: Connections): Agent.Options => ({
  connect: { timeout: timeoutMs },
  headersTimeout: timeoutMs,
  bodyTimeout: timeoutMs,
  maxResponseSize: responseBytes,
  keepAliveTimeoutThreshold: 500,
  // One request a connection at a time keeps "what was sent" a plain question.
  allowH2: false,
})

export const keptConnections = (connections: Connections): Agent => new Agent(settings(connections))

/** No keep-alive: each request opens its own connection and closes it. */
export const freshConnections = (connections: Connections): Agent =>
  new Agent({ ...settings(connections), pipelining: 0 })

export function exchange(
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Reply | Broken> {
  return new Promise((resolve) => {
    let sent = false
    let settled = false
    let controller: Dispatcher.DispatchController | undefined
    let status = 0
    let headers: Reply['headers'] = {}
    const chunks: Buffer[] = []

    const settle = (result: Reply | Broken) => {
      settled = true
      clearTimeout(deadline)
      signal?.removeEventListener('abort', stop)
      resolve(result)
    }
    const giveUp = (broken: string, raw: string) => {
      if (settled) return
      settle({ broken, raw, sent })
      controller?.abort(new Error(broken))
    }
    const stop = () => giveUp('the service is stopping', 'stopped')
    // The agent's own time-outs watch each phase, coarsely; a reply that trickles in would satisfy them for ever.
    const deadline = setTimeout(
      () => giveUp(`the upstream gave no answer within ${timeoutMs / 1000} s`, 'time-out'),
      timeoutMs,
    )
    signal?.addEventListener('abort', stop)

    agent.dispatch(request, {
      // Called when a connection stands and directly before the first byte: aborting here still sends nothing.
      onRequestStart(started) {
        if (settled) return started.abort(new Error('given up before it was sent'))
        controller = started
        sent = true
      },
      onResponseStart(_controller, statusCode, fields) {
        status = statusCode
        headers = fields
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd() {
        if (!settled) settle({ status, headers, body: Buffer.concat(chunks) })
      },
      onResponseError(_controller, error) {
        if (!settled) settle({ ...describe(error, sent), sent })
      },
    })
  })
}

const BROKEN: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_TIMEOUT: 'the upstream gave no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the upstream gave no answer in time',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the upstream answered more than we accept',
}

function describe(error: Error & { code?: string }, sent: boolean): { broken: string; raw: string } {
  const raw = error.code ?? error.name
  if (!sent) return { broken: 'the upstream could not be reached', raw }
  return { broken: BROKEN[raw] ?? 'the connection broke before the answer was complete', raw }
}
