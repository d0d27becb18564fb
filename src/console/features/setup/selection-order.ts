/** Selections in the order of the keypad: 2 before 10, A before B. */
const COLLATOR = new Intl.Collator('en', { numeric: true })

export const bySelection = (a: string, b: string): number => COLLATOR.compare(a, b)
