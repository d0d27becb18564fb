/** The intent of a placement, stored with its run. It stays there once the run is placed. */
import type { CheckoutCreateRequest } from '../../../../contract/shapes/checkout.ts'
import type { Namespace } from '../../../../kernel/ids.ts'
import type { Verdict } from '../../../../rules/guardrails/index.ts'
import { type Queryable, type Tx, changeRows } from '../../../../store/store.ts'
import { matchColumns } from '../../../../store/match-columns.ts'
import type { CheckedLines } from './check-lines.ts'

export interface PlacementRequest {
  readonly vendor: Namespace
  readonly body: CheckoutCreateRequest & { readonly id: string }
}

export interface PlacementIntent extends CheckedLines {
  readonly requests: readonly PlacementRequest[]
  /** Why the rules allowed it; absent in intents from before. */
  readonly verdict?: Verdict
}

/** What a placement is about to order, stored before anything is sent. */
export async function readPlacementIntent(db: Queryable, id: string): Promise<PlacementIntent | undefined> {
  const row = await db
    .selectFrom('replenishment_run')
    .select('placement_intent')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.placement_intent ? (JSON.parse(row.placement_intent) as PlacementIntent) : undefined
}

/** Stores the intent unless there is one; returns the one that is stored then. */
export async function writePlacementIntent(
  tx: Tx,
  id: string,
  intent: PlacementIntent,
): Promise<PlacementIntent | undefined> {
  await tx
    .updateTable('replenishment_run')
    .set({ placement_intent: JSON.stringify(intent) })
    .where((eb) => matchColumns(eb, { id, status: 'approved' }))
    .where('placement_intent', 'is', null)
    .execute()
  return readPlacementIntent(tx, id)
}

/** Whether the run may still be placed and this is its intent. */
export async function hasPlacementIntent(tx: Tx, id: string, intent: PlacementIntent): Promise<boolean> {
  const row = await tx
    .selectFrom('replenishment_run')
    .select('id')
    .where((eb) => matchColumns(eb, { id, status: 'approved', placement_intent: JSON.stringify(intent) }))
    .executeTakeFirst()
  return row !== undefined
}

/** False when `known` is no longer the stored intent. Null: the next placement stores a new one. */
export const replacePlacementIntent = async (
  tx: Tx,
  id: string,
  known: PlacementIntent,
  next: PlacementIntent | null,
): Promise<boolean> =>
  changeRows(
    tx
      .updateTable('replenishment_run')
      .set({ placement_intent: next === null ? null : JSON.stringify(next) })
      .where('id', '=', id)
      .where('status', 'in', ['approved', 'pending_approval', 'rejected'])
      .where('placement_intent', '=', JSON.stringify(known)),
  )
