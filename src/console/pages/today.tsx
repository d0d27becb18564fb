/** What needs a person now, at a glance; then how things go. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Checkout } from '../../contract/checkout.ts'
import type { Location } from '../../contract/location.ts'
import type { PlanEntry, ReplenishmentRun } from '../../contract/replenishment.ts'
import { client } from '../lib/api.ts'
import { actionHref, emptySlots, endingSlots, lostFenPerDay } from '../lib/attention.ts'
import { clockLearned, count, dayAgo, nowMs, startOfDay, totalOf, yuan } from '../lib/format.ts'
import { presence } from '../lib/health.ts'
import { w } from '../lib/i18n.ts'
import { gather, useResource } from '../lib/resource.ts'
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
import { Feed } from '../ui/feed.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon.tsx'
import { Failure } from '../ui/messages.tsx'
import { Badge, Bar, PageHeader, Section, Skeleton, When } from '../ui/parts.tsx'
import type { Tone } from '../ui/parts.tsx'
import { SalesChart } from '../ui/sales-chart.tsx'

const SPENT_DAYS = 30
const PURCHASES_MAX = 300
const SHOWN = 4

interface TileProps<T> {
  readonly of: Resource<T>
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

/** One figure one can act on; the whole tile leads there. */
function Tile<T>({ of, icon, title, href: to, figure }: TileProps<T>) {
  const shown = of.data === undefined ? undefined : figure(of.data)
  return (
    <a class={`tile ${shown?.tone ?? 'calm'}`} href={to}>
      <span class="tile-title">
        <Icon name={icon} size={16} /> {title}
      </span>
      <span class="tile-figure">{shown ? shown.text : of.error !== undefined && !of.busy ? '–' : ' '}</span>
      {/* The place of the bar is kept in every tile, so that none grows when its figure comes. */}
      <span class="tile-bar">{shown?.bar === undefined ? null : <Bar share={shown.bar} tone={shown.tone} />}</span>
      <span class="tile-note">{shown ? shown.note : of.error !== undefined && !of.busy ? w().today.unknown : ' '}</span>
    </a>
  )
}

const usePurchases = () =>
  useResource(
    'purchases 30 days',
    async (signal) => {
      await clockLearned
      const from = startOfDay(dayAgo(SPENT_DAYS - 1))
      return gather(client.all.listOrders({ query: { kind: 'purchase', from }, signal }), PURCHASES_MAX)
    },
    ['checkout', 'replenishment'],
  )

const quietOf = (locations: readonly Location[]) =>
  locations.filter((location) => presence(location, nowMs()) !== 'online')

export const Today = () => (
  <>
    <PageHeader title={w().pages.today} lead={w().today.lead} />
    <WhatFailed />
    <div class="tiles">
      <Decisions />
      <SellingOut />
      <Quiet />
      <Spent />
    </div>
    <div class="two-thirds">
      <div class="stack">
        <WhenIdle>
          <SalesChart />
        </WhenIdle>
        <WhenIdle>
          <Needs />
        </WhenIdle>
      </div>
      <WhenIdle>
        <NamedFeed />
      </WhenIdle>
    </div>
  </>
)

/** However busy the page is, what stands below the figures waits no longer than this. */
const PATIENCE_MS = 500

/** The figures are what one came for: what stands below them is drawn when they have had their turn. */
function WhenIdle({ children }: { readonly children: ComponentChildren }) {
  const [due, setDue] = useState(false)
  useEffect(() => {
    const show = () => setDue(true)
    // Safari learnt it late.
    if (!('requestIdleCallback' in globalThis)) {
      const timer = setTimeout(show, PATIENCE_MS / 2)
      return () => clearTimeout(timer)
    }
    const ticket = requestIdleCallback(show, { timeout: PATIENCE_MS })
    return () => cancelIdleCallback(ticket)
  }, [])
  return due ? <>{children}</> : null
}

function WhatFailed() {
  const failures = [usePending(), useLocations(), usePlan(), useGuardrails(), usePurchases()].filter(
    ({ error, data, busy }) => error !== undefined && data === undefined && !busy,
  )
  const reload = () => void Promise.all(failures.map((one) => one.reload()))
  return failures[0] ? <Failure error={failures[0].error} retry={reload} /> : null
}

function Decisions() {
  const words = w().today
  return (
    <Tile
      of={usePending()}
      icon="approvals"
      title={words.decisions}
      href="/approvals"
      figure={(list) => ({
        text: count(list.length),
        tone: list.length > 0 ? 'warn' : 'ok',
        note: list[0] ? (
          <span>
            {words.oldest} <When at={list.at(-1)?.at ?? list[0].at} />
          </span>
        ) : (
          words.noDecisions
        ),
      })}
    />
  )
}

function SellingOut() {
  const words = w().today
  return (
    <Tile
      of={usePlan()}
      icon="plan"
      title={words.sellingOut}
      href="/plan?show=soon"
      figure={({ plans }) => {
        const empty = emptySlots(plans).length
        const ending = endingSlots(plans).length
        return {
          text: count(empty + ending),
          tone: empty > 0 ? 'bad' : ending > 0 ? 'warn' : 'ok',
          note: words.sellingOutNote(empty, ending),
        }
      }}
    />
  )
}

function Quiet() {
  const words = w().today
  return (
    <Tile
      of={useLocations()}
      icon="machines"
      title={words.quiet}
      href="/machines"
      figure={(list) => {
        const quiet = quietOf(list)
        const names = quiet.slice(0, 2).map(({ name }) => name)
        return {
          text: count(quiet.length),
          tone: quiet.length > 0 ? 'bad' : 'ok',
          note: quiet.length > 0 ? names.join(', ') : words.allAnswer(list.length),
        }
      }}
    />
  )
}

function Spent() {
  const words = w().today
  const limit = useGuardrails().data?.rules.spendingLimitPerRun
  return (
    <Tile
      of={usePurchases()}
      icon="orders"
      title={words.spent(SPENT_DAYS)}
      href="/orders?kind=purchase"
      figure={(list) => {
        const sums = list.map(({ totals }) => totalOf(totals))
        const largest = Math.max(0, ...sums)
        return {
          text: yuan(sums.reduce((sum, one) => sum + one, 0)),
          tone: 'calm',
          ...(limit === undefined ? {} : { bar: largest / Math.max(1, limit) }),
          note: limit === undefined ? words.purchases(list.length) : words.largest(yuan(largest), yuan(limit)),
        }
      }}
    />
  )
}

const NamedFeed = () => <Feed name={namesOf(useLocations().data)} />

/** One row: what it is about, what is the matter, and the click that leads to doing something about it. */
interface Open {
  readonly key: string
  readonly href: string
  readonly text: ComponentChildren
  readonly tone: Tone
  readonly note: string
}

function useOpen(): {
  readonly groups: readonly (readonly Open[])[]
  readonly settled: boolean
  readonly known: boolean
} {
  const words = w().today
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
        {of.id} <span class="faint">· {yuan(totalOf(of.totals))}</span>
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
        <span class="faint">· {w().run.lead(of.line_items.length, of.fulfillment.expectations?.length ?? 0)}</span>
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
  const losing = (entry: PlanEntry) =>
    lostFenPerDay(entry) > 0 ? words.losing(yuan(lostFenPerDay(entry))) : words.emptyNow
  return {
    groups: [
      (pending.data ?? []).map((of) => ({
        key: of.id,
        href: href.approval(of.id),
        text: of.summary,
        tone: 'warn' as const,
        note: w().kinds[of.kind],
      })),
      (purchases.data?.unclear ?? []).map(purchase('bad', words.unclear)),
      (purchases.data?.toOrder ?? []).map(purchase('info', words.toOrder)),
      (runs.data?.toPlace ?? []).map(run(words.toPlace)),
      (runs.data?.toReceive ?? []).map(run(words.toReceive)),
      quietOf(locations.data ?? []).map((of) => ({
        key: of.id,
        href: href.machine(of.id),
        text: of.name,
        tone: 'bad' as const,
        note: w().presence[presence(of, nowMs())],
      })),
      emptySlots(entries).map(slot('bad', losing)),
      endingSlots(entries).map(slot('warn', ({ stock }) => words.left(stock))),
    ],
    settled: all.every(({ data, error }) => data !== undefined || error !== undefined),
    known: all.every(({ data }) => data !== undefined),
  }
}

function Needs() {
  const words = w().today
  const { groups, settled, known } = useOpen()
  const open = groups.reduce((sum, group) => sum + group.length, 0)
  const orders = (usePlan().data?.plans ?? []).filter(({ recommendation }) => recommendation.action === 'order')
  return (
    <Section title={words.needs} note={words.needsNote}>
      {settled ? (
        <ul class="rows">
          {groups.flatMap((group) =>
            group.slice(0, SHOWN).map(({ key, href: to, text, tone, note }, i) => (
              <li key={key}>
                <a href={to}>{text}</a>
                <span>
                  <Badge tone={tone}>{note}</Badge>
                  {i === SHOWN - 1 && group.length > SHOWN ? (
                    <span class="faint"> {words.more(group.length - SHOWN)}</span>
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
          <Icon name="check" size={16} /> {words.nothing}
        </p>
      ) : null}
      {settled && !known && open === 0 ? <p class="note">{words.unknown}</p> : null}
      {orders.length > 0 ? (
        <p class="next-step">
          <a class="button primary" href="/plan">
            <span>{words.planNext(orders.length, new Set(orders.map(({ location }) => location)).size)}</span>
          </a>
        </p>
      ) : null}
    </Section>
  )
}
