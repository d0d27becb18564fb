/** A chart drawn by uPlot, which is loaded with the first chart. The same numbers are available as a table. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { language, texts } from '../../lib/text/i18n.ts'
import { isDark } from '../../lib/theme.ts'
import type { ChartProps, Mark } from './draw-chart.ts'
import { useIsNear } from '../near.tsx'
import { ExportButton } from '../table/export-button.tsx'

const NO_MARKS: readonly Mark[] = []

export function Chart(props: ChartProps) {
  const { label, points, axis, series, marks = NO_MARKS, format, keys = points, raw = (n) => n, height = 200 } = props
  const box = useRef<HTMLDivElement>(null)
  const [failed, setFailed] = useState(false)
  const [asTable, setAsTable] = useState(false)
  const isNear = useIsNear(box, asTable)
  const key = JSON.stringify([
    points,
    series.map(({ name, values }) => [name, values]),
    marks,
    isDark(),
    language.value,
    height,
  ])

  useEffect(() => {
    if (asTable || !isNear) return undefined
    let canceled = false
    let clear: (() => void) | undefined
    const draw = async () => {
      const { drawChart } = await import('./draw-chart.ts')
      if (!canceled && box.current)
        clear = drawChart(box.current, { points, ...(axis ? { axis } : {}), series, marks, format, height })
    }
    draw().catch(() => setFailed(true))
    return () => {
      canceled = true
      clear?.()
    }
  }, [key, asTable, isNear])

  const t = texts().chart
  return (
    <figure class="chart">
      {asTable || failed ? (
        <div class="chart-table" style={{ maxHeight: `${height}px` }} tabIndex={0} role="region" aria-label={label}>
          <table class="data">
            <thead>
              <tr>
                <th scope="col">{t.point}</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map((point, index) => (
                <tr key={point}>
                  <th scope="row">{point}</th>
                  {series.map(({ name, values }) => {
                    const value = values[index]
                    return (
                      <td key={name} class="number">
                        {value === null || value === undefined ? '–' : format(value)}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <div ref={box} class="chart-box" style={{ height: `${height}px` }} role="img" aria-label={label} />
      )}
      <figcaption class="line">
        <span class="legend">
          {series.map(({ name, tone }) => (
            <span key={name}>
              <i class={tone} aria-hidden="true" /> {name}
            </span>
          ))}
          {[...new Map(marks.map((mark) => [mark.name, mark])).values()].map((mark) => (
            <span key={mark.name}>
              <MarkSign {...mark} /> {mark.name}
            </span>
          ))}
        </span>
        <span class="line">
          {asTable || failed ? (
            <ExportButton
              name={label}
              load={() => [...keys.entries()]}
              columns={[
                { title: t.point, value: ([, key]) => key },
                ...series.map(({ name, values }) => ({
                  title: name,
                  value: ([index]: readonly [number, string]) => {
                    const value = values[index]
                    return value === null || value === undefined ? '' : raw(value)
                  },
                })),
              ]}
            />
          ) : null}
          <button type="button" class="linklike" onClick={() => setAsTable(!asTable)} aria-pressed={asTable}>
            {asTable ? t.asChart : t.asTable}
          </button>
        </span>
      </figcaption>
    </figure>
  )
}

export const MarkSign = ({ sign, tone }: Pick<Mark, 'sign' | 'tone'>) => (
  <span class={`mark-sign ${tone}`} aria-hidden="true">
    {sign}
  </span>
)
