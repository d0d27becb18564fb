/** Operations of the contract: catalogs and SKUs. */
import { Type } from 'typebox'
import { ACTIVE, MACHINE_EXTRA } from '../capabilities.ts'
import {
  AliasesRequest,
  CatalogLookupRequest,
  CatalogProductRequest,
  CatalogSearchRequest,
  ProductDetail,
  ProductList,
  Resolution,
  ResolveRequest,
  ShelfLifeRequest,
  SkuRecord,
  PhaseOutRequest,
} from '../shapes/catalog.ts'
import { LocationId, SkuId } from '../common.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'

const SkuParams = Type.Object({ sku_id: SkuId })

const COMMON = { section: '4.2', tag: 'Catalog', capabilities: ACTIVE.skus } as const

export const catalogOperations = operationRows(COMMON, {
  searchCatalog: {
    method: 'POST',
    path: '/catalog/search',
    summary: 'Searches a supplier catalog or the products in one machine.',
    roles: ROLES.routeReaders,
    body: CatalogSearchRequest,
    returns: ProductList,
    capabilities: ACTIVE.search,
    extraCapabilities: MACHINE_EXTRA,
    safe: true,
    codes: ['not_found', 'namespace_mismatch', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  lookupCatalog: {
    method: 'POST',
    path: '/catalog/lookup',
    summary: 'Returns up to 50 products by id, across namespaces.',
    roles: ROLES.readers,
    body: CatalogLookupRequest,
    returns: ProductList,
    capabilities: ACTIVE.lookup,
    extraCapabilities: MACHINE_EXTRA,
    safe: true,
    codes: [
      'request_too_large',
      'not_found',
      'namespace_mismatch',
      'namespace_unsupported',
      'supplier_rejected',
      'upstream_unreachable',
    ],
  },
  getProduct: {
    method: 'POST',
    path: '/catalog/product',
    summary: 'Returns one product by id.',
    roles: ROLES.readers,
    body: CatalogProductRequest,
    returns: ProductDetail,
    capabilities: ACTIVE.lookup,
    extraCapabilities: MACHINE_EXTRA,
    safe: true,
    codes: ['not_found', 'namespace_mismatch', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  getSku: {
    method: 'GET',
    path: '/skus/{sku_id}',
    summary: 'Returns a SKU with its barcodes, its aliases and where it can be bought.',
    roles: ROLES.readers,
    params: SkuParams,
    query: Type.Object({ location: Type.Optional(LocationId) }),
    returns: SkuRecord,
    codes: ['not_found', 'namespace_mismatch', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  resolveSkus: {
    method: 'POST',
    path: '/skus/resolve',
    summary: 'Finds the same products in another namespace, through confirmed aliases only.',
    roles: ROLES.readers,
    body: ResolveRequest,
    returns: Resolution,
    safe: true,
    codes: ['request_too_large', 'namespace_unsupported'],
  },
  confirmAliases: {
    method: 'PUT',
    path: '/skus/{sku_id}/aliases',
    summary: 'Records that SKUs of different namespaces are the same product, or that they are not.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: SkuParams,
    body: AliasesRequest,
    returns: SkuRecord,
    codes: ['not_found', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  setShelfLife: {
    method: 'PUT',
    path: '/skus/{sku_id}/shelf-life',
    summary: 'States how many days a product may stay in a machine.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: SkuParams,
    body: ShelfLifeRequest,
    returns: SkuRecord,
    codes: ['not_found', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  setPhaseOut: {
    method: 'PUT',
    path: '/skus/{sku_id}/phase-out',
    summary: 'Stops ordering a product, on the route or for one machine, or orders it again.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: SkuParams,
    body: PhaseOutRequest,
    returns: SkuRecord,
    codes: ['not_found', 'namespace_mismatch', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
} as const satisfies OperationRows)
