/** Operations of the contract: orders and sales. */
import { ACTIVE } from '../capabilities.ts'
import type { Operation } from '../operation.ts'
import { Order, OrderList, OrderListQuery } from '../order.ts'
import { ROLES } from '../roles.ts'
import { DailySales, DailySalesQuery } from '../sales.ts'
import { IdParams } from './params.ts'

export const ordersOperations = {
  getOrder: {
    method: 'GET',
    path: '/orders/{id}',
    section: '4.5',
    summary: 'Returns a purchase with its supplier status, or a machine sale.',
    tag: 'Orders',
    roles: ROLES.readers,
    params: IdParams,
    status: 200,
    returns: Order,
    capabilities: ACTIVE.order,
    codes: ['not_found', 'supplier_rejected', 'upstream_unreachable'],
  },
  listOrders: {
    method: 'GET',
    path: '/orders',
    section: '4.5',
    summary: 'Lists machine sales or purchases, newest first.',
    tag: 'Orders',
    roles: ROLES.readers,
    query: OrderListQuery,
    status: 200,
    returns: OrderList,
    capabilities: ACTIVE.order,
    codes: ['namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  listDailySales: {
    method: 'GET',
    path: '/sales/daily',
    section: '4.5',
    summary: 'Returns units and revenue per day, of one machine or all, as far as the sales are mirrored.',
    tag: 'Orders',
    roles: ROLES.readers,
    query: DailySalesQuery,
    status: 200,
    returns: DailySales,
    capabilities: ACTIVE.order,
    codes: [],
  },
} as const satisfies Record<string, Operation>
