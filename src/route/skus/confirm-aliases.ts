/**
 * PUT /skus/{sku_id}/aliases: an operator confirms or rejects that products are the same. Entries with the source
 * `suggested` or `barcode` were read from us and sent back, so they change nothing. Only `rejected` removes an alias; the
 * rules go on counting what was confirmed until an owner rejects it.
 */
import type { AliasesRequest } from '../../contract/shapes/catalog.ts'
import { currentCaller } from '../../kernel/caller.ts'
import { type SkuId, namespaceOf } from '../../kernel/ids.ts'
import type { ErrorMessage, NoteMessage } from '../../kernel/message.ts'
import { type Outcome, accept, catchRefusal, RefusedError, refuseAll } from '../../kernel/outcome.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Tx } from '../../store/store.ts'
import { noGoMatch, readRulesOrRefuse } from '../../rules/guardrails/index.ts'
import { type Pair, type StoredAlias, comparePairs, countsForRules, pairKey, pairOf } from './aliases.ts'
import type { SkuContext } from './context.ts'
import { findIdentities } from './identities.ts'
import { findUnlistedSkus } from './listed-skus.ts'
import { confirmPair, findMachineProducts, findPairs, rejectPair } from './records.ts'
import {
  aliasEvent,
  confirmedAndRejected,
  forbidsProduct,
  linkedByBarcode,
  notListedWarning,
  sameNamespace,
  stillCountsWarning,
  tooManyAliases,
} from './texts.ts'

const ALIASES_MAX = 500

interface Decision extends Pair {
  readonly reject: boolean
  /** Where the request says it. */
  readonly path: string
}

type Deps = Pick<SkuContext, 'store' | 'clock' | 'vendors' | 'aliasCache' | 'readRules'>
type Confirmed = Outcome<{ readonly messages: readonly NoteMessage[] }>

/** The caller has checked that `skuId` exists. */
export async function confirmAliases(ctx: Deps, skuId: SkuId, request: AliasesRequest): Promise<Confirmed> {
  const { vendors } = ctx
  const problems: ErrorMessage[] = []
  const messages: NoteMessage[] = []
  const decisions = new Map<string, Decision>()
  request.aliases.forEach((alias, i) => {
    const other = alias.sku_id as SkuId
    const path = `$.aliases[${i}]`
    const registered = vendors.lookup(namespaceOf(other), `${path}.sku_id`)
    if (!registered.ok) {
      problems.push(...registered.refusal.messages)
      return
    }
    if (namespaceOf(other) === namespaceOf(skuId)) {
      messages.push(sameNamespace(other, skuId))
      return
    }
    if (alias.source === 'suggested' || alias.source === 'barcode') return
    const decision = { ...pairOf(skuId, other), path, reject: alias.source === 'rejected' }
    const earlier = decisions.get(pairKey(decision))
    if (earlier && earlier.reject !== decision.reject) problems.push(confirmedAndRejected(other, `${path}.sku_id`))
    decisions.set(pairKey(decision), decision)
  })
  if (problems.length > 0) return refuseAll(problems)
  if (decisions.size === 0) return accept({ messages })

  const confirmed = [...decisions.values()].filter(({ reject }) => !reject)
  const unlisted = await findUnlistedSkus(vendors, [...new Set(confirmed.flatMap(({ a, b }) => [a, b]))])
  if (!unlisted.ok) return unlisted
  messages.push(...unlisted.value.map(notListedWarning))

  return catchRefusal(async () => {
    const sorted = [...decisions.values()].toSorted(comparePairs)
    const counting = await ctx.store.transaction((tx) => saveDecisions(ctx, tx, skuId, sorted))
    return accept({ messages: [...messages, ...counting.map(stillCountsWarning)] })
  })
}

/**
 * Matches through which the no-go list forbids a product. Rejecting one would allow to buy it, and that is for whoever writes
 * the rules.
 */
async function findForbidding(ctx: Deps, tx: Tx, withdrawn: readonly Decision[]): Promise<readonly ErrorMessage[]> {
  if (withdrawn.length === 0) return []
  const rules = await readRulesOrRefuse(ctx, tx)
  if (!rules.ok) throw new RefusedError(rules.refusal)
  const identities = await findIdentities(tx, [...new Set(withdrawn.flatMap(({ a, b }) => [a, b]))])
  const isForbidden = (skuId: SkuId) =>
    noGoMatch(rules.value, { skuId, title: '', aliases: identities.get(skuId) }) !== undefined
  return withdrawn
    .filter(({ a, b }) => isForbidden(a) || isForbidden(b))
    .map(({ path }) => forbidsProduct(`${path}.source`))
}

/** All of them or, by throwing a refusal, none. Returns the rejected ones that the rules still count. */
async function saveDecisions(
  ctx: Deps,
  tx: Tx,
  skuId: SkuId,
  decisions: readonly Decision[],
): Promise<readonly Decision[]> {
  const stored = new Map((await findPairs(tx, [skuId])).map((row) => [pairKey(row), row] as const))
  const findStored = (decision: Decision) => stored.get(pairKey(decision))
  const problems = decisions
    .filter((decision) => decision.reject && findStored(decision)?.source === 'barcode')
    .map(({ path }) => linkedByBarcode(`${path}.source`))
  const withdrawn = decisions.filter((decision) => decision.reject && findStored(decision)?.source === 'manual')
  problems.push(...(await findForbidding(ctx, tx, withdrawn)))
  if (stored.size + decisions.length > ALIASES_MAX) problems.push(tooManyAliases(ALIASES_MAX))
  if (problems.length > 0) throw new RefusedError({ messages: problems })

  const now = ctx.clock.now()
  const isOwner = currentCaller()?.by?.role === 'owner'
  const changed: Decision[] = []
  for (const decision of decisions) {
    if (!decision.reject) {
      if (await confirmPair(tx, decision, now)) changed.push(decision)
    } else if (changesByRejecting(findStored(decision), isOwner)) {
      // A barcode may have linked the pair since it was read above.
      if (!(await rejectPair(tx, decision, isOwner, now)))
        throw new RefusedError({ messages: [linkedByBarcode(`${decision.path}.source`)] })
      changed.push(decision)
    }
  }
  if (changed.length > 0) await recordChanges(ctx, tx, changed, findStored)
  return isOwner ? [] : decisions.filter((decision) => decision.reject && countsBefore(findStored(decision)))
}

const countsBefore = (row: StoredAlias | undefined): boolean => row !== undefined && countsForRules(row)

/** An owner's word ends what an operator's left: that the rules count the pair. */
const changesByRejecting = (row: StoredAlias | undefined, isOwner: boolean): boolean =>
  row?.source !== 'rejected' || (isOwner && countsForRules(row))

async function recordChanges(
  ctx: Deps,
  tx: Tx,
  changed: readonly Decision[],
  before: (decision: Decision) => StoredAlias | undefined,
): Promise<void> {
  const products = await findMachineProducts(tx, [...new Set(changed.flatMap(({ a, b }) => [a, b]))])
  for (const decision of changed)
    await recordEvent(
      ctx,
      tx,
      aliasEvent(decision, decision.reject, before(decision)?.source, (id) => products.get(id)?.title),
    )
  await ctx.aliasCache.invalidate(tx)
}
