/**
 * Changing the rules that the rules file leaves out: one transaction with its history, its event and its entry in the hash
 * chain. Only for owners: whoever calls it has checked the key.
 */
import { type Autonomy, type RuleMember, RulesRequest } from '../../../contract/shapes/guardrails.ts'
import { callerName, currentCaller } from '../../../kernel/caller.ts'
import { type ErrorMessage, error } from '../../../kernel/message.ts'
import { type Outcome, accept, catchRefusal, refuseAll, RefusedError } from '../../../kernel/outcome.ts'
import type { Tx } from '../../../store/store.ts'
import { recordEvent } from '../../../record/events/index.ts'
import type { Context } from '../../../context.ts'
import { readRulesOrRefuse, unreadableRules } from '../read-guardrails.ts'
import { findPartProblems, REQUIRED_RULES } from '../rules-file.ts'
import { type Members, isAmountRule, isSameValue, memberPath, toDocument, toMembers } from './members.ts'
import { type StoredMembers, insertChange, lockStoredRules, readStoredRules, saveStoredRules } from './records.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'readRules'>

/** Members that are null are taken back. */
export const changeRules = (ctx: Deps, request: RulesRequest): Promise<Outcome<void>> =>
  catchRefusal(async () => {
    const wanted = toMembers(request)
    const problems = [...findUnknown(request), ...findProblems(wanted)]
    if (problems.length > 0) return refuseAll(problems)
    // What the file says by now decides what is left to the owner.
    await ctx.readRules.keepFile(await readStoredRules(ctx.store.db))
    await ctx.store.transaction(async (tx) => {
      // Once this is answered, no instance sends a write that was judged by the rules before (ADR 21).
      await ctx.store.lock(tx, 'emergencyStop', 'exclusive')
      await lockStoredRules(tx)
      await applyChange(ctx, tx, wanted)
    })
    return accept(undefined)
  })

/** The path of the first amount that is set. */
export function findAmount(request: RulesRequest): string | undefined {
  const [member] =
    Object.entries(toMembers(request)).find(([name, value]) => value !== null && isAmountRule(name)) ?? []
  return member === undefined ? undefined : memberPath(member)
}

/** For PUT /operator: what may be done without a person. */
export const changeAutonomy = (ctx: Deps, autonomy: Partial<Autonomy>): Promise<Outcome<void>> =>
  changeRules(ctx, { rules: { autonomy } })

/** As the rules have it now. */
export async function readAutonomy(ctx: Pick<Deps, 'store' | 'readRules'>): Promise<Outcome<Autonomy>> {
  const rules = await readRulesOrRefuse(ctx)
  return rules.ok ? accept(rules.value.autonomy) : rules
}

/** A misspelt name would silently change nothing. */
const findUnknown = (request: object): readonly ErrorMessage[] =>
  Object.keys(request)
    .filter((name) => !Object.hasOwn(RulesRequest.properties, name))
    .map((name) => error('invalid', 'No such member', `$.${name}`))

const STOP = 'The emergency stop is pulled with POST /guardrails/stop and released with POST /guardrails/release'

function findProblems(wanted: Members): readonly ErrorMessage[] {
  const { killSwitchEngaged, ...others } = wanted
  const required = (REQUIRED_RULES as readonly string[]).filter((rule) => others[rule as 'hardNoGos'] === null)
  const set = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)) as Members
  return [
    ...(killSwitchEngaged === undefined || killSwitchEngaged === false
      ? []
      : [error('invalid', STOP, memberPath('killSwitchEngaged'))]),
    ...required.map((rule) => error('invalid', `${rule} is required and cannot be taken back`, memberPath(rule))),
    ...findPartProblems(toDocument(set)).map(({ path, text }) =>
      error('invalid', `${path.at(-1) ?? 'rules'} ${text}`, ['$', ...path].join('.')),
    ),
  ]
}

async function applyChange(ctx: Deps, tx: Tx, wanted: Members): Promise<void> {
  const stored = await readStoredRules(tx)
  const { file } = ctx.readRules(stored)
  if (file === 'unreadable') throw new RefusedError(unreadableRules().refusal)
  if (typeof file !== 'string') {
    const locked = Object.keys(wanted).filter((member) => file[member as RuleMember] !== undefined)
    if (locked.length > 0) throw new RefusedError(refuseAll(locked.map(setInFile)).refusal)
  }
  const members: Partial<Record<RuleMember, StoredMembers[RuleMember]>> = {
    ...(JSON.parse(stored.members) as StoredMembers),
  }
  const by = currentCaller()?.by
  const changed: string[] = []
  for (const [name, value] of Object.entries(wanted)) {
    const member = name as RuleMember
    const before = members[member]
    if (member === 'killSwitchEngaged') continue
    if (value === null ? before === undefined : before?.setBy === 'owner' && isSameValue(before.value, value)) continue
    if (value === null) delete members[member]
    else members[member] = { value, setBy: 'owner' }
    changed.push(member)
    const change = {
      member,
      before: before === undefined ? null : JSON.stringify(before.value),
      after: value === null ? null : JSON.stringify(value),
      at: ctx.clock.now(),
      by: callerName(),
    }
    await insertChange(ctx, tx, change, by)
  }
  if (changed.length === 0) return
  const revision = stored.revision + 1
  await saveStoredRules(ctx, tx, { ...stored, members: JSON.stringify(members), revision }, by)
  const rules = changed.join(', ')
  await recordEvent(ctx, tx, {
    kind: 'guardrail',
    code: 'rules_changed',
    params: { rules, by: callerName() },
    summary: `Rules changed by ${callerName()}: ${rules}`,
    reasoning: 'An owner set rules that the rules file leaves out.',
  })
}

const setInFile = (member: string): ErrorMessage =>
  error('not_editable', `${member} is set in the rules file and can only be changed there`, memberPath(member))
