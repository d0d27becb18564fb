/** PostgreSQL cannot hold NUL in a text, and nothing people write holds one: refused wherever callers send text. */
const NUL = '\u0000'

export function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(NUL)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => key.includes(NUL) || holdsNul(inner))
}
