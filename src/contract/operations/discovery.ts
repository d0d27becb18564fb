/** Operations of the contract: what is deployed and connected, and the overview. */
import { ACTIVE } from '../capabilities.ts'
import { NamespaceList } from '../shapes/catalog.ts'
import { PartQuery } from '../common.ts'
import {
  ConnectionList,
  NamespaceParams,
  PackList,
  PackQuery,
  PackRequest,
  PlatformLocationList,
} from '../shapes/connection.ts'
import { Profile } from '../shapes/discovery.ts'
import { Overview, OverviewQuery } from '../shapes/overview.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'

const COMMON = { section: '4.1', tag: 'Discovery', capabilities: ACTIVE.namespaces } as const

export const discoveryOperations = operationRows(COMMON, {
  discovery: {
    method: 'GET',
    path: '/.well-known/ucp',
    summary: 'Lists the services, capabilities and payment handlers of this deployment.',
    roles: ROLES.anyone,
    returns: Profile,
    capabilities: ACTIVE.none,
    public: true,
    hostRoot: true,
    rawEnvelope: true,
  },
  listNamespaces: {
    method: 'GET',
    path: '/namespaces',
    summary: 'Lists the registered vendor namespaces and the defaults.',
    roles: ROLES.routeReaders,
    returns: NamespaceList,
  },
  listPlatformLocations: {
    method: 'GET',
    path: '/namespaces/{namespace}/locations',
    summary: 'Lists the machines that a platform knows, registered here or not.',
    roles: ROLES.readers,
    params: NamespaceParams,
    query: PartQuery,
    returns: PlatformLocationList,
    capabilities: ACTIVE.roster,
    codes: ['not_found', 'namespace_mismatch', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  listConnections: {
    method: 'GET',
    path: '/connections',
    summary: 'Lists the connections to vendors: last read, last failure, unreadable rows.',
    roles: ROLES.readers,
    query: PartQuery,
    returns: ConnectionList,
  },
  listPacks: {
    method: 'GET',
    path: '/connections/{namespace}/packs',
    summary: 'Lists articles that cannot be ordered until somebody says how many items their pack holds.',
    roles: ROLES.readers,
    params: NamespaceParams,
    query: PackQuery,
    returns: PackList,
    codes: ['not_found', 'namespace_mismatch', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  statePack: {
    method: 'PUT',
    path: '/connections/{namespace}/packs',
    summary: 'States how many items a pack of a price list holds.',
    roles: ROLES.owners,
    tokenUntilOwner: true,
    write: { guard: 'none' },
    params: NamespaceParams,
    body: PackRequest,
    returns: PackList,
    codes: [
      'not_found',
      'confirmation_required',
      'namespace_mismatch',
      'namespace_unsupported',
      'supplier_rejected',
      'upstream_unreachable',
    ],
  },
  getOverview: {
    method: 'GET',
    path: '/overview',
    summary: 'Returns the set-up steps still open, what was spent in 30 days, and products without a supplier.',
    roles: ROLES.readers,
    query: OverviewQuery,
    returns: Overview,
  },
} as const satisfies OperationRows)
