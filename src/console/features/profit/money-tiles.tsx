/** Four figures of the profit report. */
import type { Profit, ProfitFigures } from '../../../contract/shapes/money/sales.ts'
import { money } from '../../lib/text/format.ts'
import { texts, textsOf } from '../../lib/text/i18n.ts'
import { LAST_WEEK, changeOf, useProfit } from './profit.ts'
import { Sparkline } from '../../ui/chart/sparkline.tsx'
import { PROFIT } from '../../locales/money/profit.ts'

interface Props {
  /** Undefined: not loaded yet; the tiles have their size already. */
  readonly profit: Profit | undefined
  /** Where the tiles lead to. */
  readonly to?: string
  /** Which days the figures are of, where the page does not say so. */
  readonly period?: string
  readonly hasFailed?: boolean
}

/** Revenue, gross profit, what losses and visits cost, and profit, each beside the time before. */
export function MoneyTiles({ profit, to, period, hasFailed = false }: Props) {
  const t = textsOf(PROFIT)
  const known = profit?.totals.cost_known_percent ?? 100
  const isEstimated = profit !== undefined && profit.totals.revenue !== 0 && known < 100
  const figure = (
    title: string,
    of: (figures: ProfitFigures) => number,
    kind: 'plain' | 'cost' | 'margin' = 'plain',
  ) => {
    const isCost = kind === 'cost'
    const isGuess = kind === 'margin' && isEstimated
    const shown = profit && figureOf(profit, of, isCost)
    const note = [isGuess && t.costKnown(known), shown?.note, isCost && profit && aboutVisits(profit)]
      .filter(Boolean)
      .join(', ')
    const isMissing = hasFailed && shown === undefined
    const inside = (
      <>
        <span class="line tile-title">{period === undefined ? title : `${title}, ${period}`}</span>
        <span class="line tile-figure">
          <span>
            {isGuess ? <span class="faint">≈ </span> : null}
            {shown?.text ?? (isMissing ? '–' : ' ')}
          </span>
          {profit && to && shown?.isSome ? <Sparkline values={byDay(profit, of)} label={title} /> : null}
        </span>
        <span class="note tile-note">{note || (isMissing ? texts().today.unknown : ' ')}</span>
      </>
    )
    const own = `stack tile ${shown?.tone ?? 'calm'}`
    return to === undefined ? (
      <div class={own}>{inside}</div>
    ) : (
      <a class={own} href={to}>
        {inside}
      </a>
    )
  }
  return (
    <div class="tiles">
      {figure(t.revenue, ({ revenue }) => revenue)}
      {figure(t.grossProfit, ({ gross_profit }) => gross_profit, 'margin')}
      {figure(t.costs, ({ losses, visit_cost }) => losses + visit_cost, 'cost')}
      {figure(t.profit, (figures) => figures.profit, 'margin')}
    </div>
  )
}

const byDay = ({ rows }: Profit, of: (figures: ProfitFigures) => number): readonly number[] =>
  rows.toSorted((a, b) => (a.key.date ?? '').localeCompare(b.key.date ?? '')).map(of)

function figureOf({ totals, currency }: Profit, of: (figures: ProfitFigures) => number, isCost: boolean) {
  const [now, before] = [of(totals), totals.previous ? of(totals.previous) : 0]
  const isWorse = isCost ? now > before : now < before
  return {
    text: money(now, currency),
    note: [textsOf(PROFIT).before(money(before, currency)), changeOf(now, before)].filter(Boolean).join(', '),
    tone: isWorse ? 'warn' : 'ok',
    isSome: now !== 0 || before !== 0,
  }
}

/** Why visits cost nothing, where they do. */
function aboutVisits({ totals, messages = [] }: Profit): string | undefined {
  const t = textsOf(PROFIT)
  if (messages.some(({ code }) => code === 'visit_cost_unset')) return t.visitCostUnset
  return totals.visits === 0 ? t.noVisits : undefined
}

/** On the start page: the last week. */
export function MoneyOfTheWeek() {
  const { data, error } = useProfit('day', LAST_WEEK)
  return <MoneyTiles profit={data} to="/profit" period={textsOf(PROFIT).lastDays} hasFailed={error !== undefined} />
}
