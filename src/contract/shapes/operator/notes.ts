/** Notes and reminders of a caller. */
import { type Static, Type } from 'typebox'
import { Count, PARTED, PaginationResponse, Timestamp, UcpEnvelope } from '../../common.ts'
import { NOTE_BYTES_MAX, NOTE_NAME_MAX, SUMMARY_MAX, WORD_MAX } from '../../limits.ts'
import { answer, list, request, text } from '../../schema-helpers.ts'

const NoteName = text(NOTE_NAME_MAX, 'Your own name for it.')
export const NoteParams = Type.Object({ name: NoteName })

export const NoteRequest = request('NoteRequest', {
  text: text(NOTE_BYTES_MAX, `At most ${NOTE_BYTES_MAX} bytes; replaces what the note said.`),
})

const NOTE = { name: Type.String(), text: Type.String(), bytes: Count, updated_at: Timestamp }
const Note = answer('Note', NOTE)
export type Note = Static<typeof Note>
export const NoteAnswer = answer('NoteAnswer', { ucp: UcpEnvelope, ...NOTE })

export const NoteList = answer('NoteList', {
  ucp: UcpEnvelope,
  notes: list(Note),
  pagination: Type.Optional(PaginationResponse),
})
export const NoteListQuery = request('NoteListQuery', {
  name: Type.Optional(text(NOTE_NAME_MAX, 'Only this one.')),
  ...PARTED,
})
export type NoteListQuery = Static<typeof NoteListQuery>

export const NoteRemoved = answer('NoteRemoved', { ucp: UcpEnvelope, removed: Type.Literal(true) })

export const ReminderRequest = request('ReminderRequest', {
  at: text(WORD_MAX, 'RFC 3339 with an offset, within a year.'),
  text: text(SUMMARY_MAX),
})
export type ReminderRequest = Static<typeof ReminderRequest>
export const Reminder = answer('Reminder', {
  ucp: UcpEnvelope,
  id: Type.String(),
  at: Timestamp,
  text: Type.String(),
})
