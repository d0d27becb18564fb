/** Decisions of the owner. */
import type { PersonRole } from '../../kernel/person.ts'
import { CALLER_COLUMNS } from '../caller-columns.ts'
import { TEXT_COLUMNS } from '../text-columns.ts'
import { identity, int, nullable, table, text, textOf } from '../table.ts'

export const APPROVALS_TABLES = {
  decision: table(
    {
      seq: identity,
      at: int,
      kind: textOf<'swap' | 'price_change' | 'fault_flag' | 'restock_plan' | 'note'>(),
      summary: text,
      reasoning: text,
      subject_type: textOf<'replenishment_run' | 'checkout' | 'price_change' | 'slot' | 'note'>(),
      subject_id: text,
      status: textOf<'pending' | 'approved' | 'rejected'>(),
      resolved_at: nullable(int),
      resolved_by: nullable(text),
      /** The role of the key that resolved it; null for older ones and for the service. */
      resolved_role: nullable(textOf<PersonRole>()),
      /** JSON of the rules that ask for it; null for older ones. */
      evidence: nullable(text),
      /** What whoever decided said about it. */
      comment: nullable(text),
      /** Of a question: JSON of the answers offered, what it is about, until when it may be answered, and the answer. */
      options: nullable(text),
      about_type: nullable(textOf<'replenishment_run' | 'checkout' | 'price_change' | 'slot'>()),
      about_id: nullable(text),
      expires_at: nullable(int),
      option: nullable(text),
      ...CALLER_COLUMNS,
      ...TEXT_COLUMNS,
    },
    {
      indexes: {
        status: ['status', 'seq'],
        subject: ['subject_type', 'subject_id'],
        /** At most one decision of a subject waits, whatever two instances do at the same time. */
        waiting: { unique: true, on: ['subject_type', 'subject_id'], where: `status = 'pending'` },
      },
    },
  ),
}
