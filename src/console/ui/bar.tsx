import type { Tone } from '../lib/tone.ts'

/** A share as a bar; decorative, the number stands beside it. */
export const Bar = ({ share, tone = 'info' }: { readonly share: number; readonly tone?: Tone }) => (
  <span class={`bar ${tone}`} aria-hidden="true">
    <span style={{ width: `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%` }} />
  </span>
)
