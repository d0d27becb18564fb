/** Draws a chart with uPlot in the colours of the theme. A separate chunk, so that pages without a chart do not load it. */
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { CsvValue } from '../../lib/text/csv.ts'

export interface Series {
  readonly name: string
  readonly values: readonly (number | null)[]
  readonly kind: 'bars' | 'line'
  readonly tone: 'accent' | 'soft' | 'warn'
}

/** A vertical line: something that happened at a point. */
export interface Mark {
  readonly index: number
  readonly tone: 'ok' | 'soft' | 'warn'
  /** Above the line and in the legend, so that colour is not all that tells kinds apart. */
  readonly sign: string
  readonly name: string
}

export interface ChartProps {
  readonly label: string
  /** Labels of the horizontal axis, in order. */
  readonly points: readonly string[]
  /** Shorter labels for the axis, where those of the points are long. */
  readonly axis?: readonly string[]
  readonly series: readonly Series[]
  readonly marks?: readonly Mark[]
  readonly format: (value: number) => string
  /** In a file: the points, where their labels are shortened, and the values, where they are not plain numbers. */
  readonly keys?: readonly string[]
  readonly raw?: (value: number) => CsvValue
  readonly height?: number
}

const AXIS_FONT = '12px system-ui, sans-serif'
const LABEL_GAP = 14
const LAST_LABEL_WIDTH = 44
const SIGN_SIZE = 11

/** A canvas cannot use CSS variables, so their computed colours are read from the chart's element. */
function readColors(box: HTMLElement) {
  const style = getComputedStyle(box)
  const token = (name: string) => {
    const probe = document.createElement('span')
    probe.style.color = `var(--${name})`
    box.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
  return {
    accent: token('accent'),
    soft: token('faint'),
    warn: token('warn'),
    ok: token('ok'),
    line: token('line'),
    text: style.color,
  }
}

type Colors = () => ReturnType<typeof readColors>

function seriesOptions({ kind, tone, name, values }: Series, colors: Colors): uPlot.Series {
  const stroke = () => colors()[tone]
  // A single value has no line to be seen by.
  const known = values.filter((value) => value !== null && value !== undefined).length
  if (kind === 'line') return { label: name, stroke, width: 2, points: { show: known < 20, size: 6, fill: stroke } }
  const bars = uPlot.paths.bars
  return {
    label: name,
    stroke,
    fill: stroke,
    width: 0,
    points: { show: false },
    ...(bars ? { paths: bars({ size: [0.7, 40], radius: 0.15 }) } : {}),
  }
}

/** In CSS pixels: as many labels as fit are shown. */
function widestOf(ctx: CanvasRenderingContext2D, labels: readonly string[]): number {
  ctx.save()
  ctx.font = AXIS_FONT
  const widest = Math.max(0, ...labels.map((label) => ctx.measureText(label).width))
  ctx.restore()
  return widest
}

const labelledPoints = (points: number, step: number): number[] => {
  const every = Math.max(1, Math.round(step))
  return Array.from({ length: Math.ceil(points / every) }, (_, i) => points - 1 - i * every).toReversed()
}

/** Small steps may be rounded to the same text; the line keeps its place, the label is left out. */
const withoutRepeats = (labels: readonly string[]): string[] =>
  labels.map((label, i) => (label === labels[i - 1] ? '' : label))

/** Behind the series, from top to bottom, with their signs above; several at one point below each other. */
function drawMarks(plot: uPlot, marks: readonly Mark[], colors: Colors): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio])
  ctx.font = `${SIGN_SIZE * devicePixelRatio}px system-ui, sans-serif`
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  const signs = new Map<number, string[]>()
  for (const { index, tone, sign } of marks) {
    const x = plot.valToPos(index, 'x', true)
    ctx.strokeStyle = colors()[tone]
    ctx.fillStyle = colors()[tone]
    const above = signs.get(index) ?? []
    if (!above.includes(sign)) ctx.fillText(sign, x, bbox.top + (above.length - 0.5) * SIGN_SIZE * devicePixelRatio)
    signs.set(index, [...above, sign])
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

export function drawChart(
  box: HTMLElement,
  { points, axis: axisLabels = points, series, marks = [], format, height = 200 }: Omit<ChartProps, 'label'>,
): () => void {
  let shown = readColors(box)
  const colors: Colors = () => shown
  const tip = document.createElement('div')
  tip.className = 'chart-tip'
  const axis = { stroke: () => shown.text, font: AXIS_FONT, ticks: { show: false } }
  const plot = new uPlot(
    {
      width: box.clientWidth,
      height,
      // On the right: half of the label of the last point, which stands below it.
      padding: [12, LAST_LABEL_WIDTH / 2, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: false, range: () => [-0.6, points.length - 0.4] },
        y: { range: (_u, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.08] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 30,
          space: (u) => widestOf(u.ctx, axisLabels) + LABEL_GAP,
          incrs: [1, 2, 3, 5, 7, 10, 15, 30, 60, 90, 180, 365],
          // Counted back from the last point, so that the newest day always has its label.
          splits: (_u, _axis, _min, _max, step) => labelledPoints(points.length, step),
          values: (_u, splits) => withoutRepeats(splits.map((split) => axisLabels[split] ?? '')),
        },
        {
          ...axis,
          size: 62,
          space: 44,
          grid: { stroke: () => shown.line, width: 1 },
          values: (_u, splits) => withoutRepeats(splits.map(format)),
        },
      ],
      series: [{}, ...series.map((one) => seriesOptions(one, colors))],
      hooks: {
        init: [(u) => u.over.append(tip)],
        drawAxes: [(u) => drawMarks(u, marks, colors)],
        setCursor: [
          (u) => {
            const index = u.cursor.idx
            const point = typeof index === 'number' ? points[index] : undefined
            tip.hidden = point === undefined || (u.cursor.left ?? -1) < 0
            if (tip.hidden || typeof index !== 'number') return
            const values = series
              .map(({ values }) => values[index])
              .map((value) => (value === null || value === undefined ? '–' : format(value)))
            tip.textContent = `${point}  ${values.join(' · ')}`
            const x = u.valToPos(index, 'x')
            tip.style.left = `${Math.min(Math.max(x - tip.offsetWidth / 2, 0), u.over.clientWidth - tip.offsetWidth)}px`
          },
        ],
      },
    },
    [points.map((_, index) => index), ...series.map(({ values }) => [...values])],
    box,
  )
  const observer = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }))
  observer.observe(box)
  const redraw = () => {
    shown = readColors(box)
    plot.redraw()
  }
  addEventListener('beforeprint', redraw)
  addEventListener('afterprint', redraw)
  return () => {
    removeEventListener('beforeprint', redraw)
    removeEventListener('afterprint', redraw)
    observer.disconnect()
    plot.destroy()
  }
}
