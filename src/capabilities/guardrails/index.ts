/** Guardrails: the rules can be looked at and the emergency stop pulled. Nothing here loosens either. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { noGoChecker } from './no-go-check.ts'
import type { KnownProducts } from './no-go-check.ts'
import { readGuard, stopAlone } from './read-guardrails.ts'
import { pullStop } from './kill-switch.ts'
import { guardView, stopView } from './view.ts'

export function guardHandlers(
  ctx: Context,
  knownProducts: KnownProducts,
): HandlersOf<'getGuardrails' | 'pullEmergencyStop'> {
  const { clock, config } = ctx
  const unmatchedNoGos = noGoChecker(ctx, knownProducts)
  return {
    async getGuardrails() {
      const guard = await readGuard(ctx)
      if (!guard.ok) return guard
      const unmatched = await unmatchedNoGos(guard.value.rules.hardNoGos)
      return accept({ body: guardView(guard.value, clock.now(), config.timeZone, unmatched) })
    },

    async pullEmergencyStop({ body, context }) {
      const pulled = await pullStop(ctx, { reason: body.reason, by: context.agent ?? 'operator' })
      // Pulling must work while the rules cannot be read, so the file is asked and not needed.
      const stop = stopAlone(ctx, pulled)
      // Never answered from memory: it may have been released since, and whoever pulls it again means it.
      return accept({ body: { emergency_stop: stopView(stop, config.timeZone) }, unstored: true })
    },
  }
}
