/** The small pieces every page is made of. */
import type { ComponentChildren } from 'preact'
import { count, dateTime, fromNow, yuan } from '../lib/format.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'calm'

export const Badge = ({ tone = 'calm', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

export const Money = ({ fen }: { readonly fen: number }) => <span class="number">{yuan(fen)}</span>

/** How long ago or ahead; the exact moment, in the operator's zone, on hover and for readers. */
export const When = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={dateTime(at)}>
    {fromNow(at)}
  </time>
)

export const Moment = ({ at }: { readonly at: string }) => <time dateTime={at}>{dateTime(at)}</time>

export interface HeaderProps {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly badge?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly back?: { readonly href: string; readonly text: string }
}

export const PageHeader = ({ title, lead, badge, actions, back }: HeaderProps) => (
  <header class="page-header">
    <div class="page-title">
      {back ? (
        <a class="back" href={back.href}>
          {back.text}
        </a>
      ) : null}
      <h1 tabIndex={-1}>
        {title} {badge}
      </h1>
      {lead ? <p class="lead">{lead}</p> : null}
    </div>
    {actions ? <div class="actions">{actions}</div> : null}
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

export const Empty = ({
  icon,
  title,
  children,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}) => (
  <div class="empty">
    <Icon name={icon} size={26} />
    <p class="empty-title">{title}</p>
    {children ? <div class="empty-text">{children}</div> : null}
  </div>
)

/** Holds the place of what is being fetched, so that nothing jumps when it comes. */
export const Skeleton = ({ lines = 3, height = 20 }: { readonly lines?: number; readonly height?: number }) => (
  <div class="skeleton" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      <span key={index} style={{ height: `${height}px`, width: `${[92, 76, 84, 64][index % 4] ?? 80}%` }} />
    ))}
  </div>
)

/** A part of a whole, drawn; the numbers beside it speak. */
export const Bar = ({ share, tone = 'info' }: { readonly share: number; readonly tone?: Tone }) => (
  <span class={`bar ${tone}`} aria-hidden="true">
    <span style={{ width: `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%` }} />
  </span>
)

export interface TabsProps {
  readonly label: string
  readonly tabs: readonly { readonly name: string; readonly text: string; readonly count?: number | undefined }[]
  readonly value: string
  readonly onChange: (name: string) => void
}

/** A choice of one among few, as radio buttons that look like tabs: arrow keys work by themselves. */
export const Choice = ({ label, tabs, value, onChange }: TabsProps) => (
  <fieldset class="choice">
    <legend class="hidden">{label}</legend>
    {tabs.map(({ name, text, count: n }) => (
      <label key={name} class={name === value ? 'chosen' : ''}>
        <input type="radio" name={label} value={name} checked={name === value} onChange={() => onChange(name)} />
        {text}
        {n === undefined ? null : <span class="count">{count(n)}</span>}
      </label>
    ))}
  </fieldset>
)

export const Facts = ({ of }: { readonly of: readonly (readonly [string, ComponentChildren] | undefined)[] }) => (
  <dl class="facts">
    {of
      .filter((fact) => fact !== undefined)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

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
          <span class="timeline-at">
            <Moment at={at} />
          </span>
        ) : null}
        {note ? <span class="timeline-note">{note}</span> : null}
      </li>
    ))}
  </ol>
)
