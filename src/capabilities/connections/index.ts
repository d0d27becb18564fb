/** The connections to vendors: what they remember, and what they ask of the rest of the service. */
import type { Log } from '../../kernel/log.ts'
import type { Store } from '../../store/store.ts'
import type { DeploymentNeeds } from '../../vendors/deployment.ts'
import { requestReread } from '../sales/index.ts'
import { vendorMemory } from './memory.ts'

/** What deployed vendors get from the database. */
export const connectionNeeds = (
  store: Pick<Store, 'db'>,
  log: Log,
): Pick<DeploymentNeeds, 'memory' | 'ledgerChanged'> => ({
  memory: (namespace) => vendorMemory(store, namespace),
  ledgerChanged(namespace, fromMs) {
    // If the mark is lost, the sweep of the next sync finds the sales.
    requestReread(store.db, namespace, fromMs).catch((err: unknown) =>
      log.warn({ namespace, err }, 'could not request that the ledger is read again'),
    )
  },
})
