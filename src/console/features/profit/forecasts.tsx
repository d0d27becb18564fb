/** Forecast accuracy: error and bias by horizon, by machine, by type of slot and over time. */
import { useState } from 'preact/hooks'
import type { Score, ScoreReport, SlotScore } from '../../../contract/shapes/score.ts'
import { client } from '../../lib/service/api.ts'
import { count, dayText, decimal, percent, signedPercent } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href } from '../../lib/router.ts'
import { namesOf, useLocations } from '../../lib/service/queries.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Chart } from '../../ui/chart/chart.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { Messages } from '../../ui/messages.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Choice } from '../../ui/form/choice.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'

const HORIZONS = [1, 3, 7, 14] as const
const SLOTS_SHOWN = 12
/** Within 2 % of a simple average is as good as it. */
const NOTABLY_WORSE = 1.02

export function Forecasts() {
  const t = texts().forecasts
  const [horizon, setHorizon] = useState(7)
  const scores = useResource(
    'scores',
    (signal) => Promise.all(HORIZONS.map((days) => client.getScore({ query: { horizon_days: days }, signal }))),
    ['sync'],
  )
  const name = namesOf(useLocations().data)
  return (
    <>
      <PageHeader title={texts().pages.forecasts} lead={t.lead} />
      <Choice
        label={t.horizon}
        value={String(horizon)}
        onChange={(value) => setHorizon(Number(value))}
        tabs={HORIZONS.map((days) => ({ name: String(days), text: words().days(days) }))}
      />
      <Loaded resource={scores} lines={8} height={40}>
        {(all) => {
          const score = all.find(({ horizon_days: days }) => days === horizon) ?? all[0]
          return score ? <ScoreView score={score} all={all} name={name} /> : null
        }}
      </Loaded>
    </>
  )
}

const shareText = (value: number | null): string => (value === null ? '–' : percent(value))
const biasText = (value: number | null): string => (value === null ? '–' : signedPercent(value))

interface ScoreViewProps {
  readonly score: Score
  readonly all: readonly Score[]
  readonly name: (id: string) => string
}

function ScoreView({ score, all, name }: ScoreViewProps) {
  const t = texts().forecasts
  const { overall, by_location: machines, by_speed: speeds, by_measured: kinds, slots } = score.reports
  const days = accuracyByDay(slots)
  const [first] = days
  if (overall.scored === 0)
    return (
      <div class="stack">
        <Messages messages={score.messages} />
        <Empty icon="forecasts" title={t.none}>
          {score.total_forecasts === 0 ? t.noneCreated : t.pending(score.pending)}
        </Empty>
      </div>
    )
  return (
    <div class="stack">
      <Messages messages={score.messages} />
      <div class="tiles">
        <Figure
          title={words().error}
          value={shareText(overall.wape)}
          note={t.wapeNote(shareText(overall.naive_wape))}
        />
        <Figure
          title={t.bias}
          value={biasText(overall.bias)}
          note={overall.bias === null ? '' : overall.bias > 0 ? t.tooHigh : t.tooLow}
        />
        <Figure title={t.coverage} value={shareText(overall.coverage_p95)} note={t.coverageNote} />
        <Figure title={t.scored} value={count(overall.scored)} note={t.scoredNote(score.pending, overall.excluded)} />
      </div>
      {overall.rel_mae !== null && overall.rel_mae > NOTABLY_WORSE ? (
        <Notice tone="warn" title={t.worse}>
          {t.worseText}
        </Notice>
      ) : null}
      <div class="halves">
        <Section title={t.byHorizon} note={t.byHorizonNote}>
          <Chart
            label={t.byHorizon}
            points={all.map(({ horizon_days }) => words().days(horizon_days))}
            series={[
              {
                name: t.ours,
                values: all.map(({ reports }) => reports.overall.wape),
                kind: 'line',
                tone: 'accent',
              },
              {
                name: words().simpleAverage,
                values: all.map(({ reports }) => reports.overall.naive_wape),
                kind: 'line',
                tone: 'soft',
              },
            ]}
            format={percent}
          />
        </Section>
        <Section title={t.overTime} note={t.overTimeNote}>
          {!first ? (
            <Empty icon="forecasts" title={t.none} />
          ) : days.length === 1 ? (
            <>
              <Facts
                items={[
                  [words().error, percent(first.error)],
                  [t.bias, signedPercent(first.bias)],
                ]}
              />
              <p class="note">{t.oneDate(dayText(first.day))}</p>
            </>
          ) : (
            <Chart
              label={t.overTime}
              points={days.map(({ day }) => dayText(day))}
              series={[
                { name: words().error, values: days.map(({ error }) => error), kind: 'bars', tone: 'accent' },
                { name: t.bias, values: days.map((one) => one.bias), kind: 'line', tone: 'warn' },
              ]}
              format={percent}
              keys={days.map(({ day }) => day)}
            />
          )}
        </Section>
      </div>
      <Reports
        title={t.byMachine}
        rows={Object.entries(machines).map(([id, report]) => [id, name(id), report] as const)}
        link
      />
      <Reports
        title={t.bySpeed}
        rows={[
          ['fast', t.fast, speeds.fast],
          ['mid', t.mid, speeds.mid],
          ['slow', t.slow, speeds.slow],
          ['measured', t.measured, kinds.measured],
          ['inferred', t.inferred, kinds.inferred],
        ]}
      />
      <LargestErrors slots={slots} name={name} />
    </div>
  )
}

const Figure = ({ title, value, note }: { readonly title: string; readonly value: string; readonly note: string }) => (
  <div class="stack tile calm">
    <span class="line tile-title">{title}</span>
    <span class="tile-figure">{value}</span>
    <span class="note tile-note">{note}</span>
  </div>
)

/** Error and bias per unit sold of the latest forecast of each slot, by creation date. */
function accuracyByDay(
  slots: readonly SlotScore[],
): readonly { readonly day: string; readonly error: number; readonly bias: number }[] {
  const byCreation = Map.groupBy(
    slots.flatMap(({ last }) => (last ? [last] : [])),
    ({ made_at: at }) => at.slice(0, 10),
  )
  return [...byCreation]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([day, forecasts]) => {
      const sold = Math.max(
        1,
        forecasts.reduce((sum, { actual }) => sum + actual, 0),
      )
      const differenceOf = (size: (difference: number) => number) =>
        forecasts.reduce((sum, { forecast, actual }) => sum + size(forecast - actual), 0) / sold
      return { day, error: differenceOf(Math.abs), bias: differenceOf((difference) => difference) }
    })
}

interface ReportsProps {
  readonly title: string
  readonly rows: readonly (readonly [string, string, ScoreReport])[]
  readonly link?: boolean
}

function Reports({ title, rows, link = false }: ReportsProps) {
  const t = texts().forecasts
  return (
    <Section title={title} flush>
      <DataTable
        csv={title}
        rows={rows}
        keyOf={([id]) => id}
        columns={[
          {
            title: link ? words().machine : words().kind,
            cell: ([id, text]) => (link ? <a href={href.machine(id)}>{text}</a> : text),
          },
          { title: words().error, isNumber: true, cell: ([, , { wape }]) => shareText(wape) },
          {
            title: t.averageShort,
            isNumber: true,
            cell: ([, , { naive_wape: naive }]) => <span class="faint">{shareText(naive)}</span>,
          },
          { title: t.bias, isNumber: true, cell: ([, , { bias }]) => biasText(bias) },
          { title: t.scored, isNumber: true, cell: ([, , { scored }]) => count(scored) },
        ]}
      />
    </Section>
  )
}

interface LargestErrorsProps {
  readonly slots: readonly SlotScore[]
  readonly name: (id: string) => string
}

function LargestErrors({ slots, name }: LargestErrorsProps) {
  const t = texts().forecasts
  const worst = slots
    .filter(({ mae }) => mae !== null)
    .toSorted((a, b) => (b.mae ?? 0) - (a.mae ?? 0))
    .slice(0, SLOTS_SHOWN)
  if (worst.length === 0) return null
  return (
    <Section title={t.largestErrors} flush>
      <DataTable
        csv={t.largestErrors}
        rows={worst}
        keyOf={({ slot_id: id }) => id}
        columns={[
          {
            title: words().slot,
            cell: ({ slot_id: id, location }) => (
              <>
                <span class="mono">{id}</span>{' '}
                <a href={href.machine(location)} class="faint">
                  {name(location)}
                </a>
              </>
            ),
          },
          { title: t.mae, isNumber: true, cell: ({ mae }) => decimal(mae ?? 0) },
          { title: t.lastForecast, isNumber: true, cell: ({ last }) => last && decimal(last.forecast) },
          { title: t.lastActual, isNumber: true, cell: ({ last }) => last && decimal(last.actual) },
        ]}
      />
    </Section>
  )
}
