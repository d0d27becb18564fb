/** The guardrails as they are now: the rules, read again for every guarded write, and the kill switch of all instances. */
import type { Guard } from '../../contract/operation.ts'
import { type Outcome, type Refusal, accept, refuse } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { findKillSwitch, killSwitchRefusal } from './kill-switch.ts'
import type { EngagedKillSwitch } from './records.ts'
import type { Rules } from './rules.ts'
import { UNREADABLE_RULES } from './texts.ts'

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

export const readGuardrails = async (ctx: GuardrailsDeps): Promise<Outcome<Guardrails>> =>
  guardrailsWith(ctx, await findKillSwitch(ctx.store))

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

/** The kill switch alone. Rules that cannot be read do not engage it; the write itself is then refused before it is sent. */
export function killSwitchWith(
  ctx: Pick<GuardrailsDeps, 'readRules'>,
  engaged: Partial<EngagedKillSwitch> | undefined,
): KillSwitch {
  const guardrails = guardrailsWith(ctx, engaged)
  if (guardrails.ok) return guardrails.value.killSwitch
  return engaged ? { engaged: true, sources: ['pulled'], ...engaged } : { engaged: false, sources: [] }
}

/** The rules alone, as the file has them now. */
export function readRulesOrRefuse({ readRules }: Pick<GuardrailsDeps, 'readRules'>): Outcome<Rules> {
  const rules = readRules()
  return rules
    ? accept(rules)
    : refuse('guard_unverifiable', UNREADABLE_RULES, undefined, { retryAfter: RETRY_AFTER_SECONDS })
}

/** The rules as the file has them now, with the kill switch as just read. */
export function guardrailsWith(
  ctx: Pick<GuardrailsDeps, 'readRules'>,
  engaged: Partial<EngagedKillSwitch> | undefined,
): Outcome<Guardrails> {
  const read = readRulesOrRefuse(ctx)
  if (!read.ok) return read
  const rules = read.value
  const sources = [...(rules.killSwitchEngaged ? (['file'] as const) : []), ...(engaged ? (['pulled'] as const) : [])]
  return accept({ rules, killSwitch: { engaged: sources.length > 0, sources, ...engaged } })
}
