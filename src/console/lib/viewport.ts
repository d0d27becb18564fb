/** Whether the screen is as narrow as a phone's; the style sheets use the same width. */
import { signal } from '@preact/signals'

const media = matchMedia('(max-width: 760px)')

export const isNarrow = signal(media.matches)
media.addEventListener('change', () => (isNarrow.value = media.matches))

const tableMedia = matchMedia('screen and (max-width: 1099px)')

/** Whether a table of many columns has too little room beside the navigation: a phone, or a tablet held upright. */
export const isTableNarrow = signal(tableMedia.matches)
tableMedia.addEventListener('change', () => (isTableNarrow.value = tableMedia.matches))
