/** The name of a product, with a link to its page for whoever may open it. */
import type { ComponentChildren } from 'preact'
import { may } from '../../lib/service/me.ts'
import { href } from '../../lib/router.ts'

interface Props {
  readonly id: string
  readonly location?: string
  readonly class?: string
  readonly children: ComponentChildren
}

export const SkuLink = ({ id, location, class: className, children }: Props) =>
  may('getSku') ? (
    <a href={href.sku(id, location)} class={className}>
      {children}
    </a>
  ) : (
    <span class={className}>{children}</span>
  )
