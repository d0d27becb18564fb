/** Columns that name the person and the request that caused a row; null when a job did. */
import { currentCaller } from '../kernel/caller.ts'
import type { Person, PersonRole } from '../kernel/person.ts'

export interface ByColumns {
  by_name: string | null
  by_role: PersonRole | null
}

export interface CallerColumns extends ByColumns {
  agent: string | null
  request_id: string | null
}

export function byColumns(): ByColumns {
  const by = currentCaller()?.by
  return { by_name: by?.name ?? null, by_role: by?.role ?? null }
}

export function callerColumns(): CallerColumns {
  const caller = currentCaller()
  return { agent: caller?.agent ?? null, request_id: caller?.requestId ?? null, ...byColumns() }
}

export const fromByColumns = ({ by_name: name, by_role: role }: ByColumns): Person | undefined =>
  name === null || role === null ? undefined : { name, role }
