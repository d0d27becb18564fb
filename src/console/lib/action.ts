/** An action the operator starts: `busy` while it runs; its error stays visible until the next attempt. */
import { useRef, useState } from 'preact/hooks'
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
