/** Shows an order, sale or purchase: lines, total, status and history. */
import type { Adjustment, Order, OrderLineItem } from '../../../contract/shapes/order.ts'
import { shortTime, totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { href } from '../../lib/router.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Messages } from '../../ui/messages.tsx'
import { arrivalFacts, ReceiveOrder } from './receive-order.tsx'
import { Badge, Money, Timestamp } from '../../ui/value.tsx'
import { Facts, Section } from '../../ui/section.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import type { Tone } from '../../lib/text/tone.ts'

/** Counters were read then and then; when it was sold in between, nobody knows. */
export const betweenText = ({ from, to }: NonNullable<Order['sold_between']>): string =>
  texts().orders.between(shortTime(from), shortTime(to))

const LINE_TONE = { processing: 'info', partial: 'warn', fulfilled: 'ok', removed: 'calm' } as const satisfies Record<
  string,
  Tone
>

const ADJUSTMENT_TONE = { pending: 'warn', completed: 'calm', failed: 'bad' } as const satisfies Record<string, Tone>

interface Props {
  readonly order: Order
  /** Beside its session, which shows the rest. */
  readonly brief?: boolean
  readonly onReceived?: () => void
}

export function OrderView({ order, brief = false, onReceived }: Props) {
  const t = texts().order
  const { kind = 'purchase' } = order
  const labels = texts().fulfillment as Readonly<Record<string, string>>
  const adjustments = texts().adjustments as Readonly<Record<string, string>>
  return (
    <div class="stack">
      <Messages messages={order.messages} />
      <Section title={brief ? t.supplierView : texts().pages.order}>
        <Facts
          items={[
            order.kind ? [words().kind, texts().orders.kinds[order.kind]] : undefined,
            order.sold_between
              ? [words().time, betweenText(order.sold_between)]
              : order.created_at
                ? [words().time, <Timestamp at={order.created_at} />]
                : undefined,
            // Beside the session it stands with the total.
            order.label && !brief ? [words().supplierNumber, <code>{order.label}</code>] : undefined,
            order.location
              ? [words().machine, <a href={href.machine(order.location)}>{order.location_name ?? order.location}</a>]
              : undefined,
            order.trade_status
              ? [
                  t.tradeStatus,
                  <span title={order.trade_status}>{order.trade_status_label ?? order.trade_status}</span>,
                ]
              : undefined,
            order.supplier_status
              ? [
                  t.supplierStatus,
                  <span title={order.supplier_status.description}>
                    {texts().supplierStates[order.supplier_status.mapped]}
                  </span>,
                ]
              : undefined,
            ...(brief ? [] : arrivalFacts(order)),
            brief
              ? undefined
              : [
                  words().total,
                  <strong>
                    <Money amount={totalOf(order.totals)} currency={order.currency} />
                  </strong>,
                ],
          ]}
        />
        {onReceived ? <ReceiveOrder order={order} onReceived={onReceived} /> : null}
      </Section>
      {brief ? null : (
        <Section title={words().lines} flush>
          <DataTable
            csv={order.id}
            rows={order.line_items}
            keyOf={({ id }) => id}
            columns={[
              { title: words().item, cell: ({ item }) => <a href={href.sku(item.id)}>{item.title}</a> },
              {
                title: t.ordered[kind],
                isNumber: true,
                cell: ({ quantity, item }) => unitsText(quantity.original ?? quantity.total, item),
              },
              {
                title: t.fulfilled[kind],
                isNumber: true,
                cell: ({ quantity, item }) => unitsText(quantity.fulfilled, item),
              },
              {
                title: words().price,
                isNumber: true,
                cell: ({ item }) => <Money amount={item.price} currency={order.currency} />,
              },
              {
                title: words().status,
                cell: ({ status }) => <Badge tone={LINE_TONE[status]}>{texts().lineStatus[status]}</Badge>,
              },
            ]}
          />
        </Section>
      )}
      {(order.adjustments?.length ?? 0) > 0 ? (
        <Section title={t.adjustments}>
          <ul class="rows">
            {order.adjustments?.map((adjustment) => (
              <li key={adjustment.id}>
                <span>
                  {adjustments[adjustment.type] ?? adjustment.type} · <Timestamp at={adjustment.occurred_at} />
                  {adjustment.description ? <span class="faint"> {adjustment.description}</span> : null}
                  {kind === 'purchase' ? <p class="faint">{adjustedText(adjustment, order)}</p> : null}
                </span>
                <span>
                  <AdjustmentAmount adjustment={adjustment} order={order} />{' '}
                  <Badge tone={ADJUSTMENT_TONE[adjustment.status]}>{texts().adjustmentStatus[adjustment.status]}</Badge>
                </span>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {!brief && (order.fulfillment.events?.length ?? 0) > 0 ? (
        <Section title={words().history}>
          <Timeline
            label={words().history}
            steps={(order.fulfillment.events ?? []).map((event) => ({
              text: labels[event.type] ?? event.type,
              at: event.occurred_at,
              note: [event.description, event.carrier, event.tracking_number].filter(Boolean).join(' · '),
              state: event.type === 'canceled' ? 'bad' : 'done',
            }))}
          />
        </Section>
      ) : null}
      {(order.logistics?.length ?? 0) > 0 ? (
        <Section title={t.logistics}>
          <div class="stack">
            {order.logistics?.map((entry, index) => (
              <Facts
                key={index}
                items={Object.entries(entry).map(
                  ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
                )}
              />
            ))}
          </div>
        </Section>
      ) : null}
    </div>
  )
}

function unitsText(quantity: number, { quantity_unit: unit }: OrderLineItem['item']): string {
  const t = texts().order
  return unit?.unit === 'BX' ? t.boxes(quantity, unit.contains ?? 1) : t.items(quantity)
}

/** `Diet Coke: 1 box of 24 · Funyuns: 44`. */
function adjustedText({ line_items: changed = [] }: Adjustment, { line_items: lines }: Order): string {
  const itemOf = new Map(lines.map(({ id, item }) => [id, item]))
  return changed
    .flatMap(({ id, quantity }) => {
      const item = itemOf.get(id)
      return item ? [`${item.title}: ${unitsText(Math.abs(quantity), item)}`] : []
    })
    .join(' · ')
}

/** A refund that failed has no totals, as no money moved: the prices of its lines are what was to be repaid. */
function AdjustmentAmount({ adjustment: { type, totals, line_items: lines = [] }, order }: AdjustmentProps) {
  const { currency, line_items: sold } = order
  const priceOf = new Map(sold.map(({ id, item }) => [id, item.price]))
  if (totals) return <Money amount={totalOf(totals)} currency={currency} />
  if (type !== 'refund') return null
  const amount = lines.reduce((sum, { id, quantity }) => sum + quantity * (priceOf.get(id) ?? 0), 0)
  return <Money amount={amount} currency={currency} />
}

interface AdjustmentProps {
  readonly adjustment: Adjustment
  readonly order: Order
}
