/** Rules and kill switch on the wire. Administrators are counted, not named. */
import type { EmergencyStop, Guardrails as GuardrailsAnswer } from '../../contract/guardrails.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import type { Guardrails, KillSwitch } from './read-guardrails.ts'
import type { RuleName } from './rules-file.ts'
import { isOnProbation } from './rules.ts'

/** Absent where the file has none. */
type OptionalRule = 'ownersMayApproveTheirOwn'

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

export const guardrailsView = (
  { rules, killSwitch }: Guardrails,
  now: number,
  timeZone: string,
  unmatchedNoGos: readonly string[] | undefined,
): Omit<GuardrailsAnswer, 'ucp'> => ({
  currency: rules.currency,
  rules: {
    spendingLimitPerRun: rules.spendingLimitPerRun,
    priceCapPerItem: rules.priceCapPerItem,
    hardNoGos: rules.hardNoGos,
    killSwitchEngaged: rules.killSwitchEngaged,
    ...(rules.ownersMayApproveTheirOwn === undefined
      ? {}
      : { ownersMayApproveTheirOwn: rules.ownersMayApproveTheirOwn }),
  } satisfies Record<Exclude<RuleName, OptionalRule>, unknown> & Partial<Record<OptionalRule, unknown>>,
  probationUntil: rules.probationUntil === undefined ? null : rfc3339(rules.probationUntil, timeZone),
  probation_active: isOnProbation(rules, now),
  administrators: rules.administrators.length,
  administrator_chats: rules.administratorChats.length,
  emergency_stop: killSwitchView(killSwitch, timeZone),
  ...(unmatchedNoGos === undefined ? {} : { unmatched_no_gos: unmatchedNoGos }),
})
