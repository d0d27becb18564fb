/** An action the operator starts: `busy` while it runs; its error stays visible until the next attempt. */
import { useRef, useState } from 'preact/hooks'
import { newIdempotencyKey, VendopsError } from './api.ts'
import { noteChange } from './freshness.ts'

export interface Action<A extends readonly unknown[], T> {
  readonly busy: boolean
  readonly error: unknown
  /** Undefined when it failed; the reason is in `error`. */
  readonly run: (...args: A) => Promise<T | undefined>
  readonly clear: () => void
}

export function useAction<A extends readonly unknown[], T>(act: (...args: A) => Promise<T>): Action<A, T> {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: undefined })
  const running = useRef(false)
  return {
    ...state,
    clear: () => setState({ busy: false, error: undefined }),
    async run(...args) {
      // Ignores a second click while the first is running.
      if (running.current) return undefined
      running.current = true
      setState({ busy: true, error: undefined })
      noteChange()
      try {
        const result = await act(...args)
        setState({ busy: false, error: undefined })
        return result
      } catch (error) {
        setState({ busy: false, error })
        return undefined
      } finally {
        noteChange()
        running.current = false
      }
    },
  }
}

/** A write whose reply was lost, or whose service failed, may have taken effect. */
const isUnclear = (error: unknown): boolean =>
  error !== undefined && !(error instanceof VendopsError && error.status > 0 && error.status < 500)

interface Write<T> extends Action<readonly [], T> {
  /** The last attempt may have taken effect. The next one is the same request, which the service carries out once. */
  readonly isUnclear: boolean
}

/** A write that keeps its idempotency key until it is answered, or until `of`, what would be written, changes. */
export function useWrite<T>(act: (idempotencyKey: string) => Promise<T>, of = ''): Write<T> {
  const kept = useRef<{ readonly key: string; readonly of: string }>(undefined)
  const action = useAction(async () => {
    if (kept.current?.of !== of) kept.current = { key: newIdempotencyKey(), of }
    try {
      const result = await act(kept.current.key)
      kept.current = undefined
      return result
    } catch (error) {
      if (!isUnclear(error)) kept.current = undefined
      throw error
    }
  })
  return { ...action, isUnclear: isUnclear(action.error) && kept.current?.of === of }
}
