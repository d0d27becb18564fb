/** The connections to vendors: their health, their memory, and what adapters need from the rest of the service. */
import { isKept, lookAtCounts } from './hosted/look-at-counts.ts'
import { isDryRun } from '../../contract/dry-run.ts'
import type { HandlersOf } from '../../contract/handlers.ts'
import { PAGE_MAX } from '../../contract/limits.ts'
import { parseNamespace } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { Store } from '../../store/store.ts'
import type { DeploymentNeeds } from '../../vendors/deployment.ts'
import { accept, mapOutcome, refuse } from '../../kernel/outcome.ts'
import { partOf } from '../../lib/pages.ts'
import type { Context } from '../../context.ts'
import { requestReread } from '../sales/index.ts'
import { listConnections } from './list-connections.ts'
import { listPlatformLocations } from './list-locations.ts'
import { vendorMemory } from './memory.ts'
import { orderJournals } from './order-journal.ts'
import { listPacks } from './list-packs.ts'
import { listStatedPacks } from './pack-records.ts'
import { statePack } from './state-pack.ts'
import { bringFile, decideFile, listBrought } from './hosted/bring-file.ts'
import { putSelections } from './hosted/put-selections.ts'
import type { StoredConnection } from './hosted/records.ts'
import {
  type ConnectionUse,
  addConnection,
  changeConnection,
  findHosted,
  removeConnection,
} from './hosted/save-connection.ts'
import { testSaved, tryConnection } from './hosted/test-read.ts'
import { connectionView, listKinds } from './hosted/view.ts'

/** What deployed vendors get from the database. `databaseId`: without it, every order in the journal counts as one of it. */
export const connectionNeeds = (
  store: Pick<Store, 'db' | 'sidecarPrefix'>,
  log: Log,
  databaseId?: string,
): Pick<DeploymentNeeds, 'memory' | 'statedPacks' | 'journal' | 'ledgerChanged'> => ({
  memory: (namespace) => vendorMemory(store, namespace),
  statedPacks: (namespace) => listStatedPacks(store.db, namespace),
  ...(store.sidecarPrefix !== undefined && { journal: orderJournals(store.sidecarPrefix, log, databaseId) }),
  ledgerChanged(namespace, fromMs) {
    // If this request is lost, the next sync reads these sales anyway.
    requestReread(store.db, namespace, fromMs).catch((err: unknown) =>
      log.warn({ namespace, err }, 'could not request that the ledger is read again'),
    )
  },
})

type Operations =
  | 'listConnections'
  | 'listPlatformLocations'
  | 'listPacks'
  | 'statePack'
  | 'listConnectionKinds'
  | 'getConnection'
  | 'addConnection'
  | 'changeConnection'
  | 'removeConnection'
  | 'testConnection'
  | 'tryConnection'
  | 'listFiles'
  | 'uploadFile'
  | 'putSelections'
  | 'decideFile'

/** `use`: what the capabilities above know about a namespace. */
export const connectionsHandlers = (
  ctx: Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'log' | 'connectionsHome'>,
  use: ConnectionUse,
): HandlersOf<Operations> => {
  const hosted = { ...ctx, use }
  const view = (stored: StoredConnection) => ({
    body: connectionView(stored, ctx.connectionsHome ?? NO_HOME, ctx.config.timeZone),
  })
  return {
    async listConnections({ query }) {
      const part = partOf(await listConnections(ctx), query, PAGE_MAX, ({ namespace }) => namespace)
      if (!part.ok) return part
      const { entries: connections, ...pages } = part.value
      return accept({ body: { connections, ...pages } })
    },
    listPlatformLocations: async ({ params, query }) => {
      const namespace = parseNamespace(params.namespace)
      if (!namespace) return refuse('not_found', `"${params.namespace}" is not a namespace`)
      const outcome = await listPlatformLocations(ctx, namespace)
      if (!outcome.ok) return outcome
      const part = partOf(outcome.value, query, PAGE_MAX, ({ id }) => id)
      if (!part.ok) return part
      const { entries: locations, ...pages } = part.value
      return accept({ body: { locations, ...pages } })
    },
    listPacks: async ({ params, query }) =>
      mapOutcome(await listPacks(ctx, params.namespace, query), (body) => ({ body })),
    statePack: async ({ params, body }) =>
      mapOutcome(await statePack(ctx, params.namespace, body), (packs) => ({ body: packs })),
    listConnectionKinds: async () => accept({ body: { kinds: listKinds(ctx.config.buyerName) } }),
    getConnection: async ({ params }) => mapOutcome(await findHosted(hosted, params.namespace), view),
    addConnection: async ({ body }) => mapOutcome(await addConnection(hosted, body), view),
    changeConnection: async ({ params, body }) =>
      mapOutcome(await changeConnection(hosted, params.namespace, body), view),
    removeConnection: async ({ params }) => mapOutcome(await removeConnection(hosted, params.namespace), view),
    testConnection: async ({ params }) => mapOutcome(await testSaved(hosted, params.namespace), (body) => ({ body })),
    listFiles: async ({ params }) =>
      mapOutcome(await listBrought(hosted, params.namespace), (files) => ({ body: { files } })),
    uploadFile: async ({ params, query, body }) =>
      mapOutcome(
        isKept(body)
          ? await bringFile(hosted, params.namespace, body, isDryRun(query))
          : await lookAtCounts(ctx, params.namespace, body, isDryRun(query)),
        (brought) => ({ body: brought }),
      ),
    putSelections: async ({ params, body }) =>
      mapOutcome(await putSelections(hosted, params, body), (selections) => ({
        body: { location: params.id, selections },
      })),
    decideFile: async ({ params, body }) =>
      mapOutcome(await decideFile(hosted, params.namespace, params.id, body.use), (file) => ({ body: { file } })),
    tryConnection: async ({ body: given }) => mapOutcome(await tryConnection(hosted, given), (body) => ({ body })),
  }
}

const NO_HOME = { notReady: () => undefined }

export { countOthersOrders } from './order-journal.ts'
export { chainedPacks } from './pack-records.ts'
export { endInbound, listWaitingInbound, removeOldInbound } from './inbound-records.ts'
export { receiveInbound } from './receive-inbound.ts'
export { receiveMessagesJob } from './receive-messages.ts'
export { fetchFilesJob } from './fetch/fetch-files.ts'
export { recordReads } from './record-reads.ts'
export { hasPriceLists } from './hosted/file-records.ts'
export { connectionsHome, loadHosted, rememberAccounts } from './hosted/home.ts'
export type { ConnectionUse } from './hosted/save-connection.ts'
export { chainedConnections } from './hosted/records.ts'
