/** What a request would lead to: asked again when a change has settled; an answer to an older request is dropped. */
import { useEffect, useState } from 'preact/hooks'

const SETTLE_MS = 350

export interface Preview<T> {
  readonly data?: T
  readonly error?: unknown
  readonly busy: boolean
}

/** `key` identifies the request; undefined: nothing is asked. */
export function usePreview<T>(key: string | undefined, ask: (signal: AbortSignal) => Promise<T>): Preview<T> {
  const [{ of, ...answer }, setAnswer] = useState<{ of?: string; data?: T; error?: unknown }>({})
  useEffect(() => {
    if (key === undefined) return setAnswer({})
    const own = new AbortController()
    const run = async () => {
      try {
        const data = await ask(own.signal)
        if (!own.signal.aborted) setAnswer({ of: key, data })
      } catch (error) {
        if (!own.signal.aborted) setAnswer({ of: key, error })
      }
    }
    const timer = setTimeout(() => void run(), SETTLE_MS)
    return () => {
      clearTimeout(timer)
      own.abort()
    }
  }, [key])
  return { ...answer, busy: key !== undefined && of !== key }
}
