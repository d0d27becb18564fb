import { VendopsError } from '../lib/api.ts'
import { texts } from '../lib/i18n.ts'
import { Button } from './button.tsx'
import { titleOf } from './messages.tsx'
import { Notice } from './notice.tsx'

/** A failed call, in the interface's own words; never a blank page. */
export function Failure({
  error,
  retry,
  compact = false,
}: {
  readonly error: unknown
  readonly retry?: () => void
  readonly compact?: boolean
}) {
  const t = texts().failure
  const known = error instanceof VendopsError ? error : undefined
  // What is not there will not be there at the next try either.
  const action =
    retry && known?.status !== 404 ? (
      <Button small icon="sync" onClick={retry}>
        {t.retry}
      </Button>
    ) : undefined
  const title = (known && titleOf(known.code)) ?? t.title
  // Without an answer there are no words of the interface, only our own.
  const text =
    known?.status === 0
      ? [texts().banner.offline]
      : known
        ? [...new Set([known.message, ...known.messages.map(({ content }) => content)])]
        : [t.unexpected]
  return (
    <Notice tone="bad" title={title} action={action} urgent>
      {text.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {known?.requestId && !compact ? (
        <p class="faint">
          {t.requestId} <code>{known.requestId}</code>
        </p>
      ) : null}
    </Notice>
  )
}
