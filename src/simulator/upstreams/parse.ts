/** Checks for values received over HTTP. */
import { type Fields, isFields } from '../../lib/objects.ts'

/** The fields of an object; none for any other value. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

export const isWhole = (value: unknown, low: number, high: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high
