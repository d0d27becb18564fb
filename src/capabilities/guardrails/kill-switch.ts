/**
 * The kill switch (emergency stop) as engaged at run time: a row that all instances see and, beside a SQLite database, a
 * marker file that survives a restore of an older copy. Either one counts. Anyone with the operator token may engage it.
 * It is released on the server only, so no operation calls `releaseKillSwitch`.
 */
import { RefusedError, refuse } from '../../kernel/outcome.ts'
import type { Refusal } from '../../kernel/outcome.ts'
import type { Store, Tx } from '../../store/store.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { readMarker, removeMarker, writeMarker } from './kill-switch-marker.ts'
import { deleteKillSwitch, insertKillSwitch, readKillSwitch } from './records.ts'
import type { EngagedKillSwitch } from './records.ts'
import { killSwitchText } from './texts.ts'

/** As the database or the marker file has it. */
export const findKillSwitch = async (
  store: Pick<Store, 'db' | 'file'>,
): Promise<Partial<EngagedKillSwitch> | undefined> => (await readKillSwitch(store.db)) ?? readMarker(store.file)

/** The refusal of every guarded write while the kill switch is engaged (section 7). */
export const killSwitchRefusal = ({
  reason,
}: Partial<EngagedKillSwitch>): { readonly ok: false; readonly refusal: Refusal } =>
  refuse('kill_switch_engaged', killSwitchText(reason))

/**
 * For a transaction that must not commit once engaging the kill switch was answered. The shared lock makes engaging wait
 * for this transaction; if it came first, the transaction is refused.
 */
export async function requireKillSwitchOff(store: Pick<Store, 'lock'>, tx: Tx): Promise<void> {
  await store.lock(tx, 'emergencyStop', 'shared')
  const engaged = await readKillSwitch(tx)
  if (engaged) throw new RefusedError(killSwitchRefusal(engaged).refusal)
}

export interface KillSwitchAct {
  readonly by: string
  readonly reason: string
}

/**
 * Returns the kill switch as it is now: engaging it twice changes nothing. The exclusive lock waits for every write that
 * is being sent and holds off the next ones, so once this resolves no instance sends another (ADR 21).
 */
export function engageKillSwitch(
  { store, clock, log }: Pick<Context, 'store' | 'clock'> & Partial<Pick<Context, 'log'>>,
  { by, reason }: KillSwitchAct,
): Promise<EngagedKillSwitch> {
  const engaged = { since: clock.now(), by, reason }
  return store.urgentTransaction(async (tx) => {
    await store.lock(tx, 'emergencyStop', 'exclusive')
    const isFirst = await insertKillSwitch(tx, engaged)
    const current = isFirst ? engaged : ((await readKillSwitch(tx)) ?? engaged)
    // The kill switch counts without the file; only a restore would lose it.
    writeMarker(store.file, current, (err) =>
      log?.error({ err }, 'The emergency stop could not be written to the marker file beside the database'),
    )
    if (!isFirst) return current
    await recordEvent({ store, clock }, tx, {
      kind: 'guardrail',
      code: 'emergency_stop_engaged',
      params: { by },
      summary: `Emergency stop engaged by ${by}`,
      reasoning: reason,
    })
    return current
  })
}

/** True when it was engaged. The rules file may still engage it. */
export function releaseKillSwitch(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  { by, reason }: KillSwitchAct,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    // The file first: if it cannot be removed, nothing is released.
    const hadMarker = removeMarker(store.file)
    if (!(await deleteKillSwitch(tx)) && !hadMarker) return false
    await recordEvent({ store, clock }, tx, {
      kind: 'guardrail',
      code: 'emergency_stop_released',
      params: { by },
      summary: `Emergency stop released by ${by}`,
      reasoning: reason,
    })
    return true
  })
}
