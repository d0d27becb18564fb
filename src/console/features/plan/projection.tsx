/** Draws the projected stock of a slot: a line for the expected stock and a band for its uncertainty. */
import { texts } from '../../lib/text/i18n.ts'
import { decimal } from '../../lib/text/format.ts'

export interface ProjectionProps {
  readonly stock: number
  readonly capacity: number | null | undefined
  readonly dailyRate: number
  readonly leadDays: number
  readonly days: number
}

/** 90% of outcomes lie within this many standard deviations if sales are a Poisson process. */
const SPREAD = 1.645

export interface Band {
  readonly day: number
  readonly low: number
  readonly mid: number
  readonly high: number
}

export const project = (stock: number, dailyRate: number, days: number, steps: number): readonly Band[] =>
  Array.from({ length: steps + 1 }, (_, step) => {
    const day = (days * step) / steps
    const sold = dailyRate * day
    const spread = SPREAD * Math.sqrt(sold)
    const left = (units: number) => Math.min(stock, Math.max(0, stock - units))
    return { day, low: left(sold + spread), mid: left(sold), high: left(sold - spread) }
  })

const WIDTH = 132
const HEIGHT = 34

function shapeOf({ stock, dailyRate, days }: ProjectionProps, top: number, box: Box, steps: number) {
  const x = (day: number) => box.left + (day / days) * (box.width - box.left - 2)
  const y = (units: number) => box.height - box.bottom - (units / top) * (box.height - box.bottom - 4)
  const bands = project(stock, dailyRate, days, steps)
  const tenth = (n: number) => Math.round(n * 10) / 10
  const at = (pick: (band: Band) => number) => bands.map((band) => `${tenth(x(band.day))},${tenth(y(pick(band)))}`)
  return {
    band: [...at(({ high }) => high), ...at(({ low }) => low).toReversed()].join(' '),
    line: at(({ mid }) => mid).join(' '),
    x,
    y,
  }
}

interface Box {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly bottom: number
}

const topOf = ({ capacity, stock }: ProjectionProps) => Math.max(capacity ?? 0, stock, 1)
const textOf = ({ stock, dailyRate, days }: ProjectionProps) =>
  texts().plan.projectionText(stock, decimal(dailyRate), Math.round(days))

/** For a row of a long table, with as few elements as possible. The delivery date is the same in every row. */
export function SmallProjection(props: ProjectionProps) {
  const { band, line, x } = shapeOf(props, topOf(props), { width: WIDTH, height: HEIGHT, left: 1, bottom: 1 }, 12)
  return (
    <svg class="projection small" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={textOf(props)}>
      <polygon class="band" points={band} />
      <path class="lead" d={`M${Math.round(x(props.leadDays))} 2V${HEIGHT - 2}`} />
      <polyline class="mid" points={line} />
    </svg>
  )
}

export function Projection(props: ProjectionProps) {
  const box = { width: 520, height: 180, left: 30, bottom: 22 }
  const top = topOf(props)
  const { band, line, x, y } = shapeOf(props, top, box, 32)
  const { leadDays, days } = props
  const t = texts().plan
  const right = box.width - 2
  const baseline = box.height - box.bottom
  return (
    <svg class="projection large" viewBox={`0 0 ${box.width} ${box.height}`} role="img" aria-label={textOf(props)}>
      {[0, top / 2, top].map((units) => (
        <g key={units}>
          <line class="grid" x1={box.left} x2={right} y1={y(units)} y2={y(units)} />
          <text x={box.left - 6} y={y(units) + 4} text-anchor="end">
            {Math.round(units)}
          </text>
        </g>
      ))}
      <polygon class="band" points={band} />
      <line class="lead" x1={x(leadDays)} x2={x(leadDays)} y1={2} y2={baseline} />
      <polyline class="mid" points={line} />
      <line class="baseline" x1={box.left} x2={right} y1={baseline} y2={baseline} />
      <text x={x(leadDays) + 5} y={14}>
        {t.arrival}
      </text>
      {[0, Math.round(days / 2), Math.round(days)].map((day) => (
        <text
          key={day}
          x={x(day)}
          y={box.height - 5}
          text-anchor={day === 0 ? 'start' : day >= days ? 'end' : 'middle'}
        >
          {t.inDays(day)}
        </text>
      ))}
    </svg>
  )
}
