/** Who may resolve a decision once an owner key exists: an owner or a bridge, and not for a request of their own. */
import { currentCaller } from '../../kernel/caller.ts'
import { refuse, RefusedError } from '../../kernel/outcome.ts'
import type { Person } from '../../kernel/person.ts'
import type { Tx } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { readRulesOrRefuse } from '../guardrails/index.ts'
import { countOwners, separationOfDuties } from '../people/index.ts'
import type { Decision } from './decision.ts'

type Deps = Pick<Context, 'clock' | 'readRules'>

/**
 * In the transaction that resolves the decision, whatever the HTTP layer knew: an owner key may have been made on another
 * instance a moment ago. Throws a RefusedError, which takes the transaction back.
 */
export async function requireDecider(ctx: Deps, tx: Tx, decision: Decision, approved: boolean): Promise<void> {
  if (!(await separationOfDuties(tx))) return
  const by = currentCaller()?.by
  if (by?.role !== 'owner' && by?.role !== 'bridge')
    throw new RefusedError(refuse('forbidden', 'Only an owner may resolve approvals').refusal)
  // Taking one's own request back harms nobody.
  if (!approved || !isOwnRequest(by, decision)) return
  const rules = readRulesOrRefuse(ctx)
  if (!rules.ok) throw new RefusedError(rules.refusal)
  if (!mayApproveOwn(rules.value.ownersMayApproveTheirOwn, await countOwners(tx, ctx.clock.now())))
    throw new RefusedError(
      refuse('forbidden', 'You asked for this yourself, so another owner has to approve it').refusal,
    )
}

/** Names are unique among keys that work; a key that was replaced keeps its name. */
export const isOwnRequest = (by: Person, decision: Pick<Decision, 'by'>): boolean => decision.by?.name === by.name

/** Unless the rules say so, an owner approves its own requests only when nobody else could. */
export const mayApproveOwn = (rule: boolean | undefined, owners: number): boolean => rule ?? owners <= 1
