/** Many decisions at once, past the verbs: written one by one they would take longer than what is tested. */
import { decisionId } from '../../src/rules/approvals/decision.ts'
import type { Service } from '../support/service.ts'

let slots = 0

export async function insertDecisions(
  service: Service,
  count: number,
  status: 'pending' | 'approved' = 'pending',
): Promise<string[]> {
  const at = service.clock.now()
  const rows = Array.from({ length: count }, (_, n) => ({
    at,
    kind: 'swap' as const,
    summary: `Swap ${n}`,
    reasoning: 'Slow.',
    subject_type: 'slot' as const,
    subject_id: `M1001-${(slots += 1)}`,
    status,
  }))
  const written = await service.ctx.store.db.insertInto('decision').values(rows).returning('seq').execute()
  return written.map(({ seq }) => decisionId(at, seq)).toSorted((a, b) => seqOf(a) - seqOf(b))
}

const seqOf = (id: string) => Number(id.split('-')[2])
