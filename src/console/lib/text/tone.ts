/** The colour of a badge, bar or tile. */
export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'calm'
