/** What needs attention now, then sales and activity. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Checkout } from '../../contract/checkout.ts'
import type { Location } from '../../contract/location.ts'
import type { PlanEntry, ReplenishmentRun } from '../../contract/replenishment.ts'
import { client } from '../lib/api.ts'
import { actionHref, emptySlots, endingSlots, lostPerDay } from '../lib/attention.ts'
import { clockLearned, count, dayAgo, nowMs, startOfDay, totalOf, money } from '../lib/format.ts'
import { presence } from '../lib/health.ts'
import { texts } from '../lib/i18n.ts'
import { may } from '../lib/me.ts'
import { collect, useResource } from '../lib/resource.ts'
import type { Resource } from '../lib/resource.ts'
import { href } from '../lib/router.ts'
import {
  namesOf,
  useGuardrails,
  useLocations,
  useOpenPurchases,
  useOpenRuns,
  usePending,
  usePlan,
} from '../lib/queries.ts'
import { approvalText } from '../lib/service-text.ts'
import { Feed } from '../ui/feed.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon.tsx'
import { Failure } from '../ui/failure.tsx'
import { Badge } from '../ui/badge.tsx'
import { Bar } from '../ui/bar.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Section } from '../ui/section.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { RelativeTime } from '../ui/time.tsx'
import type { Tone } from '../lib/tone.ts'
import { SalesChart } from '../ui/sales-chart.tsx'

const SPENT_DAYS = 30
const PURCHASES_MAX = 300
const SHOWN_PER_GROUP = 4

interface TileProps<T> {
  readonly resource: Resource<T>
  readonly icon: IconName
  readonly title: string
  readonly href: string
  readonly figure: (data: T) => {
    readonly text: string
    readonly tone: Tone
    readonly note: ComponentChildren
    readonly bar?: number
  }
}

/** One figure, linked to the page where it can be acted on. */
function Tile<T>({ resource, icon, title, href: to, figure }: TileProps<T>) {
  const shown = resource.data === undefined ? undefined : figure(resource.data)
  return (
    <a class={`tile ${shown?.tone ?? 'calm'}`} href={to}>
      <span class="tile-title">
        <Icon name={icon} size={16} /> {title}
      </span>
      <span class="tile-figure">{shown ? shown.text : resource.error !== undefined && !resource.busy ? '–' : ' '}</span>
      {/* Every tile reserves space for the bar, so that none grows when its figure arrives. */}
      <span class="tile-bar">{shown?.bar === undefined ? null : <Bar share={shown.bar} tone={shown.tone} />}</span>
      <span class="tile-note">
        {shown ? shown.note : resource.error !== undefined && !resource.busy ? texts().today.unknown : ' '}
      </span>
    </a>
  )
}

const usePurchases = () =>
  useResource(
    'purchases 30 days',
    async (signal) => {
      await clockLearned
      const from = startOfDay(dayAgo(SPENT_DAYS - 1))
      return collect(client.all.listOrders({ query: { kind: 'purchase', from }, signal }), PURCHASES_MAX)
    },
    ['checkout', 'replenishment'],
  )

const notReporting = (locations: readonly Location[]) =>
  locations.filter((location) => presence(location, nowMs()) !== 'online')

export const Today = () => (
  <>
    <PageHeader title={texts().pages.today} lead={texts().today.lead} />
    <FirstFailure />
    <div class="tiles">
      <PendingTile />
      <RunningOutTile />
      <NotReportingTile />
      <SpentTile />
    </div>
    <div class="two-thirds">
      <div class="stack">
        <WhenIdle>{may('listDailySales') ? <SalesChart /> : null}</WhenIdle>
        <WhenIdle>
          <NeedsAttention />
        </WhenIdle>
      </div>
      <WhenIdle>
        <NamedFeed />
      </WhenIdle>
    </div>
  </>
)

/** The longest time the sections below the figures wait. */
const IDLE_TIMEOUT_MS = 500

/** Renders its children when the browser is idle, after the figures. */
function WhenIdle({ children }: { readonly children: ComponentChildren }) {
  const [due, setDue] = useState(false)
  useEffect(() => {
    const show = () => setDue(true)
    // Missing in older Safari.
    if (!('requestIdleCallback' in globalThis)) {
      const timer = setTimeout(show, IDLE_TIMEOUT_MS / 2)
      return () => clearTimeout(timer)
    }
    const ticket = requestIdleCallback(show, { timeout: IDLE_TIMEOUT_MS })
    return () => cancelIdleCallback(ticket)
  }, [])
  return due ? <>{children}</> : null
}

function FirstFailure() {
  const failures = [usePending(), useLocations(), usePlan(), useGuardrails(), usePurchases()].filter(
    ({ error, data, busy }) => error !== undefined && data === undefined && !busy,
  )
  const reload = () => void Promise.all(failures.map((one) => one.reload()))
  return failures[0] ? <Failure error={failures[0].error} retry={reload} /> : null
}

function PendingTile() {
  const t = texts().today
  return (
    <Tile
      resource={usePending()}
      icon="approvals"
      title={t.pending}
      href="/approvals"
      figure={(list) => ({
        text: count(list.length),
        tone: list.length > 0 ? 'warn' : 'ok',
        note: list[0] ? (
          <span>
            {t.oldest} <RelativeTime at={list.at(-1)?.at ?? list[0].at} />
          </span>
        ) : (
          t.nonePending
        ),
      })}
    />
  )
}

function RunningOutTile() {
  const t = texts().today
  return (
    <Tile
      resource={usePlan()}
      icon="plan"
      title={t.runningOut}
      href="/plan?show=soon"
      figure={({ plans }) => {
        const empty = emptySlots(plans).length
        const ending = endingSlots(plans).length
        return {
          text: count(empty + ending),
          tone: empty > 0 ? 'bad' : ending > 0 ? 'warn' : 'ok',
          note: t.runningOutNote(empty, ending),
        }
      }}
    />
  )
}

function NotReportingTile() {
  const t = texts().today
  return (
    <Tile
      resource={useLocations()}
      icon="machines"
      title={t.notReporting}
      href="/machines"
      figure={(list) => {
        const quiet = notReporting(list)
        const names = quiet.slice(0, 2).map(({ name }) => name)
        return {
          text: count(quiet.length),
          tone: quiet.length > 0 ? 'bad' : 'ok',
          note: quiet.length > 0 ? names.join(', ') : t.allOnline(list.length),
        }
      }}
    />
  )
}

function SpentTile() {
  const t = texts().today
  const guardrails = useGuardrails().data
  const limit = guardrails?.rules.spendingLimitPerRun
  return (
    <Tile
      resource={usePurchases()}
      icon="orders"
      title={t.spent(SPENT_DAYS)}
      href="/orders?kind=purchase"
      figure={(list) => {
        const sums = list.map(({ totals }) => totalOf(totals))
        const largest = Math.max(0, ...sums)
        const currency = guardrails?.currency ?? list[0]?.currency
        // Without rules and purchases the currency is not known, and nothing was spent.
        const text = (amount: number) => (currency === undefined ? count(amount) : money(amount, currency))
        return {
          text: text(sums.reduce((sum, one) => sum + one, 0)),
          tone: 'calm',
          ...(limit === undefined ? {} : { bar: largest / Math.max(1, limit) }),
          note: limit === undefined ? t.purchases(list.length) : t.largest(text(largest), text(limit)),
        }
      }}
    />
  )
}

const NamedFeed = () => <Feed name={namesOf(useLocations().data)} />

/** One row of the list, linked to the page where it can be handled. */
interface OpenItem {
  readonly key: string
  readonly href: string
  readonly text: ComponentChildren
  readonly tone: Tone
  readonly note: string
}

function useOpenItems(): {
  readonly groups: readonly (readonly OpenItem[])[]
  readonly settled: boolean
  readonly known: boolean
} {
  const t = texts().today
  const pending = usePending()
  const locations = useLocations()
  const plan = usePlan()
  const runs = useOpenRuns()
  const purchases = useOpenPurchases()
  const all = [pending, locations, plan, runs, purchases]
  const name = namesOf(locations.data)
  const entries = plan.data?.plans ?? []
  const purchase = (tone: Tone, note: string) => (of: Checkout) => ({
    key: of.id,
    href: href.purchase(of.id),
    text: (
      <>
        {of.id} <span class="faint">· {money(totalOf(of.totals), of.currency)}</span>
      </>
    ),
    tone,
    note,
  })
  const run = (note: string) => (of: ReplenishmentRun) => ({
    key: of.id,
    href: href.run(of.id),
    text: (
      <>
        {of.id}{' '}
        <span class="faint">· {texts().run.lead(of.line_items.length, of.fulfillment.expectations?.length ?? 0)}</span>
      </>
    ),
    tone: 'info' as const,
    note,
  })
  const slot = (tone: Tone, note: (entry: PlanEntry) => string) => (entry: PlanEntry) => ({
    key: entry.slot_id,
    href: actionHref(entry),
    text: (
      <>
        {entry.item.title} <span class="faint">· {name(entry.location)}</span>
      </>
    ),
    tone,
    note: note(entry),
  })
  const lossText = (entry: PlanEntry) =>
    entry.price && lostPerDay(entry) > 0 ? t.losing(money(lostPerDay(entry), entry.price.currency)) : t.emptyNow
  return {
    groups: [
      (pending.data ?? []).map((of) => ({
        key: of.id,
        href: href.approval(of.id),
        text: approvalText(of).summary,
        tone: 'warn' as const,
        note: texts().kinds[of.kind],
      })),
      (purchases.data?.unclear ?? []).map(purchase('bad', t.awaitingSupplier)),
      (purchases.data?.toOrder ?? []).map(purchase('info', t.toOrder)),
      (runs.data?.toPlace ?? []).map(run(t.toPlace)),
      (runs.data?.toReceive ?? []).map(run(t.toReceive)),
      notReporting(locations.data ?? []).map((of) => ({
        key: of.id,
        href: href.machine(of.id),
        text: of.name,
        tone: 'bad' as const,
        note: texts().presence[presence(of, nowMs())],
      })),
      emptySlots(entries).map(slot('bad', lossText)),
      endingSlots(entries).map(slot('warn', ({ stock }) => t.left(stock))),
    ],
    settled: all.every(({ data, error }) => data !== undefined || error !== undefined),
    known: all.every(({ data }) => data !== undefined),
  }
}

function NeedsAttention() {
  const t = texts().today
  const { groups, settled, known } = useOpenItems()
  const open = groups.reduce((sum, group) => sum + group.length, 0)
  const orders = (usePlan().data?.plans ?? []).filter(({ recommendation }) => recommendation.action === 'order')
  return (
    <Section title={t.needsAttention} note={t.needsAttentionNote}>
      {settled ? (
        <ul class="rows">
          {groups.flatMap((group) =>
            group.slice(0, SHOWN_PER_GROUP).map(({ key, href: to, text, tone, note }, i) => (
              <li key={key}>
                <a href={to}>{text}</a>
                <span>
                  <Badge tone={tone}>{note}</Badge>
                  {i === SHOWN_PER_GROUP - 1 && group.length > SHOWN_PER_GROUP ? (
                    <span class="faint"> {t.more(group.length - SHOWN_PER_GROUP)}</span>
                  ) : null}
                </span>
              </li>
            )),
          )}
        </ul>
      ) : (
        <Skeleton lines={5} height={28} />
      )}
      {known && open === 0 ? (
        <p class="calm-text">
          <Icon name="check" size={16} /> {t.nothing}
        </p>
      ) : null}
      {settled && !known && open === 0 ? <p class="note">{t.unknown}</p> : null}
      {orders.length > 0 ? (
        <p class="next-step">
          <a class="button primary" href="/plan">
            <span>{t.planNext(orders.length, new Set(orders.map(({ location }) => location)).size)}</span>
          </a>
        </p>
      ) : null}
    </Section>
  )
}
