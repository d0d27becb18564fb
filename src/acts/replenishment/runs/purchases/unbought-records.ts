/** The lines of placed runs for which nothing was bought: what their purchases contain is compared with what placing asked for. */
import type { Queryable } from '../../../../store/store.ts'
import type { Session } from '../../../checkout/index.ts'
import type { PlacementIntent } from '../place/intent-records.ts'
import { fromLineRow } from '../records.ts'
import { isAsRequested, productsBesides, unboughtLines } from './purchased-units.ts'
import { findConfirmedSessions, loadSameProducts } from './sessions.ts'

export interface Unbought {
  /** The runs with a purchase that differs from what placing asked for: only of these were the lines read. */
  readonly runs: readonly string[]
  readonly has: (run: string, n: number) => boolean
}

export const NOTHING_UNBOUGHT: Unbought = { runs: [], has: () => false }

/** Two queries for all runs: the plan of a long route must not wait for them. */
export async function loadUnbought(db: Queryable): Promise<Unbought> {
  const placed = await db
    .selectFrom('replenishment_run')
    .select(['id', 'placement_intent'])
    .where('status', '=', 'placed')
    .where('placement_intent', 'is not', null)
    .execute()
  const requested = placed.map(({ id, placement_intent: intent }) => ({
    id,
    requests: (JSON.parse(intent!) as PlacementIntent).requests.map(({ body }) => body),
  }))
  const sessions = await findSessionsById(
    db,
    requested.flatMap(({ requests }) => requests.map(({ id }) => id)),
  )
  const differing = requested.filter(({ requests }) =>
    requests.some(({ id, line_items }) => {
      const session = sessions.get(id)
      return session && !isAsRequested(session, line_items)
    }),
  )
  if (differing.length === 0) return NOTHING_UNBOUGHT
  const lines = await listPlacedLines(
    db,
    differing.map(({ id }) => id),
  )
  const compared = [...lines].map(([id, own]) => ({
    id,
    lines: own,
    purchases: [...new Set(own.map(({ checkout }) => checkout))].flatMap(
      (checkout) => sessions.get(checkout ?? '') ?? [],
    ),
  }))
  const isSame = await loadSameProducts(
    db,
    compared.flatMap((run) => productsBesides(run.lines, run.purchases)),
  )
  const unbought = new Map(
    compared.map((run) => [run.id, new Set(unboughtLines(run.lines, run.purchases, isSame).map(({ n }) => n))]),
  )
  return { runs: [...unbought.keys()], has: (run, n) => unbought.get(run)?.has(n) === true }
}

const findSessionsById = async (db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, Session>> =>
  new Map((await findConfirmedSessions(db, ids)).map((session) => [session.id, session]))

/** Also those of canceled purchases: their products may have been bought with another purchase of the run. */
async function listPlacedLines(db: Queryable, runs: readonly string[]) {
  const rows = await db
    .selectFrom('run_line')
    .selectAll()
    .where('run', 'in', runs)
    .where('removed', 'is', null)
    .where('checkout', 'is not', null)
    .orderBy('n')
    .execute()
  return new Map([...Map.groupBy(rows, ({ run }) => run)].map(([run, own]) => [run, own.map(fromLineRow)]))
}
