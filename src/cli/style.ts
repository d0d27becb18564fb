/** Colors for terminals. */
import { mapWordsToGroups } from '../lib/words.ts'

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

type Paint = keyof typeof CODES
export type Style = Readonly<Record<Paint, (text: string) => string>>

export function styleOf(isColored: boolean): Style {
  const paint = ([name, code]: [string, number]) => [
    name,
    (text: string) => (isColored && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text),
  ]
  return Object.fromEntries(Object.entries(CODES).map(paint)) as Style
}

/** `NO_COLOR` counts when set and not empty (https://no-color.org); `FORCE_COLOR` is for pagers that support colors. */
export const wantsColour = (env: Readonly<Record<string, string | undefined>>, isTty: boolean): boolean =>
  env['NO_COLOR'] ? false : env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : isTty && env['TERM'] !== 'dumb'

/** Color of each status of the API. */
const PAINTS = mapWordsToGroups({
  green: ['completed', 'delivered', 'approved', 'ready_for_complete', 'fulfilled', 'live', 'ok'],
  yellow: ['requires_escalation', 'pending_approval', 'pending', 'incomplete', 'watch', 'warn'],
  cyan: ['placed', 'processing', 'complete_in_progress', 'order'],
  red: ['blocked', 'fail', 'rejected'],
  dim: ['canceled', 'removed', 'nothing_to_do', 'none', 'locked', 'planned'],
})

export const paintState = (style: Style, word: string): string => {
  const paint = PAINTS.get(word)
  return paint ? style[paint](word) : word
}
