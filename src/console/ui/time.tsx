import { dateTime, fromNow } from '../lib/format.ts'

/** How long ago or ahead; the exact moment, in the operator's zone, on hover and for readers. */
export const RelativeTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={dateTime(at)}>
    {fromNow(at)}
  </time>
)

export const Timestamp = ({ at }: { readonly at: string }) => <time dateTime={at}>{dateTime(at)}</time>
