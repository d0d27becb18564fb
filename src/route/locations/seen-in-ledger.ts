/** Whether a sale confirms that a machine exists. */
import type { Queryable } from '../../store/store.ts'
import { type LedgerMachineId, NO_TIME, findLastSales, loadLedgerMachines } from '../sales/index.ts'

/**
 * Platforms may answer for machines that do not exist; only a sale within the sync window confirms one. A sale
 * without a readable time counts too.
 */
export const isConfirmedBySale = (lastSaleAt: number, fromMs: number): boolean =>
  lastSaleAt === NO_TIME || lastSaleAt >= fromMs

/** False also where the sales of the window are not listed completely: then a missing sale proves nothing. */
export async function isMissingFromLedger(db: Queryable, machine: LedgerMachineId, fromMs: number): Promise<boolean> {
  const last = (await findLastSales(db, [machine])).get(machine.id)
  if (last !== undefined && isConfirmedBySale(last.at, fromMs)) return false
  const { completeFrom = 0 } = (await loadLedgerMachines(db, [machine.id]))(machine)
  return completeFrom <= fromMs
}
