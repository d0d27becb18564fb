/** The adapter `ucp`: a merchant that speaks the Universal Commerce Protocol as a supplier. */
import type { AdapterModule, AdapterNeeds, OpenedAdapter } from '../adapter-module.ts'
import type { Closable } from '../adapter-options.ts'
import type { Result } from '../contract.ts'
import type { SupplyVendor } from '../supply-vendor.ts'
import { fail, succeed } from '../result.ts'
import { merchantCatalog } from './catalog.ts'
import { type Merchant, ucpMerchant } from './merchant.ts'
import { readOrderStatus } from './order-status.ts'
import { orderPlacer } from './place-order.ts'
import { orderMemory } from './order-record.ts'
import { PROMPTS } from './prompts.ts'
import { readQuote } from './quote.ts'
import { type UcpSettings, checkSettings, SECRETS } from './settings.ts'
import { verifyWebhook } from './verify-webhook.ts'

export const UCP_SUPPLY: AdapterModule<UcpSettings> = {
  adapter: 'ucp',
  role: 'supply',
  secrets: SECRETS,
  check: checkSettings,
  open: openMerchant,
  prompts: PROMPTS,
  hosted: {
    files: [{ kind: 'price_list', path: 'catalog.file', holds: 'newest', onlyIf: 'catalog' }],
    account: ({ url }) => new URL(url).origin,
  },
}

function openMerchant(settings: UcpSettings, needs: AdapterNeeds): OpenedAdapter {
  const { clock, timeoutMs, connection, journal } = needs
  const merchant = ucpMerchant(settings, needs)
  const catalog = merchantCatalog(merchant, settings, needs)
  const placer = orderPlacer({ ...needs, merchant, catalog, settings, orders: orderMemory(needs) })

  const vendor: SupplyVendor & Closable = {
    role: 'supply',
    catalog: () => catchFailure(catalog.read()),
    createOrder: (order, permit) => catchFailure(placer.place(order, permit)),
    orderStatus: (ref) =>
      catchFailure(readOrderStatus({ merchant, placer, clock, timeoutMs, currency: connection.currency }, ref)),
    receive: (request) => catchFailure(verifyWebhook(merchant, clock, request)),
    recordPlaced: (ref, orderId) => placer.recordPlaced(ref, orderId),
    quote: (request) => catchFailure(readQuote({ merchant, catalog, placer, settings }, request)),
    ...(journal && { journaledRefs: (since: number) => journal.refs(since) }),
    async close() {
      await placer.close()
      await merchant.close()
    },
  }
  return {
    vendor,
    capabilities: ['catalog', 'createOrder', 'orderStatus', 'quote'],
    verify: () => catchFailure(verifyHandler(merchant, settings)),
  }
}

/** A merchant that states no handlers in its profile may state them with each session. */
async function verifyHandler(
  merchant: Pick<Merchant, 'profile'>,
  { mode = 'complete', handler }: Pick<UcpSettings, 'mode' | 'handler'>,
): Promise<Result<unknown>> {
  const profile = await merchant.profile()
  if (!profile.ok || mode === 'handoff') return profile
  const ids = [...new Set(profile.value.handlers.map(({ id }) => id))]
  const offered = `the shop offers ${ids.join(', ')}`
  if (handler === undefined)
    return ids.length > 1 ? fail('rejected', `handler is missing: ${offered}`) : succeed(undefined)
  return ids.length === 0 || ids.includes(handler)
    ? succeed(undefined)
    : fail('rejected', `The shop has no payment handler ${handler} (handler): ${offered}`)
}

/** What is thrown, such as by a database that is away, leaves everything open. */
const catchFailure = <T>(call: Promise<Result<T>>): Promise<Result<T>> =>
  call.catch((error: Error) =>
    fail('unknown', 'The connection to the merchant failed', { raw: error.message.slice(0, 200) }),
  )
