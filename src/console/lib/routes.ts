export type PageName =
  | 'today'
  | 'signin'
  | 'approvals'
  | 'purchase'
  | 'basket'
  | 'machines'
  | 'machine'
  | 'plan'
  | 'newRun'
  | 'prices'
  | 'links'
  | 'runs'
  | 'run'
  | 'catalog'
  | 'sku'
  | 'orders'
  | 'order'
  | 'forecasts'
  | 'swaps'
  | 'connections'
  | 'guardrails'
  | 'people'
  | 'visits'
  | 'visit'
  | 'pickList'

/** Every path of the console. The service has the same list (`CONSOLE_PATHS`), which a test compares. */
export const ROUTES: Readonly<Record<string, PageName>> = {
  '/': 'today',
  '/signin': 'signin',
  '/approvals': 'approvals',
  '/approvals/:id': 'approvals',
  '/purchases/:id': 'purchase',
  '/basket': 'basket',
  '/machines': 'machines',
  '/machines/:id': 'machine',
  '/plan': 'plan',
  '/plan/run': 'newRun',
  '/prices': 'prices',
  '/links': 'links',
  '/runs': 'runs',
  '/runs/:id': 'run',
  '/catalog': 'catalog',
  '/skus/:sku_id': 'sku',
  '/orders': 'orders',
  '/orders/:id': 'order',
  '/forecasts': 'forecasts',
  '/swaps': 'swaps',
  '/connections': 'connections',
  '/guardrails': 'guardrails',
  '/people': 'people',
  '/visits': 'visits',
  '/visits/:id': 'visit',
  '/runs/:id/pick-list': 'pickList',
}
