/** The sentences of the guardrails. */
export const UNREADABLE_RULES = 'The rules file cannot be read, so purchases and price changes are blocked'
export const UNCHECKED_KILL_SWITCH = 'The emergency stop could not be checked, so nothing was sent'

export const MARKER_NOT_WRITTEN = 'The emergency stop could not be written to its marker file outside the database'
export const ENGAGED_AGAIN = 'Engaged again, because an older database was restored that did not have it'

export const killSwitchText = (reason: string | undefined): string =>
  `The emergency stop is on, so purchases and price changes are blocked${reason === undefined ? '' : `: ${reason}`}`
