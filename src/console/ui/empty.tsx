import type { ComponentChildren } from 'preact'
import { type IconName, Icon } from './icon.tsx'

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
