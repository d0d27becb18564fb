import type { ComponentChildren } from 'preact'
import type { Tone } from '../lib/tone.ts'

export const Badge = ({ tone = 'calm', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)
