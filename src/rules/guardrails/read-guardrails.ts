/** The guardrails as they are now: the rules, read again for every guarded write, and the kill switch of all instances. */
import type { Guard } from '../../contract/operation.ts'
import { error } from '../../kernel/message.ts'
import { type Outcome, type Refusal, accept, refuseAll } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../store/store.ts'
import { findKillSwitch, killSwitchRefusal } from './kill-switch.ts'
import { readMarker } from './kill-switch-marker.ts'
import { type EngagedKillSwitch, readGuard } from './records.ts'
import type { Rules, RuleName } from './rules.ts'
import { type StoredRules, NOTHING_STORED, readStoredRules } from './stored/records.ts'
import { UNREADABLE_RULES, unsetRulesText } from './texts.ts'

/** After this a caller may find the rules readable again. */
export const RETRY_AFTER_SECONDS = 30

export interface KillSwitch {
  readonly engaged: boolean
  readonly sources: readonly ('file' | 'pulled')[]
  /** When, by whom and why it was engaged at run time; the rules file says none of it. */
  readonly since?: number
  readonly by?: string
  readonly reason?: string
}

export interface Guardrails {
  readonly rules: Rules
  readonly killSwitch: KillSwitch
}

export type GuardrailsDeps = Pick<Context, 'store' | 'readRules'>

export async function readGuardrails(ctx: GuardrailsDeps): Promise<Outcome<Guardrails>> {
  const { killSwitch, stored } = await readGuard(ctx.store.db)
  await ctx.readRules.keepFile(stored)
  return guardrailsWith(ctx, killSwitch ?? readMarker(ctx.store.sidecarPrefix), stored)
}

/** Rules and kill switch for a write that needs both; refused while writes are blocked. */
export async function requireWritesAllowed(ctx: GuardrailsDeps): Promise<Outcome<Guardrails>> {
  const guardrails = await readGuardrails(ctx)
  return guardrails.ok && guardrails.value.killSwitch.engaged
    ? killSwitchRefusal(guardrails.value.killSwitch)
    : guardrails
}

/** Why a guarded write is refused now; undefined when it may go on. */
export async function checkGuard(ctx: GuardrailsDeps, guard: Guard): Promise<Refusal | undefined> {
  if (guard === 'stop') {
    const killSwitch = killSwitchWith(ctx, await findKillSwitch(ctx.store))
    return killSwitch.engaged ? killSwitchRefusal(killSwitch).refusal : undefined
  }
  const allowed = await requireWritesAllowed(ctx)
  return allowed.ok ? undefined : allowed.refusal
}

/** The kill switch alone, which the file and nobody else among the rules can engage. Rules that cannot be read do not engage it; the write itself is then refused before it is sent. */
export function killSwitchWith(
  ctx: Pick<GuardrailsDeps, 'readRules'>,
  engaged: Partial<EngagedKillSwitch> | undefined,
): KillSwitch {
  const guardrails = guardrailsWith(ctx, engaged, NOTHING_STORED)
  if (guardrails.ok) return guardrails.value.killSwitch
  return engaged ? { engaged: true, sources: ['pulled'], ...engaged } : { engaged: false, sources: [] }
}

/** The rules alone, as they are now. In a transaction with its `tx`. */
export async function readRulesOrRefuse(
  { store, readRules }: GuardrailsDeps,
  db: Queryable = store.db,
): Promise<Outcome<Rules>> {
  return rulesWith({ readRules }, await readStoredRules(db))
}

/** @param missing required rules that no owner has set yet */
export const unreadableRules = (missing: readonly RuleName[] = []) =>
  refuseAll(
    [
      missing.length === 0
        ? error('guard_unverifiable', UNREADABLE_RULES)
        : error('guard_unverifiable', unsetRulesText(missing), undefined, { missing: missing.join(', ') }),
    ],
    { retryAfter: RETRY_AFTER_SECONDS },
  )

function rulesWith({ readRules }: Pick<GuardrailsDeps, 'readRules'>, stored: StoredRules): Outcome<Rules> {
  const { rules, missing } = readRules(stored)
  return rules ? accept(rules) : unreadableRules(missing)
}

/** The rules as they are now, with the kill switch as just read. */
export function guardrailsWith(
  ctx: Pick<GuardrailsDeps, 'readRules'>,
  engaged: Partial<EngagedKillSwitch> | undefined,
  stored: StoredRules,
): Outcome<Guardrails> {
  const read = rulesWith(ctx, stored)
  if (!read.ok) return read
  const rules = read.value
  const sources = [...(rules.killSwitchEngaged ? (['file'] as const) : []), ...(engaged ? (['pulled'] as const) : [])]
  return accept({ rules, killSwitch: { engaged: sources.length > 0, sources, ...engaged } })
}
