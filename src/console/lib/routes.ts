/** Every address of the console. */
export type PageName =
  | 'today'
  | 'signin'
  | 'approvals'
  | 'purchase'
  | 'machines'
  | 'machine'
  | 'plan'
  | 'runs'
  | 'run'
  | 'catalog'
  | 'sku'
  | 'orders'
  | 'order'
  | 'forecasts'
  | 'guardrails'

/** The service answers each of these paths with our page; its own list is the same. */
export const ROUTES: Readonly<Record<string, PageName>> = {
  '/': 'today',
  '/signin': 'signin',
  '/approvals': 'approvals',
  '/approvals/:id': 'approvals',
  '/purchases/:id': 'purchase',
  '/machines': 'machines',
  '/machines/:id': 'machine',
  '/plan': 'plan',
  '/runs': 'runs',
  '/runs/:id': 'run',
  '/catalog': 'catalog',
  '/skus/:sku_id': 'sku',
  '/orders': 'orders',
  '/orders/:id': 'order',
  '/forecasts': 'forecasts',
  '/guardrails': 'guardrails',
}
