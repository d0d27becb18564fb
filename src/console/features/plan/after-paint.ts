/** Draws a costly view after the frame that answers the press. */
import { useEffect, useState } from 'preact/hooks'

/** The value of one frame ago: effects run after the frame is painted. */
export function useAfterPaint<T>(value: T): T {
  const [painted, setPainted] = useState(value)
  useEffect(() => setPainted(value), [value])
  return painted
}
