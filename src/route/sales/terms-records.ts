/** What is paid for the place of a machine: a share of its revenue and a rent, each from a day on. */
import type { Namespace } from '../../kernel/ids.ts'
import { matchColumns } from '../../store/match-columns.ts'
import { type Queryable, type Tx, readAll } from '../../store/store.ts'
import { recountMachine } from './day-records.ts'
import type { LedgerMachineId } from './machine-sales-records.ts'
import { lockMirror } from './mirror-records.ts'

/** Null: nothing is paid. */
export interface Terms {
  readonly commissionPercent: number | null
  readonly rentFen: number | null
}

export interface DatedTerms extends Terms {
  readonly namespace: Namespace
  readonly location: string
  readonly fromDay: string
}

const PERCENT_SCALE = 100

export const NO_TERMS: Terms = { commissionPercent: null, rentFen: null }

const selectTerms = (db: Queryable) => db.selectFrom('machine_terms').selectAll().orderBy('from_day')

type Row = Awaited<ReturnType<ReturnType<typeof selectTerms>['execute']>>[number]

const fromRow = (row: Row): DatedTerms => ({
  namespace: row.namespace as Namespace,
  location: row.location,
  fromDay: row.from_day,
  commissionPercent: row.commission_e2 === null ? null : row.commission_e2 / PERCENT_SCALE,
  rentFen: row.rent_fen,
})

/** Of all machines that ever had some, oldest first. */
export const listTerms = (db: Queryable): Promise<DatedTerms[]> => readAll(selectTerms(db), fromRow)

/** The terms of now of these machines. */
export async function loadTerms(
  db: Queryable,
  locations: readonly string[],
): Promise<(machine: LedgerMachineId) => Terms> {
  const rows = locations.length === 0 ? [] : await readAll(selectTerms(db).where('location', 'in', locations), fromRow)
  const latest = new Map(rows.map((row) => [`${row.namespace} ${row.location}`, row]))
  return ({ namespace, id }) => latest.get(`${namespace} ${id}`) ?? NO_TERMS
}

/** From this day on; the days before keep theirs. */
export async function setTerms(tx: Tx, machine: LedgerMachineId, terms: Terms, day: string): Promise<void> {
  const { namespace, id: location } = machine
  const before = (await loadTerms(tx, [location]))(machine)
  if (before.commissionPercent === terms.commissionPercent && before.rentFen === terms.rentFen) return
  await lockMirror(tx, namespace)
  // A clock that was set back must not leave later terms behind.
  await tx
    .deleteFrom('machine_terms')
    .where((eb) => matchColumns(eb, { namespace, location }))
    .where('from_day', '>=', day)
    .execute()
  await tx
    .insertInto('machine_terms')
    .values({
      namespace,
      location,
      from_day: day,
      commission_e2: terms.commissionPercent === null ? null : Math.round(terms.commissionPercent * PERCENT_SCALE),
      rent_fen: terms.rentFen,
    })
    .execute()
  if (before.commissionPercent !== terms.commissionPercent) await recountMachine(tx, namespace, location, day)
}
