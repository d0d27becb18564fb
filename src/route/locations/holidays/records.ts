/** Public holidays for which somebody said which machines are closed. */
import { byColumns } from '../../../store/caller-columns.ts'
import type { Queryable, Tx } from '../../../store/store.ts'

export async function listAnswered(db: Queryable): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('holiday_answer').select('day').execute()
  return new Set(rows.map(({ day }) => day))
}

export async function saveAnswered(tx: Tx, day: string, at: number): Promise<void> {
  const values = { answered_at: at, ...byColumns() }
  await tx
    .insertInto('holiday_answer')
    .values({ day, ...values })
    .onConflict((conflict) => conflict.column('day').doUpdateSet(values))
    .execute()
}
