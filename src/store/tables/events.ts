/** The event log. */
import type { Generated } from 'kysely'
import type { CallerColumns } from '../caller-columns.ts'
import type { TextColumns } from '../text-columns.ts'

export interface EventTable extends CallerColumns, TextColumns {
  seq: Generated<number>
  stored_at: number
  occurred_at: number
  kind: string
  summary: string
  reasoning: string
  location: string | null
  source: Generated<'service' | 'caller'>
  /** Who wrote a caller's event; null where nobody recorded it. */
  author: string | null
  /** Of older versions, which counted identical refusals within a minute on one event; no longer written. */
  fold_key: string | null
  occurrences: Generated<number>
}

export interface EventsTables {
  event: EventTable
}
