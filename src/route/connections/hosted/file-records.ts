/** Files that people brought, in the store: every instance writes its own copy of them. */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip as gunzipWith, gzip as gzipWith } from 'node:zlib'
import { byColumns, fromByColumns } from '../../../store/caller-columns.ts'
import { type Queryable, type Tx, readAll } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import type { Namespace } from '../../../kernel/ids.ts'

const [gzip, gunzip] = [promisify(gzipWith), promisify(gunzipWith)]

type Row = Columns<'connection_file'>

const LISTED = [
  'id',
  'namespace',
  'kind',
  'name',
  'hash',
  'size',
  'state',
  'summary',
  'received_at',
  'written_at',
  'by_name',
  'by_role',
] as const

const fromRow = (row: Pick<Row, (typeof LISTED)[number]>) => ({
  id: row.id,
  namespace: row.namespace as Namespace,
  kind: row.kind,
  name: row.name,
  hash: row.hash,
  size: row.size,
  state: row.state,
  summary: row.summary,
  receivedAt: row.received_at,
  writtenAt: row.written_at,
  by: fromByColumns(row),
})
export type StoredFile = Readonly<ReturnType<typeof fromRow>>

/** The same bytes for the same purpose are the same file. */
export const fileIdOf = (namespace: string, kind: string, fileHash: string): string =>
  `file-${hash('sha256', `${namespace} ${kind} ${fileHash}`, 'hex').slice(0, 32)}`

export const listFiles = (db: Queryable, namespace: string, limit: number): Promise<StoredFile[]> =>
  readAll(
    db
      .selectFrom('connection_file')
      .select(LISTED)
      .where('namespace', '=', namespace)
      .orderBy('received_at', 'desc')
      .orderBy('id')
      .limit(limit),
    fromRow,
  )

export const listUsedFiles = (db: Queryable): Promise<StoredFile[]> =>
  readAll(
    db.selectFrom('connection_file').select(LISTED).where('state', '=', 'used').orderBy('received_at').orderBy('id'),
    fromRow,
  )

/** Whether a price list was ever taken. */
export async function hasPriceLists(db: Queryable): Promise<boolean> {
  const row = await db
    .selectFrom('connection_file')
    .select('id')
    .where('kind', '=', 'price_list')
    .where('state', '=', 'used')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function findFile(db: Queryable, id: string): Promise<StoredFile | undefined> {
  const row = await db.selectFrom('connection_file').select(LISTED).where('id', '=', id).executeTakeFirst()
  return row && fromRow(row)
}

export async function readContent(db: Queryable, id: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('connection_file').select('content').where('id', '=', id).executeTakeFirst()
  return row && row.content !== '' ? await gunzip(Buffer.from(row.content, 'base64')) : undefined
}

/** Of a place that holds one file: the one that is in it now. Its id follows from its content. */
export async function findUsedFileId(db: Queryable, namespace: string, kind: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('connection_file')
    .select('id')
    .where('namespace', '=', namespace)
    .where('kind', '=', kind)
    .where('state', '=', 'used')
    .orderBy('received_at', 'desc')
    .executeTakeFirst()
  return row?.id
}

export async function findUsedFile(db: Queryable, namespace: string, kind: string) {
  const id = await findUsedFileId(db, namespace, kind)
  return id === undefined ? undefined : { id, content: await readContent(db, id) }
}

export async function countFiles(db: Queryable, namespace: string): Promise<number> {
  const row = await db
    .selectFrom('connection_file')
    .select((eb) => eb.fn.countAll<number>().as('files'))
    .where('namespace', '=', namespace)
    .executeTakeFirstOrThrow()
  return row.files
}

export async function countWaiting(db: Queryable, namespace: string): Promise<number> {
  const row = await db
    .selectFrom('connection_file')
    .select((eb) => eb.fn.countAll<number>().as('files'))
    .where('namespace', '=', namespace)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return row.files
}

/** Beside the requests: 16 MB take a third of a second. */
export const packContent = async (bytes: Uint8Array): Promise<string> => (await gzip(bytes)).toString('base64')

/** `content`: packed. */
export async function saveFile(tx: Tx, file: Omit<StoredFile, 'by'> & { readonly content: string }): Promise<void> {
  const values = {
    state: file.state,
    content: file.content,
    summary: file.summary,
    name: file.name,
    received_at: file.receivedAt,
    written_at: file.writtenAt,
    decided_at: null,
    ...byColumns(),
  }
  await tx
    .insertInto('connection_file')
    .values({ id: file.id, namespace: file.namespace, kind: file.kind, hash: file.hash, size: file.size, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute()
}

/** Of a place that holds one file: the earlier ones give way. */
export async function replaceEarlier(
  tx: Tx,
  { id, namespace, kind }: StoredFile | Omit<StoredFile, 'by'>,
): Promise<void> {
  await tx
    .updateTable('connection_file')
    .set({ state: 'replaced', content: '' })
    .where('namespace', '=', namespace)
    .where('kind', '=', kind)
    .where('state', '=', 'used')
    .where('id', '!=', id)
    .execute()
}

export async function setState(tx: Tx, id: string, state: 'used' | 'discarded', now: number): Promise<void> {
  await tx
    .updateTable('connection_file')
    .set({ state, decided_at: now, ...(state === 'discarded' && { content: '' }) })
    .where('id', '=', id)
    .execute()
}
