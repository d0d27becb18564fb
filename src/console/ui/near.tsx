/** Work that can wait until somebody scrolls to it: on a phone most of a long page is never seen. */
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { isNarrow } from '../lib/viewport.ts'

/** About half a screen of a phone ahead. */
const AHEAD = '400px'

/** Calls `onNear` whenever the element comes near the visible part of the page, and again while it stays there and `after` changes. */
export function useNear(element: RefObject<Element | null>, onNear: () => void, after: unknown, waits = false): void {
  useEffect(() => {
    const { current } = element
    if (!current || waits) return undefined
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) onNear()
      },
      { rootMargin: AHEAD },
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [after])
}

/** True on a wide page, which is drawn whole: it may be printed. On a phone from when somebody comes near the element. */
export function useIsNear(element: RefObject<Element | null>, after: unknown, waits = false): boolean {
  const [isNear, setNear] = useState(!isNarrow.peek())
  useNear(element, () => setNear(true), isNear || after, waits)
  return isNear
}

interface Props {
  /** What stands above is still being read: its place says nothing yet. */
  readonly waits: boolean
  readonly children: ComponentChildren
}

/** A part of a long page that is read and drawn once somebody comes near it. */
export function WhenNear({ waits, children }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const isNear = useIsNear(place, waits, waits)
  return isNear ? children : <div ref={place} class="not-near" />
}
