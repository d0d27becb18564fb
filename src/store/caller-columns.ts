/** Columns that name the person and the request that caused a row; null when a job did. */
import { currentCaller } from '../kernel/caller.ts'
import type { Person, PersonRole } from '../kernel/person.ts'
import { type RowOf, nullable, text, textOf } from './table.ts'

export const BY_COLUMNS = { by_name: nullable(text), by_role: nullable(textOf<PersonRole>()) }
export const CALLER_COLUMNS = { agent: nullable(text), request_id: nullable(text), ...BY_COLUMNS }

type ByColumns = RowOf<typeof BY_COLUMNS>

export function byColumns(): ByColumns {
  const by = currentCaller()?.by
  return { by_name: by?.name ?? null, by_role: by?.role ?? null }
}

export function callerColumns(): RowOf<typeof CALLER_COLUMNS> {
  const caller = currentCaller()
  return { agent: caller?.agent ?? null, request_id: caller?.requestId ?? null, ...byColumns() }
}

export const fromByColumns = ({ by_name: name, by_role: role }: ByColumns): Person | undefined =>
  name === null || role === null ? undefined : { name, role }
