/**
 * The last look before a write leaves for a vendor (ADR 21). The emergency stop and the rules file are read under a lock
 * that pulling the stop takes exclusively, and the request is written before the lock is released. What cannot be
 * checked is not sent.
 */
import type { Refusal } from '../../kernel/outcome.ts'
import type { SendDenial, SendPermit } from '../../vendors/contract.ts'
import { guardrailsWith, RETRY_AFTER_SECONDS, killSwitchRefusal } from './read-guardrails.ts'
import type { GuardrailsNeeds } from './read-guardrails.ts'
import { readMarker } from './kill-switch-marker.ts'
import { SELECT_KILL_SWITCH, fromRow } from './kill-switch.ts'

const UNCHECKED: SendDenial = {
  code: 'guard_unverifiable',
  message: 'whether the emergency stop is on could not be checked, so nothing was sent',
  retryAfter: RETRY_AFTER_SECONDS,
}

/** For createOrder, updatePrices and restockRecommend. */
export const sendPermit =
  (ctx: GuardrailsNeeds): SendPermit =>
  async (write) => {
    let isWritten = false
    try {
      return await ctx.store.actUnderLock('emergencyStop', SELECT_KILL_SWITCH, ([row]) => {
        const denial = denialNow(ctx, row as StopRow | undefined)
        if (denial) return denial
        isWritten = true
        write()
        return undefined
      })
    } catch (err) {
      ctx.log.error({ err }, 'the emergency stop could not be checked before a write')
      return isWritten ? undefined : UNCHECKED
    }
  }

type StopRow = NonNullable<Parameters<typeof fromRow>[0]>

function denialNow(ctx: GuardrailsNeeds, row: StopRow | undefined): SendDenial | undefined {
  const guard = guardrailsWith(ctx, fromRow(row) ?? readMarker(ctx.store.file))
  if (!guard.ok) return denialOf('guard_unverifiable', guard.refusal)
  const stopped = killSwitchRefusal(guard.value)
  return stopped && denialOf('kill_switch_engaged', stopped.refusal)
}

const denialOf = (code: SendDenial['code'], { messages, retryAfter }: Refusal): SendDenial => ({
  code,
  message: messages[0]?.content ?? code,
  ...(retryAfter === undefined ? {} : { retryAfter }),
})
