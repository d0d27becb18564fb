/** How one value is shown: a state, a share, an amount, a time. */
import type { ComponentChildren } from 'preact'
import { dateTime, fromNow, money } from '../lib/text/format.ts'
import type { Tone } from '../lib/text/tone.ts'

export const Badge = ({ tone = 'calm', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** A share as a bar; decorative, the number stands beside it. */
export const Bar = ({ share, tone = 'info' }: { readonly share: number; readonly tone?: Tone }) => (
  <span class={`bar ${tone}`} aria-hidden="true">
    <span style={{ width: `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%` }} />
  </span>
)

interface StockBarProps {
  readonly slots: number
  readonly low: number
  readonly empty: number
}

/** The slots of a machine in three colours: enough, low, empty. */
export const StockBar = ({ slots, low, empty }: StockBarProps) => (
  <span class="bar parts" aria-hidden="true">
    {(
      [
        ['ok', slots - low - empty],
        ['warn', low],
        ['bad', empty],
      ] as const
    ).map(([tone, count]) =>
      count > 0 ? <span key={tone} class={tone} style={{ width: `${(100 * count) / slots}%` }} /> : null,
    )}
  </span>
)

interface MoneyProps {
  readonly amount: number
  readonly currency: string
  readonly isEstimated?: boolean | undefined
}

export const Money = ({ amount, currency, isEstimated = false }: MoneyProps) => (
  <>
    {isEstimated ? <span class="faint">≈ </span> : null}
    <span class="number">{money(amount, currency)}</span>
  </>
)

/** The time from now; the exact time in the operator's zone is its tooltip. */
export const RelativeTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={dateTime(at)}>
    {fromNow(at)}
  </time>
)

export const Timestamp = ({ at }: { readonly at: string }) => <time dateTime={at}>{dateTime(at)}</time>
