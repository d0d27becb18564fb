/** Rules and kill switch on the wire. Administrators are counted, not named. */
import type { Config } from '../../config.ts'
import type { RuleEvidence } from '../../contract/common.ts'
import type {
  EmergencyStop,
  GuardrailRules,
  Guardrails as GuardrailsAnswer,
  LimitUsage,
  RuleChange,
  RuleOrigin,
} from '../../contract/shapes/guardrails.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { copyFields } from '../../lib/objects.ts'
import type { Guardrails, KillSwitch } from './read-guardrails.ts'
import { type RuleName, type Evidence, isOnProbation } from './rules.ts'
import { findMissingLimits } from './missing-limits.ts'
import type { StoredChange } from './stored/records.ts'
import { type SpendingLimit, type SpendingTotals, spendingLimits, usedOf } from './spending.ts'

export const killSwitchView = (
  { engaged, sources, since, by, reason }: KillSwitch,
  timeZone: string,
): EmergencyStop => ({
  engaged,
  sources,
  ...(since === undefined ? {} : { since: rfc3339(since, timeZone) }),
  ...(by === undefined ? {} : { by }),
  ...(reason === undefined ? {} : { reason }),
})

/** A rule that is missing here or in the contract does not compile. */
const RULES: { readonly [Rule in RuleName]: Rule extends keyof GuardrailRules ? true : never } = {
  spendingLimitPerRun: true,
  priceCapPerItem: true,
  hardNoGos: true,
  killSwitchEngaged: true,
  spendingLimitPerDay: true,
  spendingLimitPerWeek: true,
  spendingLimitBySupplier: true,
  spendingLimitByKey: true,
  priceDriftPerWeek: true,
  minimumMarginPercent: true,
  maxUnitPrice: true,
  maxQuantityPerLine: true,
  ownersMayApproveTheirOwn: true,
  autonomy: true,
  newProducts: true,
  layoutChangesPerVisit: true,
}

function limitView(limit: SpendingLimit, spent: readonly SpendingTotals[], timeZone: string): LimitUsage {
  const { rule, limitFen, window, supplier, key } = limit
  const { usedFen, freesAt } = usedOf(limit, spent)
  return {
    rule,
    limit: limitFen,
    used: usedFen,
    window,
    ...(supplier === undefined ? {} : { supplier }),
    ...(key === undefined ? {} : { key }),
    ...(freesAt === undefined ? {} : { frees_at: rfc3339(freesAt, timeZone) }),
  }
}

const evidenceView = ({ rule, code, text, needsApproval, params }: Evidence): RuleEvidence => ({
  rule,
  code,
  text,
  needs_approval: needsApproval,
  params,
})

/** What the answer to a dry run has in addition. */
export const dryRunView = (evidence: readonly Evidence[]) => ({
  dry_run: true as const,
  evidence: evidence.map(evidenceView),
})

export const guardrailsView = (
  { rules, killSwitch }: Guardrails,
  now: number,
  { env, timeZone }: Pick<Config, 'env' | 'timeZone'>,
  unmatchedNoGos: readonly string[] | undefined,
  spent: readonly SpendingTotals[],
  origins: readonly RuleOrigin[],
): Omit<GuardrailsAnswer, 'ucp'> => ({
  currency: rules.currency,
  rules: copyFields<GuardrailRules>(rules, RULES),
  origins,
  probationUntil: rules.probationUntil === undefined ? null : rfc3339(rules.probationUntil, timeZone),
  probation_active: isOnProbation(rules, now),
  administrators: rules.administrators.length,
  administrator_chats: rules.administratorChats.length,
  emergency_stop: killSwitchView(killSwitch, timeZone),
  limits: spendingLimits(rules).map((limit) => limitView(limit, spent, timeZone)),
  missing_limits: env === 'live' ? findMissingLimits(rules) : [],
  ...(unmatchedNoGos === undefined ? {} : { unmatched_no_gos: unmatchedNoGos }),
})

export const ruleChangeView = ({ at, member, before, after, by }: StoredChange, timeZone: string): RuleChange => ({
  at: rfc3339(at, timeZone),
  rule: member,
  before: before === null ? null : (JSON.parse(before) as unknown),
  after: after === null ? null : (JSON.parse(after) as unknown),
  by,
})
