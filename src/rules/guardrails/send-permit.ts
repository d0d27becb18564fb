/**
 * The last check before a write leaves for a vendor (ADR 21). Kill switch and rules are read under a lock that engaging
 * the kill switch takes exclusively, and the request is written before the lock is released. What cannot be checked is
 * not sent.
 */
import type { Refusal } from '../../kernel/outcome.ts'
import type { SendDenial, SendPermit } from '../../vendors/contract.ts'
import type { Context } from '../../context.ts'
import { killSwitchRefusal } from './kill-switch.ts'
import { readMarker } from './kill-switch-marker.ts'
import { guardrailsWith, RETRY_AFTER_SECONDS } from './read-guardrails.ts'
import { type KillSwitchRow, fromRow, SELECT_KILL_SWITCH } from './records.ts'
import { UNCHECKED_KILL_SWITCH } from './texts.ts'

type Deps = Pick<Context, 'store' | 'readRules' | 'log'>

const UNCHECKED: SendDenial = {
  code: 'guard_unverifiable',
  message: UNCHECKED_KILL_SWITCH,
  retryAfter: RETRY_AFTER_SECONDS,
}

/** For createOrder, updatePrices and restockRecommend. */
export const sendPermit =
  (ctx: Deps): SendPermit =>
  async (write) => {
    let isWritten = false
    try {
      return await ctx.store.actUnderLock('emergencyStop', SELECT_KILL_SWITCH, ([row]) => {
        const denial = denialNow(ctx, row as KillSwitchRow | undefined)
        if (denial) return denial
        isWritten = true
        write()
        return undefined
      })
    } catch (err) {
      ctx.log.error({ err }, 'The emergency stop could not be checked before a write')
      return isWritten ? undefined : UNCHECKED
    }
  }

function denialNow(ctx: Deps, row: KillSwitchRow | undefined): SendDenial | undefined {
  const guardrails = guardrailsWith(ctx, fromRow(row) ?? readMarker(ctx.store.sidecarPrefix))
  if (!guardrails.ok) return toDenial('guard_unverifiable', guardrails.refusal)
  const { killSwitch } = guardrails.value
  return killSwitch.engaged ? toDenial('kill_switch_engaged', killSwitchRefusal(killSwitch).refusal) : undefined
}

const toDenial = (code: SendDenial['code'], { messages, retryAfter }: Refusal): SendDenial => ({
  code,
  message: messages[0]?.content ?? code,
  ...(retryAfter === undefined ? {} : { retryAfter }),
})
