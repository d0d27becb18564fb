/** The parts of a page: its head, its sections, and the facts in them. */
import type { ComponentChildren } from 'preact'
import { IdChip } from './copy-text.tsx'

export interface HeaderProps {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly badge?: ComponentChildren
  readonly actions?: ComponentChildren
  /** Shown small, to be copied: other pages and letters name it. */
  readonly id?: string
  readonly back?: { readonly href: string; readonly text: string }
}

export const PageHeader = ({ title, lead, badge, actions, id, back }: HeaderProps) => (
  <header class="page-header">
    <div class="page-title">
      {back ? (
        <a class="back" href={back.href}>
          {back.text}
        </a>
      ) : null}
      <h1 tabIndex={-1}>
        {title}
        {badge ? <span class="badge-gap"> </span> : null}
        {badge}
      </h1>
      {lead ? (
        <p class="lead">
          {lead}
          {id ? <IdChip id={id} /> : null}
        </p>
      ) : null}
    </div>
    {actions ? <div class="row actions">{actions}</div> : null}
  </header>
)

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

export type Fact = readonly [string, ComponentChildren]

export const Facts = ({ items }: { readonly items: readonly (Fact | undefined)[] }) => (
  <dl class="facts">
    {items
      .filter((fact) => fact !== undefined)
      .map(([name, value]) => (
        <div key={name}>
          <dt class="note">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
