/** What a run is called, and its state in words: one from the store room alone is not ordered. */
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { texts } from '../../lib/text/i18n.ts'
import { weekday } from '../../lib/text/format.ts'
import { runSize } from '../../../kernel/sizes.ts'
import { isFromStoreroom, openPurchases } from './run-line.ts'

/** Its day and size: the id says nothing to a person. */
export const runName = ({
  created_at: at,
  line_items: lines,
}: Pick<ReplenishmentRun, 'created_at' | 'line_items'>): string =>
  texts().run.name(weekday(at), runSize(lines).machines)

export function runStatusText(run: Pick<ReplenishmentRun, 'status' | 'line_items' | 'checkouts'>): string {
  const { status } = run
  if (openPurchases(run).length > 0) return texts().run.toConfirm
  return (status === 'approved' || status === 'placed') && isFromStoreroom(run)
    ? texts().run.stored.status[status]
    : texts().runStatus[status]
}
