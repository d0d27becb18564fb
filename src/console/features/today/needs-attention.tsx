/** Everything that waits for the operator, by kind, each one click from where it is handled. The tick means: nothing at all. */
import { runName } from '../runs/run-text.ts'
import type { ComponentChildren } from 'preact'
import type { Checkout } from '../../../contract/shapes/checkout.ts'
import type { Connection } from '../../../contract/shapes/connection.ts'
import type { AttentionSlot } from '../../../contract/shapes/planning/summary.ts'
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { CODES } from '../../../texts/index.ts'
import { isHandedOver } from '../purchases/checkout.ts'
import { actionHref, isOnItsWay, isOverdue, nextUnanswered } from './attention.ts'
import { fromNow, fullDay, money, nowMs, totalOf } from '../../lib/text/format.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { me } from '../../lib/service/me.ts'
import { href } from '../../lib/router.ts'
import {
  areRulesUnreadable,
  areRulesUnset,
  useConnections,
  useGuardrails,
  useHolidays,
  useOpenPurchases,
  useOpenRuns,
  useOverview,
  usePending,
  usePlanSummary,
} from '../../lib/service/queries.ts'
import { HOLIDAYS } from '../../locales/work/holidays.ts'
import { approvalKind, approvalText } from '../../lib/text/service-text.ts'
import type { Tone } from '../../lib/text/tone.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Badge } from '../../ui/value.tsx'
import { useOrder } from '../runs/order-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/section.tsx'
import { hasOpenSteps } from './setup-checklist.tsx'
import { Skeleton } from '../../ui/loaded.tsx'

const SHOWN_PER_GROUP = 4

/** One row, linked to the page where it is handled. */
interface OpenItem {
  readonly key: string
  readonly href: string
  readonly text: ComponentChildren
  readonly tone: Tone
  readonly note: string
}

type GroupName = keyof ReturnType<typeof texts>['today']['groups']

interface Group {
  readonly items: readonly OpenItem[]
  /** Instead of the name of the group and its number. */
  readonly title?: string
  /** Of all there are, where `items` holds only the first. */
  readonly count?: number | undefined
  /** The page that lists them all. */
  readonly all: string
}

const purchaseText = ({ id, totals, currency }: Checkout) => (
  <>
    {id} <span class="faint">· {money(totalOf(totals), currency)}</span>
  </>
)

const runText = (run: ReplenishmentRun) => (
  <>
    {runName(run)} <span class="faint">· {texts().run.slots(run.line_items.length)}</span>
  </>
)

/** Whoever sets the rules, or asks for them. */
const mayAskForLimits = (): boolean => me.value?.role === 'owner' || me.value?.role === 'operator'

function useGroups() {
  const t = texts().today
  const pending = usePending()
  const plan = usePlanSummary()
  const runs = useOpenRuns()
  const purchases = useOpenPurchases()
  const connections = useConnections()
  const overview = useOverview()
  const holidays = useHolidays()
  const guardrails = useGuardrails()
  const unreadable = areRulesUnreadable(guardrails.error)
  const unset = areRulesUnset(guardrails.error)
  const now = nowMs()
  const slotText = ({ item, location_name: machine }: AttentionSlot) => (
    <>
      {item.title} <span class="faint">· {machine}</span>
    </>
  )
  const purchase = (of: Checkout, tone: Tone, note: string): OpenItem => ({
    key: of.id,
    href: href.purchase(of.id),
    text: purchaseText(of),
    tone,
    note,
  })
  const run = (of: ReplenishmentRun, tone: Tone, note: string): OpenItem => ({
    key: of.id,
    href: href.run(of.id),
    text: runText(of),
    tone,
    note,
  })
  const placed = runs.data?.toReceive ?? []
  const slot = (of: AttentionSlot, tone: Tone, note: string): OpenItem => ({
    key: of.slot_id,
    href: actionHref(of),
    text: slotText(of),
    tone,
    note,
  })
  const placedNote = ({ placed_at: at }: ReplenishmentRun) => (at ? t.placed(fromNow(at)) : t.toReceive)
  const supplyNote = ({ quantity, from_storeroom: stored = 0 }: AttentionSlot) =>
    quantity === undefined ? [] : [texts().plan.supply(quantity, stored)]
  const lossNote = ({ lost_per_day: lost, ...of }: AttentionSlot) =>
    [
      lost ? t.losing(money(lost.amount, lost.currency)) : words().empty,
      ...(of.run === undefined && of.quantity === undefined ? [t.notPlanned] : supplyNote(of)),
    ].join(' · ')
  const leadDays = plan.data?.leadDays ?? Infinity
  const toReceive = placed.filter(isOnItsWay)
  const overdue = toReceive.filter((of) => isOverdue(of, leadDays, now))
  const first = Map.groupBy(plan.data?.first ?? [], ({ kind }) => kind)
  const missingLimits = mayAskForLimits() ? (guardrails.data?.missing_limits ?? []) : []
  const unclear = purchases.data?.unclear ?? []
  const groups: Readonly<Record<GroupName, Group>> = {
    uncounted: {
      all: '/machines',
      title: t.toCount(plan.data?.unknown.slots ?? 0, plan.data?.unknown.machines ?? 0),
      count: plan.data?.unknown.machines,
      items: (plan.data?.uncounted ?? []).map(({ location, location_name: name, slots }) => ({
        key: location,
        href: href.visit(location),
        text: name,
        tone: 'warn',
        note: t.count(slots),
      })),
    },
    rules: {
      all: '/guardrails',
      items: [
        ...(unset
          ? [{ key: 'rules', href: '/guardrails', text: t.rulesUnset, tone: 'warn' as const, note: t.setRules }]
          : []),
        ...(unreadable && !unset
          ? [{ key: 'rules', href: '/guardrails', text: t.rulesUnreadable, tone: 'bad' as const, note: t.fix }]
          : []),
        ...(missingLimits.includes('spendingLimitPerDay')
          ? [{ key: 'spending', href: '/guardrails', text: t.noSpendingLimit, tone: 'warn' as const, note: t.fix }]
          : []),
        ...(missingLimits.includes('priceDriftPerWeek')
          ? [{ key: 'drift', href: '/guardrails', text: t.noDriftLimit, tone: 'warn' as const, note: t.fix }]
          : []),
      ],
    },
    holidays: {
      all: '/settings',
      items: nextUnanswered(holidays.data, now).map(({ date, names }) => ({
        key: date,
        href: '/settings',
        text: textsOf(HOLIDAYS).soon(textsOf(names)),
        tone: 'warn',
        note: fullDay(date),
      })),
    },
    connections: {
      all: '/connections',
      items: (connections.data ?? [])
        .filter((of) => of.state === 'failing' || hasUnusedReplies(of))
        .map(({ namespace, state, last_failure: failure }) => ({
          key: namespace,
          href: '/connections',
          text: namespace,
          tone: 'bad',
          note: state !== 'failing' ? t.unusedReplies : failure ? textsOf(CODES)[failure.code] : t.fix,
        })),
    },
    approvals: {
      all: '/approvals',
      items: (pending.data ?? []).map((of) => ({
        key: of.id,
        href: href.approval(of.id),
        text: approvalText(of).summary,
        tone: 'warn',
        note: approvalKind(of),
      })),
    },
    unclear: {
      all: '/orders?kind=session',
      items: unclear.filter((of) => !isHandedOver(of)).map((of) => purchase(of, 'bad', t.awaitingSupplier)),
    },
    toPay: {
      all: '/orders?kind=session',
      items: unclear.filter(isHandedOver).map((of) => purchase(of, 'warn', of.order_document ? t.toSend : t.toPay)),
    },
    invoices: {
      all: '/orders?kind=purchase',
      items: (overview.data?.differing_invoices ?? []).map(({ order, label, difference, currency }) => ({
        key: order,
        href: href.purchase(order),
        text: label === order ? order : `${order} · ${label}`,
        tone: 'warn',
        note: money(difference, currency),
      })),
    },
    toOrder: {
      all: '/orders?kind=session',
      items: [
        ...(purchases.data?.toOrder ?? []).map((of) =>
          purchase(of, 'warn', of.expires_at ? t.expires(fromNow(of.expires_at)) : t.toPlace),
        ),
        ...(purchases.data?.incomplete ?? []).map((of) => purchase(of, 'warn', t.incomplete)),
      ],
    },
    toPlace: {
      all: '/runs',
      items: (runs.data?.toPlace ?? []).map((of) => run(of, 'info', t.toPlace)),
    },
    overdue: { all: '/runs', items: overdue.map((of) => run(of, 'bad', placedNote(of))) },
    toReceive: {
      all: '/runs',
      items: toReceive.filter((of) => !overdue.includes(of)).map((of) => run(of, 'info', placedNote(of))),
    },
    empty: {
      all: '/plan?show=empty',
      count: plan.data?.empty,
      items: (first.get('empty') ?? []).map((of) => slot(of, 'bad', lossNote(of))),
    },
    low: {
      all: '/plan?show=low',
      count: plan.data?.low,
      items: (first.get('low') ?? []).map((of) => slot(of, 'warn', [t.left(of.stock), ...supplyNote(of)].join(' · '))),
    },
    coming: {
      all: '/plan?show=held',
      count: plan.data?.coming,
      items: (first.get('coming') ?? []).map((of) => {
        const isDraft = of.to_confirm === true
        const left = of.stock === 0 ? words().empty : t.left(of.stock)
        return slot(of, isDraft ? 'warn' : 'calm', isDraft ? `${left} · ${t.toConfirm}` : left)
      }),
    },
    unlinked: {
      all: '/links',
      count: overview.data?.unlinked_count,
      items: (overview.data?.unlinked_products ?? []).map(({ sku_id: id, title }) => ({
        key: id,
        href: href.sku(id),
        text: title,
        tone: 'warn',
        note: words().link,
      })),
    },
    faults: {
      all: '/machines',
      items: (overview.data?.faults ?? []).map(({ id, location, name, fault, occurred_at: at }) => ({
        key: id,
        href: href.machine(location),
        text: (
          <>
            {fault} <span class="faint">· {name}</span>
          </>
        ),
        tone: 'bad',
        note: fromNow(at),
      })),
    },
    machines: {
      all: '/machines',
      count: overview.data?.machines.not_reporting,
      items: (overview.data?.machines.first ?? []).map(({ id, name, presence }) => ({
        key: id,
        href: href.machine(id),
        text: name,
        tone: 'bad',
        note: texts().presence[presence],
      })),
    },
  }
  const sources = [pending, plan, runs, purchases, connections, overview]
  return {
    groups: (Object.entries(groups) as [GroupName, Group][]).filter(([, { items }]) => items.length > 0),
    settled: sources.every(({ data, error }) => data !== undefined || error !== undefined),
    /** Whether an empty list means that nothing is open. */
    known: sources.every(({ data }) => data !== undefined) && guardrails.data !== undefined,
    hasSteps: overview.data !== undefined && hasOpenSteps(overview.data),
    isWaiting: guardrails.data === undefined && guardrails.error === undefined,
  }
}

/** An answer of a supplier that nobody read may say that something does not come. */
const hasUnusedReplies = ({ role, refused_rows: rows }: Connection): boolean =>
  role === 'supply' && rows.some(({ source }) => source === 'files' || source === 'replies')

/** Beside the first steps of a live service only what is open is shown. */
export function NeedsAttention({ onlyOpen = false }: { readonly onlyOpen?: boolean }) {
  const t = texts().today
  const { groups: all, settled, known, hasSteps, isWaiting } = useGroups()
  // Before the first sync no machine has reported, which is one of the first steps.
  const groups = onlyOpen ? all.filter(([name]) => name !== 'machines' && name !== 'holidays') : all
  const { slots: toOrder, machines } = usePlanSummary().data?.to_order ?? { slots: 0, machines: 0 }
  const order = useOrder(true, t.orderNext(machines))
  if (onlyOpen && groups.length === 0) return null
  return (
    <Section title={t.needsAttention} class="attention">
      {toOrder > 0 ? (
        <div class="row next-step">
          {order.button}
          <ButtonLink href="/plan?show=order">{t.planNext(toOrder)}</ButtonLink>
          {order.outcome}
        </div>
      ) : null}
      {groups.map(([name, group]) => (
        <GroupRows key={name} name={name} {...group} />
      ))}
      {settled ? null : <Skeleton lines={groups.length === 0 ? 5 : 2} height={28} />}
      {known && groups.length === 0 ? (
        <p class="line calm-text">
          {hasSteps ? null : <Icon name="check" size={16} />} {hasSteps ? t.onlySteps : t.nothing}
        </p>
      ) : null}
      {settled && !known && !isWaiting && groups.length === 0 ? <p class="note">{t.unknown}</p> : null}
    </Section>
  )
}

function GroupRows({ name, items, all, title, count: total = items.length }: Group & { readonly name: GroupName }) {
  const t = texts().today
  return (
    <section class="attention-group" aria-label={t.groups[name]}>
      <h3>
        {title ?? (
          <>
            {t.groups[name]} <span class="faint">{total}</span>
          </>
        )}
      </h3>
      <ul class="rows">
        {items.slice(0, SHOWN_PER_GROUP).map(({ key, href: to, text, tone, note }) => (
          <li key={key}>
            <a href={to}>{text}</a>
            <Badge tone={tone}>{note}</Badge>
          </li>
        ))}
      </ul>
      {total > SHOWN_PER_GROUP ? (
        <a class="attention-all" href={all}>
          {t.all(total)}
        </a>
      ) : null}
    </section>
  )
}
