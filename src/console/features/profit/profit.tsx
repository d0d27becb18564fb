/** Profit: this period beside the one before, by day, machine and product, and what to do about the worst. For owner and operator. */
import { useState } from 'preact/hooks'
import type { Profit, ProfitFigures, ProfitRow, ProfitStep } from '../../../contract/shapes/money/sales.ts'
import type { CurrencyCode } from '../../../kernel/currency.ts'
import { client } from '../../lib/service/api.ts'
import { amountText, count, dayText, money, shortMoney } from '../../lib/text/format.ts'
import { texts, textsOf, words } from '../../lib/text/i18n.ts'
import { LAST_WEEK, type Range, allProfitRows, changeOf, rangeTo, useProfit } from './profit.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href } from '../../lib/router.ts'
import { isNarrow } from '../../lib/viewport.ts'
import { PROFIT } from '../../locales/money/profit.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { Choice } from '../../ui/form/choice.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { Messages } from '../../ui/messages.tsx'
import { MoneyTiles } from './money-tiles.tsx'
import { MoreButton } from '../../ui/table/more-button.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { Sparkline } from '../../ui/chart/sparkline.tsx'

const ROWS_MAX = 100
/** Rows of a table before more are asked for, and how many more at a time. */
const FOLDED = 10
const MORE = 30
/** Each is a request of its own. */
const TRENDS_MAX = 20
const WORST = 5

type Days = keyof (typeof PROFIT)['en']['periods']
type Kind = 'machine' | 'product'

export function ProfitPage() {
  const t = textsOf(PROFIT)
  const [days, setDays] = useState<Days>('7')
  const week = useProfit('day', LAST_WEEK)
  const range = week.data ? rangeTo(week.data.period.to, Number(days)) : LAST_WEEK
  const report = useProfit('day', range)
  return (
    <>
      <PageHeader title={texts().pages.profit} lead={t.lead} />
      <Choice label={t.period} value={days} onChange={(value) => setDays(value as Days)} tabs={t.periods} />
      <Loaded resource={report} lines={8} height={40}>
        {(profit) => (
          <div class="stack">
            <MoneyTiles profit={profit} />
            <Messages messages={profit.messages} />
            {isNarrow.value ? <OneKind profit={profit} range={range} /> : <BothKinds profit={profit} range={range} />}
          </div>
        )}
      </Loaded>
    </>
  )
}

function ByDay({ profit: { rows, currency } }: { readonly profit: Profit }) {
  const t = textsOf(PROFIT)
  const days = rows.filter(({ key }) => key.date !== undefined)
  return (
    <Section title={t.byDay}>
      <Chart
        label={t.byDay}
        points={days.map(({ key }) => dayText(key.date ?? ''))}
        series={[
          { name: t.previous, values: days.map(({ previous }) => previous?.profit ?? 0), kind: 'line', tone: 'soft' },
          { name: t.now, values: days.map((row) => row.profit), kind: 'bars', tone: 'accent' },
        ]}
        format={(amount) => shortMoney(amount, currency)}
        keys={days.map(({ key }) => key.date ?? '')}
        raw={(amount) => amountText(amount, currency)}
      />
    </Section>
  )
}

interface PartsProps {
  readonly profit: Profit
  readonly range: Range
}

const BothKinds = ({ profit, range }: PartsProps) => (
  <>
    <ByDay profit={profit} />
    <EarnLeast kinds={['machine', 'product']} range={range} />
    <Rows kind="machine" range={range} />
    <Rows kind="product" range={range} />
  </>
)

/** On a phone: what to do first, and either machines or products. */
function OneKind({ profit, range }: PartsProps) {
  const t = textsOf(PROFIT)
  const [kind, setKind] = useState<Kind>('machine')
  return (
    <>
      <Choice
        label={t.kind}
        value={kind}
        onChange={(value) => setKind(value as Kind)}
        tabs={{ machine: t.machines, product: t.products }}
      />
      <EarnLeast key={kind} kinds={[kind]} range={range} />
      <ByDay profit={profit} />
      <Rows key={kind} kind={kind} range={range} />
    </>
  )
}

const EarnLeast = ({ kinds, range }: { readonly kinds: readonly Kind[]; readonly range: Range }) => {
  const t = textsOf(PROFIT)
  return (
    <Section title={t.worst} note={t.worstNote} flush>
      {kinds.map((kind) => (
        <Lowest key={kind} kind={kind} range={range} />
      ))}
    </Section>
  )
}

const groupingOf = (kind: Kind) => (kind === 'machine' ? 'location' : 'product')

/** One more than are shown: what belongs to no machine or product has a row, too. */
const Lowest = ({ kind, range }: TableProps) => (
  <Loaded
    resource={useProfit(groupingOf(kind), range, { sort: 'profit', limit: WORST + 1, steps: true })}
    lines={WORST}
  >
    {(lowest) => <Worst kind={kind} profit={lowest} />}
  </Loaded>
)

const idOf = ({ key }: ProfitRow): string => key.location ?? key.item?.id ?? ''

const linkOf = (kind: Kind, row: ProfitRow): string =>
  kind === 'machine' ? href.machine(idOf(row)) : href.sku(idOf(row))

function Name({ kind, row }: { readonly kind: Kind; readonly row: ProfitRow }) {
  const t = textsOf(PROFIT)
  return row.key.other ? (
    <span title={t.otherNote}>{t.other}</span>
  ) : (
    <a href={linkOf(kind, row)}>{row.key.title ?? idOf(row)}</a>
  )
}

/** Where the step is taken, filled in as far as it is known: the first of its slots comes first. */
function stepHref({ step, because, slots = [] }: ProfitStep, kind: Kind, row: ProfitRow): string {
  const [first] = slots
  const machine = row.key.location === undefined ? '' : `?machine=${encodeURIComponent(row.key.location)}`
  if (step === 'raise_price' && first) return pricesHref(first, slots)
  if (step === 'swap') return `/swaps${machine}`
  if (step === 'less_stock' && first) return href.machine(first.location)
  if (because === 'cost_unknown') return '/links'
  return step === 'fewer_visits' ? `/plan${machine}` : linkOf(kind, row)
}

type StepSlot = NonNullable<ProfitStep['slots']>[number]

/** The new price of a product, on all machines for which it is proposed. */
function pricesHref({ item, new_price: price }: StepSlot, slots: readonly StepSlot[]): string {
  const same = slots.filter((slot) => slot.item.id === item.id && slot.new_price === price)
  const machines = same.map(({ location }) => location).join(',')
  return `/prices?${new URLSearchParams({ sku: item.id, price: String(price ?? ''), machines }).toString()}`
}

/** What exactly: the first of its slots, and how many more. */
function stepDetail({ slots = [], visit_every_days: days, bearable_per_week: bearable }: ProfitStep, currency: string) {
  const t = textsOf(PROFIT)
  const [first] = slots
  if (days !== undefined) return t.everyDays(days)
  if (bearable !== undefined) return t.bearable(money(bearable, currency))
  if (!first) return undefined
  const { item, price, new_price: raised, par, in: better } = first
  const what =
    price !== undefined && raised !== undefined
      ? t.priceRise(item.title, money(price, currency), money(raised, currency))
      : better
        ? t.swapFor(item.title, better.title)
        : t.fillTo(item.title, par ?? 0)
  return slots.length > 1 ? t.andMore(what, slots.length - 1) : what
}

function Step({ step, kind, row, currency }: { step: ProfitStep; kind: Kind; row: ProfitRow; currency: CurrencyCode }) {
  const t = textsOf(PROFIT)
  const detail = stepDetail(step, currency)
  const name = step.because === undefined ? t.steps[step.step] : t.because[step.because]
  return (
    <>
      {step.because === 'nothing_better' ? name : <a href={stepHref(step, kind, row)}>{name}</a>}
      {detail === undefined ? null : <div class="faint">{detail}</div>}
      {step.gain_per_week > 0 ? <div class="faint">{t.gain(money(step.gain_per_week, currency))}</div> : null}
    </>
  )
}

const signedMoney = (amount: number, currency: CurrencyCode) => (
  <span class={amount < 0 ? 'toned bad' : undefined}>{money(amount, currency)}</span>
)

const marginText = ({ margin_percent: margin }: ProfitFigures): string => (margin === null ? '' : `${margin}%`)

interface RowsProps {
  readonly kind: Kind
  readonly profit: Profit
}

function Worst({ kind, profit: { rows, currency } }: RowsProps) {
  const t = textsOf(PROFIT)
  const worst = rows.filter(({ key }) => !key.other).slice(0, WORST)
  if (worst.length === 0) return null
  return (
    <DataTable
      rows={worst}
      keyOf={idOf}
      class="earnings"
      columns={[
        {
          title: kind === 'machine' ? words().machine : words().product,
          cell: (row) => <Name kind={kind} row={row} />,
        },
        { title: t.margin, isNumber: true, cell: marginText },
        { title: t.profit, isNumber: true, cell: (row) => signedMoney(row.profit, currency) },
        {
          title: t.next,
          cell: (row) => row.next_step && <Step step={row.next_step} kind={kind} row={row} currency={currency} />,
        },
      ]}
    />
  )
}

const SORTS = { profit: '-profit', revenue: '-revenue', margin: '-margin_percent' } as const
type Sort = keyof typeof SORTS

interface TableProps {
  readonly kind: Kind
  readonly range: Range
}

function Rows({ kind, range }: TableProps) {
  const [sort, setSort] = useState<Sort>('profit')
  const resource = useProfit(groupingOf(kind), range, { sort: SORTS[sort] })
  return (
    <Loaded resource={resource} lines={6}>
      {(profit) => <RowsTable kind={kind} range={range} profit={profit} sort={sort} onSort={setSort} />}
    </Loaded>
  )
}

interface RowsTableProps extends RowsProps, TableProps {
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}

function RowsTable({ kind, profit: { rows, currency, pagination }, range, sort, onSort }: RowsTableProps) {
  const t = textsOf(PROFIT)
  const title = kind === 'machine' ? t.machines : t.products
  const [most, setMost] = useState(FOLDED)
  // The service puts what belongs to no row last.
  const shown = rows.slice(0, most)
  const withTrend = isNarrow.value ? [] : shown.slice(0, TRENDS_MAX)
  const trends = useTrends(kind, withTrend.filter(({ key }) => !key.other).map(idOf), range)
  const total = pagination.total_count ?? rows.length
  return (
    <Section
      title={title}
      flush
      note={total > shown.length ? t.shown(shown.length, total) : undefined}
      aside={
        <Choice
          label={`${t.sort}: ${title}`}
          value={sort}
          onChange={(value) => onSort(value as Sort)}
          tabs={{ profit: t.profit, revenue: t.revenue, margin: t.margin }}
        />
      }
    >
      {rows.length === 0 ? (
        <Empty icon="profit" title={t.none} />
      ) : (
        <DataTable
          class="earnings"
          csv={title}
          rows={shown}
          loadAll={() => allProfitRows(groupingOf(kind), range, SORTS[sort])}
          keyOf={(row) => idOf(row) || 'other'}
          columns={[
            {
              title: kind === 'machine' ? words().machine : words().product,
              cell: (row) => <Name kind={kind} row={row} />,
              value: (row) => row.key.title ?? t.other,
            },
            isNarrow.value
              ? undefined
              : {
                  title: t.trend,
                  cell: (row) => <Sparkline values={trends.get(idOf(row))} label={t.trend} />,
                  value: false,
                },
            {
              title: t.units,
              isNumber: true,
              ...(isNarrow.value ? {} : { cell: ({ units }: ProfitRow) => count(units) }),
              value: ({ units }: ProfitRow) => units,
            },
            {
              title: t.revenue,
              isNumber: true,
              cell: ({ revenue }) => money(revenue, currency),
              value: ({ revenue }) => amountText(revenue, currency),
            },
            { title: t.margin, isNumber: true, cell: marginText },
            { title: t.losses, value: ({ losses }) => amountText(losses, currency) },
            { title: t.visitCost, value: ({ visit_cost }) => amountText(visit_cost, currency) },
            { title: t.commission, value: ({ commission }) => amountText(commission, currency) },
            {
              title: t.profit,
              isNumber: true,
              cell: (row) => signedMoney(row.profit, currency),
              value: (row) => amountText(row.profit, currency),
            },
            {
              title: t.change,
              isNumber: true,
              cell: (row) => changeOf(row.profit, row.previous?.profit ?? 0),
            },
          ]}
        />
      )}
      {rows.length > most ? <MoreButton busy={false} onClick={() => setMost(most + MORE)} /> : null}
    </Section>
  )
}

/** Profit by day of each row that is shown. */
function useTrends(kind: Kind, ids: readonly string[], range: Range): ReadonlyMap<string, readonly number[]> {
  const { data } = useResource(
    `profit trends ${kind} ${range.from ?? ''} ${ids.join(' ')}`,
    async (signal) => {
      const read = async (id: string) => {
        const of = kind === 'machine' ? { location: id } : { sku_id: id }
        const { rows } = await client.getProfit({ query: { by: 'day', ...of, ...range, limit: ROWS_MAX }, signal })
        return [id, rows.filter(({ key }) => !key.other).map(({ profit }) => profit)] as const
      }
      return new Map(await Promise.all(ids.map(read)))
    },
    [],
    undefined,
    'getProfit',
  )
  return data ?? NO_TRENDS
}

const NO_TRENDS: ReadonlyMap<string, readonly number[]> = new Map()
