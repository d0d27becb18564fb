import type { ComponentChildren } from 'preact'
import { Timestamp } from './value.tsx'

export interface Step {
  readonly at?: string | undefined
  readonly text: ComponentChildren
  readonly note?: ComponentChildren
  readonly state: 'done' | 'now' | 'later' | 'bad'
}

export const Timeline = ({ label, steps }: { readonly label: string; readonly steps: readonly Step[] }) => (
  <ol class="timeline" aria-label={label}>
    {steps.map(({ at, text, note, state }, index) => (
      <li key={index} class={state} aria-current={state === 'now' ? 'step' : undefined}>
        <span class="timeline-text">{text}</span>
        {at ? (
          <span class="note timeline-at">
            <Timestamp at={at} />
          </span>
        ) : null}
        {note ? <span class="note timeline-note">{note}</span> : null}
      </li>
    ))}
  </ol>
)
