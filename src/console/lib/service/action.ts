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
export const isUnclear = (error: unknown): boolean =>
  !(error instanceof VendopsError) ||
  error.isUnanswered ||
  error.code === 'idempotency_in_progress' ||
  error.status === 0 ||
  error.status >= 500

/** Not even looked at, so it says nothing about the attempt before. */
const isTurnedAway = (error: unknown): boolean =>
  error instanceof VendopsError && (error.status === 401 || error.status === 429)

interface Write<T> extends Action<readonly [], T> {
  /** An attempt may have taken effect. The next one is the same request, with the same key. */
  readonly isUnclear: boolean
}

interface KeptKey {
  readonly key: string
  /** What would be written. */
  readonly of: string
  readonly isUnclear: boolean
}

/** A write that keeps its idempotency key until it is answered, or until `of`, what would be written, changes. */
export function useWrite<T>(act: (idempotencyKey: string) => Promise<T>, of = ''): Write<T> {
  const kept = useRef<KeptKey>(undefined)
  const action = useAction(async () => {
    if (kept.current?.of !== of) kept.current = { key: newIdempotencyKey(), of, isUnclear: false }
    const { key, isUnclear: wasUnclear } = kept.current
    try {
      const result = await act(key)
      kept.current = undefined
      return result
    } catch (error) {
      const isStillUnclear = isUnclear(error) || (wasUnclear && isTurnedAway(error))
      kept.current = isStillUnclear ? { key, of, isUnclear: true } : undefined
      throw error
    }
  })
  return { ...action, isUnclear: kept.current?.of === of && kept.current.isUnclear }
}
