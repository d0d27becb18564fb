import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

export interface NoticeProps {
  readonly tone: 'ok' | 'warn' | 'bad' | 'info'
  readonly title?: ComponentChildren
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
  /** Announced by screen readers immediately. */
  readonly urgent?: boolean
}

export const Notice = ({ tone, title, children, action, urgent = false }: NoticeProps) => (
  <div class={`notice ${tone}`} role={urgent ? 'alert' : undefined}>
    <Icon name={tone === 'ok' ? 'check' : tone === 'info' ? 'info' : 'warning'} />
    <div class="notice-body">
      {title ? <p class="strong">{title}</p> : null}
      {children ? <div class="notice-text">{children}</div> : null}
    </div>
    {action ? <div class="notice-action">{action}</div> : null}
  </div>
)
