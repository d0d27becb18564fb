/** Checks for values received over HTTP. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of an object; none for any other value. */
export const fieldsOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

export const isWhole = (value: unknown, low: number, high: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
