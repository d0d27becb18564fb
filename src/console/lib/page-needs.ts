/** The operation that each page begins with: it is neither linked nor opened for a role that may not call it. */
import type { OperationName } from './me.ts'
import type { PageName } from './routes.ts'

export const PAGE_NEEDS: Readonly<Record<PageName, OperationName>> = {
  today: 'listEvents',
  signin: 'getMe',
  approvals: 'listApprovals',
  purchase: 'getCheckout',
  basket: 'createCheckout',
  machines: 'searchLocations',
  machine: 'searchLocations',
  plan: 'getPlan',
  runs: 'listRuns',
  newRun: 'createRun',
  prices: 'changePrices',
  links: 'resolveSkus',
  run: 'getRun',
  pickList: 'getRun',
  visits: 'receiveStop',
  visit: 'receiveStop',
  catalog: 'getProduct',
  sku: 'getSku',
  orders: 'listOrders',
  order: 'getOrder',
  swaps: 'getSwaps',
  forecasts: 'getScore',
  connections: 'listConnections',
  guardrails: 'getGuardrails',
  people: 'listPeople',
}
