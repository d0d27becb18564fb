/** The restock plan: the recommendation for every slot and the numbers behind it. */
import { useMemo, useState } from 'preact/hooks'
import type { PlanEntry, ReplenishmentPlan } from '../../../contract/shapes/replenishment.ts'
import { useAfterPaint } from './after-paint.ts'
import { byName } from '../../lib/text/natural-order.ts'
import { count, decimal, rate } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { horizonDays, paceOf } from './plan.ts'
import { searchText, showOf, SHOW_NAMES, SHOWS, sortEntries, sortKeys } from './plan-rows.ts'
import { href, query } from '../../lib/router.ts'
import { namesOf, useLocations, usePlan } from '../../lib/service/queries.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { ClearFilters } from '../../ui/table/clear-filters.tsx'
import { useOrder } from '../runs/order-button.tsx'
import { ExportButton } from '../../ui/table/export-button.tsx'
import { planColumns } from './plan-columns.ts'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { Messages } from '../../ui/messages.tsx'
import { PageHeader } from '../../ui/section.tsx'
import { actionOf, bookedOf, coverOf, stockOf, stockoutOf } from './plan-cells.tsx'
import { PlanDetail } from './plan-detail.tsx'
import { SmallProjection } from './projection.tsx'
import { type Column, type Heading, type Sort, VirtualTable } from '../../ui/table/virtual-table.tsx'
import { QueryChoice, QuerySelect, SearchField } from '../../ui/table/query-filters.tsx'

const HEIGHTS = { wide: 52, narrow: 86 }

export function Plan() {
  const t = texts().plan
  const plan = usePlan()
  const locations = useLocations()
  const name = useMemo(() => namesOf(locations.data), [locations.data])
  const order = useOrder((plan.data?.plans.length ?? 0) > 0)
  const orders = (plan.data?.plans ?? []).filter(SHOWS.order)
  return (
    <>
      <PageHeader
        title={texts().pages.plan}
        lead={
          plan.data && plan.data.plans.length > 0
            ? t.lead(
                orders.length,
                orders.reduce((sum, { recommendation }) => sum + (recommendation.quantity ?? 0), 0),
                new Set(orders.map(({ location }) => location)).size,
              )
            : ' '
        }
        actions={
          <>
            <ButtonLink needs="getSwaps" href="/swaps">
              {texts().pages.swaps}
            </ButtonLink>
            <ButtonLink
              needs="createRun"
              href={`/plan/run${query('machine') ? `?machine=${encodeURIComponent(query('machine'))}` : ''}`}
            >
              {t.adjust}
            </ButtonLink>
            {order.button}
          </>
        }
      />
      {order.outcome}
      <Loaded resource={plan} lines={12} height={40}>
        {(data) => (
          <>
            <Messages messages={data.messages} />
            <Entries plan={data} name={name} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** The machine, and what the plan would bring there. */
function headingOf(location: string, name: string, entries: readonly PlanEntry[]) {
  const orders = entries.filter(SHOWS.order)
  const units = orders.reduce((sum, { recommendation }) => sum + (recommendation.quantity ?? 0), 0)
  return (
    <>
      <a class="strong" href={href.machine(location)}>
        {name}
      </a>
      <span class="faint">
        {' '}
        · {units > 0 ? texts().plan.brings(units, orders.length) : texts().plan.rows(count(entries.length))}
      </span>
    </>
  )
}

function Entries({ plan, name }: { readonly plan: ReplenishmentPlan; readonly name: (id: string) => string }) {
  const t = texts().plan
  const [sort, setSort] = useState<Sort>({ by: 'action', down: false })
  const [open, setOpen] = useState<PlanEntry>()
  const show = showOf(query('show'))
  const machine = query('machine')
  const search = query('q').toLowerCase()
  // What was pressed or typed is painted first, then the rows that it shows.
  const drawn = useAfterPaint(useMemo(() => ({ show, machine, search, sort }), [show, machine, search, sort]))
  const searchTexts = useMemo(
    () => new Map(plan.plans.map((entry) => [entry, searchText(entry, name(entry.location))])),
    [plan, name],
  )
  const found = useMemo(
    () =>
      plan.plans.filter(
        (entry) =>
          (drawn.machine === '' || entry.location === drawn.machine) &&
          (drawn.search === '' || (searchTexts.get(entry) ?? '').includes(drawn.search)),
      ),
    // Sorting finds and counts nothing again.
    [plan, drawn.machine, drawn.search, searchTexts],
  )
  const counts = useMemo(
    () => SHOW_NAMES.map((one) => ({ name: one, text: t.shows[one], count: found.filter(SHOWS[one]).length })),
    [found, t],
  )
  const keys = useMemo(() => sortKeys(plan.plans), [plan, t])
  const rows = useMemo(
    () =>
      sortEntries(drawn.show === 'all' ? found : found.filter(SHOWS[drawn.show]), keys[drawn.sort.by], drawn.sort.down),
    [found, drawn, keys],
  )
  // The machine of the first row comes first, whatever the rows are sorted by.
  const grouped = useMemo<readonly (PlanEntry | Heading)[]>(
    () =>
      [...Map.groupBy(rows, ({ location }) => location)].flatMap(([location, inside]) => [
        { heading: () => headingOf(location, name(location), inside) },
        ...inside,
      ]),
    [rows, name, t],
  )
  const machines = useMemo(
    () =>
      [...new Set(plan.plans.map(({ location }) => location))]
        .map((id) => [id, name(id)] as const)
        .toSorted((a, b) => byName(a[1], b[1])),
    [plan, name],
  )
  const days = horizonDays(plan)
  const { lead_time: lead, params } = plan
  // An empty slot has nothing to fall from.
  const projection = (entry: PlanEntry) =>
    entry.stock > 0 &&
    SmallProjection({
      stock: entry.stock,
      capacity: entry.capacity,
      dailyRate: paceOf(entry),
      leadDays: lead.days,
      days,
    })
  const columns = useMemo<readonly Column<PlanEntry>[]>(
    () => [
      {
        name: 'item',
        title: words().slot,
        width: 'minmax(180px, 2fr)',
        cell: (entry) => (
          <>
            <button type="button" class="row-open" onClick={() => setOpen(entry)}>
              {entry.item.title}
            </button>
            {bookedOf(entry)}
          </>
        ),
      },
      { name: 'stock', title: words().stock, width: '84px', number: true, cell: stockOf },
      {
        name: 'rate',
        title: words().soldPerDay,
        width: '104px',
        number: true,
        cell: ({ demand }) => (
          <>
            {rate(demand.daily_rate)}
            {demand.measured ? null : (
              <span class="faint" title={t.estimated}>
                {' '}
                *
              </span>
            )}
          </>
        ),
      },
      {
        name: 'cover',
        title: t.cover,
        width: '150px',
        cell: (entry) => (
          <>
            {coverOf(entry)}
            {stockoutOf(entry)}
          </>
        ),
      },
      { name: 'chart', title: t.projection(days), width: '116px', sortable: false, cell: projection },
      { name: 'action', title: t.action, width: '128px', cell: actionOf },
    ],
    [plan, name, t],
  )
  return (
    <>
      <div class="filters">
        <SearchField label={t.search} />
        <QuerySelect of="machine" label={words().machine} options={[['', words().allMachines], ...machines]} />
        <QueryChoice of="show" label={words().filterSlots} value={show} tabs={counts} />
      </div>
      <p class="note provenance">
        <span title={plan.strategy_version}>
          {t.basis(
            params.window_days,
            decimal(params.cover_days),
            decimal(lead.days),
            t.leadTime[lead.source](lead.samples),
          )}
        </span>
        {' · '}
        {t.rows(count(rows.length))}
        <span class="no-print">{' · '}</span>
        <ExportButton name={texts().pages.plan} columns={planColumns(name)} load={() => rows} />
      </p>
      {rows.length === 0 ? (
        <Empty icon="plan" title={plan.plans.length === 0 ? t.none : words().noSlotsMatch}>
          {plan.plans.length === 0 ? (
            <a href="/machines">{texts().pages.machines}</a>
          ) : (
            <ClearFilters names={['q', 'machine', 'show']} />
          )}
        </Empty>
      ) : (
        <div class="card flush">
          <VirtualTable
            label={texts().pages.plan}
            rows={grouped}
            columns={columns}
            sort={sort}
            onSort={setSort}
            heights={HEIGHTS}
            onOpen={setOpen}
            card={(entry) => (
              <>
                <div class="line plan-card-top">
                  <button type="button" class="row-open" onClick={() => setOpen(entry)}>
                    {entry.item.title}
                  </button>
                  {actionOf(entry)}
                </div>
                {bookedOf(entry)}
                <div class="plan-card-foot">
                  {stockOf(entry)}
                  <span class="faint">{t.perDay(rate(entry.demand.daily_rate))}</span>
                  {coverOf(entry, true)}
                  {projection(entry)}
                </div>
              </>
            )}
          />
        </div>
      )}
      {open ? (
        <PlanDetail entry={open} plan={plan} machine={name(open.location)} onClose={() => setOpen(undefined)} />
      ) : null}
    </>
  )
}
