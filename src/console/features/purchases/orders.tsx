/** Sales, purchases and unfinished checkout sessions. */
import type { Checkout } from '../../../contract/shapes/checkout.ts'
import type { Order } from '../../../contract/shapes/order.ts'
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { client, VendopsError } from '../../lib/service/api.ts'
import { statusText, statusTone } from './checkout.ts'
import { nextDay, shortTime, startOfDay, totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { collect, useResource } from '../../lib/service/resource.ts'
import { href, query, setQuery } from '../../lib/router.ts'
import { namesOf, useLocations } from '../../lib/service/queries.ts'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { List, usePages } from '../../ui/table/list.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Empty } from '../../ui/loaded.tsx'
import { Badge, Money, RelativeTime } from '../../ui/value.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { betweenText } from './order-view.tsx'
import { QueryChoice, QuerySelect } from '../../ui/table/query-filters.tsx'

const RUNS_MAX = 50
type Kind = 'sale' | 'purchase' | 'session'
const isKind = (text: string): text is Kind => text === 'purchase' || text === 'session'

export function Orders() {
  const t = texts().orders
  const kind: Kind = isKind(query('kind')) ? (query('kind') as Kind) : 'sale'
  const locations = useLocations()
  return (
    <>
      <PageHeader title={texts().pages.orders} lead={t.lead} />
      <div class="filters">
        <QueryChoice
          of="kind"
          label={t.kind}
          value={kind}
          tabs={{ sale: t.sales, purchase: t.purchases, session: t.drafts }}
        />
        {kind === 'session' ? null : (
          <>
            {kind === 'sale' ? (
              <>
                <QuerySelect
                  of="location"
                  label={words().machine}
                  options={[
                    ['', words().allMachines],
                    ...(locations.data ?? []).map(({ id, name }) => [id, name] as const),
                  ]}
                />
                <QuerySelect
                  of="trade_status"
                  label={words().status}
                  options={[
                    ['', t.completedOnly],
                    ['all', t.allStatuses],
                  ]}
                />
              </>
            ) : null}
            <div class="date-range">
              <Field label={t.from} type="date" value={query('from')} onInput={(from) => setQuery({ from })} />
              <Field label={t.to} type="date" value={query('to')} onInput={(to) => setQuery({ to })} />
            </div>
          </>
        )}
      </div>
      {kind === 'session' ? <Drafts /> : <OrderList kind={kind} name={namesOf(locations.data)} />}
      {kind === 'purchase' ? <SimulatedPurchases /> : null}
    </>
  )
}

function OrderList({ kind, name }: { readonly kind: 'sale' | 'purchase'; readonly name: (id: string) => string }) {
  const t = texts().orders
  const filters = {
    kind,
    ...(kind === 'sale' && query('location') ? { location: query('location') } : {}),
    ...(query('from') ? { from: startOfDay(query('from')) } : {}),
    ...(query('to') ? { to: startOfDay(nextDay(query('to'))) } : {}),
    ...(kind === 'sale' && query('trade_status') ? { trade_status: query('trade_status') } : {}),
  }
  const orders = usePages(
    `orders ${JSON.stringify(filters)}`,
    (limit, signal) => client.pages.listOrders({ query: { ...filters, limit }, signal }),
    (page) => page.orders,
    kind === 'sale' ? ['order', 'sync'] : ['checkout', 'replenishment'],
  )
  // A new deployment has no platform yet: a step that is missing, not a failure.
  if (orders.error instanceof VendopsError && orders.error.code === 'namespace_unsupported')
    return (
      <Empty icon="orders" title={t.noPlatform}>
        <a href="/connections">{texts().pages.connections}</a>
      </Empty>
    )
  return (
    <List
      rows={orders}
      filterNames={['location', 'from', 'to', 'trade_status']}
      icon="orders"
      none={t.none[kind]}
      next={kind === 'purchase' ? <a href="/plan">{texts().pages.plan}</a> : undefined}
      class={kind === 'sale' ? 'sales' : ''}
      csv={kind === 'sale' ? t.sales : t.purchases}
      keyOf={({ id }) => id}
      columns={kind === 'sale' ? saleColumns(name) : purchaseColumns()}
    />
  )
}

/** What the demo bought: runs placed with the simulated supplier have no order of their own, and nothing was paid. */
function SimulatedPurchases() {
  const t = texts().orders
  const runs = useResource(
    'runs simulated',
    async (signal) => {
      const listInStatus = (status: 'placed' | 'delivered') =>
        collect(client.all.listRuns({ query: { status, limit: RUNS_MAX }, signal }), RUNS_MAX)
      const found = (await Promise.all([listInStatus('placed'), listInStatus('delivered')])).flat()
      return found
        .filter(({ supplier }) => supplier === 'simulated')
        .toSorted((a, b) => (b.placed_at ?? '').localeCompare(a.placed_at ?? ''))
    },
    ['replenishment'],
  )
  if (!runs.data || runs.data.length === 0) return null
  return (
    <Section title={t.simulated} note={t.simulatedNote}>
      <DataTable
        csv={t.simulated}
        rows={runs.data}
        keyOf={({ id }) => id}
        columns={[
          { title: t.number, cell: ({ id }) => <a href={href.run(id)}>{id}</a> },
          { title: t.items, cell: itemsText, value: allItems },
          {
            title: words().time,
            cell: ({ placed_at: at }) => at && <RelativeTime at={at} />,
          },
          { title: words().status, cell: () => <Badge tone="warn">{t.simulatedBadge}</Badge> },
          { title: words().amount, isNumber: true, cell: amountCell },
        ]}
      />
    </Section>
  )
}

function saleColumns(name: (id: string) => string): readonly Column<Order>[] {
  const t = texts().orders
  return [
    {
      title: words().time,
      cell: ({ id, created_at: at, sold_between: between }) => (
        <a href={href.order(id)}>{between ? betweenText(between) : at ? shortTime(at) : id}</a>
      ),
      value: ({ created_at: at, sold_between: between }) => (between ? `${between.from}/${between.to}` : at),
    },
    { title: t.items, cell: itemsText, value: allItems },
    {
      title: words().machine,
      cell: ({ location, location_name: venue }) =>
        location ? <a href={href.machine(location)}>{name(location)}</a> : venue,
    },
    { title: words().status, cell: saleStatus },
    { title: words().amount, isNumber: true, cell: amountCell },
  ]
}

/** The platform's own word is in its language, so a sale that went well is said in the reader's. */
function saleStatus({ adjustments, trade_status_label: label, trade_status: status, line_items: lines }: Order) {
  const type = adjustments?.[0]?.type
  const own = label ?? status ?? ''
  if (type === undefined)
    return (
      <span class="faint" title={own}>
        {lines.every((line) => line.status === 'fulfilled') ? texts().lineStatus.fulfilled : own}
      </span>
    )
  return <Badge tone="warn">{(texts().adjustments as Readonly<Record<string, string>>)[type] ?? type}</Badge>
}

const amountCell = ({ totals, currency }: Pick<Order, 'totals' | 'currency'>) => (
  <Money amount={totalOf(totals)} currency={currency} />
)

type WithLines = Pick<Order, 'line_items'> | Pick<Checkout, 'line_items'> | Pick<ReplenishmentRun, 'line_items'>

function itemsText({ line_items: lines }: WithLines): string {
  const [first, ...rest] = lines
  if (!first) return ''
  return rest.length === 0 ? first.item.title : texts().orders.andMore(first.item.title, rest.length)
}

/** In a file every line is named. */
const allItems = ({ line_items: lines }: WithLines): string => lines.map(({ item }) => item.title).join('; ')

function purchaseColumns(): readonly Column<Order>[] {
  const t = texts().orders
  return [
    {
      title: t.number,
      cell: ({ id, label }) => (
        <>
          <a href={href.purchase(id)}>{id}</a>
          {label ? <p class="faint mono">{label}</p> : null}
        </>
      ),
    },
    { title: t.items, cell: itemsText, value: allItems },
    {
      title: words().status,
      cell: ({ supplier_status: status, received_at: receivedAt }) =>
        receivedAt === undefined ? (
          status && <Badge tone={SUPPLIER_TONE[status.mapped]}>{texts().supplierStates[status.mapped]}</Badge>
        ) : (
          <Badge tone="ok">{texts().runStatus.delivered}</Badge>
        ),
    },
    { title: words().time, cell: ({ created_at: at }) => at && <RelativeTime at={at} /> },
    { title: words().amount, isNumber: true, cell: amountCell },
  ]
}

const SUPPLIER_TONE = { ordered: 'info', arrived: 'ok', cancelled: 'bad' } as const

function Drafts() {
  const t = texts().orders
  const sessions = useResource(
    'sessions',
    // What was ordered is among the purchases.
    async (signal) =>
      (await client.listCheckouts({ query: { limit: 100 }, signal })).checkouts.filter(
        ({ status }) => status !== 'completed',
      ),
    ['checkout', 'approval', 'replenishment'],
  )
  return (
    <List
      rows={sessions}
      icon="orders"
      none={t.noDrafts}
      next={<a href="/catalog">{t.noDraftsText}</a>}
      csv={t.drafts}
      keyOf={({ id }) => id}
      columns={[
        { title: t.number, cell: ({ id }) => <a href={href.purchase(id)}>{id}</a> },
        { title: t.items, cell: itemsText, value: allItems },
        {
          title: words().status,
          cell: (checkout) => <Badge tone={statusTone(checkout)}>{statusText(checkout)}</Badge>,
        },
        {
          title: words().expires,
          cell: ({ status, expires_at: at }) => status !== 'canceled' && <RelativeTime at={at} />,
        },
        { title: words().amount, isNumber: true, cell: amountCell },
      ]}
    />
  )
}
