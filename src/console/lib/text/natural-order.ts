/** Names as people count: "Selection 2" before "Selection 10", A before B. */
const COLLATOR = new Intl.Collator('en', { numeric: true })

export const byName = (a: string, b: string): number => COLLATOR.compare(a, b)
