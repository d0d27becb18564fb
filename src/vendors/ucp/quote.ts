/** What a merchant asks for a basket: the totals of a session that is opened for the question and canceled after it. */
import { randomUUID } from 'node:crypto'
import type { Result } from '../contract.ts'
import type { SupplyQuote, SupplyQuoteRequest } from '../supply-vendor.ts'
import { fail, succeed } from '../result.ts'
import type { MerchantCatalog } from './catalog.ts'
import type { Merchant } from './merchant.ts'
import type { OrderPlacer } from './place-order.ts'
import { prepareSession } from './prepare-session.ts'
import { destinationOf } from './session-request.ts'
import type { UcpSettings } from './settings.ts'

interface Needs {
  readonly merchant: Merchant
  readonly catalog: MerchantCatalog
  readonly placer: OrderPlacer
  readonly settings: Pick<UcpSettings, 'delivery' | 'delivers_to_account'>
}

export async function readQuote(
  { merchant, catalog, placer, settings }: Needs,
  request: SupplyQuoteRequest,
): Promise<Result<SupplyQuote>> {
  const lines = await catalog.toLines(request.lines)
  if (!lines.ok) return lines
  const destination = destinationOf(request.fulfillment, request.destination)
  let sessionId: string | undefined
  const prepared = await prepareSession(
    {
      merchant,
      delivery: settings.delivery,
      deliversToAccount: settings.delivers_to_account ?? false,
      key: () => randomUUID(),
      opened: (id) => void (sessionId = id),
    },
    { lines: lines.value, currency: request.currency, ...(destination && { destination }) },
  )
  if (sessionId !== undefined) placer.discard(sessionId, randomUUID())
  if (!prepared.ok) return prepared
  const { totals, status } = prepared.value
  if (!totals) return fail('unknown', 'The merchant states no total', { raw: 'totals' })
  const isPriced = status === 'ready_for_complete' || status === 'requires_escalation'
  return succeed({ totals, isFinal: destination !== undefined && isPriced })
}
