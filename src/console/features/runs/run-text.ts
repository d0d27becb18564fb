/** The state of a run in words: one from the store room alone is not ordered. */
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { texts } from '../../lib/text/i18n.ts'
import { isFromStoreroom, openPurchases } from './run-line.ts'

export function runStatusText(run: Pick<ReplenishmentRun, 'status' | 'line_items' | 'checkouts'>): string {
  const { status } = run
  if (openPurchases(run).length > 0) return texts().run.toConfirm
  return (status === 'approved' || status === 'placed') && isFromStoreroom(run)
    ? texts().run.stored.status[status]
    : texts().runStatus[status]
}
