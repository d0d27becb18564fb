/** Operations of the contract: orders and sales. */
import { EarnList, EarnQuery } from '../shapes/money/earn.ts'
import { ACTIVE } from '../capabilities.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { Order, OrderList, OrderListQuery } from '../shapes/order.ts'
import { ROLES } from '../roles.ts'
import { DailySales, DailySalesQuery, Profit, ProfitQuery } from '../shapes/money/sales.ts'
import { IdParams } from './params.ts'

const COMMON = { section: '4.5', tag: 'Orders', capabilities: ACTIVE.order } as const

export const ordersOperations = operationRows(COMMON, {
  getOrder: {
    method: 'GET',
    path: '/orders/{id}',
    summary: 'Returns a purchase with its supplier status, or a machine sale.',
    roles: ROLES.readers,
    params: IdParams,
    returns: Order,
    codes: ['not_found', 'supplier_rejected', 'upstream_unreachable'],
  },
  listOrders: {
    method: 'GET',
    path: '/orders',
    summary: 'Lists machine sales or purchases, newest first.',
    roles: ROLES.readers,
    query: OrderListQuery,
    returns: OrderList,
    codes: ['namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  listDailySales: {
    method: 'GET',
    path: '/sales/daily',
    summary: 'Returns units and revenue per day, of one machine or all, as far as the sales are mirrored.',
    roles: ROLES.readers,
    query: DailySalesQuery,
    returns: DailySales,
  },
  getProfit: {
    method: 'GET',
    path: '/profit',
    summary: 'Returns revenue, costs and profit by day, week, location, product or slot.',
    roles: ROLES.writers,
    query: ProfitQuery,
    returns: Profit,
  },
  getEarn: {
    method: 'GET',
    path: '/earn',
    summary:
      'Returns the ten best next steps of the route or a machine, with expected gain per week and its standard error; of a machine also whether it is worth its place.',
    roles: ROLES.writers,
    query: EarnQuery,
    returns: EarnList,
    codes: ['guard_unverifiable', 'not_found'],
  },
} as const satisfies OperationRows)
