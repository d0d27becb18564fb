/** The sentences of the guardrails. */
export const UNREADABLE_RULES = 'The rules file cannot be read, so purchases and price changes are blocked'
export const unsetRulesText = (missing: readonly string[]): string =>
  `There is no rules file, and an owner has not set ${missing.join(', ')} yet, so purchases and price changes are blocked`
export const RULES_CHANGED = 'An owner changed the rules meanwhile, so nothing was sent. Send it again'
export const UNCHECKED_KILL_SWITCH = 'The emergency stop could not be checked, so nothing was sent'

export const MARKER_NOT_WRITTEN = 'The emergency stop could not be written to its marker file outside the database'
export const CURRENCY_FIRST = 'Choose the currency in Settings first. Amounts are never converted'
export const ENGAGED_BY_FILE = 'The rules file engages the emergency stop; it can only be released there'
export const ENGAGED_AGAIN = 'Engaged again, because an older database was restored that did not have it'

export const killSwitchText = (reason: string | undefined): string =>
  `The emergency stop is on, so purchases and price changes are blocked${reason === undefined ? '' : `: ${reason}`}`
