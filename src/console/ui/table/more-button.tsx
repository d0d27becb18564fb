/** Below a list of which only the first pages are shown. */
import { texts } from '../../lib/text/i18n.ts'
import { Button } from '../button.tsx'

export const MoreButton = ({ busy, onClick }: { readonly busy: boolean; readonly onClick: () => void }) => (
  <p class="more">
    <Button busy={busy} onClick={onClick}>
      {texts().more}
    </Button>
  </p>
)
