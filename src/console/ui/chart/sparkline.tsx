/** A small line of a few numbers in a row of a table. The numbers themselves are elsewhere. */
const WIDTH = 72
const HEIGHT = 20
const PAD = 2

export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[] | undefined
  readonly label: string
}) {
  if (!values || values.length < 2) return <span class="faint">–</span>
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const span = high - low || 1
  const x = (i: number) => PAD + (i * (WIDTH - 2 * PAD)) / (values.length - 1)
  const y = (value: number) => HEIGHT - PAD - ((value - low) * (HEIGHT - 2 * PAD)) / span
  return (
    <svg
      class="sparkline"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      <line x1={PAD} x2={WIDTH - PAD} y1={y(0)} y2={y(0)} class="sparkline-zero" />
      <polyline points={values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ')} />
    </svg>
  )
}
