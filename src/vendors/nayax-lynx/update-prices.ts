/** Changes prices in the product map of a machine, lane by lane, and counts by reading the map again. */
import { count } from '../../kernel/text.ts'
import type { Failure, Result, SendPermit } from '../contract.ts'
import { fail, failForCertain, succeed } from '../result.ts'
import { type LynxAccount, machinePath } from './account.ts'
import { type LynxApi, failBeforeSending } from './api.ts'
import { type NewPrice, type PriceWriting, countApplied, planPriceWrites } from './price-writes.ts'
import { readWriteReply } from './reply.ts'

interface Parts {
  readonly api: LynxApi
  readonly account: LynxAccount
  readonly writing: PriceWriting
  readonly notice: ((text: string) => void) | undefined
}

export async function updateLynxPrices(
  { api, account, writing, notice }: Parts,
  machineId: string,
  prices: readonly NewPrice[],
  permit: SendPermit,
): Promise<Result<{ readonly count: number }>> {
  const machine = await account.machine(machineId)
  if (!machine.ok) return failBeforeSending(machine)
  const before = await account.productMap(machineId)
  if (!before.ok) return failBeforeSending(before)
  const plan = planPriceWrites(before.value.lanes, before.unreadable ?? [], prices, writing)
  const [refusal] = plan.refused
  if (refusal && plan.refused.length === prices.length)
    return failForCertain(`The price of ${refusal.vendorSku} was not changed: ${refusal.problem}`)

  let written = 0
  let failure: Failure | undefined
  for (const { machineProductId, body } of plan.writes) {
    const path = `${machinePath(machineId)}/machineProducts/${machineProductId}`
    const result = await api.write({ operation: 'update_prices', method: 'PUT', path, body, permit }, readWriteReply)
    // The next lane would most likely fail for the same reason; what was applied is counted below.
    if (!result.ok && (written === 0 || result.reason === 'unknown')) return result
    if (!result.ok) {
      failure = result
      break
    }
    written += 1
  }
  // The reply to a write may describe another product, so only the map counts.
  const after = written === 0 ? before : await account.productMap(machineId)
  if (!after.ok)
    return fail('unknown', `Prices were sent, but could not be read afterwards: ${after.message}`, { raw: after.raw })
  const applied = countApplied(after.value.lanes, after.unreadable ?? [], prices, writing)
  if (applied.missing.length > 0) {
    const reason = failure?.message ?? refusal?.problem
    notice?.(
      `${count(applied.missing.length, 'price')} of machine ${machineId} did not change (${applied.missing.slice(0, 5).join(', ')})${reason === undefined ? '' : `: ${reason}`}`,
    )
  }
  return succeed({ count: applied.count })
}
