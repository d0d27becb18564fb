/** The operator, and what any agent keeps for itself. Beyond the contract. */
import { ACTIVE } from '../capabilities.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { DryRunQuery } from '../dry-run.ts'
import { ROLES } from '../roles.ts'
import { IdParams } from './params.ts'
import { Operator, OperatorRequest, ShiftAnswer, ShiftList, ShiftListQuery } from '../shapes/operator/operator.ts'
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
  getOperator: {
    method: 'GET',
    path: '/operator',
    summary: 'Returns what the operator may do, when it wakes up, what it did last and what it waits for.',
    roles: ROLES.readers,
    returns: Operator,
    codes: ['guard_unverifiable'],
  },
  putOperator: {
    method: 'PUT',
    path: '/operator',
    summary: 'Changes what the operator may do and when it wakes up (owner), or pauses it.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    body: OperatorRequest,
    returns: Operator,
    codes: ['forbidden', 'guard_unverifiable', 'not_editable', 'conflict'],
  },
  startShift: {
    method: 'POST',
    path: '/operator/shifts',
    summary: 'Starts a shift of the operator now; it goes on after the reply.',
    roles: ROLES.writers,
    write: { guard: 'none', limit: 'new' },
    query: DryRunQuery,
    status: 202,
    returns: ShiftAnswer,
    codes: ['shift_running', 'not_enabled', 'guard_unverifiable'],
  },
  listShifts: {
    method: 'GET',
    path: '/operator/shifts',
    summary: 'Lists the shifts of the operator, newest first, without their steps.',
    roles: ROLES.readers,
    query: ShiftListQuery,
    returns: ShiftList,
  },
  getShift: {
    method: 'GET',
    path: '/operator/shifts/{id}',
    summary: 'Returns a shift with its journal: what the operator saw, did, and why.',
    roles: ROLES.readers,
    params: IdParams,
    returns: ShiftAnswer,
    codes: ['not_found'],
  },
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
