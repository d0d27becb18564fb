/** Why a machine is empty: its stock over time with visits and price changes, what it lost, and what is planned. */
import { useState } from 'preact/hooks'
import type { LocationHistory, SlotHistory } from '../../../contract/shapes/location-history.ts'
import type { PlanEntry, ReplenishmentPlan } from '../../../contract/shapes/replenishment.ts'
import { client } from '../../lib/service/api.ts'
import { explain } from '../plan/explain.ts'
import { amountText, count, dayText, decimal, fromNow, money, shortTime } from '../../lib/text/format.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { byName } from '../../lib/text/natural-order.ts'
import { ACTION_TONE } from '../plan/plan.ts'
import { useMachinePlan } from '../../lib/service/queries.ts'
import { plannedUnits } from '../runs/run-draft.ts'
import { useResource } from '../../lib/service/resource.ts'
import { personName } from '../../lib/text/value-text.ts'
import { MACHINE_HISTORY } from '../../locales/machine-history.ts'
import '../../styles/operator.css'
import { Badge } from '../../ui/value.tsx'
import { BuyEmpty } from './buy-empty.tsx'
import { Chart, MarkSign } from '../../ui/chart/chart.tsx'
import type { Mark } from '../../ui/chart/draw-chart.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { Select } from '../../ui/form/field.tsx'
import { Section } from '../../ui/section.tsx'

const PERIODS = [7, 30, 90] as const
const HEIGHT = 200
const MARKS_SHOWN = 8

export function MachineHistory({ location }: { readonly location: string }) {
  const t = textsOf(MACHINE_HISTORY)
  const [days, setDays] = useState<number>(30)
  const [slot, setSlot] = useState('')
  const machine = useHistory(location, days, '')
  const shown = useHistory(location, days, slot)
  const plan = useMachinePlan(location).data
  const name = machine.data?.slots.find((one) => one.slot_id === slot)?.item.title ?? t.machine
  return (
    <>
      {machine.data ? <EmptySlots history={machine.data} plan={plan} days={days} /> : null}
      <Section
        title={t.title}
        note={machine.data ? summaryOf(machine.data, days) : t.note(days)}
        aside={
          <div class="row history-choice">
            <Select
              label={t.of}
              hideLabel
              value={slot}
              onChange={setSlot}
              options={[
                ['', t.machine],
                ...(machine.data?.slots ?? [])
                  .toSorted((a, b) => byName(a.item.title, b.item.title))
                  .map((one) => [one.slot_id, one.item.title] as const),
              ]}
            />
            <Select
              label={t.days}
              hideLabel
              value={String(days)}
              onChange={(value) => setDays(Number(value))}
              options={PERIODS.map((n) => [String(n), words().days(n)] as const)}
            />
          </div>
        }
      >
        <Loaded resource={shown} wait={<div style={{ height: `${HEIGHT + 32}px` }} />}>
          {(history) =>
            history.stock.every(({ stock }) => stock === null) ? (
              <div style={{ height: `${HEIGHT + 32}px` }}>
                <Empty icon="plan" title={t.none} />
              </div>
            ) : (
              <>
                <Chart
                  label={t.label(name, days)}
                  points={history.stock.map(({ at }) => shortTime(at))}
                  axis={history.stock.map(({ at }) => dayText(at.slice(0, 10)))}
                  series={[
                    { name: t.stock, values: history.stock.map(({ stock }) => stock), kind: 'line', tone: 'accent' },
                  ]}
                  marks={marksOf(history)}
                  format={(value) => count(Math.round(value))}
                  keys={history.stock.map(({ at }) => at)}
                  height={HEIGHT}
                />
                <MarkList history={history} />
              </>
            )
          }
        </Loaded>
      </Section>
    </>
  )
}

const useHistory = (location: string, days: number, slot: string) =>
  useResource(
    `history ${location} ${days} ${slot}`,
    (signal) =>
      client.getLocationHistory({
        params: { id: location },
        query: { days, ...(slot === '' ? {} : { slot_id: slot }) },
        signal,
      }),
    ['sync', 'replenishment', 'price_change', 'location'],
  )

function summaryOf(
  { lost_units: units, lost_revenue: revenue, currency, visits }: LocationHistory,
  days: number,
): string {
  const t = textsOf(MACHINE_HISTORY)
  const last = visits.at(-1)
  return t.sentences([
    units > 0 ? t.lost(money(revenue, currency), decimal(units)) : t.nothingLost,
    last ? t.lastVisit(fromNow(last.at)) : t.noVisit(days),
  ])
}

/** How each kind is marked in the chart. */
const MARKS = {
  visit: { tone: 'ok', sign: '▼' },
  seen: { tone: 'ok', sign: '▽' },
  service: { tone: 'soft', sign: '●' },
  price: { tone: 'warn', sign: '◆' },
} as const

interface Noted {
  readonly at: string
  readonly kind: keyof typeof MARKS
  readonly name: string
  readonly text: string
}

/** Newest first. */
function notesOf({ visits, services, price_changes: prices, currency }: LocationHistory): readonly Noted[] {
  const t = textsOf(MACHINE_HISTORY)
  const notes: Noted[] = [
    ...visits.map(({ at, units, slots, booked }): Noted => ({
      at,
      kind: booked ? 'visit' : 'seen',
      name: booked ? t.visit : t.seen,
      text: booked ? t.visitText(units, slots) : t.seenText(units, slots),
    })),
    ...services
      .map(({ removed, returned = [], ...service }) => ({ ...service, takenOut: [...removed, ...returned] }))
      .filter(
        ({ takenOut, counted, undone_at: undone }) => undone === undefined && takenOut.length + counted.length > 0,
      )
      .map(({ occurred_at: at, takenOut, counted, by, note }): Noted => ({
        at,
        kind: 'service',
        name: t.service,
        text: [
          t.serviceText(
            takenOut.reduce((sum, { quantity }) => sum + quantity, 0),
            counted.length,
            by ? personName(by.name) : '',
          ),
          ...(note ? [`“${note}”`] : []),
        ].join(' · '),
      })),
    ...prices.map(({ at, item, previous, price }): Noted => ({
      at,
      kind: 'price',
      name: t.price,
      text: t.priceText(item.title, money(previous, currency), money(price, currency)),
    })),
  ]
  return notes.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
}

/** At the nearest point of the chart. */
function marksOf(history: LocationHistory): readonly Mark[] {
  const instants = history.stock.map(({ at }) => Date.parse(at))
  const first = instants[0] ?? 0
  const step = ((instants.at(-1) ?? 0) - first) / Math.max(1, instants.length - 1)
  return notesOf(history).map(({ at, kind, name }) => ({
    index: Math.min(instants.length - 1, Math.max(0, Math.round((Date.parse(at) - first) / step))),
    ...MARKS[kind],
    name,
  }))
}

function MarkList({ history }: { readonly history: LocationHistory }) {
  const t = textsOf(MACHINE_HISTORY)
  const notes = notesOf(history)
  if (notes.length === 0) return null
  return (
    <ul class="stack history-marks" aria-label={t.marks}>
      {notes.slice(0, MARKS_SHOWN).map(({ at, kind, name, text }, index) => (
        <li key={index}>
          <MarkSign {...MARKS[kind]} /> <span class="faint">{shortTime(at)}</span> <strong>{name}</strong> {text}
        </li>
      ))}
      {notes.length > MARKS_SHOWN ? <li class="faint">{t.more(notes.length - MARKS_SHOWN)}</li> : null}
    </ul>
  )
}

/** As many as the plan brings, or would bring with a visit. */
const unitsFor = (entry: PlanEntry | undefined): number => (entry ? Math.max(1, plannedUnits(entry)) : 1)

interface EmptySlotsProps {
  readonly history: LocationHistory
  readonly plan: ReplenishmentPlan | undefined
  readonly days: number
}

/** The costliest first. */
function EmptySlots({ history, plan, days }: EmptySlotsProps) {
  const t = textsOf(MACHINE_HISTORY)
  const empty = history.slots
    .filter(({ stock }) => stock !== null && stock <= 0)
    .toSorted((a, b) => b.lost_revenue - a.lost_revenue)
  if (empty.length === 0) return null
  const entries = new Map((plan?.plans ?? []).map((entry) => [entry.slot_id, entry]))
  const entryOf = ({ slot_id: id }: SlotHistory): PlanEntry | undefined => entries.get(id)
  const visit = plan?.visits?.find(({ location }) => location === history.location)
  return (
    <Section
      title={words().emptyNow}
      note={t.emptyNote}
      flush
      aside={<BuyEmpty items={empty.map((slot) => ({ id: slot.item.id, units: unitsFor(entryOf(slot)) }))} />}
    >
      <DataTable
        class="explained"
        csv={`${history.location} ${words().emptyNow}`}
        rows={empty}
        keyOf={({ slot_id: id }) => id}
        columns={[
          { title: words().product, cell: ({ item }) => item.title },
          {
            title: words().emptySince,
            value: (slot) => entryOf(slot)?.empty_since ?? slot.empty_since,
            cell: (slot) => {
              const since = entryOf(slot)?.empty_since ?? slot.empty_since
              return since === undefined ? <span class="faint">{t.sinceUnknown}</span> : shortTime(since)
            },
          },
          {
            title: t.visited,
            value: ({ last_visit_at: at }) => at,
            cell: ({ last_visit_at: at }) =>
              at === undefined ? <span class="faint">{t.never(days)}</span> : fromNow(at),
          },
          {
            title: t.lostColumn,
            isNumber: true,
            value: ({ lost_revenue: revenue }) => amountText(revenue, history.currency),
            cell: ({ lost_units: units, lost_revenue: revenue }) =>
              units > 0 && `${money(revenue, history.currency)} (${decimal(units)})`,
          },
          {
            title: t.planned,
            cell: (slot) => {
              const entry = entryOf(slot)
              if (!entry) return <span class="faint">{t.notPlanned}</span>
              const { action, quantity } = entry.recommendation
              return (
                <Badge tone={ACTION_TONE[action]}>{`${texts().planAction[action]} ${quantity ?? ''}`.trim()}</Badge>
              )
            },
          },
          {
            title: t.why,
            cell: (slot) => {
              const entry = entryOf(slot)
              return plan && entry ? <span class="why">{explain(entry, plan.lead_time.days, visit)}</span> : ''
            },
          },
        ]}
      />
    </Section>
  )
}
