/** Operations of the contract: what is deployed and connected, and the overview. */
import { ACTIVE } from '../capabilities.ts'
import { NamespaceList } from '../catalog.ts'
import { PartQuery } from '../common.ts'
import { ConnectionList, NamespaceParams, PlatformLocationList } from '../connection.ts'
import { Profile } from '../discovery.ts'
import { Overview } from '../overview.ts'
import type { Operation } from '../operation.ts'
import { ROLES } from '../roles.ts'

export const discoveryOperations = {
  discovery: {
    method: 'GET',
    path: '/.well-known/ucp',
    section: '4.1',
    summary: 'Lists the services, capabilities and payment handlers of this deployment.',
    tag: 'Discovery',
    roles: ROLES.anyone,
    status: 200,
    returns: Profile,
    capabilities: ACTIVE.none,
    public: true,
    hostRoot: true,
    rawEnvelope: true,
    codes: [],
  },
  listNamespaces: {
    method: 'GET',
    path: '/namespaces',
    section: '4.1',
    summary: 'Lists the registered vendor namespaces and the defaults.',
    tag: 'Discovery',
    roles: ROLES.routeReaders,
    status: 200,
    returns: NamespaceList,
    capabilities: ACTIVE.namespaces,
    codes: [],
  },
  listPlatformLocations: {
    method: 'GET',
    path: '/namespaces/{namespace}/locations',
    section: '4.1',
    summary: 'Lists the machines that a platform knows, registered here or not.',
    tag: 'Discovery',
    roles: ROLES.readers,
    params: NamespaceParams,
    query: PartQuery,
    status: 200,
    returns: PlatformLocationList,
    capabilities: ACTIVE.roster,
    codes: ['not_found', 'namespace_mismatch', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  listConnections: {
    method: 'GET',
    path: '/connections',
    section: '4.1',
    summary: 'Lists the connections to vendors: last read, last failure, unreadable rows.',
    tag: 'Discovery',
    roles: ROLES.readers,
    query: PartQuery,
    status: 200,
    returns: ConnectionList,
    capabilities: ACTIVE.namespaces,
    codes: [],
  },
  getOverview: {
    method: 'GET',
    path: '/overview',
    section: '4.1',
    summary: 'Returns the set-up steps still open, what was spent in 30 days, and products without a supplier.',
    tag: 'Discovery',
    roles: ROLES.readers,
    status: 200,
    returns: Overview,
    capabilities: ACTIVE.namespaces,
    codes: [],
  },
} as const satisfies Record<string, Operation>
