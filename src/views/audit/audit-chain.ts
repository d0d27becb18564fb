/** The hash chain and the rows it is about. */
import type { Store } from '../../store/store.ts'
import { chainedDecisions } from '../../rules/approvals/index.ts'
import { type ChainReport, verifyChain } from '../../record/hash-chain/index.ts'
import { chainedAttempts } from '../../acts/checkout/index.ts'
import { chainedConnections, chainedPacks } from '../../route/connections/index.ts'
import { chainedPeople } from '../../rules/people/index.ts'
import { chainedRules } from '../../rules/guardrails/index.ts'
import { chainedSettings } from '../settings/index.ts'
import { chainedShifts, chainedSteps } from '../operator/index.ts'
import { chainedPrices } from '../../acts/pricing/index.ts'

const ROWS = {
  decision: chainedDecisions,
  attempt: chainedAttempts,
  price_change: chainedPrices,
  person: chainedPeople,
  pack: chainedPacks,
  connection: chainedConnections,
  rules: chainedRules,
  settings: chainedSettings,
  shift: chainedShifts,
  shift_step: chainedSteps,
}

/** Verifies the chain against itself and the rows. `expected`: a head hash that was written down earlier; the chain must still contain it. Writes nothing. */
export const auditChain = (store: Pick<Store, 'db'>, expected?: string): Promise<ChainReport> =>
  verifyChain(store, ROWS, expected)
