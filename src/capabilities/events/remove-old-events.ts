import type { Store } from '../../store/store.ts'

/**
 * Looks at the next events in the order they were stored and removes those of before the instant, except where an attempt
 * refers to one. Returns where to go on, or undefined when none of them was that old.
 */
export async function removeOldEvents(
  store: Store,
  before: number,
  from: number | undefined,
  limit: number,
): Promise<number | undefined> {
  return store.transaction(async (tx) => {
    const seen = await tx
      .selectFrom('event')
      .select(['seq', 'stored_at'])
      .where('seq', '>', from ?? 0)
      .orderBy('seq')
      .limit(limit)
      .execute()
    const old = seen.filter(({ stored_at }) => stored_at < before).map(({ seq }) => seq)
    if (old.length === 0) return undefined
    const attempts = await tx.selectFrom('checkout_attempt').select('event').where('event', 'in', old).execute()
    const needed = new Set(attempts.map(({ event }) => event))
    const removable = old.filter((seq) => !needed.has(seq))
    if (removable.length > 0) await tx.deleteFrom('event').where('seq', 'in', removable).execute()
    return seen.at(-1)?.seq
  })
}
