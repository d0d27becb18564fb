/**
 * A restock recommendation as a pick list. The platform generates a list with its own quantities, which are then set to
 * ours. There is no place for a reference or a reason: a new list replaces the old one, whatever its reference was.
 */
import { fail, failForCertain } from '../result.ts'
import type { Failure, Result, SendPermit } from '../contract.ts'
import { type LynxAccount, machinePath } from './account.ts'
import { type LynxApi, failBeforeSending } from './api.ts'
import { type PickLine, countPicked, planPickList, readPickList } from './pick-list.ts'
import { readWriteReply } from './reply.ts'

export async function sendPickList(
  { api, account }: { readonly api: LynxApi; readonly account: LynxAccount },
  machineId: string,
  lines: readonly PickLine[],
  permit: SendPermit,
): Promise<Result<{ readonly count: number }>> {
  const map = await account.productMap(machineId)
  if (!map.ok) return failBeforeSending(map)
  const plan = planPickList(machineId, map.value.lanes, lines)
  const known = [...(plan?.lanes.values() ?? [])].filter((ids) => ids.length > 0)
  if (!plan || known.length === 0) return failForCertain('The machine has no lane with any of these products')

  const path = `${machinePath(machineId)}/pickList`
  const generated = await api.write({ operation: 'pick_list', method: 'POST', path, permit }, readWriteReply)
  if (!generated.ok) return generated
  // The reply to the generation has no contents: whether there is a list shows when it is read.
  const list = await api.get('pick_list', path, (json) => readPickList(json, machineId))
  if (!list.ok) return failHalfDone(list)
  const update = { operation: 'pick_list', method: 'PUT', path: '/v1/machines/inventory/picklists/update' } as const
  const result = await api.write({ ...update, body: plan.body, permit }, (json) => countPicked(json, machineId, plan))
  return result.ok ? result : failHalfDone(result)
}

/** The list stands with the quantities of the platform, so this is not "nothing happened", whatever the reason was. */
const failHalfDone = ({ message, raw }: Failure): Failure =>
  fail('unknown', `The pick list was generated, but perhaps without our quantities: ${message}`, { raw })
