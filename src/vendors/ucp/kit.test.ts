/** Every version over both transports passes the suite of all supply adapters. */
import { expect } from 'vitest'
import { ALL_TROUBLES } from '../../../test/contracts/adapter-kit.ts'
import type { Trouble } from '../../../test/contracts/adapter-kit.ts'
import { ROWS } from '../../../test/contracts/adapter-kit.ts'
import { type FaultPlan, gateway } from '../../../test/contracts/scripted-upstream.ts'
import { describeSupplyAdapter } from '../../../test/contracts/supply-adapter.kit.ts'
import {
  preparesSession,
  UCP_CARD,
  ucpMerchant,
  ucpProduct,
  UCP_TOKEN,
  UCP_VERSIONS,
} from '../../../test/contracts/ucp-merchant.ts'
import type { UcpMerchantOptions } from '../../../test/contracts/ucp-merchant.ts'
import { officialValidator } from '../../../test/support/official.ts'
import { fen } from '../../kernel/fen.ts'
import type { SupplyProduct } from '../supply-vendor.ts'
import { connect, priceList, refsOf, usdOrder, WATER } from './ucp.test-support.ts'

const PRODUCT: SupplyProduct = {
  vendorSku: 'water',
  title: 'product water',
  spec: 'still water',
  packSize: 1,
  packPriceFen: fen(120),
  eachPriceFen: fen(120),
  eachPriceDerived: false,
  stock: null,
  isForSale: true,
  units: 'each',
}

const errorBody = (code: string, transport: string) =>
  JSON.stringify(
    transport === 'mcp'
      ? { jsonrpc: '2.0', id: null, error: { code: -32602, message: `no: ${UCP_TOKEN}` } }
      : {
          ucp: { version: '2026-08-25', status: 'error' },
          messages: [{ type: 'error', code, content: `no: ${UCP_TOKEN}`, severity: 'unrecoverable' }],
        },
  )

const plans = (transport: string): Readonly<Partial<Record<Trouble, FaultPlan['fault']>>> => ({
  refuses_credentials: { kind: 'status', status: 401, body: errorBody('unauthorized', transport) },
  says_no: { kind: 'status', status: 402, body: errorBody('payment_declined', transport) },
  slows_us_down: gateway(429, '7'),
  breaks: gateway(502),
  garbles: { kind: 'json', json: { jsonrpc: '2.0', result: {} } },
  loses_reply: { kind: 'dropped' },
})

function describeMerchant(options: Required<Pick<UcpMerchantOptions, 'version' | 'transport'>>): void {
  const { version, transport } = options
  // Merchants of the first version have no catalog: a price list stands beside them.
  const hasCatalog = version !== '2026-01-11'
  describeSupplyAdapter(`a UCP merchant of ${version} over ${transport}`, {
    capabilities: ['catalog', 'createOrder', 'orderStatus', 'quote'],
    features: [],
    troubles: { catalog: hasCatalog ? ALL_TROUBLES : [], createOrder: ALL_TROUBLES, orderStatus: ALL_TROUBLES },
    sendsRows: hasCatalog,
    async make() {
      const upstream = await ucpMerchant({ ...options, official: await officialValidator() })
      const list = hasCatalog ? undefined : priceList()
      // The first use of each official schema takes long.
      const connected = connect(upstream.url, list ? { catalog: list.catalog } : {}, { timeoutMs: 5_000 })
      const { vendor } = connected
      // Units of products are known, so that an order begins with its session.
      await vendor.catalog()
      const { spec: _, ...withoutSpec } = PRODUCT
      return {
        vendor,
        hidden: [UCP_TOKEN, UCP_CARD, '127.0.0.1'],
        expected: { products: [list ? withoutSpec : PRODUCT], sites: [] },
        lines: WATER,
        order: (ref, fulfillment) => usdOrder(ref, { fulfillment }),
        placed: () =>
          refsOf(
            connected,
            upstream.orders.map(({ session }) => session),
          ),
        vendorFields: ['price_range', 'quantity_unit', 'sale_units'],
        spoil(bad) {
          upstream.products = Array.from({ length: ROWS }, (_row, i) =>
            ucpProduct(`P${i}`, i < bad ? { price: { amount: 'N/A', currency: 'USD' } } : {}),
          )
          return upstream.products.map(({ id }) => String(id))
        },
        writesReceived: () => upstream.completions(),
        async trouble(trouble) {
          const fault = plans(transport)[trouble]
          // What only prepares goes well, so that the request that buys meets the trouble.
          if (fault)
            upstream.fail({ fault, when: (request) => !preparesSession(request), acting: trouble === 'loses_reply' })
          else await upstream.goAway()
        },
        async heal() {
          upstream.heal()
          await upstream.comeBack()
        },
        async close() {
          await vendor.close()
          await upstream.close()
          list?.remove()
          expect(upstream.violations).toEqual([])
        },
      }
    },
  })
}

for (const version of UCP_VERSIONS)
  for (const transport of ['rest', 'mcp'] as const) describeMerchant({ version, transport })
