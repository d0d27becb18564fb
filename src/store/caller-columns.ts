/** Columns that name the request that caused a row; null when a job did. */
import { currentCaller } from '../kernel/caller.ts'

export interface CallerColumns {
  agent: string | null
  request_id: string | null
}

export function callerColumns(): CallerColumns {
  const caller = currentCaller()
  return { agent: caller?.agent ?? null, request_id: caller?.requestId ?? null }
}
