/** Below a list of which only the first rows are shown. */
import { useRef } from 'preact/hooks'
import { texts } from '../../lib/text/i18n.ts'
import { Button } from '../button.tsx'
import { useNear } from '../near.tsx'

export const MoreButton = ({ busy, onClick }: { readonly busy: boolean; readonly onClick: () => void }) => (
  <p class="more">
    <Button busy={busy} onClick={onClick}>
      {texts().more}
    </Button>
  </p>
)

/** Rows that were read already are shown as somebody scrolls to the button. */
export function MoreAhead({ shown, onMore }: { readonly shown: number; readonly onMore: () => void }) {
  const place = useRef<HTMLDivElement>(null)
  useNear(place, onMore, shown)
  return (
    <div ref={place}>
      <MoreButton busy={false} onClick={onMore} />
    </div>
  )
}
