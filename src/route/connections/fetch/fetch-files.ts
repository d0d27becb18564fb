/**
 * Fetches the files of connections by itself, every ten minutes, on one instance. They go the way of uploads. Nobody stands
 * behind them: what an upload leaves to the owner waits for one, and of a mail whose sender is not proven everything does.
 */
import type { Job } from '../../../jobs/runner.ts'
import { runAs } from '../../../kernel/caller.ts'
import { DAY, MINUTE, rfc3339 } from '../../../kernel/clock.ts'
import { mapConcurrent } from '../../../lib/concurrency.ts'
import { recordEvent } from '../../../record/events/index.ts'
import type { Connection } from '../../../vendors/connections/connection.ts'
import { fetchFiles } from '../../../vendors/fetch/fetch-aside.ts'
import type { FetchedItem } from '../../../vendors/fetch/fetch-messages.ts'
import { kindOfName } from '../../../vendors/fetch/settings.ts'
import { bringFile, waitsForCurrency } from '../hosted/bring-file.ts'
import type { HostedDeps } from '../hosted/save-connection.ts'
import { fetchAsideEvent, fetchFailedEvent } from '../texts.ts'
import { findRound, insertFetched, listFetchedIds, removeOldFetched, saveRound } from './records.ts'

const EVERY_MS = 10 * MINUTE
const AT_ONCE = 4
const KEPT_MS = 180 * DAY

type Fetching = Connection & { readonly fetch: NonNullable<Connection['fetch']> }

export const fetchFilesJob = (ctx: HostedDeps): Job => ({
  name: 'fetch-files',
  everyMs: EVERY_MS,
  run: async () => {
    // What is fetched now would be refused, and not be fetched again.
    if (await waitsForCurrency(ctx)) return
    await mapConcurrent(AT_ONCE, listFetching(ctx), (connection) => fetchOnce(ctx, connection))
  },
})

function listFetching({ connectionsHome: home }: HostedDeps): readonly Fetching[] {
  return (home?.stored() ?? []).flatMap((stored) => {
    if (stored.settings['fetch'] === undefined || home?.secrets === undefined) return []
    const { secrets } = home
    const checked = home.check(stored, (name) => secrets.read(name))
    // One that is not ready says so by itself.
    return checked.ok && checked.connection.fetch ? [{ ...checked.connection, fetch: checked.connection.fetch }] : []
  })
}

async function fetchOnce(ctx: HostedDeps, connection: Fetching): Promise<void> {
  const { store, clock, log } = ctx
  const { namespace } = connection.basics
  const known = new Set(await listFetchedIds(store.db, namespace))
  const fetched = await fetchFiles({ settings: connection.fetch, known, now: clock.now() }, (item) =>
    storeItem(ctx, connection, item),
  )
  const at = clock.now()
  await store.transaction(async (tx) => {
    const before = (await findRound(tx, namespace))?.failure
    const problem = fetched.ok ? undefined : fetched.problem
    await saveRound(tx, {
      namespace,
      at,
      ...(problem !== undefined && { failure: { problem, since: before?.problem === problem ? before.since : at } }),
    })
    if (problem !== undefined && problem !== before?.problem)
      await recordEvent(ctx, tx, fetchFailedEvent(namespace, problem))
  })
  if (!fetched.ok) log.warn({ namespace, problem: fetched.problem }, 'files of a connection could not be fetched')
  await removeOldFetched(store.db, namespace, at - KEPT_MS)
}

/** Every file first, then the note that this mail is done: after a crash between them the files are known by their bytes. */
async function storeItem(ctx: HostedDeps, { basics, fetch }: Fetching, item: FetchedItem): Promise<void> {
  const { namespace } = basics
  const { key, label, sender, isProven } = item
  const problems = [...item.problems]
  const source = fetch.via === 'mailbox' ? `mail of ${sender ?? 'an unknown sender'}` : `SFTP folder of ${fetch.host}`
  for (const { name, bytes, writtenAt } of item.files) {
    const kind = kindOfName(name, fetch.files)
    if (typeof kind !== 'string') {
      problems.push({ name, problem: kind.problem })
      continue
    }
    const upload = { file: { name, bytes }, kind, written_at: rfc3339(writtenAt, 'UTC') }
    const brought = await runAs({ requestId: `fetch ${namespace}`, agent: source }, () =>
      bringFile(ctx, namespace, upload, false, { source, isProven }),
    )
    if (!brought.ok) problems.push({ name, problem: brought.refusal.messages[0]?.content ?? 'it is refused' })
  }
  const at = ctx.clock.now()
  await ctx.store.transaction(async (tx) => {
    const from = sender === undefined ? {} : { sender }
    for (const [i, { name, problem }] of problems.entries()) {
      const isNew = await insertFetched(tx, { namespace, id: `${key} #${i}`, at, name, ...from, problem })
      if (isNew) await recordEvent(ctx, tx, fetchAsideEvent(namespace, name, source, problem))
    }
    await insertFetched(tx, { namespace, id: key, at, name: label, ...from })
  })
}
