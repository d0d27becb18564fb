/** Says that the owner has to decide, with the way to the request. */
import type { Approval } from '../../../contract/shapes/approval.ts'
import { words } from '../../lib/text/i18n.ts'
import { href } from '../../lib/router.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

interface Props {
  readonly approval: Pick<Approval, 'id'> | undefined
  readonly children: string
}

export const WaitingForOwner = ({ approval, children }: Props) => (
  <Notice
    tone="warn"
    title={words().waitingForOwner}
    action={
      approval ? (
        <ButtonLink kind="primary" href={href.approval(approval.id)}>
          {words().review}
        </ButtonLink>
      ) : undefined
    }
  >
    {children}
  </Notice>
)
