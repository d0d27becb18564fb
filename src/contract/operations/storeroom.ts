/** Our own operations, beyond the contract: the store room and what moves it. */
import { Type } from 'typebox'
import { ACTIVE } from '../capabilities.ts'
import { SkuId } from '../common.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'
import { Order } from '../shapes/order.ts'
import {
  OrderReceiveRequest,
  Storeroom,
  StoreroomCountRequest,
  StoreroomMovements,
  StoreroomMovementsQuery,
  StoreroomProductAnswer,
  StoreroomQuery,
} from '../shapes/storeroom.ts'
import { IdParams } from './params.ts'

const COMMON = { section: '4.3', tag: 'Store room', capabilities: ACTIVE.inventory } as const

export const storeroomOperations = operationRows(COMMON, {
  getStoreroom: {
    method: 'GET',
    path: '/storeroom',
    summary: 'Returns what is in the store room, what placed runs will take of it, and its worth.',
    roles: ROLES.routeReaders,
    query: StoreroomQuery,
    returns: Storeroom,
    codes: ['not_enabled'],
  },
  countStoreroom: {
    method: 'PUT',
    path: '/storeroom/products/{sku_id}',
    summary: 'Sets how many units of a supply product are in the store room, with the reason.',
    roles: ROLES.routeWriters,
    write: { guard: 'none' },
    params: Type.Object({ sku_id: SkuId }),
    body: StoreroomCountRequest,
    returns: StoreroomProductAnswer,
    codes: ['not_found', 'conflict', 'namespace_mismatch', 'not_enabled', 'upstream_unreachable'],
  },
  listStoreroomMovements: {
    method: 'GET',
    path: '/storeroom/movements',
    summary: 'Lists what came into the store room and went out of it, newest first.',
    roles: ROLES.routeReaders,
    query: StoreroomMovementsQuery,
    returns: StoreroomMovements,
    codes: ['not_enabled'],
  },
  receiveOrder: {
    method: 'POST',
    path: '/orders/{id}/receive',
    summary: 'Books a purchase that came into the store room.',
    roles: ROLES.routeWriters,
    write: { guard: 'none' },
    params: IdParams,
    body: OrderReceiveRequest,
    bodyOptional: true,
    returns: Order,
    capabilities: ACTIVE.order,
    codes: ['not_found', 'already_received', 'canceled', 'not_editable', 'not_enabled', 'not_placed'],
    statuses: { canceled: 409 },
  },
} as const satisfies OperationRows)
