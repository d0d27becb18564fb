import type { ComponentChildren } from 'preact'

export interface SectionProps {
  readonly title: string
  readonly note?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
  readonly flush?: boolean
  readonly class?: string
}

export const Section = ({ title, note, aside, children, flush = false, ...rest }: SectionProps) => (
  <section class={`card${flush ? ' flush' : ''}${rest.class ? ` ${rest.class}` : ''}`} aria-label={title}>
    <div class="card-head">
      <div>
        <h2>{title}</h2>
        {note ? <p class="note">{note}</p> : null}
      </div>
      {aside}
    </div>
    {children}
  </section>
)
