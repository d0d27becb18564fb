/** cXML orders as a POST to the supplier's address. Its answer says whether the document arrived. */
import type { AdapterNeeds } from '../../adapter-module.ts'
import { failDenied, fail } from '../../result.ts'
import { type Reply, connections, httpExchange } from '../../upstream/exchange.ts'
import { sanitizeText } from '../../upstream/sanitize-text.ts'
import { readCxmlReason, readCxmlResponse } from '../documents/cxml/reply-cxml.ts'
import { type SendOutcome, type Transport, refusedOutcome, unsentOutcome, unknownOutcome } from './transport.ts'

const RESPONSE_BYTES_MAX = 1024 * 1024

/** `hidden`: what the supplier must not make us show, should it echo it. */
export function httpTransport(
  address: string,
  needs: Pick<AdapterNeeds, 'timeoutMs' | 'signal'>,
  hidden: readonly string[] = [],
): Transport {
  const url = new URL(address)
  // A connection of its own for each order: on a reused one, the supplier closing it would look like a lost reply.
  const upstream = connections(url, { keepAlive: false })
  const limits = { timeoutMs: needs.timeoutMs, responseBytes: RESPONSE_BYTES_MAX, signal: needs.signal }
  return {
    async send({ order: { ref }, document }, begin, permit) {
      const request = {
        method: 'POST',
        path: url.pathname + url.search,
        headers: { 'content-type': 'text/xml; charset=utf-8', accept: 'text/xml, application/xml' },
        body: document,
      }
      const reply = await httpExchange(upstream, request, limits, async (write) => {
        if (!(await begin())) throw new Error('stopped by another instance')
        return permit(write)
      })
      if (!('failure' in reply)) return readReply(reply, ref, hidden)
      if (reply.denial) return unsentOutcome(failDenied(reply.denial))
      return reply.isRequestWritten
        ? unknownOutcome(reply.failure, reply.raw)
        : unsentOutcome(fail('unsent', reply.failure, { raw: reply.raw }))
    },
    settle: async () => 'unknown',
    close: async () => upstream.close(),
  }
}

/** The document counts before the status of HTTP: suppliers answer refusals with 200, and gateways answer anything. */
function readReply({ status, body }: Reply, ref: string, hidden: readonly string[]): SendOutcome {
  const raw = `HTTP ${status}`
  const read = readCxmlResponse(body, ref)
  const answer = read.ok ? read.replies[0] : undefined
  if (answer?.kind === 'rejected') {
    const reason = sanitizeText(readCxmlReason(body), hidden)
    return refusedOutcome(fail('rejected', `The supplier refused the order${reason && `: ${reason}`}`, { raw }))
  }
  if (answer?.kind === 'received' && status >= 200 && status < 300) return { kind: 'sent' }
  return unknownOutcome(answer ? NOT_CONFIRMED : (GATEWAY_SAYS[status] ?? NOT_CONFIRMED), raw)
}

const NOT_CONFIRMED = 'The supplier did not confirm that the order arrived'

/** Without a document a gateway may speak, which may have passed the order on before. */
const GATEWAY_SAYS: Readonly<Record<number, string>> = {
  401: `The supplier refused our credentials. ${NOT_CONFIRMED}`,
  403: `The supplier refused our credentials. ${NOT_CONFIRMED}`,
  429: `The supplier asked to try again later. ${NOT_CONFIRMED}`,
}
