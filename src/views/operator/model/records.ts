/** What a model was told and what it answered, in the order in which it happened. Kept for a while; its hashes stay in the journal. */
import { hash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { WriteContext } from '../../../context.ts'
import type { Columns } from '../../../store/schema.ts'
import { type Queryable, type Store, type Tx, changeRows, readAll } from '../../../store/store.ts'

const entryOf = (row: Selectable<Columns<'shift_transcript'>>) => ({
  n: row.n,
  at: row.at,
  kind: row.kind,
  /** Of a result: the id of the call. */
  call: row.call ?? undefined,
  content: row.content,
})
export type Entry = Readonly<ReturnType<typeof entryOf>>

export interface NewEntry {
  readonly kind: Entry['kind']
  readonly call?: string
  readonly content: string
}

export const hashOf = (text: string): string => hash('sha256', text)

export const listTranscript = (db: Queryable, shift: string): Promise<Entry[]> =>
  readAll(db.selectFrom('shift_transcript').selectAll().where('shift', '=', shift).orderBy('n'), entryOf)

/** False when another process wrote this place first. */
export async function addEntry(
  { clock }: Pick<WriteContext, 'clock'>,
  tx: Tx,
  shift: string,
  { kind, call, content }: NewEntry,
): Promise<boolean> {
  const last = await tx
    .selectFrom('shift_transcript')
    .select('n')
    .where('shift', '=', shift)
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst()
  return changeRows(
    tx
      .insertInto('shift_transcript')
      // PostgreSQL stores no NUL.
      .values({
        shift,
        n: (last?.n ?? -1) + 1,
        at: clock.now(),
        kind,
        call: call ?? null,
        content: content.replaceAll('\0', ''),
      })
      .onConflict((conflict) => conflict.columns(['shift', 'n']).doNothing()),
  )
}

export const removeOldTranscripts = (store: Store, before: number): Promise<void> =>
  store.transaction(async (tx) => {
    await tx.deleteFrom('shift_transcript').where('at', '<', before).execute()
  })
