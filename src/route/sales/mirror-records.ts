/** How far each platform's ledger is mirrored, one row per namespace. */
import type { Selectable, Updateable } from 'kysely'
import type { Namespace } from '../../kernel/ids.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'

export type Mirror = Selectable<Columns<'ledger_mirror'>>

/** No ledger begins earlier. */
export const BEGINNING = 0

export const findMirror = (db: Queryable, namespace: Namespace): Promise<Mirror | undefined> =>
  db.selectFrom('ledger_mirror').selectAll().where('namespace', '=', namespace).executeTakeFirst()

/** Whether its sales were ever read. */
export const hasMirror = async (db: Queryable, namespace: Namespace): Promise<boolean> =>
  (await findMirror(db, namespace)) !== undefined

/** A mirror that covers nothing yet, unless another process created it first. */
export async function createMirror(
  db: Queryable,
  namespace: Namespace,
  times: Pick<Mirror, 'announce_from' | 'read_at'>,
): Promise<Mirror> {
  await db
    .insertInto('ledger_mirror')
    .values({
      namespace,
      covered_from: BEGINNING,
      covered_to: BEGINNING,
      ...times,
      writes: 0,
    })
    .onConflict((conflict) => conflict.column('namespace').doNothing())
    .execute()
  return db.selectFrom('ledger_mirror').selectAll().where('namespace', '=', namespace).executeTakeFirstOrThrow()
}

export async function updateMirror(
  db: Queryable,
  namespace: Namespace,
  change: Updateable<Columns<'ledger_mirror'>>,
): Promise<void> {
  await db.updateTable('ledger_mirror').set(change).where('namespace', '=', namespace).execute()
}

/** A ledger that was never read needs no mark: its first reading covers everything. */
export async function markChanged(db: Queryable, namespace: Namespace, from: number): Promise<void> {
  await db
    .updateTable('ledger_mirror')
    .set((at) => ({
      changes: at('changes', '+', 1),
      changed_from: at
        .case()
        .when(at.or([at('changed_from', 'is', null), at('changed_from', '>', from)]))
        .then(from)
        .else(at.ref('changed_from'))
        .end(),
    }))
    .where('namespace', '=', namespace)
    .execute()
}

/** `changes` as the reading found it: a change that was reported meanwhile stays marked. */
export async function clearChanged(db: Queryable, { namespace, changes }: Mirror): Promise<void> {
  await db
    .updateTable('ledger_mirror')
    .set({ changed_from: null })
    .where((eb) => matchColumns(eb, { namespace, changes }))
    .execute()
}

/** The mirrors of ledgers that were read at least once. */
export const listStartedMirrors = (db: Queryable): Promise<Mirror[]> =>
  db.selectFrom('ledger_mirror').selectAll().whereRef('covered_to', '>', 'covered_from').execute()

/** Serializes the writers of a namespace over all instances: the counter's row stays locked until the commit. */
export async function lockMirror(tx: Tx, namespace: string): Promise<void> {
  await tx
    .updateTable('ledger_mirror')
    .set((eb) => ({ writes: eb('writes', '+', 1) }))
    .where('namespace', '=', namespace)
    .execute()
}
