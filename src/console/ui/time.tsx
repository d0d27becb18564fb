import { dateTime, fromNow } from '../lib/format.ts'

/** The time from now; the exact time in the operator's zone is its tooltip. */
export const RelativeTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={dateTime(at)}>
    {fromNow(at)}
  </time>
)

export const Timestamp = ({ at }: { readonly at: string }) => <time dateTime={at}>{dateTime(at)}</time>
