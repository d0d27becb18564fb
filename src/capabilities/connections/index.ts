/** The connections to vendors: their health, what they remember, and what they ask of the rest of the service. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { parseNamespace } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { Store } from '../../store/store.ts'
import type { DeploymentNeeds } from '../../vendors/deployment.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { requestReread } from '../sales/index.ts'
import { listConnections } from './list-connections.ts'
import { listPlatformLocations } from './list-locations.ts'
import { vendorMemory } from './memory.ts'
import { orderJournals } from './order-journal.ts'

/** What deployed vendors get from the database. */
export const connectionNeeds = (
  store: Pick<Store, 'db' | 'sidecarPrefix'>,
  log: Log,
): Pick<DeploymentNeeds, 'memory' | 'journal' | 'ledgerChanged'> => ({
  memory: (namespace) => vendorMemory(store, namespace),
  ...(store.sidecarPrefix !== undefined && { journal: orderJournals(store.sidecarPrefix, log) }),
  ledgerChanged(namespace, fromMs) {
    // If the mark is lost, the sweep of the next sync finds the sales.
    requestReread(store.db, namespace, fromMs).catch((err: unknown) =>
      log.warn({ namespace, err }, 'could not request that the ledger is read again'),
    )
  },
})

export const connectionsHandlers = (
  ctx: Pick<Context, 'store' | 'vendors' | 'config'>,
): HandlersOf<'listConnections' | 'listPlatformLocations'> => ({
  listConnections: async () => accept({ body: { connections: await listConnections(ctx) } }),
  listPlatformLocations: async ({ params }) => {
    const namespace = parseNamespace(params.namespace)
    if (!namespace) return refuse('not_found', `"${params.namespace}" is not a namespace`)
    const outcome = await listPlatformLocations(ctx, namespace)
    return outcome.ok ? accept({ body: outcome.value }) : outcome
  },
})

export { recordReads } from './record-reads.ts'
