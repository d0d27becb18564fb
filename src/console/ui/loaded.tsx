/** What stands in the place of data: while it loads, where there is none, and where it cannot be had. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { VendopsError } from '../lib/service/api.ts'
import { texts } from '../lib/text/i18n.ts'
import type { Resource } from '../lib/service/resource.ts'
import { messageText } from '../lib/text/service-text.ts'
import { codeTitle } from '../lib/text/value-text.ts'
import { Button } from './button.tsx'
import { type IconName, Icon } from './icon.tsx'
import { Notice } from './notice.tsx'
import { ServiceDetail } from './service-detail.tsx'

/** Reserves the space of data that is loading, to avoid layout shift. */
export const Skeleton = ({ lines = 3, height = 20 }: { readonly lines?: number; readonly height?: number }) => (
  <div class="stack skeleton" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      <span key={index} style={{ height: `${height}px`, width: `${[92, 76, 84, 64][index % 4] ?? 80}%` }} />
    ))}
  </div>
)

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

interface FailureProps {
  readonly error: unknown
  readonly retry?: () => unknown
  readonly compact?: boolean
}

/** A failed call: what went wrong, and a button to try again where that can help. */
export function Failure({ error, retry, compact = false }: FailureProps) {
  const t = texts().failure
  const [isRetrying, setIsRetrying] = useState(false)
  const tryAgain = async () => {
    setIsRetrying(true)
    await retry?.()
    setIsRetrying(false)
  }
  const known = error instanceof VendopsError ? error : undefined
  // A retry does not help when the resource does not exist.
  const action =
    retry && known?.status !== 404 ? (
      <Button small icon="sync" busy={isRetrying} onClick={() => void tryAgain()}>
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

/** Announced while something loads. */
export const Loading = ({ children }: { readonly children: ComponentChildren }) => (
  <div role="status" aria-busy="true">
    <span class="hidden">{texts().failure.loading}</span>
    {children}
  </div>
)

interface LoadedProps<T> {
  readonly resource: Omit<Resource<T>, 'put'>
  /** Of the skeleton. */
  readonly lines?: number
  readonly height?: number
  /** Instead of the skeleton. */
  readonly wait?: ComponentChildren
  readonly children: (data: T) => ComponentChildren
}

/** Shows the data of a resource, a skeleton while it loads, or its failure; after a failed refresh, failure and old data. */
export function Loaded<T>({ resource, lines = 4, height = 20, wait, children }: LoadedProps<T>) {
  const retry = () => resource.reload()
  // A failure stays while it is read again, so that nothing flickers.
  const hasFailed = useRef(false)
  hasFailed.current = resource.error !== undefined && (hasFailed.current || !resource.busy)
  if (resource.data === undefined) {
    if (hasFailed.current) return <Failure error={resource.error} retry={retry} />
    return <Loading>{wait ?? <Skeleton lines={lines} height={height} />}</Loading>
  }
  return (
    <>
      {resource.error === undefined ? null : (
        <div class="stale">
          <Failure error={resource.error} retry={retry} compact />
          <p class="faint">{texts().failure.stale}</p>
        </div>
      )}
      {children(resource.data)}
    </>
  )
}
