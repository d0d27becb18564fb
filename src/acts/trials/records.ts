/** Rows of trials. */
import type { LocationId, SkuId, SlotId } from '../../kernel/ids.ts'
import { type Queryable, type Tx, changeRows, readAll, readFirst } from '../../store/store.ts'
import { callerColumns } from '../../store/caller-columns.ts'
import type { Columns } from '../../store/schema.ts'
import type { Counts, Estimate } from './measure/effect.ts'

/** A machine of a trial. */
export interface Member {
  readonly location: LocationId
  readonly locationName: string
  readonly slotId: SlotId
  readonly role: 'treated' | 'control'
  /** Before the trial; of a control also during it. */
  readonly priceFen: number
  /** Of a treated machine: during the trial. */
  readonly nextFen?: number
  readonly costFen: number
  /**
   * `planned`: not changed yet. `changed`: since then it has the new price. `back`: it has the old one again. `asked`: the
   * owner decides whether it gets the old one back. `left`: no longer part of the trial. Of a control always `changed` or `left`.
   */
  readonly state: 'planned' | 'changed' | 'asked' | 'back' | 'left'
  /** Days before this were sold at another price. */
  readonly comparableFrom: number
  readonly changedAt?: number
  readonly why?: LeftReason
  /** What the owner is asked; of a swap: the decision about it, and then about taking it back. */
  readonly decision?: string
  /** Of the new product of a swap. */
  readonly swap?: SwapMember
}

/** What was known when a product was replaced. */
export interface SwapMember {
  /** A unit of the new product, and of the old one. */
  readonly marginFen: number
  readonly oldMarginFen: number
  /** Units per day in stock that were expected of the new product, before what trials taught. */
  readonly rate: number
  /** The days in stock of the old product. */
  readonly before: Counts
}

export type LeftReason = 'price_changed' | 'refused' | 'unreachable' | 'gone' | 'owner_said_no'

const fromE4 = (value: number | null): number | undefined => (value === null ? undefined : value / 1e4)
const estimate = (mean: number | null | undefined, error: number | null | undefined): Estimate | undefined =>
  typeof mean === 'number' && typeof error === 'number' ? { mean, error } : undefined

export interface TrialProduct {
  readonly sku: SkuId
  readonly title: string
}

const fromRow = (row: Columns<'trial'>) => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  reason: row.reason ?? undefined,
  sku: row.sku_id as SkuId,
  title: row.title,
  category: row.category ?? undefined,
  venueType: row.venue_type ?? undefined,
  slotId: row.slot_id ?? undefined,
  replaced: row.replaced === null ? undefined : (JSON.parse(row.replaced) as TrialProduct),
  stepFen: row.step_fen ?? 0,
  members: JSON.parse(row.members) as readonly Member[],
  expected: { mean: row.expected_fen, error: row.expected_error_fen },
  measured: estimate(row.measured_fen, row.measured_error_fen),
  judged: estimate(row.judged_fen, row.judged_error_fen),
  /** Of a price the elasticity, of a swap the logarithm of what sold over what was expected to. */
  learned: estimate(fromE4(row.learned_e4), fromE4(row.learned_error_e4)),
  createdAt: row.created_at,
  endedAt: row.ended_at ?? undefined,
  dueAt: row.due_at,
  version: row.version,
})

export type Trial = Readonly<ReturnType<typeof fromRow>>

const OPEN: readonly Trial['status'][] = ['starting', 'running', 'taking_back']

export const isOpenTrial = ({ status }: Pick<Trial, 'status'>): boolean => OPEN.includes(status)

/** The newest first. */
export const listTrials = (db: Queryable, kind: Trial['kind'], since = 0): Promise<Trial[]> =>
  readAll(
    db
      .selectFrom('trial')
      .selectAll()
      .where('kind', '=', kind)
      .where('created_at', '>=', since)
      .orderBy('created_at', 'desc')
      .orderBy('id'),
    fromRow,
  )

/** Of a slot whose product is on trial; undefined: it has none. */
export const findOpenSwapTrial = (db: Queryable, slotId: string): Promise<Trial | undefined> =>
  readFirst(
    db
      .selectFrom('trial')
      .selectAll()
      .where('kind', '=', 'swap')
      .where('slot_id', '=', slotId)
      .where('status', 'in', OPEN),
    fromRow,
  )

/** Of a swap that will not be made. */
export const dropSwapTrial = (tx: Tx, slotId: string, now: number): Promise<boolean> =>
  changeRows(
    tx
      .updateTable('trial')
      .set((eb) => ({ status: 'ended', reason: 'person', ended_at: now, version: eb('version', '+', 1) }))
      .where('kind', '=', 'swap')
      .where('slot_id', '=', slotId)
      .where('status', '=', 'starting'),
  )

export const findTrial = (db: Queryable, id: string): Promise<Trial | undefined> =>
  readFirst(db.selectFrom('trial').selectAll().where('id', '=', id), fromRow)

export const listDueTrials = (db: Queryable, now: number): Promise<Trial[]> =>
  readAll(
    db
      .selectFrom('trial')
      .selectAll()
      .where('status', 'in', OPEN)
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('id'),
    fromRow,
  )

export type NewTrial = Omit<Trial, 'reason' | 'measured' | 'judged' | 'learned' | 'endedAt' | 'version'>

/** False: the product, or of a swap the slot, has an open trial already. */
export const insertTrial = (tx: Tx, trial: NewTrial): Promise<boolean> =>
  changeRows(
    tx
      .insertInto('trial')
      .values({
        id: trial.id,
        kind: trial.kind,
        status: trial.status,
        sku_id: trial.sku,
        title: trial.title,
        category: trial.category ?? null,
        venue_type: trial.venueType ?? null,
        slot_id: trial.slotId ?? null,
        replaced: trial.replaced ? JSON.stringify(trial.replaced) : null,
        step_fen: trial.stepFen,
        members: JSON.stringify(trial.members),
        expected_fen: Math.round(trial.expected.mean),
        expected_error_fen: Math.round(trial.expected.error),
        created_at: trial.createdAt,
        due_at: trial.dueAt,
        version: 1,
        ...callerColumns(),
      })
      .onConflict((conflict) => conflict.doNothing()),
  )

export type TrialChange = Partial<
  Pick<Trial, 'status' | 'reason' | 'sku' | 'members' | 'measured' | 'judged' | 'learned' | 'endedAt' | 'dueAt'>
>

/** False: somebody else changed it meanwhile. */
export const changeTrial = (tx: Tx, { id, version }: Trial, to: TrialChange): Promise<boolean> =>
  changeRows(
    tx
      .updateTable('trial')
      .set({
        version: version + 1,
        ...(to.status && { status: to.status }),
        ...(to.reason && { reason: to.reason }),
        ...(to.sku && { sku_id: to.sku }),
        ...(to.members && { members: JSON.stringify(to.members) }),
        ...(to.measured && {
          measured_fen: Math.round(to.measured.mean),
          measured_error_fen: Math.round(to.measured.error),
        }),
        ...(to.judged && { judged_fen: Math.round(to.judged.mean), judged_error_fen: Math.round(to.judged.error) }),
        ...(to.learned && {
          learned_e4: Math.round(to.learned.mean * 1e4),
          learned_error_e4: Math.round(to.learned.error * 1e4),
        }),
        ...(to.endedAt !== undefined && { ended_at: to.endedAt }),
        ...(to.dueAt !== undefined && { due_at: to.dueAt }),
      })
      .where('id', '=', id)
      .where('version', '=', version),
  )
