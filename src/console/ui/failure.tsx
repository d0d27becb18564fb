import { VendopsError } from '../lib/api.ts'
import { texts } from '../lib/i18n.ts'
import { messageText } from '../lib/service-text.ts'
import { codeTitle } from '../lib/value-text.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import { ServiceDetail } from './service-detail.tsx'

interface FailureProps {
  readonly error: unknown
  readonly retry?: () => void
  readonly compact?: boolean
}

/** A failed call: what went wrong, and a button to try again where that can help. */
export function Failure({ error, retry, compact = false }: FailureProps) {
  const t = texts().failure
  const known = error instanceof VendopsError ? error : undefined
  // A retry does not help when the resource does not exist.
  const action =
    retry && known?.status !== 404 ? (
      <Button small icon="sync" onClick={retry}>
        {t.retry}
      </Button>
    ) : undefined
  const title = (known && codeTitle(known.code)) ?? t.title
  const said = known?.messages.map(messageText) ?? []
  // Without a reply there are no messages of the service, and an unreadable reply has only the client's own.
  const lines =
    known?.status === 0
      ? [t.unreachable]
      : !known
        ? [t.unexpected]
        : said.length === 0
          ? [known.message]
          : said.flatMap(({ text }) => text ?? [])
  const details = said.flatMap(({ detail }) => detail ?? [])
  return (
    <Notice tone="bad" title={title} action={action} urgent>
      {[...new Set(lines)].map((line) => (
        <p key={line}>{line}</p>
      ))}
      {details.length > 0 ? <ServiceDetail text={details.join(' ')} /> : null}
      {known?.requestId && !compact ? (
        <p class="faint">
          {t.requestId} <code>{known.requestId}</code>
        </p>
      ) : null}
    </Notice>
  )
}
