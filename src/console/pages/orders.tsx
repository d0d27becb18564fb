/** Sales, purchases and unfinished checkout sessions. */
import { useEffect, useState } from 'preact/hooks'
import type { Checkout } from '../../contract/checkout.ts'
import type { Order } from '../../contract/order.ts'
import { client } from '../lib/api.ts'
import { STATUS_TONE } from '../lib/checkout.ts'
import { nextDay, shortTime, startOfDay, totalOf } from '../lib/format.ts'
import { texts } from '../lib/i18n.ts'
import { useResource } from '../lib/resource.ts'
import { href, query, setQuery } from '../lib/router.ts'
import { namesOf, useLocations } from '../lib/queries.ts'
import { Button } from '../ui/button.tsx'
import { ClearFilters } from '../ui/clear-filters.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Messages } from '../ui/messages.tsx'
import { Badge } from '../ui/badge.tsx'
import { Choice } from '../ui/choice.tsx'
import { Empty } from '../ui/empty.tsx'
import { Money } from '../ui/money.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { RelativeTime } from '../ui/time.tsx'

const SALES_PAGE = 50
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
        <Choice
          label={t.kind}
          value={kind}
          onChange={(value) => setQuery({ kind: value === 'sale' ? undefined : value })}
          tabs={[
            { name: 'sale', text: t.sales },
            { name: 'purchase', text: t.purchases },
            { name: 'session', text: t.drafts },
          ]}
        />
        {kind === 'session' ? null : (
          <>
            {kind === 'sale' ? (
              <Select
                label={t.machine}
                hideLabel
                value={query('location')}
                onChange={(value) => setQuery({ location: value })}
                options={[['', t.allMachines], ...(locations.data ?? []).map(({ id, name }) => [id, name] as const)]}
              />
            ) : null}
            {kind === 'sale' ? (
              <Select
                label={t.saleStatus}
                hideLabel
                value={query('trade_status')}
                onChange={(value) => setQuery({ trade_status: value })}
                options={[
                  ['', t.completedOnly],
                  ['all', t.allStatuses],
                ]}
              />
            ) : null}
            <Field label={t.from} type="date" value={query('from')} onInput={(from) => setQuery({ from })} />
            <Field label={t.to} type="date" value={query('to')} onInput={(to) => setQuery({ to })} />
          </>
        )}
      </div>
      {kind === 'session' ? <Sessions /> : <List kind={kind} name={namesOf(locations.data)} />}
    </>
  )
}

function List({ kind, name }: { readonly kind: 'sale' | 'purchase'; readonly name: (id: string) => string }) {
  const t = texts().orders
  const filters = {
    kind,
    ...(kind === 'sale' && query('location') ? { location: query('location') } : {}),
    ...(query('from') ? { from: startOfDay(query('from')) } : {}),
    ...(query('to') ? { to: startOfDay(nextDay(query('to'))) } : {}),
    ...(kind === 'sale' && query('trade_status') ? { trade_status: query('trade_status') } : {}),
  }
  const key = JSON.stringify(filters)
  const [pages, setPages] = useState(1)
  useEffect(() => setPages(1), [key])
  const orders = useResource(
    `orders ${key} ${pages}`,
    async (signal) => {
      const list: Order[] = []
      let last
      for await (const page of client.pages.listOrders({ query: { ...filters, limit: SALES_PAGE }, signal })) {
        list.push(...page.orders)
        last = page
        if (list.length >= pages * SALES_PAGE) break
      }
      return { list, messages: last?.messages, more: last?.pagination?.has_next_page ?? false }
    },
    kind === 'sale' ? ['order', 'sync'] : ['checkout', 'replenishment'],
  )
  return (
    <Loaded resource={orders} wait={<Skeleton lines={10} height={40} />}>
      {({ list, messages, more }) => (
        <>
          <Messages messages={messages} />
          {list.length === 0 ? (
            <Empty icon="orders" title={t.none}>
              <ClearFilters names={['location', 'from', 'to', 'trade_status']} />
            </Empty>
          ) : kind === 'sale' ? (
            <Sales list={list} name={name} />
          ) : (
            <Purchases list={list} />
          )}
          {more ? (
            <p class="more">
              <Button busy={orders.busy} onClick={() => setPages(pages + 1)}>
                {texts().more}
              </Button>
            </p>
          ) : null}
        </>
      )}
    </Loaded>
  )
}

function Sales({ list, name }: { readonly list: readonly Order[]; readonly name: (id: string) => string }) {
  const t = texts().orders
  return (
    <div class="table-box card flush">
      <table class="data sales">
        <thead>
          <tr>
            <th scope="col">{t.time}</th>
            <th scope="col">{t.items}</th>
            <th scope="col">{t.machine}</th>
            <th scope="col">{t.status}</th>
            <th scope="col" class="number">
              {t.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((order) => (
            <tr key={order.id}>
              <td>
                <a href={href.order(order.id)}>{order.created_at ? shortTime(order.created_at) : order.id}</a>
              </td>
              <td data-label={t.items}>{itemsText(order)}</td>
              <td data-label={t.machine}>
                {order.location ? (
                  <a href={href.machine(order.location)}>{name(order.location)}</a>
                ) : (
                  (order.location_name ?? '–')
                )}
              </td>
              <td data-label={t.status}>
                {order.adjustments?.[0] ? (
                  <Badge tone="warn">
                    {(texts().adjustments as Readonly<Record<string, string>>)[order.adjustments[0].type] ??
                      order.adjustments[0].type}
                  </Badge>
                ) : (
                  <span class="faint">{order.trade_status_label ?? order.trade_status ?? ''}</span>
                )}
              </td>
              <td class="number" data-label={t.amount}>
                <Money amount={totalOf(order.totals)} currency={order.currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function itemsText({ line_items: lines }: Order): string {
  const [first, ...rest] = lines
  if (!first) return '–'
  return rest.length === 0 ? first.item.title : texts().orders.andMore(first.item.title, rest.length)
}

function Purchases({ list }: { readonly list: readonly Order[] }) {
  const t = texts().orders
  return (
    <div class="table-box card flush">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">{t.number}</th>
            <th scope="col">{t.items}</th>
            <th scope="col">{t.status}</th>
            <th scope="col">{t.time}</th>
            <th scope="col" class="number">
              {t.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((order) => (
            <tr key={order.id}>
              <td>
                <a href={href.purchase(order.id)}>{order.id}</a>
                {order.label ? <p class="faint mono">{order.label}</p> : null}
              </td>
              <td data-label={t.items}>{itemsText(order)}</td>
              <td data-label={t.status}>
                {order.supplier_status ? (
                  <Badge tone={SUPPLIER_TONE[order.supplier_status.mapped]}>
                    {texts().supplierStates[order.supplier_status.mapped]}
                  </Badge>
                ) : (
                  '–'
                )}
              </td>
              <td data-label={t.time}>{order.created_at ? <RelativeTime at={order.created_at} /> : '–'}</td>
              <td class="number" data-label={t.amount}>
                <Money amount={totalOf(order.totals)} currency={order.currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const SUPPLIER_TONE = { ordered: 'info', arrived: 'ok', cancelled: 'bad' } as const

function Sessions() {
  const t = texts().orders
  const sessions = useResource('sessions', (signal) => client.listCheckouts({ query: { limit: 100 }, signal }), [
    'checkout',
    'approval',
    'replenishment',
  ])
  return (
    <Loaded resource={sessions} wait={<Skeleton lines={6} height={40} />}>
      {({ checkouts }) =>
        checkouts.length === 0 ? (
          <Empty icon="orders" title={t.noDrafts}>
            <a href="/catalog">{t.noDraftsText}</a>
          </Empty>
        ) : (
          <div class="table-box card flush">
            <table class="data">
              <thead>
                <tr>
                  <th scope="col">{t.number}</th>
                  <th scope="col">{t.items}</th>
                  <th scope="col">{t.status}</th>
                  <th scope="col">{t.expires}</th>
                  <th scope="col" class="number">
                    {t.amount}
                  </th>
                </tr>
              </thead>
              <tbody>
                {checkouts.map((checkout) => (
                  <SessionRow key={checkout.id} checkout={checkout} />
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Loaded>
  )
}

function SessionRow({
  checkout: { id, line_items: lines, status, expires_at: expires, totals, currency },
}: {
  readonly checkout: Checkout
}) {
  const t = texts().orders
  const first = lines[0]?.item.title ?? '–'
  const open = status !== 'completed' && status !== 'canceled'
  return (
    <tr>
      <td>
        <a href={href.purchase(id)}>{id}</a>
      </td>
      <td data-label={t.items}>{lines.length > 1 ? t.andMore(first, lines.length - 1) : first}</td>
      <td data-label={t.status}>
        <Badge tone={STATUS_TONE[status]}>{texts().checkoutStatus[status]}</Badge>
      </td>
      <td data-label={t.expires}>{open ? <RelativeTime at={expires} /> : <span class="faint">–</span>}</td>
      <td class="number" data-label={t.amount}>
        <Money amount={totalOf(totals)} currency={currency} />
      </td>
    </tr>
  )
}
