/** Notes and reminders in the store. */
import type { Selectable } from 'kysely'
import { incrementCounter } from '../../store/counter.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'
import { type Queryable, type Tx, changeRows, readAll, readFirst } from '../../store/store.ts'

const noteOf = ({ name, text, updated_at: updatedAt }: Selectable<Columns<'note'>>) => ({ name, text, updatedAt })
export type StoredNote = Readonly<ReturnType<typeof noteOf>>

export const findNote = (db: Queryable, holder: string, name: string): Promise<StoredNote | undefined> =>
  readFirst(
    db
      .selectFrom('note')
      .selectAll()
      .where((eb) => matchColumns(eb, { holder, name })),
    noteOf,
  )

/** By name. */
export const listNotes = (db: Queryable, holder: string): Promise<StoredNote[]> =>
  readAll(db.selectFrom('note').selectAll().where('holder', '=', holder).orderBy('name'), noteOf)

/** Locks, so that two instances never both use the last free place. */
export const countNotes = async (tx: Tx, holder: string): Promise<number> => {
  await incrementCounter(tx, 'notes written')
  const { count } = await tx
    .selectFrom('note')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('holder', '=', holder)
    .executeTakeFirstOrThrow()
  return count
}

export async function saveNote(tx: Tx, holder: string, { name, text, updatedAt }: StoredNote): Promise<void> {
  await tx
    .insertInto('note')
    .values({ holder, name, text, updated_at: updatedAt })
    .onConflict((conflict) => conflict.columns(['holder', 'name']).doUpdateSet({ text, updated_at: updatedAt }))
    .execute()
}

/** False when there was none. */
export const deleteNote = (db: Queryable, holder: string, name: string): Promise<boolean> =>
  changeRows(db.deleteFrom('note').where((eb) => matchColumns(eb, { holder, name })))

const reminderOf = (row: Selectable<Columns<'reminder'>>) => ({
  id: row.id,
  holder: row.holder,
  by: row.by_name,
  at: row.at,
  text: row.text,
  createdAt: row.created_at,
})
export type StoredReminder = Readonly<ReturnType<typeof reminderOf>>

export const countReminders = async (tx: Tx, holder: string): Promise<number> => {
  await incrementCounter(tx, 'reminders written')
  const { count } = await tx
    .selectFrom('reminder')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('holder', '=', holder)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertReminder(tx: Tx, { by, createdAt, ...row }: StoredReminder): Promise<void> {
  await tx
    .insertInto('reminder')
    .values({ ...row, by_name: by, created_at: createdAt })
    .execute()
}

export const findReminder = (db: Queryable, id: string): Promise<StoredReminder | undefined> =>
  readFirst(db.selectFrom('reminder').selectAll().where('id', '=', id), reminderOf)

export const listDueReminders = (db: Queryable, now: number, limit: number): Promise<StoredReminder[]> =>
  readAll(db.selectFrom('reminder').selectAll().where('at', '<=', now).orderBy('at').limit(limit), reminderOf)

/** False when another instance took it. */
export const takeReminder = (tx: Tx, id: string): Promise<boolean> =>
  changeRows(tx.deleteFrom('reminder').where('id', '=', id))
