/** Whether the screen is as narrow as a phone's; the style sheets use the same width. */
import { signal } from '@preact/signals'

const media = matchMedia('(max-width: 760px)')

export const isNarrow = signal(media.matches)
media.addEventListener('change', () => (isNarrow.value = media.matches))
