/** The hash chain and the rows it is about. */
import type { Store } from '../../store/store.ts'
import { decisionRows } from '../approvals/index.ts'
import { chainOldRows, verifyChain } from '../hash-chain/index.ts'
import type { ChainReport } from '../hash-chain/index.ts'
import { attemptRows } from '../checkout/index.ts'
import type { Context } from '../context.ts'
import { personRows } from '../people/index.ts'
import { priceChangeRows } from '../pricing/index.ts'

const ROWS = { decision: decisionRows, attempt: attemptRows, price_change: priceChangeRows, person: personRows }

/** Verifies the chain against itself and the rows. `expected`: a head hash that was written down earlier; the chain must still contain it. Writes nothing. */
export const auditChain = (store: Pick<Store, 'db'>, expected?: string): Promise<ChainReport> =>
  verifyChain(store, ROWS, expected)

/** Gives rows from before the chain their entries; at the start of the service. */
export const chainRowsFromBefore = (ctx: Pick<Context, 'store' | 'clock'>, batchSize?: number): Promise<number> =>
  chainOldRows(ctx, ROWS, batchSize)
