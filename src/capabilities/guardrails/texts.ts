/** The sentences of the guardrails. */
export const UNREADABLE_RULES = 'The rules file cannot be read, so purchases and price changes are blocked'
export const UNCHECKED_KILL_SWITCH = 'The emergency stop could not be checked, so nothing was sent'

export const killSwitchText = (reason: string | undefined): string =>
  `The emergency stop is on, so purchases and price changes are blocked${reason === undefined ? '' : `: ${reason}`}`
