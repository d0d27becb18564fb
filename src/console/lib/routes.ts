import type { ROLES_OF } from './service/operation-roles.ts'

type OperationName = keyof typeof ROLES_OF

/** Every path of the console, its page and the operation that it begins with. The service has the same list of paths (`CONSOLE_PATHS`), which a test compares. */
export const ROUTES = {
  '/': { page: 'today', needs: 'listEvents' },
  '/signin': { page: 'signin', needs: 'getMe' },
  '/approvals': { page: 'approvals', needs: 'listApprovals' },
  '/approvals/:id': { page: 'approvals', needs: 'listApprovals' },
  '/purchases/:id': { page: 'purchase', needs: 'getCheckout' },
  '/basket': { page: 'basket', needs: 'createCheckout' },
  '/machines': { page: 'machines', needs: 'searchLocations' },
  '/machines/:id': { page: 'machine', needs: 'searchLocations' },
  '/setup/machines': { page: 'setupMachines', needs: 'listPlatformLocations' },
  '/setup/selections': { page: 'setupSelections', needs: 'putSelections' },
  '/setup/counts': { page: 'setupCounts', needs: 'serviceMachine' },
  '/plan': { page: 'plan', needs: 'getPlan' },
  '/plan/run': { page: 'newRun', needs: 'createRun' },
  '/prices': { page: 'prices', needs: 'changePrices' },
  '/links': { page: 'links', needs: 'resolveSkus' },
  '/runs': { page: 'runs', needs: 'listRuns' },
  '/runs/:id': { page: 'run', needs: 'getRun' },
  '/storeroom': { page: 'storeroom', needs: 'getStoreroom' },
  '/catalog': { page: 'catalog', needs: 'getProduct' },
  '/skus/:sku_id': { page: 'sku', needs: 'getSku' },
  '/orders': { page: 'orders', needs: 'listOrders' },
  '/orders/:id': { page: 'order', needs: 'getOrder' },
  '/profit': { page: 'profit', needs: 'getProfit' },
  '/earn': { page: 'earn', needs: 'getEarn' },
  '/cash': { page: 'cash', needs: 'getCash' },
  '/forecasts': { page: 'forecasts', needs: 'getScore' },
  '/swaps': { page: 'swaps', needs: 'getSwaps' },
  '/connections': { page: 'connections', needs: 'listConnections' },
  '/guardrails': { page: 'guardrails', needs: 'getGuardrails' },
  '/settings': { page: 'settings', needs: 'getSettings' },
  '/activity': { page: 'activity', needs: 'listShifts' },
  '/activity/:id': { page: 'shift', needs: 'getShift' },
  '/people': { page: 'people', needs: 'listPeople' },
  '/visits': { page: 'visits', needs: 'receiveStop' },
  '/visits/:id': { page: 'visit', needs: 'receiveStop' },
  '/runs/:id/pick-list': { page: 'pickList', needs: 'getRun' },
} as const satisfies Record<string, { page: string; needs: OperationName }>

export type PageName = (typeof ROUTES)[keyof typeof ROUTES]['page']

/** The operation that each page begins with: it is neither linked nor opened for a role that may not call it. */
export const PAGE_NEEDS = Object.fromEntries(Object.values(ROUTES).map(({ page, needs }) => [page, needs])) as Readonly<
  Record<PageName, OperationName>
>
