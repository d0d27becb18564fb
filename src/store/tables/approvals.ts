/** Decisions of the owner. */
import type { Generated } from 'kysely'
import type { PersonRole } from '../../kernel/person.ts'
import type { CallerColumns } from '../caller-columns.ts'
import type { TextColumns } from '../text-columns.ts'

export interface DecisionTable extends CallerColumns, TextColumns {
  seq: Generated<number>
  at: number
  kind: 'swap' | 'price_change' | 'fault_flag' | 'restock_plan' | 'note'
  summary: string
  reasoning: string
  subject_type: 'replenishment_run' | 'checkout' | 'price_change' | 'slot'
  subject_id: string
  status: 'pending' | 'approved' | 'rejected'
  resolved_at: number | null
  resolved_by: string | null
  /** The role of the key that resolved it; null for older ones and for the service. */
  resolved_role: PersonRole | null
  /** JSON of the rules that ask for it; null for older ones. */
  evidence: string | null
  /** What whoever decided said about it. */
  comment: string | null
}

export interface ApprovalsTables {
  decision: DecisionTable
}
