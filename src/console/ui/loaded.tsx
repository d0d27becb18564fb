import type { ComponentChildren } from 'preact'
import { texts } from '../lib/i18n.ts'
import type { Resource } from '../lib/resource.ts'
import { Failure } from './failure.tsx'
import { Skeleton } from './skeleton.tsx'

/** Announced while something loads. */
export const Loading = ({ children }: { readonly children: ComponentChildren }) => (
  <div role="status" aria-busy="true">
    <span class="hidden">{texts().failure.loading}</span>
    {children}
  </div>
)

interface Props<T> {
  readonly resource: Resource<T>
  /** Of the skeleton. */
  readonly lines?: number
  readonly height?: number
  /** Instead of the skeleton. */
  readonly wait?: ComponentChildren
  readonly children: (data: T) => ComponentChildren
}

/** Shows the data of a resource, a skeleton while it loads, or its failure; after a failed refresh, failure and old data. */
export function Loaded<T>({ resource, lines = 4, height = 20, wait, children }: Props<T>) {
  const retry = () => void resource.reload()
  if (resource.data === undefined) {
    if (resource.error !== undefined && !resource.busy) return <Failure error={resource.error} retry={retry} />
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
