/** Places a run in one transaction, because no supplier is asked: with the simulated one, or from the store room alone. */
import { type Outcome, accept } from '../../../../kernel/outcome.ts'
import type { Context } from '../../../../context.ts'
import { orderUnitsOf } from '../create/order-quantities.ts'
import { incrementRunsVersion } from '../records.ts'
import type { Run } from '../run.ts'
import { findSlotsOrderedSince } from '../slot-run-records.ts'
import { requireSameStoreroom } from '../../storeroom/reserve.ts'
import { checkLines, mayBeOrdered } from './check-lines.ts'
import { type PlacementInput, markPlaced, refuseNothingToPlace } from './mark-placed.ts'

/** `supplier` is absent where everything comes from the store room. */
export async function placeAtOnce(
  ctx: Context,
  run: Run,
  input: PlacementInput,
  supplier: 'simulated' | undefined,
): Promise<Outcome<Run>> {
  const placed = await ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    await requireSameStoreroom(ctx, tx, run)
    const locations = run.stops.map(({ location }) => location)
    const ordered = await findSlotsOrderedSince(tx, run.id, locations, run.createdAt)
    const { sources, rules } = input
    const checked = checkLines(run.lines, { sources, rules, ordered, needsSource: supplier === undefined })
    if (!checked.lines.some(mayBeOrdered)) return { nothing: checked }
    const placement = { ...checked, supplier, checkouts: [], units: orderUnitsOf(sources.values()) }
    return { run: await markPlaced(ctx, tx, run, placement, input) }
  })
  return 'run' in placed ? accept(placed.run) : refuseNothingToPlace(ctx, run, placed.nothing)
}
