/** What visits that come first bring from other machines is not bought. Writes nothing. */
import type { Context } from '../../../context.ts'
import type { CurrentPlan } from '../plan/get-plan.ts'
import { type RunLine, unitsToBuy } from '../runs/run.ts'
import { listOpenRuns } from '../runs/records.ts'
import { loadMoves } from './load-moves.ts'

/**
 * `stops`: the machines of the new run, in their order. A machine of a run that was placed is visited before them. A line
 * always buys a unit, so that it is there when the others come, or do not come.
 */
export async function withMoves(
  ctx: Context,
  current: CurrentPlan,
  lines: readonly RunLine[],
  stops: readonly string[],
): Promise<readonly RunLine[]> {
  if (!ctx.config.hasStoreroom || lines.length === 0) return lines
  const open = (await listOpenRuns(ctx.store.db)).flatMap((run) =>
    run.lines.filter(({ removed, deliveredAt }) => removed === undefined && deliveredAt === undefined),
  )
  const visitedBefore = new Set<string>(open.map(({ location }) => location))
  const moves = await loadMoves(ctx, new Set([...visitedBefore, ...stops]), current)
  if (moves.length === 0) return lines
  const filled = new Set<string>([...open, ...lines].map(({ slotId }) => slotId))
  const movedTo = new Map<string, number>()
  for (const { from, to, units } of moves) {
    const isBefore = visitedBefore.has(from.location) || stops.indexOf(from.location) < stops.indexOf(to.location)
    if (isBefore && !filled.has(from.slotId)) movedTo.set(to.slotId, (movedTo.get(to.slotId) ?? 0) + units)
  }
  return lines.map((line) => {
    const wanted = unitsToBuy(line)
    const moved = Math.min(movedTo.get(line.slotId) ?? 0, wanted - 1)
    return moved > 0 ? { ...line, bought: wanted - moved } : line
  })
}
