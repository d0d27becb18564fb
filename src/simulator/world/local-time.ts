/** Wall time as both platforms write it: `yyyy-MM-dd HH:mm:ss` in Asia/Shanghai, which has kept +08:00 since 1991. */
import { DAY, HOUR } from '../../kernel/clock.ts'

const OFFSET = 8 * HOUR

export const localText = (epochMs: number): string =>
  new Date(epochMs + OFFSET).toISOString().slice(0, 19).replace('T', ' ')

export function parseLocal(text: string): number | undefined {
  const found = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/.exec(text)
  const ms = found ? Date.parse(`${found[1]}T${found[2]}Z`) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms - OFFSET
}

/** Days since the epoch, counted at local midnight. */
export const dayNumber = (epochMs: number): number => Math.floor((epochMs + OFFSET) / DAY)
export const startOfDayNumber = (day: number): number => day * DAY - OFFSET
export const midnightBefore = (epochMs: number): number => startOfDayNumber(dayNumber(epochMs))

/** 0 is Monday: 1970-01-01 was a Thursday. */
export const weekday = (day: number): number => (day + 3) % 7

/** Hours since the epoch; the local hour of day follows from it. */
export const hourNumber = (epochMs: number): number => Math.floor(epochMs / HOUR)
export const hourOfDay = (hour: number): number => (hour + 8) % 24
