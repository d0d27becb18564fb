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
  const [preview, setPreview] = useState<Preview<T>>({ busy: true })
  useEffect(() => {
    if (key === undefined) return setPreview({ busy: false })
    const own = new AbortController()
    setPreview((before) => ({ ...before, busy: true }))
    const run = async () => {
      try {
        const data = await ask(own.signal)
        if (!own.signal.aborted) setPreview({ data, busy: false })
      } catch (error) {
        if (!own.signal.aborted) setPreview({ error, busy: false })
      }
    }
    const timer = setTimeout(() => void run(), SETTLE_MS)
    return () => {
      clearTimeout(timer)
      own.abort()
    }
  }, [key])
  return preview
}
