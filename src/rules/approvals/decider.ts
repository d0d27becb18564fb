/** Who may resolve a decision once an owner key exists: an owner or a bridge, and not for a request of their own. */
import { currentCaller } from '../../kernel/caller.ts'
import { type Refusal, refuse, RefusedError } from '../../kernel/outcome.ts'
import type { Person } from '../../kernel/person.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import type { Context } from '../../context.ts'
import { readRulesOrRefuse } from '../guardrails/index.ts'
import { countOwners, hasSeparationOfDuties } from '../people/index.ts'
import type { Decision } from './decision.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'readRules'>

const ASKED_BY_OWNER =
  'An owner asked for this. A chat does not show which owner approves it, so another owner has to approve it in the console'

/**
 * In the transaction that resolves the decision, whatever the HTTP layer knew: an owner key may have been created on another
 * instance a moment ago. Throws a RefusedError, which rolls the transaction back.
 */
export async function requireDecider(ctx: Deps, tx: Tx, decision: Decision, approved: boolean): Promise<void> {
  const role = currentCaller()?.by?.role
  const refusal = await findRefusalToDecide(ctx, tx, decision.by, { approved, isBridge: role === 'bridge' })
  if (refusal) throw new RefusedError(refusal)
}

/** Whether the caller could approve a request of this person; for what is confirmed without a decision. */
export const mayDecideFor = async (ctx: Deps, db: Queryable, askedBy: Person | undefined): Promise<boolean> =>
  (await findRefusalToDecide(ctx, db, askedBy, { approved: true, isBridge: false })) === undefined

async function findRefusalToDecide(
  ctx: Deps,
  db: Queryable,
  askedBy: Person | undefined,
  { approved, isBridge }: { readonly approved: boolean; readonly isBridge: boolean },
): Promise<Refusal | undefined> {
  if (!(await hasSeparationOfDuties(db))) return undefined
  const by = currentCaller()?.by
  if (!by || (by.role !== 'owner' && !isBridge))
    return refuse('forbidden', 'Only an owner may resolve approvals').refusal
  // Taking one's own request back harms nobody.
  if (!approved) return undefined
  // A chat knows its own ids and no keys, so it may be the owner who asked that pressed the button.
  const mayBeOwn = isBridge ? askedBy?.role === 'owner' : isOwnRequest(by, { by: askedBy })
  if (!mayBeOwn) return undefined
  const rules = await readRulesOrRefuse(ctx, db)
  if (!rules.ok) return rules.refusal
  return mayApproveOwn(rules.value.ownersMayApproveTheirOwn, await countOwners(db, ctx.clock.now()))
    ? undefined
    : refuse('forbidden', isBridge ? ASKED_BY_OWNER : 'You asked for this yourself, so another owner has to approve it')
        .refusal
}

/** Names are unique among keys that work; a key that was replaced keeps its name. */
export const isOwnRequest = (by: Person, decision: Pick<Decision, 'by'>): boolean => decision.by?.name === by.name

/** Unless the rules say so, an owner approves its own requests only when nobody else could. */
export const mayApproveOwn = (ruleAllows: boolean | undefined, owners: number): boolean => ruleAllows ?? owners <= 1
