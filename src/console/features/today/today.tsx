/** What the route earns, what needs attention now, then sales and activity. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Overview } from '../../../contract/shapes/overview.ts'
import { count, money } from '../../lib/text/format.ts'
import { texts, textsOf, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import type { Resource } from '../../lib/service/resource.ts'
import { areRulesUnset, useGuardrails, useOverview, usePending, usePlanSummary } from '../../lib/service/queries.ts'
import { PROFIT } from '../../locales/money/profit.ts'
import { Feed } from './feed.tsx'
import { type IconName, Icon } from '../../ui/icon.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Bar, RelativeTime } from '../../ui/value.tsx'
import { MoneyOfTheWeek, MoneyTiles } from '../profit/money-tiles.tsx'
import { OperatorCard } from './operator-card.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import { PageHeader } from '../../ui/section.tsx'
import type { Tone } from '../../lib/text/tone.ts'
import { SalesChart } from '../../ui/chart/sales-chart.tsx'
import { isFirstRun, SetupChecklist } from './setup-checklist.tsx'

/** The window of the service. */
const SPENT_DAYS = 30

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
  // It stays while it is tried again, so that nothing flickers.
  const hasFailed = resource.error !== undefined
  return (
    <a class={`stack tile ${shown?.tone ?? 'calm'}`} href={to}>
      <span class="line tile-title">
        <Icon name={icon} size={16} /> {title}
      </span>
      <span class="tile-figure">{shown ? shown.text : hasFailed ? '–' : ' '}</span>
      {/* Every tile reserves space for the bar, so that none grows when its figure arrives. */}
      <span class="tile-bar">{shown?.bar === undefined ? null : <Bar share={shown.bar} tone={shown.tone} />}</span>
      <span class="note tile-note">{shown ? shown.note : hasFailed ? texts().today.unknown : ' '}</span>
    </a>
  )
}

export function Today() {
  const overview = useOverview().data
  const isFresh = overview !== undefined && isFirstRun(overview)
  return (
    <>
      <PageHeader title={texts().pages.today} lead={texts().today.lead} />
      {isFresh ? null : <FirstFailure />}
      {overview ? <SetupChecklist overview={overview} /> : null}
      {isFresh ? <NeedsAttention onlyOpen /> : <Route />}
    </>
  )
}

const Route = () => (
  <>
    {may('getProfit') ? (
      <WhenIdle before={<MoneyTiles profit={undefined} to="/profit" period={textsOf(PROFIT).lastDays} />}>
        <MoneyOfTheWeek />
      </WhenIdle>
    ) : null}
    <div class="tiles">
      <PendingTile />
      <RunningOutTile />
      <NotReportingTile />
      <SpentTile />
    </div>
    <div class="two-thirds">
      <div class="stack">
        <WhenIdle>{may('getOperator') ? <OperatorCard /> : null}</WhenIdle>
        <WhenIdle>
          <NeedsAttention />
        </WhenIdle>
        <WhenIdle>{may('listDailySales') ? <SalesChart /> : null}</WhenIdle>
      </div>
      <WhenIdle>
        <Feed />
      </WhenIdle>
    </div>
  </>
)

/** The longest time the sections below the figures wait for an idle browser, and for the first figure. */
const IDLE_TIMEOUT_MS = 500
const FIGURE_TIMEOUT_MS = 1000

/** Calls back when the browser is idle; older Safari cannot say when. */
function whenIdle(then: () => void): () => void {
  if (!('requestIdleCallback' in globalThis)) {
    const timer = setTimeout(then, IDLE_TIMEOUT_MS / 2)
    return () => clearTimeout(timer)
  }
  const ticket = requestIdleCallback(then, { timeout: IDLE_TIMEOUT_MS })
  return () => cancelIdleCallback(ticket)
}

/** Renders its children after the first figure, when the browser is idle: on a slow phone they would delay it. */
function WhenIdle({ children, before }: { readonly children: ComponentChildren; readonly before?: ComponentChildren }) {
  const [due, setDue] = useState(false)
  const isWaiting = usePending().busy
  useEffect(() => {
    const show = () => setDue(true)
    if (!isWaiting) return whenIdle(show)
    const timer = setTimeout(show, FIGURE_TIMEOUT_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return <>{due ? children : before}</>
}

function FirstFailure() {
  const failures = [usePending(), usePlanSummary(), useGuardrails(), useOverview()].filter(
    // Rules that nobody set yet are a step of the setup, not a failure.
    ({ error, data }) => error !== undefined && data === undefined && !areRulesUnset(error),
  )
  const reload = () => Promise.all(failures.map((one) => one.reload()))
  return failures[0] ? <Failure error={failures[0].error} retry={reload} /> : null
}

const PendingTile = () => (
  <Tile
    resource={usePending()}
    icon="approvals"
    title={texts().today.pending}
    href="/approvals"
    figure={(list) => ({
      text: count(list.length),
      tone: list.length > 0 ? 'warn' : 'ok',
      note: list[0] ? (
        <span>
          {texts().today.oldest} <RelativeTime at={list.at(-1)?.at ?? list[0].at} />
        </span>
      ) : (
        words().noneToDecide
      ),
    })}
  />
)

const RunningOutTile = () => (
  <Tile
    resource={usePlanSummary()}
    icon="plan"
    title={texts().today.runningOut}
    href="/plan?show=empty"
    figure={({ slots, empty, low, coming, to_confirm: toConfirm, unknown: { slots: unknown } }) => {
      const t = texts().today
      const isUnknown = unknown > 0 && slots === 0
      return {
        text: isUnknown ? t.stockUnknown : count(empty + low),
        tone: empty > 0 ? 'bad' : low + unknown > 0 ? 'warn' : 'ok',
        note: isUnknown
          ? t.neverCounted(unknown)
          : t.runningOutNote(empty, low, coming - toConfirm, toConfirm, unknown),
      }
    }}
  />
)

function onlineText({ count: all, unknown }: Overview['machines']): string {
  const t = texts().today
  if (unknown === 0) return t.allOnline(all)
  return unknown === all ? t.noneKnown(unknown) : t.someOnline(all - unknown, unknown)
}

const NotReportingTile = () => (
  <Tile
    resource={useOverview()}
    icon="machines"
    title={texts().today.notReporting}
    href="/machines"
    figure={({ machines }) => {
      const { count: all, unknown, not_reporting: quiet, first } = machines
      // Where no platform says whether a machine is online, none is not known to be.
      const isUnknown = quiet === 0 && all > 0 && unknown === all
      return {
        text: isUnknown ? texts().today.stockUnknown : count(quiet),
        tone: quiet > 0 ? 'bad' : isUnknown ? 'calm' : 'ok',
        note:
          quiet > 0
            ? first
                .slice(0, 2)
                .map(({ name }) => name)
                .join(', ')
            : onlineText(machines),
      }
    }}
  />
)

/** The window is the service's: the days of this browser may be others. */
function SpentTile() {
  const t = texts().today
  const limit = useGuardrails().data?.rules.spendingLimitPerRun
  return (
    <Tile
      resource={useOverview()}
      icon="orders"
      title={t.spent(SPENT_DAYS)}
      href="/orders?kind=purchase"
      figure={({ spending: { total, largest, orders, currency, simulated } }) => ({
        text: money(total, currency),
        tone: 'calm',
        ...(limit === undefined ? {} : { bar: largest / Math.max(1, limit) }),
        note: simulated
          ? t.simulated(money(simulated.total, currency), simulated.orders)
          : limit === undefined
            ? t.purchases(orders)
            : t.largest(money(largest, currency), money(limit, currency)),
      })}
    />
  )
}
