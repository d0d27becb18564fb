/** Verifies the hash chain against itself and against the rows it is about. It writes nothing. */
import type { Store } from '../../store/store.ts'
import { decisionRows } from '../approvals/index.ts'
import { verifyChain } from '../chain/index.ts'
import type { ChainReport } from '../chain/index.ts'
import { attemptRows } from '../checkout/index.ts'
import { personRows } from '../people/index.ts'
import { priceChangeRows } from '../pricing/index.ts'

/** `expected`: a head hash that was written down earlier; the chain must still contain it. */
export const auditChain = (store: Pick<Store, 'db'>, expected?: string): Promise<ChainReport> =>
  verifyChain(
    store,
    { decision: decisionRows, attempt: attemptRows, price_change: priceChangeRows, person: personRows },
    expected,
  )
