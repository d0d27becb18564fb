/** What the interface says: its messages beside the data, and its refusals when there is none. */
import type { ComponentChildren } from 'preact'
import type { Message } from '../../contract/common.ts'
import { VendopsError } from '../lib/api.ts'
import { w } from '../lib/i18n.ts'
import type { Resource } from '../lib/resource.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Skeleton } from './parts.tsx'

const TONES = { error: 'bad', warning: 'warn', info: 'info' } as const

/** Our word for a code, and under it what the service said. */
const titleOf = (code: string): string | undefined => (w().codes as Readonly<Record<string, string>>)[code]

export interface NoticeProps {
  readonly tone: 'ok' | 'warn' | 'bad' | 'info'
  readonly title?: ComponentChildren
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
  /** Read out at once by a screen reader. */
  readonly urgent?: boolean
}

export const Notice = ({ tone, title, children, action, urgent = false }: NoticeProps) => (
  <div class={`notice ${tone}`} role={urgent ? 'alert' : undefined}>
    <Icon name={tone === 'ok' ? 'check' : tone === 'info' ? 'info' : 'warning'} />
    <div class="notice-body">
      {title ? <p class="notice-title">{title}</p> : null}
      {children ? <div class="notice-text">{children}</div> : null}
    </div>
    {action ? <div class="notice-action">{action}</div> : null}
  </div>
)

export const Messages = ({ of }: { readonly of: readonly Message[] | undefined }) =>
  of && of.length > 0 ? (
    <div class="stack">
      {of.map((message, index) => (
        <Notice key={index} tone={TONES[message.type]} title={titleOf(message.code)}>
          {message.content}
        </Notice>
      ))}
    </div>
  ) : null

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
  const words = w().failure
  const known = error instanceof VendopsError ? error : undefined
  // What is not there will not be there at the next try either.
  const action =
    retry && known?.status !== 404 ? (
      <Button small icon="sync" onClick={retry}>
        {words.retry}
      </Button>
    ) : undefined
  const title = (known && titleOf(known.code)) ?? words.title
  // Without an answer there are no words of the interface, only our own.
  const text =
    known?.status === 0
      ? [w().banner.offline]
      : known
        ? [...new Set([known.message, ...known.messages.map(({ content }) => content)])]
        : [words.unexpected]
  return (
    <Notice tone="bad" title={title} action={action} urgent>
      {text.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {known?.requestId && !compact ? (
        <p class="faint">
          {words.requestId} <code>{known.requestId}</code>
        </p>
      ) : null}
    </Notice>
  )
}

/** The data when it is there, its failure when it is not, and both when what is shown is of an earlier moment. */
export function Loaded<T>({
  of,
  lines = 4,
  wait,
  children,
}: {
  readonly of: Resource<T>
  readonly lines?: number
  readonly wait?: ComponentChildren
  readonly children: (data: T) => ComponentChildren
}) {
  const retry = () => void of.reload()
  if (of.data === undefined) {
    if (of.error !== undefined && !of.busy) return <Failure error={of.error} retry={retry} />
    return (
      <div role="status" aria-busy="true">
        <span class="hidden">{w().failure.loading}</span>
        {wait ?? <Skeleton lines={lines} />}
      </div>
    )
  }
  return (
    <>
      {of.error === undefined ? null : (
        <div class="stale">
          <Failure error={of.error} retry={retry} compact />
          <p class="faint">{w().failure.stale}</p>
        </div>
      )}
      {children(of.data)}
    </>
  )
}
