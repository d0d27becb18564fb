import type { ComponentChildren } from 'preact'

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
    {actions ? <div class="row actions">{actions}</div> : null}
  </header>
)
