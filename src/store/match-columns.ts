/** Conditions on several columns at once. */
import type { ExpressionBuilder, FilterObject } from 'kysely'

/**
 * Rows whose columns all have these values. Kysely leaves a value that is undefined out of the condition, which would then
 * hold for more rows than were meant; this throws.
 */
export function matchColumns<DB, TB extends keyof DB>(
  eb: ExpressionBuilder<DB, TB>,
  values: Readonly<FilterObject<DB, TB>>,
) {
  for (const [column, value] of Object.entries(values))
    if (value === undefined) throw new Error(`The condition on ${column} has no value`)
  return eb.and(values)
}
