/** Guardrails: reading the rules and engaging the kill switch. No operation loosens either. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { callerName } from '../../kernel/caller.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { engageKillSwitch } from './kill-switch.ts'
import { type KnownProducts, noGoChecker } from './no-go-check.ts'
import { killSwitchWith, readGuardrails } from './read-guardrails.ts'
import type { Rules } from './rules.ts'
import type { SpendingTotals } from './spending.ts'
import { guardrailsView, killSwitchView } from './view.ts'

export function guardrailsHandlers(
  ctx: Context,
  knownProducts: KnownProducts,
  loadSpendingTotals: (rules: Rules, now: number) => Promise<readonly SpendingTotals[]>,
): HandlersOf<'getGuardrails' | 'pullEmergencyStop'> {
  const { clock, config } = ctx
  const findUnmatchedNoGos = noGoChecker(ctx, knownProducts)
  return {
    async getGuardrails() {
      const guardrails = await readGuardrails(ctx)
      if (!guardrails.ok) return guardrails
      const unmatched = await findUnmatchedNoGos(guardrails.value.rules.noGos)
      const now = clock.now()
      const spent = await loadSpendingTotals(guardrails.value.rules, now)
      return accept({ body: guardrailsView(guardrails.value, now, config, unmatched, spent) })
    },

    async pullEmergencyStop({ body }) {
      const engaged = await engageKillSwitch(ctx, { reason: body.reason, by: callerName() })
      // Works while the rules cannot be read: the file can only add that it engages the kill switch, too.
      const killSwitch = killSwitchWith(ctx, engaged)
      return accept({ body: { emergency_stop: killSwitchView(killSwitch, config.timeZone) } })
    },
  }
}

// What other folders use.
export { type ApprovalNeed, approvalNeedOf, approvalRequiredError } from './approval-need.ts'
export { findKillSwitch, releaseKillSwitch, requireKillSwitchOff } from './kill-switch.ts'
export { keepMarker } from './keep-marker.ts'
export { findMissingLimits, missingLimitsText } from './missing-limits.ts'
export { type ProductDescription, type ProductIds, noGoMatch } from './no-gos.ts'
export {
  RETRY_AFTER_SECONDS,
  checkGuard,
  readGuardrails,
  readRulesOrRefuse,
  requireWritesAllowed,
} from './read-guardrails.ts'
export { readKillSwitch } from './records.ts'
export { InvalidRules, parseRules } from './rules-file.ts'
export { rulesReader } from './rules-reader.ts'
export { type PriceRules, exceedsCap, priceVerdict } from './price-rules.ts'
export { type Evidence, type Rules, type Verdict, approvalReason, describeEvidence } from './rules.ts'
export { dryRunView } from './view.ts'
export { guardrailsJobs } from './watch-rules-file.ts'
export { sendPermit } from './send-permit.ts'
export { type SpendingTotals, hasSpendingWindows, spendingLimits, spendVerdict, usedOf, WINDOW_MS } from './spending.ts'
