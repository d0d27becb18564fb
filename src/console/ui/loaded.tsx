import type { ComponentChildren } from 'preact'
import { texts } from '../lib/i18n.ts'
import type { Resource } from '../lib/resource.ts'
import { Failure } from './failure.tsx'
import { Skeleton } from './skeleton.tsx'

/** Shows the data of a resource, a skeleton while it loads, or its failure; after a failed refresh, failure and old data. */
export function Loaded<T>({
  resource,
  lines = 4,
  wait,
  children,
}: {
  readonly resource: Resource<T>
  readonly lines?: number
  readonly wait?: ComponentChildren
  readonly children: (data: T) => ComponentChildren
}) {
  const retry = () => void resource.reload()
  if (resource.data === undefined) {
    if (resource.error !== undefined && !resource.busy) return <Failure error={resource.error} retry={retry} />
    return (
      <div role="status" aria-busy="true">
        <span class="hidden">{texts().failure.loading}</span>
        {wait ?? <Skeleton lines={lines} />}
      </div>
    )
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
