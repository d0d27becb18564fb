/** POST /inbound/{namespace}: what a vendor sends us by itself. The signature is all that it proves; its adapter checks it. */
import { parseNamespace } from '../../kernel/ids.ts'
import type { InboundRequest } from '../../vendors/supply-vendor.ts'
import type { Context } from '../../context.ts'
import { countWaitingInbound, insertInbound } from './inbound-records.ts'

/** More are not kept at once: whoever sends them tries again. */
const WAITING_MAX = 1_000

type Deps = Pick<Context, 'store' | 'clock' | 'vendors' | 'log'>

/** The status of the reply. An unknown connection and one that takes no messages look the same. */
export async function receiveInbound(
  { store, clock, vendors, log }: Deps,
  namespaceText: string,
  request: InboundRequest,
): Promise<200 | 400 | 401 | 404 | 503> {
  const namespace = parseNamespace(namespaceText)
  const found = namespace && vendors.supply(namespace)
  const supplier = found?.ok ? found.value : undefined
  if (!namespace || !supplier?.receive) return 404
  const news = await supplier.receive(request)
  if (!news.ok) {
    log.warn({ namespace, reason: news.reason, raw: news.raw }, 'a message to a connection was refused')
    return news.reason === 'unauthorized' ? 401 : news.reason === 'rejected' ? 400 : 503
  }
  if ((await countWaitingInbound(store.db, namespace)) >= WAITING_MAX) return 503
  const { id, orders } = news.value
  const body = Buffer.from(request.body).toString('base64')
  await insertInbound(store.db, { namespace, id, receivedAt: clock.now(), orders }, body)
  return 200
}
