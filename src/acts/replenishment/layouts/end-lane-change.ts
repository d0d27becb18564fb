/**
 * How an accepted lane change ends. People change lanes: it is done when a person says so or the machine reports it. One that
 * is canceled gives the room back.
 */
import type { Reply } from '../../../contract/handlers.ts'
import type { LaneEndRequest } from '../../../contract/shapes/planning/layout.ts'
import type { Context, WriteContext } from '../../../context.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { findLocation, listSlots, lockLocation } from '../../../route/locations/index.ts'
import { findMachineProducts } from '../../../route/skus/index.ts'
import type { Tx } from '../../../store/store.ts'
import { layoutReply } from './get-layout.ts'
import { moveRoom } from './move-room.ts'
import { type StoredLaneChange, listLaneChanges, listOpenLaneChanges, saveLaneChange } from './records.ts'
import { laneChangeEnded } from './texts.ts'

export async function endLane(
  ctx: Context,
  location: string,
  { lane, status }: LaneEndRequest,
): Promise<Outcome<Reply<'endLaneChange'>>> {
  const ended = await ctx.store.transaction(async (tx) => {
    await lockLocation(tx, location, ctx.clock.now())
    return (await endChange(ctx, tx, { location, lane }, status, 'As a person stated.'))
      ? accept(undefined)
      : refuse('not_found', `No change of lane "${lane}" is open in machine ${location}`, '$.lane')
  })
  return ended.ok ? layoutReply(ctx, location) : ended
}

/** Undefined when none of the lane is open. */
export async function endChange(
  ctx: WriteContext,
  tx: Tx,
  key: Pick<StoredLaneChange, 'location' | 'lane'>,
  status: 'done' | 'canceled',
  why: string,
): Promise<StoredLaneChange | undefined> {
  const open = (await listLaneChanges(tx, [key.location])).find(
    (change) => change.lane === key.lane && change.status === 'accepted',
  )
  if (!open) return undefined
  if (status === 'canceled') await moveRoom(ctx, tx, key.location, [{ ...open, from: open.to, to: open.from }])
  const ended = { ...open, status, changedAt: ctx.clock.now() }
  await saveLaneChange(tx, ended)
  const machine = await findLocation(tx, key.location)
  const products = await findMachineProducts(tx, [ended.from, ended.to])
  const titleOf = (sku: SkuId) => products.get(sku)?.title ?? sku
  if (machine) await recordEvent(ctx, tx, laneChangeEnded(machine, ended, titleOf, why))
  return ended
}

/** Stores which accepted changes the machines report as made. Safe to run twice. */
export async function finishLaneChanges(ctx: WriteContext): Promise<void> {
  const open = await listOpenLaneChanges(ctx.store.db)
  if (open.length === 0) return
  const slots = await listSlots(ctx.store.db, [...new Set(open.map(({ location }) => location))])
  const held = new Set(
    slots.flatMap(({ location, skuId, lanes = [] }) =>
      lanes.filter(({ isNumbered }) => !isNumbered).map(({ code }) => `${location} ${skuId} ${code}`),
    ),
  )
  for (const change of open.filter(({ location, to, lane }) => held.has(`${location} ${to} ${lane}`)))
    await ctx.store.transaction(async (tx) => {
      await lockLocation(tx, change.location, ctx.clock.now())
      await endChange(ctx, tx, change, 'done', 'The machine reports the new product.')
    })
}
