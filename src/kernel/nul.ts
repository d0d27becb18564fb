/** PostgreSQL cannot store NUL in a text, so it is refused wherever callers send text. */
const NUL = '\u0000'

export function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(NUL)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => key.includes(NUL) || hasNul(inner))
}
