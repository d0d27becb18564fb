/** What needs a person now, at a glance; then how things go. */
import type { ComponentChildren } from 'preact'
import { client } from '../lib/api.ts'
import { dayAgo, nowMs, startOfDay, totalOf, yuan } from '../lib/format.ts'
import { healthByLocation, presence } from '../lib/health.ts'
import { w } from '../lib/i18n.ts'
import { gather, useResource } from '../lib/resource.ts'
import type { Resource } from '../lib/resource.ts'
import { href } from '../lib/router.ts'
import { namesOf, useGuardrails, useLocations, usePending, usePlan } from '../lib/shared.ts'
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
    (signal) =>
      gather(
        client.all.listOrders({ query: { kind: 'purchase', from: startOfDay(dayAgo(SPENT_DAYS - 1)) }, signal }),
        PURCHASES_MAX,
      ),
    ['checkout', 'replenishment'],
  )

export function Today() {
  const words = w().today
  const pending = usePending()
  const locations = useLocations()
  const plan = usePlan()
  const guardrails = useGuardrails()
  const purchases = usePurchases()
  const name = namesOf(locations.data)
  const health = healthByLocation(plan.data?.plans ?? [])
  const selling = (plan.data?.plans ?? [])
    .filter(({ stock, days_of_cover: cover }) => stock > 0 && cover !== null && cover < 1)
    .toSorted((a, b) => (a.days_of_cover ?? 0) - (b.days_of_cover ?? 0))
  const quiet = (locations.data ?? []).filter((location) => presence(location, nowMs()) !== 'online')
  const failures = [pending, locations, plan, guardrails, purchases].filter(
    ({ error, data, busy }) => error !== undefined && data === undefined && !busy,
  )
  const settled = [pending, locations, plan].every(({ data, error }) => data !== undefined || error !== undefined)
  const reload = () => void Promise.all(failures.map((one) => one.reload()))

  return (
    <>
      <PageHeader title={w().pages.today} lead={words.lead} />
      {failures[0] ? <Failure error={failures[0].error} retry={reload} /> : null}
      <div class="tiles">
        <Tile
          of={pending}
          icon="approvals"
          title={words.decisions}
          href="/approvals"
          figure={(list) => ({
            text: String(list.length),
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
        <Tile
          of={plan}
          icon="plan"
          title={words.sellingOut}
          href="/plan?show=soon"
          figure={({ plans }) => {
            const empty = plans.filter(({ stock }) => stock === 0).length
            const machines = new Set(selling.map(({ location }) => location)).size
            return {
              text: String(selling.length),
              tone: selling.length > 0 ? 'warn' : 'ok',
              note: words.sellingOutNote(machines, empty),
            }
          }}
        />
        <Tile
          of={locations}
          icon="machines"
          title={words.quiet}
          href="/machines"
          figure={(list) => ({
            text: String(quiet.length),
            tone: quiet.length > 0 ? 'bad' : 'ok',
            note:
              quiet.length > 0
                ? quiet
                    .slice(0, 2)
                    .map(({ name: text }) => text)
                    .join(', ')
                : words.allAnswer(list.length),
          })}
        />
        <Tile
          of={purchases}
          icon="orders"
          title={words.spent(SPENT_DAYS)}
          href="/orders?kind=purchase"
          figure={(list) => {
            const sums = list.map(({ totals }) => totalOf(totals))
            const limit = guardrails.data?.rules.spendingLimitPerRun
            const largest = Math.max(0, ...sums)
            return {
              text: yuan(sums.reduce((sum, one) => sum + one, 0)),
              tone: 'calm',
              ...(limit === undefined ? {} : { bar: largest / Math.max(1, limit) }),
              note: limit === undefined ? words.purchases(list.length) : words.largest(yuan(largest), yuan(limit)),
            }
          }}
        />
      </div>

      <div class="two-thirds">
        <div class="stack">
          <SalesChart />
          <Section title={words.needs} note={words.needsNote}>
            {settled ? null : <Skeleton lines={5} height={28} />}
            {settled ? (
              <ul class="rows">
                {(pending.data ?? []).slice(0, SHOWN).map((approval) => (
                  <li key={approval.id}>
                    <a href={href.approval(approval.id)}>{approval.summary}</a>
                    <Badge tone="warn">{w().kinds[approval.kind]}</Badge>
                  </li>
                ))}
                {quiet.slice(0, SHOWN).map((location) => (
                  <li key={location.id}>
                    <a href={href.machine(location.id)}>{location.name}</a>
                    <Badge tone="bad">{w().presence[presence(location, nowMs())]}</Badge>
                  </li>
                ))}
                {selling.slice(0, SHOWN).map((entry) => (
                  <li key={entry.slot_id}>
                    <a href={href.machine(entry.location)}>
                      {entry.item.title} <span class="faint">· {name(entry.location)}</span>
                    </a>
                    <Badge tone="warn">{words.left(entry.stock)}</Badge>
                  </li>
                ))}
              </ul>
            ) : null}
            {plan.data &&
            pending.data &&
            locations.data &&
            selling.length + quiet.length + pending.data.length === 0 ? (
              <p class="calm-text">
                <Icon name="check" size={16} /> {words.nothing}
              </p>
            ) : null}
            {plan.data ? (
              <NextStep
                orders={plan.data.plans.filter(({ recommendation }) => recommendation.action === 'order').length}
                machines={
                  new Set(
                    plan.data.plans
                      .filter(({ location }) => health(location).toOrder > 0)
                      .map(({ location }) => location),
                  ).size
                }
              />
            ) : null}
          </Section>
        </div>
        <Feed name={name} />
      </div>
    </>
  )
}

const NextStep = ({ orders, machines }: { readonly orders: number; readonly machines: number }) =>
  orders > 0 ? (
    <p class="next-step">
      <a class="button primary" href="/plan">
        <span>{w().today.planNext(orders, machines)}</span>
      </a>
    </p>
  ) : null
