import type { Tone } from '../lib/tone.ts'

/** A part of a whole, drawn; the numbers beside it speak. */
export const Bar = ({ share, tone = 'info' }: { readonly share: number; readonly tone?: Tone }) => (
  <span class={`bar ${tone}`} aria-hidden="true">
    <span style={{ width: `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%` }} />
  </span>
)
