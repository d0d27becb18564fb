/**
 * The kill switch (emergency stop) as engaged at run time: a row that all instances see and, for each instance, a marker
 * file that survives a restore of an older database. Either one counts. Anyone with the operator token may engage it. It
 * is released on the server, or by an owner.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Refusal, RefusedError, refuse } from '../../kernel/outcome.ts'
import { listLastNumbers, raiseCounter } from '../../store/order-numbers.ts'
import type { Store, Tx } from '../../store/store.ts'
import { StoreUnavailable } from '../../store/unavailable.ts'
import { currentCaller } from '../../kernel/caller.ts'
import { DAY, localDay } from '../../kernel/clock.ts'
import { chainChange } from '../../record/hash-chain/index.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context, WriteContext } from '../../context.ts'
import { type Marker, readMarker, removeMarker, writeMarker } from './kill-switch-marker.ts'
import { deleteKillSwitch, insertKillSwitch, insertRelease, isReleased, readKillSwitch } from './records.ts'
import type { EngagedKillSwitch } from './records.ts'
import { ENGAGED_AGAIN, MARKER_NOT_WRITTEN, killSwitchText } from './texts.ts'

/** As the database or the marker file has it. */
export const findKillSwitch = async (
  store: Pick<Store, 'db' | 'sidecarPrefix'>,
): Promise<Partial<EngagedKillSwitch> | undefined> =>
  (await readKillSwitch(store.db)) ?? readMarker(store.sidecarPrefix)

/** The refusal of every guarded write while the kill switch is engaged. */
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

export interface KillSwitchChange {
  readonly by: string
  readonly reason: string
}

type Deps = WriteContext

/** How long engaging it is repeated while the database breaks off: a deadlock, an ended connection, a restart. */
const REPEAT_FOR_MS = 5000
const PAUSE_MS = 200

/**
 * Returns the kill switch as it is now: engaging it twice changes nothing, so it is repeated when it failed. The exclusive
 * lock waits for every write that is being sent and holds off the next ones, so once this resolves no instance sends
 * another (ADR 21).
 */
export async function engageKillSwitch(
  ctx: Deps & Partial<Pick<Context, 'log'>>,
  { by, reason }: KillSwitchChange,
): Promise<EngagedKillSwitch> {
  const engaged = { id: randomUUID(), since: ctx.clock.now(), by, reason }
  const giveUpAt = performance.now() + REPEAT_FOR_MS
  while (true)
    try {
      return await tryEngage(ctx, engaged)
    } catch (failure) {
      if (!(failure instanceof StoreUnavailable) || performance.now() > giveUpAt) throw failure
      await sleep(PAUSE_MS)
    }
}

function tryEngage(ctx: Deps & Partial<Pick<Context, 'log'>>, engaged: EngagedKillSwitch): Promise<EngagedKillSwitch> {
  const { store, log } = ctx
  return store.urgentTransaction(async (tx) => {
    await store.lock(tx, 'emergencyStop', 'exclusive')
    const isFirst = await insertKillSwitch(tx, engaged)
    const current = isFirst ? engaged : ((await readKillSwitch(tx)) ?? engaged)
    // The kill switch counts without the file; only a restore would lose it.
    const marker = await markerFor(ctx, tx, current)
    writeMarker(store.sidecarPrefix, marker, (err) => log?.error({ err }, MARKER_NOT_WRITTEN))
    if (isFirst) await recordEngaged(ctx, tx, current, current.reason)
    return current
  })
}

/** Under the exclusive lock, so that no order is sent under a later number until the release. */
const markerFor = async ({ clock }: Pick<Deps, 'clock'>, tx: Tx, engaged: EngagedKillSwitch) => ({
  ...engaged,
  // Wherever it is, no local day is later than this one.
  numbers: await listLastNumbers(tx, localDay(clock.now() + DAY, 'UTC').replaceAll('-', '')),
})

/** A restored database may be older than the marker. One that has its stop, or the release of it, is not. */
async function raiseToMarker(tx: Tx, marker: Marker | undefined): Promise<void> {
  for (const number of marker?.numbers ?? []) await raiseCounter(tx, number)
}

async function recordEngaged(ctx: Deps, tx: Tx, { id, by }: Pick<EngagedKillSwitch, 'id' | 'by'>, reasoning: string) {
  const actor = currentCaller()?.by ?? ({ name: by, role: 'host' } as const)
  chainChange(ctx, tx, { kind: 'stop', subject: id, readFacts: async () => ({ by, reason: reasoning }), by: actor })
  await recordEvent(ctx, tx, {
    kind: 'guardrail',
    code: 'emergency_stop_engaged',
    params: { by },
    summary: `Emergency stop engaged by ${by}`,
    reasoning,
  })
}

/**
 * Compares the marker file of this instance with the database (ADR 27). Engaged in the database: the marker is written.
 * Engaged on the marker only: if the database has the release of that stop, it was released elsewhere and the marker is
 * removed; otherwise a restore lost the stop, and it is engaged again. The order numbers of the marker are compared, too.
 */
export async function reconcileMarker(ctx: Deps, onWriteFailure: (failure: unknown) => void): Promise<void> {
  const { store, clock } = ctx
  const prefix = store.sidecarPrefix
  if (prefix === undefined || isSameStop(await readKillSwitch(store.db), readMarker(prefix))) return
  // Again, under the lock that engaging and releasing take.
  await store.urgentTransaction(async (tx) => {
    await store.lock(tx, 'emergencyStop', 'exclusive')
    const row = await readKillSwitch(tx)
    const marker = readMarker(prefix)
    if (isSameStop(row, marker)) return
    await raiseToMarker(tx, marker)
    if (row) return writeMarker(prefix, await markerFor(ctx, tx, row), onWriteFailure)
    const { id, since, by = 'unknown', reason = 'unknown' } = marker ?? {}
    if (id !== undefined && (await isReleased(tx, id))) return removeMarker(prefix)
    const again = { id: id ?? randomUUID(), since: since ?? clock.now(), by, reason }
    await insertKillSwitch(tx, again)
    await recordEngaged(ctx, tx, again, `${ENGAGED_AGAIN}: ${reason}`)
  })
}

const isSameStop = (row: EngagedKillSwitch | undefined, marker: Partial<EngagedKillSwitch> | undefined): boolean =>
  row ? marker?.id === row.id : marker === undefined

/** True when it was engaged. The rules file may still engage it. */
export function releaseKillSwitch(ctx: Deps, { by, reason }: KillSwitchChange): Promise<boolean> {
  const { store, clock } = ctx
  return store.transaction(async (tx) => {
    await store.lock(tx, 'emergencyStop', 'exclusive')
    const [row, marker] = [await readKillSwitch(tx), readMarker(store.sidecarPrefix)]
    if (!row && !marker) return false
    await raiseToMarker(tx, marker)
    // The file first: if it cannot be removed, nothing is released.
    removeMarker(store.sidecarPrefix)
    await deleteKillSwitch(tx)
    for (const id of new Set([row?.id, marker?.id])) {
      if (id === undefined) continue
      await insertRelease(tx, id, clock.now())
      const actor = currentCaller()?.by ?? ({ name: by, role: 'host' } as const)
      chainChange(ctx, tx, { kind: 'release', subject: id, readFacts: async () => ({ by, reason }), by: actor })
    }
    await recordEvent(ctx, tx, {
      kind: 'guardrail',
      code: 'emergency_stop_released',
      params: { by },
      summary: `Emergency stop released by ${by}`,
      reasoning: reason,
    })
    return true
  })
}
