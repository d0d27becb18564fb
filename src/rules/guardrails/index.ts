/** Guardrails: reading the rules, setting those that the rules file leaves to owners, and the kill switch. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { callerName } from '../../kernel/caller.ts'
import { PAGE_MAX } from '../../contract/limits.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import { partOf } from '../../lib/pages.ts'
import type { Context } from '../../context.ts'
import { engageKillSwitch, findKillSwitch, releaseKillSwitch } from './kill-switch.ts'
import { type KnownProducts, noGoChecker } from './no-go-check.ts'
import { killSwitchWith, readGuardrails } from './read-guardrails.ts'
import type { Rules } from './rules.ts'
import type { SpendingTotals } from './spending.ts'
import { changeRules, findAmount } from './stored/change-rules.ts'
import { listChanges, readStoredRules } from './stored/records.ts'
import { CURRENCY_FIRST, ENGAGED_BY_FILE } from './texts.ts'
import { guardrailsView, killSwitchView, ruleChangeView } from './view.ts'

export function guardrailsHandlers(
  ctx: Context,
  knownProducts: KnownProducts,
  loadSpendingTotals: (rules: Rules, now: number) => Promise<readonly SpendingTotals[]>,
  isCurrencyOpen: () => Promise<boolean>,
): HandlersOf<'getGuardrails' | 'changeRules' | 'listRuleChanges' | 'pullEmergencyStop' | 'releaseEmergencyStop'> {
  const { clock, config } = ctx
  const findUnmatchedNoGos = noGoChecker(ctx, knownProducts)
  const getGuardrails = async () => {
    const guardrails = await readGuardrails(ctx)
    if (!guardrails.ok) return guardrails
    const unmatched = await findUnmatchedNoGos(guardrails.value.rules.noGos)
    const now = clock.now()
    const spent = await loadSpendingTotals(guardrails.value.rules, now)
    const { origins } = ctx.readRules(await readStoredRules(ctx.store.db))
    return accept({ body: guardrailsView(guardrails.value, now, config, unmatched, spent, origins) })
  }
  return {
    getGuardrails,

    async changeRules({ body }) {
      const amount = findAmount(body)
      if (amount !== undefined && (await isCurrencyOpen())) return refuse('not_editable', CURRENCY_FIRST, amount)
      const changed = await changeRules(ctx, body)
      return changed.ok ? getGuardrails() : changed
    },

    async listRuleChanges({ query }) {
      const part = partOf(await listChanges(ctx.store.db), query, PAGE_MAX, ({ seq }) => `${seq}`)
      if (!part.ok) return part
      const { entries, ...pages } = part.value
      const changes = entries.map((change) => ruleChangeView(change, config.timeZone))
      return accept({ body: { changes, ...pages } })
    },

    async pullEmergencyStop({ body }) {
      const engaged = await engageKillSwitch(ctx, { reason: body.reason, by: callerName() })
      // Works while the rules cannot be read: the file can only add that it engages the kill switch, too.
      const killSwitch = killSwitchWith(ctx, engaged)
      return accept({ body: { emergency_stop: killSwitchView(killSwitch, config.timeZone) } })
    },

    async releaseEmergencyStop({ body: { reason } }) {
      const read = async () => killSwitchWith(ctx, await findKillSwitch(ctx.store))
      if ((await read()).sources.includes('file')) return refuse('not_editable', ENGAGED_BY_FILE)
      await releaseKillSwitch(ctx, { by: callerName(), reason })
      return accept({ body: { emergency_stop: killSwitchView(await read(), config.timeZone) } })
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
export { readGuard } from './records.ts'
/** @public */
export { changeAutonomy, readAutonomy } from './stored/change-rules.ts'
export { isAmountRule } from './stored/members.ts'
export { chainedRules, readStoredRules } from './stored/records.ts'
export { InvalidRules, parseRules } from './rules-file.ts'
export { rulesReader } from './rules-reader.ts'
export { type PriceRules, exceedsCap, priceVerdict } from './price-rules.ts'
export { type Evidence, type Rules, type Verdict, approvalReason, askedEvidence, describeEvidence } from './rules.ts'
export { dryRunView } from './view.ts'
export { guardrailsJobs } from './watch-rules-file.ts'
export { sendPermit } from './send-permit.ts'
export { type SpendingTotals, hasSpendingWindows, spendingLimits, spendVerdict, usedOf, WINDOW_MS } from './spending.ts'
