/** The operator, and what any agent keeps for itself. Beyond the contract. */
import { ACTIVE } from '../capabilities.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'
import {
  NoteAnswer,
  NoteList,
  NoteListQuery,
  NoteParams,
  NoteRemoved,
  NoteRequest,
  Reminder,
  ReminderRequest,
} from '../shapes/operator/notes.ts'

const COMMON = { section: '4.8', tag: 'Operator', capabilities: ACTIVE.approvals } as const

export const operatorOperations = operationRows(COMMON, {
  listNotes: {
    method: 'GET',
    path: '/notes',
    summary: 'Lists your own notes, by name, or reads one.',
    roles: ROLES.writers,
    query: NoteListQuery,
    returns: NoteList,
  },
  getNote: {
    method: 'GET',
    path: '/notes/{name}',
    summary: 'Returns one of your own notes.',
    roles: ROLES.writers,
    params: NoteParams,
    returns: NoteAnswer,
    codes: ['not_found'],
  },
  putNote: {
    method: 'PUT',
    path: '/notes/{name}',
    summary: 'Writes or replaces a note that only you read.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: NoteParams,
    body: NoteRequest,
    returns: NoteAnswer,
    codes: ['not_editable'],
  },
  deleteNote: {
    method: 'DELETE',
    path: '/notes/{name}',
    summary: 'Deletes one of your own notes.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: NoteParams,
    returns: NoteRemoved,
    codes: ['not_found'],
  },
  remindMe: {
    method: 'POST',
    path: '/reminders',
    summary: 'Writes an event at a time you name; of the operator itself, starts a shift.',
    roles: ROLES.writers,
    write: { guard: 'none', limit: 'new' },
    body: ReminderRequest,
    status: 201,
    returns: Reminder,
    codes: ['not_editable'],
  },
} as const satisfies OperationRows)
