/** GET /profit: revenue, costs and profit by day, week, machine, product or slot. Rows of every kind add up to the totals. */
import type { Reply } from '../../contract/handlers.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../../contract/limits.ts'
import type {
  ProfitColumn,
  ProfitFigures,
  ProfitGrouping,
  ProfitKey,
  ProfitQuery,
} from '../../contract/shapes/money/sales.ts'
import { localDay, rfc3339, startOfDay } from '../../kernel/clock.ts'
import { type LocationId, type SkuId, slotIdOf, vendorSkuOf } from '../../kernel/ids.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { type Outcome, accept } from '../../kernel/outcome.ts'
import { partOf } from '../../lib/pages.ts'
import { truncatedWarning } from '../../route/locations/index.ts'
import { completeFromOf, listLedgerCoverage } from '../../route/sales/index.ts'
import { findMachineProducts } from '../../route/skus/index.ts'
import { type FigureTable, figuresView, isNothing, noFigures } from './figures.ts'
import { OTHER, type ProfitDeps, type Route, type Selection, loadFigures, loadRoute } from './load-figures.ts'
import { type Period, daysOf, periodBefore, readPeriod, weekOf } from './period.ts'
import { costEstimated } from './texts.ts'

export async function getProfit(ctx: ProfitDeps, query: ProfitQuery): Promise<Outcome<Reply<'getProfit'>>> {
  const { config, clock } = ctx
  const period = readPeriod(query, localDay(clock.now(), config.timeZone))
  if (!period.ok) return period
  const by = query.by ?? 'day'
  const selection: Selection = {
    by,
    location: query.location as LocationId | undefined,
    product: query.sku_id as SkuId | undefined,
  }
  const { from, to, days } = period.value
  const route = await loadRoute(ctx)
  const current = await loadFigures(ctx, route, selection, period.value)
  const previous =
    query.compare === 'previous'
      ? await loadFigures(ctx, route, selection, periodBefore(period.value), days)
      : undefined
  const rows = rowsOf(current, previous, expectedKeys(selection, period.value, route))
  const page = partOf(
    sortRows(rows, query.sort ?? (by === 'day' || by === 'week' ? undefined : '-profit')),
    { limit: query.limit ?? PAGE_DEFAULT, cursor: query.cursor },
    PAGE_MAX,
    ({ key }) => key,
  )
  if (!page.ok) return page
  const { entries, pagination = { has_next_page: false } } = page.value
  const titles = await loadTitles(ctx, by, entries)
  const totals = figuresView(current.totals())
  const messages = [
    ...(totals.cost_known_percent < 100 ? [costEstimated(totals.cost_known_percent)] : []),
    ...(await loadTruncated(ctx, route, period.value)),
  ]
  return accept({
    body: {
      period: { from, to },
      currency: config.currency,
      rows: entries.map(({ key, now, before }) => ({
        key: keyView(by, key, route, titles),
        ...now,
        ...(before && { previous: before }),
      })),
      totals: { ...totals, ...(previous && { previous: figuresView(previous.totals()) }) },
      pagination: { ...pagination, total_count: rows.length },
      ...(messages.length > 0 ? { messages } : {}),
    },
  })
}

interface Row {
  readonly key: string
  readonly now: ProfitFigures
  readonly before: ProfitFigures | undefined
}

/** Keys that have a row whether or not anything happened: all days, and all machines that are asked about. */
function expectedKeys({ by, location, product }: Selection, period: Period, { roster }: Route): string[] {
  if (by === 'day') return daysOf(period)
  if (by === 'week') return [...new Set(daysOf(period).map(weekOf))]
  if (by !== 'location' || product !== undefined) return []
  return location === undefined ? [...roster.keys()] : roster.has(location) ? [location] : []
}

function rowsOf(current: FigureTable, previous: FigureTable | undefined, expected: readonly string[]): Row[] {
  const keys = new Set([...expected, ...current.rows.keys(), ...(previous?.rows.keys() ?? [])])
  return [...keys].flatMap((key) => {
    const now = current.rows.get(key) ?? noFigures()
    const before = previous && (previous.rows.get(key) ?? noFigures())
    if (key === OTHER && isNothing(now) && (!before || isNothing(before))) return []
    return [{ key, now: figuresView(now), before: before && figuresView(before) }]
  })
}

/** By key without a column. What belongs to no row comes last, and so does a margin that there is not. */
function sortRows(rows: readonly Row[], sort: string | undefined): readonly Row[] {
  const isDescending = sort?.startsWith('-') ?? false
  const column = sort?.replace('-', '') as ProfitColumn | undefined
  const byKey = (a: Row, b: Row) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
  return rows.toSorted((a, b) => {
    if (a.key === OTHER || b.key === OTHER) return a.key === b.key ? 0 : a.key === OTHER ? 1 : -1
    if (column === undefined) return byKey(a, b)
    const [left, right] = [a.now[column], b.now[column]]
    if (left === null || right === null) return left === right ? byKey(a, b) : left === null ? 1 : -1
    return (isDescending ? right - left : left - right) || byKey(a, b)
  })
}

/** `<location> <sku_id>`; neither has a blank. */
const partsOfSlot = (key: string): [LocationId, SkuId] => key.split(' ') as [LocationId, SkuId]

type Titles = ReadonlyMap<string, string>

async function loadTitles({ store }: ProfitDeps, by: ProfitGrouping, rows: readonly Row[]): Promise<Titles> {
  const keys = rows.flatMap(({ key }) => (key === OTHER ? [] : [key]))
  const ids = by === 'product' ? (keys as SkuId[]) : by === 'slot' ? keys.map((key) => partsOfSlot(key)[1]) : []
  if (ids.length === 0) return new Map()
  const products = await findMachineProducts(store.db, [...new Set(ids)])
  return new Map([...products].map(([id, { title }]) => [id, title]))
}

function keyView(by: ProfitGrouping, key: string, { roster }: Route, titles: Titles): ProfitKey {
  if (key === OTHER) return { other: true }
  if (by === 'day' || by === 'week') return { date: key, title: key }
  if (by === 'location') return { location: key, title: roster.get(key)?.name ?? key }
  const [location, id] = by === 'slot' ? partsOfSlot(key) : [undefined, key as SkuId]
  const title = titles.get(id) ?? id
  return {
    item: { id, title },
    title,
    ...(location === undefined ? {} : { slot_id: slotIdOf(location, vendorSkuOf(id)), location }),
  }
}

/** Where sales of the period are still being read. */
async function loadTruncated(
  { store, config }: ProfitDeps,
  { roster }: Route,
  { from }: Period,
): Promise<NoteMessage[]> {
  const used = new Set([...roster.values()].map(({ namespace }) => namespace))
  return (await listLedgerCoverage(store.db)).flatMap((coverage) => {
    const since = completeFromOf(coverage, startOfDay(from, config.timeZone))
    if (since === null || !used.has(coverage.namespace)) return []
    return [truncatedWarning(coverage.namespace, rfc3339(since, config.timeZone))]
  })
}
