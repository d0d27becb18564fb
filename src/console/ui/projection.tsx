/** Stock projected forward with its uncertainty, as a small picture: the line we expect, the band it likely stays in. */
import { w } from '../lib/i18n.ts'
import { decimal } from '../lib/format.ts'

export interface ProjectionProps {
  readonly stock: number
  readonly capacity: number | null | undefined
  readonly dailyRate: number
  readonly leadDays: number
  readonly days: number
  readonly large?: boolean
}

/** Nine of ten outcomes lie within this many standard deviations, were sales a Poisson stream. */
const SPREAD = 1.645

export interface Band {
  readonly day: number
  readonly low: number
  readonly mid: number
  readonly high: number
}

export function project(stock: number, dailyRate: number, days: number): readonly Band[] {
  const steps = 24
  return Array.from({ length: steps + 1 }, (_, step) => {
    const day = (days * step) / steps
    const sold = dailyRate * day
    const spread = SPREAD * Math.sqrt(sold)
    const left = (units: number) => Math.min(stock, Math.max(0, stock - units))
    return { day, low: left(sold + spread), mid: left(sold), high: left(sold - spread) }
  })
}

export function Projection({ stock, capacity, dailyRate, leadDays, days, large = false }: ProjectionProps) {
  const [width, height] = large ? [520, 180] : [132, 34]
  const [left, bottom] = large ? [30, 22] : [1, 2]
  const top = Math.max(capacity ?? 0, stock, 1)
  const x = (day: number) => left + (day / days) * (width - left - 2)
  const y = (units: number) => height - bottom - (units / top) * (height - bottom - 4)
  const bands = project(stock, dailyRate, days)
  const at = (pick: (band: Band) => number) =>
    bands.map((band) => `${x(band.day).toFixed(1)},${y(pick(band)).toFixed(1)}`)
  const area = [...at(({ high }) => high), ...at(({ low }) => low).toReversed()].join(' ')
  const words = w().plan
  return (
    <svg
      class={`projection${large ? ' large' : ''}`}
      viewBox={`0 0 ${width} ${height}`}
      width={large ? undefined : width}
      height={large ? undefined : height}
      role="img"
      aria-label={words.projectionText(stock, decimal(dailyRate), Math.round(days))}
    >
      {large
        ? [0, top / 2, top].map((units) => (
            <g key={units}>
              <line class="grid" x1={left} x2={width - 2} y1={y(units)} y2={y(units)} />
              <text x={left - 6} y={y(units) + 4} text-anchor="end">
                {Math.round(units)}
              </text>
            </g>
          ))
        : null}
      <polygon class="band" points={area} />
      <line class="lead" x1={x(leadDays)} x2={x(leadDays)} y1={2} y2={height - bottom} />
      <polyline class="mid" points={at(({ mid }) => mid).join(' ')} />
      <line class="floor" x1={left} x2={width - 2} y1={height - bottom} y2={height - bottom} />
      {large ? (
        <>
          <text x={x(leadDays) + 5} y={14}>
            {words.arrival}
          </text>
          {[0, Math.round(days / 2), Math.round(days)].map((day) => (
            <text
              key={day}
              x={x(day)}
              y={height - 5}
              text-anchor={day === 0 ? 'start' : day >= days ? 'end' : 'middle'}
            >
              {words.inDays(day)}
            </text>
          ))}
        </>
      ) : null}
    </svg>
  )
}
