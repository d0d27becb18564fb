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
import { type GuardRow, guardFromRow, SELECT_GUARD } from './records.ts'
import type { Rules } from './rules.ts'
import { RULES_CHANGED, UNCHECKED_KILL_SWITCH } from './texts.ts'

type Deps = Pick<Context, 'store' | 'readRules' | 'log'>

const UNCHECKED: SendDenial = {
  code: 'guard_unverifiable',
  message: UNCHECKED_KILL_SWITCH,
  retryAfter: RETRY_AFTER_SECONDS,
}

/** For createOrder, updatePrices and restockRecommend. `judgedBy`: the rules that allowed it, which an owner may have changed since. */
export const sendPermit =
  (ctx: Deps, judgedBy?: Pick<Rules, 'revision'>): SendPermit =>
  async (write) => {
    let isWritten = false
    try {
      return await ctx.store.actUnderLock('emergencyStop', SELECT_GUARD, ([row]) => {
        const denial = denialNow(ctx, row as GuardRow | undefined, judgedBy)
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

function denialNow(
  ctx: Deps,
  row: GuardRow | undefined,
  judgedBy: Pick<Rules, 'revision'> | undefined,
): SendDenial | undefined {
  const { killSwitch: pulled, stored } = guardFromRow(row)
  const guardrails = guardrailsWith(ctx, pulled ?? readMarker(ctx.store.sidecarPrefix), stored)
  if (!guardrails.ok) return toDenial('guard_unverifiable', guardrails.refusal)
  const { killSwitch, rules } = guardrails.value
  if (killSwitch.engaged) return toDenial('kill_switch_engaged', killSwitchRefusal(killSwitch).refusal)
  return judgedBy === undefined || judgedBy.revision === rules.revision
    ? undefined
    : { code: 'guard_unverifiable', message: RULES_CHANGED, retryAfter: 0 }
}

const toDenial = (code: SendDenial['code'], { messages, retryAfter }: Refusal): SendDenial => ({
  code,
  message: messages[0]?.content ?? code,
  ...(retryAfter === undefined ? {} : { retryAfter }),
})
