/** Guardrails: the rules can be looked at and the emergency stop pulled. Nothing here loosens either. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { noGoChecker } from './no-go-check.ts'
import type { KnownProducts } from './no-go-check.ts'
import { readGuardrails, killSwitchOf } from './read-guardrails.ts'
import { engageKillSwitch } from './kill-switch.ts'
import { guardrailsView, killSwitchView } from './view.ts'

export function guardrailsHandlers(
  ctx: Context,
  knownProducts: KnownProducts,
): HandlersOf<'getGuardrails' | 'pullEmergencyStop'> {
  const { clock, config } = ctx
  const unmatchedNoGos = noGoChecker(ctx, knownProducts)
  return {
    async getGuardrails() {
      const guard = await readGuardrails(ctx)
      if (!guard.ok) return guard
      const unmatched = await unmatchedNoGos(guard.value.rules.hardNoGos)
      return accept({ body: guardrailsView(guard.value, clock.now(), config.timeZone, unmatched) })
    },

    async pullEmergencyStop({ body, context }) {
      const pulled = await engageKillSwitch(ctx, { reason: body.reason, by: context.agent ?? 'operator' })
      // Pulling must work while the rules cannot be read, so the file is asked and not needed.
      const stop = killSwitchOf(ctx, pulled)
      // Never answered from memory: it may have been released since, and whoever pulls it again means it.
      return accept({ body: { emergency_stop: killSwitchView(stop, config.timeZone) }, unstored: true })
    },
  }
}

// What other folders use.
export { findKillSwitch, isKillSwitchEngaged, readKillSwitch, releaseKillSwitch } from './kill-switch.ts'
export { noGoMatch } from './no-gos.ts'
export type { ProductDescription, ProductIds } from './no-gos.ts'
export { RETRY_AFTER_SECONDS, killSwitchRefusal, readGuardrails, readKillSwitchState } from './read-guardrails.ts'
export { InvalidRules, parseRules } from './rules-file.ts'
export { describeEvidence, priceVerdict, spendVerdict } from './rules.ts'
export type { Rules, Verdict } from './rules.ts'
export { sendPermit } from './send-permit.ts'
