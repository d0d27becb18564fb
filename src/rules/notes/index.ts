/** What a caller keeps for itself: notes that only its key reads, and reminders. */
import { randomUUID } from 'node:crypto'
import type { CallContext, HandlersOf } from '../../contract/handlers.ts'
import { NOTE_BYTES_MAX, NOTES_MAX, PAGE_MAX, REMINDER_DAYS_MAX, REMINDERS_MAX } from '../../contract/limits.ts'
import type { Note } from '../../contract/shapes/operator/notes.ts'
import type { Job } from '../../jobs/runner.ts'
import { DAY, parseRfc3339, rfc3339, SECOND } from '../../kernel/clock.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import { TOKEN_HOLDER } from '../../kernel/person.ts'
import { partOf } from '../../lib/pages.ts'
import { findCreated, recordCreated } from '../../store/created.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context, WriteContext } from '../../context.ts'
import {
  type StoredNote,
  type StoredReminder,
  countNotes,
  countReminders,
  deleteNote,
  findNote,
  findReminder,
  insertReminder,
  listDueReminders,
  listNotes,
  saveNote,
  takeReminder,
} from './records.ts'

const DUE_BATCH = 100

/** The key, or everybody with the operator token. */
const holderOf = ({ by }: CallContext): string => by?.keyId ?? 'token'

const noteNotFound = (name: string) => refuse('not_found', `You have no note "${name}"`)

export function notesHandlers(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
): HandlersOf<'listNotes' | 'getNote' | 'putNote' | 'deleteNote' | 'remindMe'> {
  const { store, clock, config } = ctx
  const view = ({ name, text, updatedAt }: StoredNote): Note => ({
    name,
    text,
    bytes: Buffer.byteLength(text),
    updated_at: rfc3339(updatedAt, config.timeZone),
  })
  const reminderView = ({ id, at, text }: StoredReminder) => ({ id, at: rfc3339(at, config.timeZone), text })
  return {
    async listNotes({ query, context }) {
      const all = await listNotes(store.db, holderOf(context))
      const wanted = query.name === undefined ? all : all.filter(({ name }) => name === query.name)
      const part = partOf(wanted, query, PAGE_MAX, ({ name }) => name)
      if (!part.ok) return part
      const { entries, ...pages } = part.value
      return accept({ body: { notes: entries.map(view), ...pages } })
    },

    async getNote({ params, context }) {
      const note = await findNote(store.db, holderOf(context), params.name)
      return note ? accept({ body: view(note) }) : noteNotFound(params.name)
    },

    async putNote({ params: { name }, body: { text }, context }) {
      const holder = holderOf(context)
      if (Buffer.byteLength(text) > NOTE_BYTES_MAX)
        return refuse('invalid', `A note has at most ${NOTE_BYTES_MAX} bytes`, '$.text')
      const note = { name, text, updatedAt: clock.now() }
      const isSaved = await store.transaction(async (tx) => {
        const count = await countNotes(tx, holder)
        if (count >= NOTES_MAX && !(await findNote(tx, holder, name))) return false
        await saveNote(tx, holder, note)
        return true
      })
      return isSaved
        ? accept({ body: view(note) })
        : refuse('not_editable', `You have ${NOTES_MAX} notes already. Delete one first`)
    },

    async deleteNote({ params: { name }, context }) {
      // The reply of an earlier run of this write may be lost: what it deleted stays deleted.
      const isDeleted = await store.transaction(async (tx) => {
        if ((await findCreated(tx)) !== undefined) return true
        return (await deleteNote(tx, holderOf(context), name)) && recordCreated(tx, name, clock.now())
      })
      return isDeleted ? accept({ body: { removed: true } }) : noteNotFound(name)
    },

    async remindMe({ body, context }) {
      const at = parseRfc3339(body.at)
      const now = clock.now()
      if (at === undefined) return refuse('invalid', 'Not an RFC 3339 time with an offset', '$.at')
      if (at <= now || at > now + REMINDER_DAYS_MAX * DAY)
        return refuse('invalid', `It must lie within the next ${REMINDER_DAYS_MAX} days`, '$.at')
      const earlier = await findCreated(store.db)
      const known = earlier === undefined ? undefined : await findReminder(store.db, earlier)
      if (known) return accept({ body: reminderView(known) })
      const holder = holderOf(context)
      const { name: by } = context.by ?? TOKEN_HOLDER
      const reminder = { id: earlier ?? `rem-${randomUUID()}`, holder, by, at, text: body.text, createdAt: now }
      // Due already: it was created by an earlier run of this write.
      if (earlier !== undefined) return accept({ body: reminderView(reminder) })
      const isStored = await store.transaction(async (tx) => {
        if ((await countReminders(tx, holder)) >= REMINDERS_MAX) return false
        await insertReminder(tx, reminder)
        await recordCreated(tx, reminder.id, now)
        return true
      })
      return isStored
        ? accept({ body: reminderView(reminder) })
        : refuse('not_editable', `${REMINDERS_MAX} reminders of yours are pending already`)
    },
  }
}

/** Told as an event, once. */
export const notesJobs = (ctx: WriteContext): readonly Job[] => [
  {
    name: 'reminders',
    everyMs: 5 * SECOND,
    run: async () => {
      const { store, clock } = ctx
      for (const { id, by, text } of await listDueReminders(store.db, clock.now(), DUE_BATCH))
        await store.transaction(async (tx) => {
          if (!(await takeReminder(tx, id))) return
          await recordEvent(ctx, tx, {
            kind: 'operator',
            code: 'reminder_due',
            params: { by, text },
            summary: `Reminder of ${by}: ${text}`,
            reasoning: 'It was due.',
          })
        })
    },
  },
]
