/** GET /cash: what should be in the machines, what was collected, and how far the two differ. */
import { PAGE_DEFAULT } from '../../../contract/limits.ts'
import type { Cash, CashCollection, CashMachine, CashQuery } from '../../../contract/shapes/money/cash.ts'
import { type CashTolerance, isBeyondTolerance, parseCashTolerance } from '../../../kernel/cash-tolerance.ts'
import { DAY, HOUR, rfc3339 } from '../../../kernel/clock.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { encodeCursor, pageOf, parseCursor } from '../../../lib/pages.ts'
import type { Queryable } from '../../../store/store.ts'
import type { Context } from '../../../context.ts'
import { type LocationRecord, findLocation, listLocations } from '../records.ts'
import { machineNotFound } from '../texts.ts'
import { type CashMeter, type Window, expectedIn } from './expected.ts'
import { type Collection, listCollections, loadCashMeters, loadCashTaken } from './records.ts'

const RUNNING_MS = 90 * DAY

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

export async function getCash(
  { store: { db }, clock, config }: Deps,
  { location, limit = PAGE_DEFAULT, cursor }: CashQuery,
): Promise<Outcome<Omit<Cash, 'ucp'>>> {
  const position = parseCursor(cursor, '$.cursor', 'number', 'string')
  if (!position.ok) return position
  const machine = location === undefined ? undefined : await findLocation(db, location)
  if (location !== undefined && !machine) return refuse('not_found', machineNotFound(location))
  const now = clock.now()
  const [roster, meters, recent, page] = await Promise.all([
    machine ? [machine] : listLocations(db),
    loadCashMeters(db, location),
    listCollections(db, { location, sinceOrLast: now - RUNNING_MS }),
    listCollections(db, {
      location,
      before: position.value && { at: position.value[0], id: position.value[1] },
      limit: limit + 1,
    }),
  ])
  const lastOf = new Map(recent.toReversed().map((collection) => [collection.location, collection]))
  const judge = await loadJudge(db, meters, [...recent, ...page], [...lastOf.values()], now)
  const instant = (at: number) => rfc3339(at, config.timeZone)
  const names = new Map(roster.map(({ id, name }) => [id as string, name]))

  const machineView = ({ id, name }: LocationRecord): CashMachine => {
    const last = lastOf.get(id)
    const meter = meters.get(id)
    const own = recent.filter((each) => each.location === id && each.at >= now - RUNNING_MS)
    return {
      location: id,
      name,
      expected: last ? judge.since(last) : null,
      counted_at: meter ? instant(meter.knownUntil) : null,
      last_collected_at: last ? instant(last.at) : null,
      amount: last?.amount ?? null,
      difference: last ? judge.of(last).difference : null,
      running_difference: own.reduce((sum, each) => sum + (judge.of(each).difference ?? 0), 0),
    }
  }
  const collectionView = (collection: Collection): CashCollection => ({
    id: collection.id,
    location: collection.location,
    ...(names.has(collection.location) ? { name: names.get(collection.location)! } : {}),
    at: instant(collection.at),
    amount: collection.amount,
    bag: collection.bag ?? null,
    ...judge.of(collection),
    ...(collection.by === undefined ? {} : { by: collection.by }),
  })
  const { entries, pagination } = pageOf(page, limit, ({ at, id }) => encodeCursor(at, id))
  return accept({
    currency: config.currency,
    machines: roster
      .filter(({ id }) => location !== undefined || meters.has(id) || lastOf.has(id))
      .map(machineView)
      .toSorted((a, b) => (b.expected ?? -1) - (a.expected ?? -1)),
    collections: entries.map(collectionView),
    pagination,
  })
}

interface Judged {
  readonly expected: number | null
  readonly difference: number | null
}

/** Compares collections with the counters, in one look at them. */
async function loadJudge(
  db: Queryable,
  meters: ReadonlyMap<string, CashMeter>,
  collections: readonly Collection[],
  last: readonly Collection[],
  now: number,
) {
  const windowOf = ({ id: key, location, previousAt, at: until }: Collection): Window | undefined =>
    previousAt === null ? undefined : { key, location, after: previousAt, until }
  const sinceWindowOf = ({ id, location, at: after }: Collection): Window => ({
    key: `since ${id}`,
    location,
    after,
    until: now,
  })
  const windows = [...collections.flatMap((each) => windowOf(each) ?? []), ...last.map(sinceWindowOf)]
  const taken = await loadCashTaken(db, [...new Map(windows.map((window) => [window.key, window])).values()])
  const expectedOf = (window: Window) => expectedIn(window, meters.get(window.location), taken.get(window.key))
  return {
    of(collection: Collection): Judged {
      const window = windowOf(collection)
      const expected = window ? expectedOf(window) : null
      return { expected, difference: expected === null ? null : collection.amount - expected }
    },
    since: (collection: Collection) => expectedOf(sinceWindowOf(collection)),
  }
}

/** How long after a collection its difference is told; a machine is read at the next visit at the latest. */
const TOLD_WITHIN_MS = 30 * DAY
/** The counters are read shortly before the box is emptied. */
const READ_BEFORE_MS = HOUR

const NO_TOLERANCE: CashTolerance = { percent: 0, amount: 0 }

/** Collections that differ by more than is tolerated, once the counters were read up to them. */
export async function findCashDifferences({ store: { db }, clock, config }: Deps) {
  const now = clock.now()
  const tolerance = parseCashTolerance(config.cashTolerance) ?? NO_TOLERANCE
  const meters = await loadCashMeters(db)
  const recent = (await listCollections(db, { sinceOrLast: now - TOLD_WITHIN_MS })).filter(
    ({ at, location }) =>
      at >= now - TOLD_WITHIN_MS && (meters.get(location)?.knownUntil ?? -Infinity) >= at - READ_BEFORE_MS,
  )
  const judge = await loadJudge(db, meters, recent, [], now)
  return recent.flatMap((collection) => {
    const { expected, difference } = judge.of(collection)
    return expected !== null && difference !== null && isBeyondTolerance({ expected, difference }, tolerance)
      ? [{ ...collection, expected, difference }]
      : []
  })
}
