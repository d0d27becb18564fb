/** Every connection with its health: when it was last read, how its last read failed, and which rows were refused. */
import type { Connection } from '../../contract/shapes/connection.ts'
import { DAY, rfc3339 } from '../../kernel/clock.ts'
import type { AskedPack } from '../../vendors/packs.ts'
import type { Context } from '../../context.ts'
import { listUnreadableRowsByNamespace } from '../locations/index.ts'
import { listFetchProblems, listRounds } from './fetch/records.ts'
import { problemOf } from './hosted/view.ts'
import { type ConnectionState, listStates } from './records.ts'

/** Rows shown of one connection; the count names them all. */
const ROWS_SHOWN = 50

export async function listConnections(
  ctx: Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'connectionsHome'>,
): Promise<Connection[]> {
  const { store, vendors, config, connectionsHome: home } = ctx
  const states = new Map((await listStates(store.db)).map((state) => [state.namespace, state]))
  const refused = await listUnreadableRowsByNamespace(store.db, ROWS_SHOWN)
  const notFetched = await findNotFetched(ctx)
  const time = (ms: number) => rfc3339(ms, config.timeZone)
  const hosted = new Map(home?.stored().map((stored) => [stored.namespace, stored]))
  const fixed = new Map(home?.fixed.map(({ basics, module }) => [basics.namespace, module.adapter]))
  return vendors.registrations
    .filter(({ status, namespace }) => status === 'live' || hosted.has(namespace))
    .map(({ namespace, role, capabilities }) => {
      const state = states.get(namespace)
      const { read_at: readAt = null, failed_at: failedAt = null } = state ?? {}
      const rows = refused.get(namespace)
      const unfetched = notFetched.get(namespace) ?? []
      const unready = home?.notReady(namespace)
      const adapter = hosted.get(namespace)?.adapter ?? fixed.get(namespace)
      const supplier = role === 'supply' ? vendors.supply(namespace) : undefined
      const asked = supplier?.ok ? supplier.value.askedPacks?.() : undefined
      return {
        namespace,
        role,
        capabilities: [...capabilities],
        state: unready ? 'not_ready' : stateOf(state),
        managed: hosted.has(namespace) ? ('store' as const) : ('file' as const),
        ...(adapter !== undefined && { adapter }),
        ...(unready && { problem: problemOf(unready) }),
        ...(readAt !== null && { last_read_at: time(readAt) }),
        ...(failedAt !== null && {
          last_failure: {
            at: time(failedAt),
            code:
              state?.failure_reason === 'unauthorized' ? ('unauthorized' as const) : ('upstream_unreachable' as const),
            content: state?.failure ?? '',
          },
        }),
        ...(asked && { waiting_packs: countWaiting(asked) }),
        refused_count: (rows?.count ?? 0) + unfetched.length,
        refused_rows: [...unfetched, ...(rows?.rows ?? [])]
          .slice(0, ROWS_SHOWN)
          .map(({ source, location, row, id, problem, firstSeenAt }) => ({
            source,
            ...(location !== undefined && { location }),
            ...(row !== undefined && { row }),
            ...(id !== undefined && { id }),
            problem,
            first_seen_at: time(firstSeenAt),
          })),
      }
    })
}

/** Mails and files that could not be used, and mailboxes and folders that could not be read. */
async function findNotFetched({ store, clock }: Pick<Context, 'store' | 'clock'>) {
  const failing = (await listRounds(store.db)).flatMap(({ namespace, failure }) =>
    failure ? [{ namespace, id: 'fetch', problem: failure.problem, at: failure.since }] : [],
  )
  const aside = await listFetchProblems(store.db, clock.now() - SHOWN_MS, ROWS_SHOWN)
  const rows = [
    ...failing,
    ...aside.map((row) => ({ ...row, id: row.sender === undefined ? row.name : `${row.name} (${row.sender})` })),
  ]
  return new Map(
    [...Map.groupBy(rows, ({ namespace }) => namespace)].map(([namespace, own]) => [
      namespace,
      own.map(({ id, problem, at }) => ({
        source: 'files' as const,
        location: undefined,
        row: undefined,
        id,
        problem,
        firstSeenAt: at,
      })),
    ]),
  )
}
const SHOWN_MS = 30 * DAY

/** Each read returns the same list while the file is the same. */
const counted = new WeakMap<readonly AskedPack[], number>()
const countWaiting = (asked: readonly AskedPack[]): number =>
  counted.getOrInsertComputed(asked, () => asked.filter(({ contains }) => contains === undefined).length)

function stateOf(state: ConnectionState | undefined): Connection['state'] {
  if (!state) return 'unused'
  return (state.failed_at ?? -1) > (state.read_at ?? -1) ? 'failing' : 'ok'
}
