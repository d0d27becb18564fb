import type { ComponentChildren } from 'preact'
import { type IconName, Icon } from './icon.tsx'

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}

export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} size={26} />
    <p class="empty-title">{title}</p>
    {children ? <div class="empty-text">{children}</div> : null}
  </div>
)
