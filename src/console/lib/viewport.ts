/** Whether the screen is a phone's; the style sheets have the same width. */
import { signal } from '@preact/signals'

const media = matchMedia('(max-width: 760px)')

/** Read by whoever draws something else there, not only elsewhere. */
export const isNarrow = signal(media.matches)
media.addEventListener('change', () => (isNarrow.value = media.matches))
