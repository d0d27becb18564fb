/** The rules and the stop as callers see them. Who the administrators are stays in the file; only their number is told. */
import type { EmergencyStop, Guardrails } from '../../contract/guardrails.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import type { GuardrailState, KillSwitch } from './read-guardrails.ts'
import { onProbation } from './rules.ts'

export const killSwitchView = (stop: KillSwitch, timeZone: string): EmergencyStop => ({
  engaged: stop.engaged,
  sources: stop.sources,
  ...(stop.since === undefined ? {} : { since: rfc3339(stop.since, timeZone) }),
  ...(stop.by === undefined ? {} : { by: stop.by }),
  ...(stop.reason === undefined ? {} : { reason: stop.reason }),
})

export const guardrailsView = (
  { rules, killSwitch }: GuardrailState,
  now: number,
  timeZone: string,
  unmatchedNoGos: readonly string[] | undefined,
): Omit<Guardrails, 'ucp'> => ({
  rules: {
    spendingLimitPerRun: rules.spendingLimitPerRun,
    priceCapPerItem: rules.priceCapPerItem,
    hardNoGos: rules.hardNoGos,
    killSwitchEngaged: rules.killSwitchEngaged,
  },
  probationUntil: rules.probationUntil === undefined ? null : rfc3339(rules.probationUntil, timeZone),
  probation_active: onProbation(rules, now),
  administrators: rules.administrators.length,
  administrator_chats: rules.administratorChats.length,
  emergency_stop: killSwitchView(killSwitch, timeZone),
  ...(unmatchedNoGos === undefined ? {} : { unmatched_no_gos: unmatchedNoGos }),
})
