/**
 * The rules as they stand at this moment: read anew from the deployment's file for every guarded write, together with
 * the emergency stop that all instances share. Rules that cannot be relied on allow nothing.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { fen } from '../../kernel/fen.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome, Refusal } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { parseRules, InvalidRules } from './rules-file.ts'
import type { Rules } from './rules.ts'
import { findKillSwitch } from './kill-switch.ts'
import type { EngagedKillSwitch } from './kill-switch.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })
const FILE_BYTES_MAX = 256 * 1024
/** After this a caller may find the rules readable again. */
export const RETRY_AFTER_SECONDS = 30

export interface KillSwitch {
  readonly engaged: boolean
  readonly sources: readonly ('file' | 'pulled')[]
  /** When, by whom and why it was pulled; the file tells none of it. */
  readonly since?: number
  readonly by?: string
  readonly reason?: string
}

export interface GuardrailState {
  readonly rules: Rules
  readonly killSwitch: KillSwitch
}

/** What staging goes by while it has no file: strict enough to show every rule, and there is no money to lose. */
export const DEMO_RULES: Rules = {
  spendingLimitPerRun: fen(50_000),
  priceCapPerItem: fen(100),
  hardNoGos: ['tobacco', '烟草'],
  killSwitchEngaged: false,
  probationUntil: undefined,
  administrators: ['owner'],
  administratorChats: ['operations'],
}

export type GuardrailsNeeds = Pick<Context, 'store' | 'config' | 'log'>

export const readGuardrails = async (ctx: GuardrailsNeeds): Promise<Outcome<GuardrailState>> =>
  guardrailsWith(ctx, await findKillSwitch(ctx.store))

/** The stop alone. Rules that cannot be read say nothing about it; what is then to be sent is refused at the latest. */
export const readKillSwitchState = async (ctx: GuardrailsNeeds): Promise<KillSwitch> =>
  killSwitchOf(ctx, await findKillSwitch(ctx.store))

export function killSwitchOf(ctx: GuardrailsNeeds, pulled: Partial<EngagedKillSwitch> | undefined): KillSwitch {
  const guard = guardrailsWith(ctx, pulled)
  if (guard.ok) return guard.value.killSwitch
  return pulled ? { engaged: true, sources: ['pulled'], ...pulled } : { engaged: false, sources: [] }
}

/** The stop as just found, and the rules as the file has them now. */
export function guardrailsWith(
  { config, log }: Pick<GuardrailsNeeds, 'config' | 'log'>,
  pulled: Partial<EngagedKillSwitch> | undefined,
): Outcome<GuardrailState> {
  const rules = config.guardrailsFile === undefined ? DEMO_RULES : readRules(config.guardrailsFile, log)
  if (!rules)
    return refuse('guard_unverifiable', 'the guardrail rules cannot be read, so nothing is written', undefined, {
      retryAfter: RETRY_AFTER_SECONDS,
    })
  const sources = [...(rules.killSwitchEngaged ? (['file'] as const) : []), ...(pulled ? (['pulled'] as const) : [])]
  return accept({ rules, killSwitch: { engaged: sources.length > 0, sources, ...pulled } })
}

/** The refusal of every real write while the emergency stop is on (section 7). */
export function killSwitchRefusal({
  killSwitch,
}: Pick<GuardrailState, 'killSwitch'>): { readonly ok: false; readonly refusal: Refusal } | undefined {
  if (!killSwitch.engaged) return undefined
  const why = killSwitch.reason === undefined ? '' : `: ${killSwitch.reason}`
  return refuse('kill_switch_engaged', `the emergency stop is on, real writes are frozen${why}`)
}

/** The last bytes that were read, and what they say: read anew every time, understood anew only when they changed. */
let understood: { readonly bytes: Buffer; readonly rules: Rules } | undefined

/** Undefined when they cannot be relied on; why is for the log of the host only. */
function readRules(file: string, log: Context['log']): Rules | undefined {
  try {
    const bytes = readBounded(file)
    if (!understood?.bytes.equals(bytes)) understood = { bytes, rules: parseRules(utf8.decode(bytes)) }
    return understood.rules
  } catch (failure) {
    const why =
      failure instanceof InvalidRules ? failure.message : ((failure as NodeJS.ErrnoException).code ?? 'unreadable')
    log.error({ why }, 'the guardrails file cannot be relied on; guarded writes are refused')
    return undefined
  }
}

/**
 * Regular files of a bounded size only: a pipe or a device in its place must not hold the service up. Read in place,
 * because for a few hundred bytes on the host another thread costs ten times the reading (50 µs against 5).
 */
function readBounded(file: string): Buffer {
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = fstatSync(handle)
    if (!stat.isFile()) throw new InvalidRules('it is not a regular file')
    if (stat.size > FILE_BYTES_MAX) throw new InvalidRules(`it is above ${FILE_BYTES_MAX} bytes`)
    const bytes = Buffer.alloc(stat.size)
    return bytes.subarray(0, readSync(handle, bytes))
  } finally {
    closeSync(handle)
  }
}
