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
import { sortInSlices, yieldToEventLoop } from '../../lib/concurrency.ts'
import { partOf } from '../../lib/pages.ts'
import { truncatedWarning } from '../../route/locations/index.ts'
import { completeFromOf } from '../../route/sales/index.ts'
import { findMachineProducts } from '../../route/skus/index.ts'
import { type FigureTable, type Figures, columnOf, figuresView, isNothing, noFigures } from './figures.ts'
import { OTHER, type ProfitDeps, type Route, type Selection, loadFigures, loadRoute } from './load-figures.ts'
import type { KeptReports } from './kept-reports.ts'
import { type Period, daysOf, periodBefore, readPeriod, weekOf } from './period.ts'
import { costEstimated, visitCostUnset } from './texts.ts'

/** Without `kept` every page is a report of its own. */
export async function getProfit(
  ctx: ProfitDeps,
  query: ProfitQuery,
  kept?: KeptReports<Report>,
): Promise<Outcome<Reply<'getProfit'>>> {
  const { config, clock } = ctx
  const period = readPeriod(query, localDay(clock.now(), config.timeZone))
  if (!period.ok) return period
  const by = query.by ?? 'day'
  const { from, to } = period.value
  const question = JSON.stringify([by, from, to, query.location, query.sku_id, query.compare, query.sort])
  const earlier = query.cursor === undefined ? undefined : kept?.find(question)
  const report = earlier ?? (await makeReport(ctx, query, by, period.value))
  const { rows, roster, totals, messages } = report
  const page = partOf(rows, { limit: query.limit ?? PAGE_DEFAULT, cursor: query.cursor }, PAGE_MAX, ({ key }) => key)
  if (!page.ok) return page
  const { entries, pagination = { has_next_page: false } } = page.value
  if (!earlier && pagination.has_next_page) kept?.keep(question, report)
  const titles = await loadTitles(ctx, by, entries)
  return accept({
    body: {
      period: { from, to },
      currency: config.currency,
      rows: entries.map(({ key, now, before }) => ({
        key: keyView(by, key, roster, titles),
        ...figuresView(now),
        ...(before && { previous: figuresView(before) }),
      })),
      totals,
      pagination: { ...pagination, total_count: rows.length },
      ...(messages.length > 0 ? { messages } : {}),
    },
  })
}

/** All rows of a report in their order, and what is the same on every page. */
export interface Report {
  readonly rows: readonly Row[]
  readonly roster: Route['roster']
  readonly totals: Reply<'getProfit'>['body']['totals']
  readonly messages: readonly NoteMessage[]
}

async function makeReport(ctx: ProfitDeps, query: ProfitQuery, by: ProfitGrouping, period: Period): Promise<Report> {
  const selection: Selection = {
    by,
    location: query.location as LocationId | undefined,
    product: query.sku_id as SkuId | undefined,
  }
  const route = await loadRoute(ctx)
  const current = await loadFigures(ctx, route, selection, period)
  const previous =
    query.compare === 'previous'
      ? await loadFigures(ctx, route, selection, periodBefore(period), period.days)
      : undefined
  const rows = rowsOf(current, previous, expectedKeys(selection, period, route))
  await yieldToEventLoop()
  const totals = figuresView(current.totals())
  return {
    rows: await sortRows(rows, query.sort ?? (by === 'day' || by === 'week' ? undefined : '-profit')),
    roster: route.roster,
    totals: { ...totals, ...(previous && { previous: figuresView(previous.totals()) }) },
    messages: [...unknownCosts(ctx, totals), ...truncatedWarnings(ctx, route, period)],
  }
}

/** What makes the profit less than certain. */
export const unknownCosts = (
  { config }: Pick<ProfitDeps, 'config'>,
  totals: Pick<ProfitFigures, 'cost_known_percent' | 'visits'>,
): NoteMessage[] => [
  ...(totals.cost_known_percent < 100 ? [costEstimated(totals.cost_known_percent)] : []),
  ...(totals.visits > 0 && !isVisitCostSet(config) ? [visitCostUnset(totals.visits)] : []),
]

const isVisitCostSet = ({ planParams }: ProfitDeps['config']): boolean =>
  [planParams.trip_cost, planParams.stop_cost, planParams.visit_cost].some((cost) => cost !== null)

interface Row {
  readonly key: string
  readonly now: Figures
  /** Of the period before, where it is asked for. */
  readonly before: Figures | undefined
}

/** Keys that have a row whether or not anything happened: all days, and all machines that are asked about. */
function expectedKeys({ by, location, product }: Selection, period: Period, { roster }: Route): string[] {
  if (by === 'day') return daysOf(period)
  if (by === 'week') return [...new Set(daysOf(period).map(weekOf))]
  if (by !== 'location' || product !== undefined) return []
  return location === undefined ? [...roster.keys()] : roster.has(location) ? [location] : []
}

function rowsOf(current: FigureTable, previous: FigureTable | undefined, expected: readonly string[]): Row[] {
  const beforeOf = (key: string) => previous && (previous.rows.get(key) ?? noFigures())
  const rows: Row[] = []
  for (const [key, now] of current.rows) rows.push({ key, now, before: beforeOf(key) })
  const more = previous ? new Set([...expected, ...previous.rows.keys()]) : new Set(expected)
  for (const key of more) if (!current.rows.has(key)) rows.push({ key, now: noFigures(), before: beforeOf(key) })
  return rows.filter(({ key, now, before }) => key !== OTHER || !isNothing(now) || (before && !isNothing(before)))
}

/**
 * By column, and where that is equal or there is none by key. What belongs to no row comes last, and so does a margin that
 * there is not. Comparing numbers is much faster than comparing keys, and most rows come in the order of their keys.
 */
async function sortRows(rows: readonly Row[], sort: string | undefined): Promise<readonly Row[]> {
  const direction = sort?.startsWith('-') ? -1 : 1
  const column = sort?.replace('-', '') as ProfitColumn | undefined
  const byKey = await sortInSlices(rows, (a, b) => (a.key < b.key ? -1 : 1))
  const ranked = byKey.map((row) => ({ row, rank: rankOf(row, column, direction) }))
  await yieldToEventLoop()
  return (await sortInSlices(ranked, (a, b) => a.rank - b.rank)).map(({ row }) => row)
}

function rankOf({ key, now }: Row, column: ProfitColumn | undefined, direction: 1 | -1): number {
  if (key === OTHER) return Number.MAX_VALUE
  if (column === undefined) return 0
  const value = columnOf(now, column)
  return value === null ? Number.MAX_SAFE_INTEGER : direction * value
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

function keyView(by: ProfitGrouping, key: string, roster: Route['roster'], titles: Titles): ProfitKey {
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
function truncatedWarnings({ config }: ProfitDeps, { roster, coverage }: Route, { from }: Period): NoteMessage[] {
  const used = new Set([...roster.values()].map(({ namespace }) => namespace))
  return coverage.flatMap((ledger) => {
    const since = completeFromOf(ledger, startOfDay(from, config.timeZone))
    if (since === null || !used.has(ledger.namespace)) return []
    return [truncatedWarning(ledger.namespace, rfc3339(since, config.timeZone))]
  })
}
