/** What arrives over the wire is unknown until looked at. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value's fields, or none when it has none. */
export const fieldsOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

export const isWhole = (value: unknown, low: number, high: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
