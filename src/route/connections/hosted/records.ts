/** The connections that owners made, and whose account each namespace stands for. */
import type { Namespace } from '../../../kernel/ids.ts'
import type { WriteContext } from '../../../context.ts'
import { type ChainedRows, type Facts, chainChange } from '../../../record/hash-chain/index.ts'
import { byColumns } from '../../../store/caller-columns.ts'
import { incrementCounter, readCounter } from '../../../store/counter.ts'
import { type Queryable, type Tx, readAll } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import type { HostedConnection } from '../../../vendors/connections/hosted-connection.ts'
import type { Fields } from '../../../lib/objects.ts'

const VERSION = 'connections'

/** Grows with every change of a connection or of its files. */
export const readVersion = (db: Queryable): Promise<number> => readCounter(db, VERSION)

/** First in every transaction that changes connections or files: locks the counter until the commit. */
export async function countChange(tx: Tx): Promise<void> {
  await incrementCounter(tx, VERSION)
}

type Row = Columns<'hosted_connection'>

export interface StoredConnection extends HostedConnection {
  readonly namespace: Namespace
  readonly revision: number
  readonly createdAt: number
  readonly changedAt: number
  readonly isRemoved: boolean
}

const fromRow = (row: Row): StoredConnection => ({
  namespace: row.namespace as Namespace,
  adapter: row.adapter,
  settings: JSON.parse(row.settings) as Fields,
  isReadOnly: row.is_read_only === 1,
  ...(row.time_zone !== null && { timeZone: row.time_zone }),
  ...(row.id_prefix !== null && { idPrefix: row.id_prefix }),
  revision: row.revision,
  createdAt: row.created_at,
  changedAt: row.changed_at,
  isRemoved: row.removed_at !== null,
})

/** In the order in which they were made: the first of a role may be its default. */
export const listStored = (db: Queryable): Promise<StoredConnection[]> =>
  readAll(
    db
      .selectFrom('hosted_connection')
      .selectAll()
      .where('removed_at', 'is', null)
      .orderBy('created_at')
      .orderBy('namespace'),
    fromRow,
  )

const findRow = (db: Queryable, namespace: string): Promise<Row | undefined> =>
  db.selectFrom('hosted_connection').selectAll().where('namespace', '=', namespace).executeTakeFirst()

/** Also one that was removed. */
export async function findStored(db: Queryable, namespace: string): Promise<StoredConnection | undefined> {
  const row = await findRow(db, namespace)
  return row && fromRow(row)
}

export async function saveStored(
  ctx: WriteContext,
  tx: Tx,
  connection: HostedConnection & { readonly namespace: Namespace },
): Promise<void> {
  const { namespace } = connection
  const now = ctx.clock.now()
  const before = await findRow(tx, namespace)
  const values = {
    adapter: connection.adapter,
    settings: JSON.stringify(connection.settings),
    is_read_only: connection.isReadOnly ? 1 : 0,
    time_zone: connection.timeZone ?? null,
    id_prefix: connection.idPrefix ?? null,
    revision: (before?.revision ?? 0) + 1,
    created_at: before && before.removed_at === null ? before.created_at : now,
    changed_at: now,
    removed_at: null,
    ...byColumns(),
  }
  await tx
    .insertInto('hosted_connection')
    .values({ namespace, ...values })
    .onConflict((conflict) => conflict.column('namespace').doUpdateSet(values))
    .execute()
  chainConnection(ctx, tx, namespace)
}

/** Its settings go; that it was there stays. */
export async function markRemoved(ctx: WriteContext, tx: Tx, { namespace, revision }: StoredConnection): Promise<void> {
  const now = ctx.clock.now()
  await tx
    .updateTable('hosted_connection')
    .set({ settings: '{}', revision: revision + 1, changed_at: now, removed_at: now, ...byColumns() })
    .where('namespace', '=', namespace)
    .execute()
  chainConnection(ctx, tx, namespace)
}

const factsOf = ({ namespace: _id, ...facts }: Row): Facts => ({ ...facts })

const chainConnection = (ctx: WriteContext, tx: Tx, namespace: Namespace): void =>
  chainChange(ctx, tx, {
    kind: 'connection',
    subject: namespace,
    readFacts: async (end) => {
      const row = await findRow(end, namespace)
      return row && factsOf(row)
    },
  })

/** For the verification of the hash chain. */
export const chainedConnections: ChainedRows = (db, after, limit) =>
  readAll(
    db
      .selectFrom('hosted_connection')
      .selectAll()
      .where('namespace', '>', after ?? '')
      .orderBy('namespace')
      .limit(limit),
    (row) => ({ subject: row.namespace, facts: factsOf(row) }),
  )

export type Account = Pick<Columns<'connection_account'>, 'adapter' | 'account'>

export const findAccount = (db: Queryable, namespace: string): Promise<Account | undefined> =>
  db
    .selectFrom('connection_account')
    .select(['adapter', 'account'])
    .where('namespace', '=', namespace)
    .executeTakeFirst()

export async function saveAccount(db: Queryable, namespace: Namespace, account: Account): Promise<void> {
  await db
    .insertInto('connection_account')
    .values({ namespace, ...account })
    .onConflict((conflict) => conflict.column('namespace').doUpdateSet(account))
    .execute()
}
