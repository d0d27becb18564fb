import type { Store } from '../../store/store.ts'

/**
 * Removes sessions that were closed before the instant and never became anything: no attempt, no decision, no purchase,
 * no run that lists them. Returns where to go on, or undefined when none is left.
 */
export async function removeOldDrafts(
  store: Store,
  before: number,
  from: string | undefined,
  limit: number,
): Promise<string | undefined> {
  return store.transaction(async (tx) => {
    const closed = await tx
      .selectFrom('checkout')
      .select(['id', 'decision', 'attempt'])
      .where('status', '=', 'canceled')
      .where('created_at', '<', before)
      .where('closed_at', '<', before)
      .where('id', '>', from ?? '')
      .orderBy('id')
      .limit(limit)
      .execute()
    const drafts = closed.filter(({ decision, attempt }) => decision === null && attempt === 0).map(({ id }) => id)
    if (drafts.length > 0) {
      const decided = await tx
        .selectFrom('decision')
        .select('subject_id as id')
        .where('subject_type', '=', 'checkout')
        .where('subject_id', 'in', drafts)
        .execute()
      const listed = await tx.selectFrom('run_line').select('checkout as id').where('checkout', 'in', drafts).execute()
      const attempted = await tx
        .selectFrom('checkout_attempt')
        .select('checkout as id')
        .where('checkout', 'in', drafts)
        .execute()
      const bought = await tx.selectFrom('purchase').select('id').where('id', 'in', drafts).execute()
      const needed = new Set([...decided, ...listed, ...attempted, ...bought].map(({ id }) => id))
      const removable = drafts.filter((id) => !needed.has(id))
      if (removable.length > 0) await tx.deleteFrom('checkout').where('id', 'in', removable).execute()
    }
    return closed.length < limit ? undefined : closed.at(-1)?.id
  })
}
