import type { ComponentChildren, ButtonHTMLAttributes } from 'preact'
import type { Action } from '../lib/service/action.ts'
import { may } from '../lib/service/me.ts'
import { type IconName, Icon } from './icon.tsx'

export interface ButtonProps extends Omit<ButtonHTMLAttributes, 'icon' | 'size'> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger' | 'yes' | 'no'
  readonly icon?: IconName
  /** What it starts. */
  readonly action?: Pick<Action<readonly [], unknown>, 'busy' | 'run'>
  /** Disabled, with a spinner, while its action runs. */
  readonly busy?: boolean
  readonly small?: boolean
  /** The operation it leads to: not offered to a role that may not call it. */
  readonly needs?: Parameters<typeof may>[0]
  readonly children?: ComponentChildren
}

interface LinkProps extends Pick<ButtonProps, 'kind' | 'needs'> {
  readonly href: string
  readonly children: string
}

/** A link that looks like a button. */
export const ButtonLink = ({ kind = 'plain', needs, href, children }: LinkProps) =>
  needs !== undefined && !may(needs) ? null : (
    <a class={`button ${kind}`} href={href}>
      <span>{children}</span>
    </a>
  )

export function Button({ kind = 'plain', icon, action, small = false, needs, ...of }: ButtonProps) {
  const { busy = action?.busy ?? false, children, disabled, ...rest } = of
  if (needs !== undefined && !may(needs)) return null
  return (
    <button
      type="button"
      onClick={() => void action?.run()}
      {...rest}
      class={`button ${kind}${small ? ' small' : ''}${busy ? ' busy' : ''}`}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon ? <Icon name={icon} size={small ? 15 : 17} /> : null}
      {children === undefined ? null : <span>{children}</span>}
    </button>
  )
}
