/** Formats amounts, numbers and times. Amounts are whole minor units and are never converted to a float. */
import { type CurrencyCode, digitsOf, signOf } from '../../../kernel/currency.ts'
import { decimalOf } from '../../../kernel/minor-units.ts'
import { groupThousands } from '../../../kernel/text.ts'
import { texts } from './i18n.ts'
import { saveSetting, readSetting } from '../storage.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/**
 * The sign that the sentences of the service and the command line have, so that one amount looks the same everywhere, and
 * yen never look like yuan: a browser writes `¥` for both. No line breaks behind letters.
 */
const signInFront = (currency: CurrencyCode): string => signOf(currency).replace(' ', '\u00A0')

/** `123456` as `¥1,234.56`, `$1,234.56`, `JP¥123,456` or `KWD 123.456`: both languages alike, and without `Intl`, whose first use is slow. */
export function money(amount: number, currency: CurrencyCode): string {
  const text = decimalOf(Math.abs(amount), digitsOf(currency))
  return `${amount < 0 ? '−' : ''}${signInFront(currency)}${groupThousands(text)}`
}

/** Whole units of the currency, in thousands from 10,000 on, for the axis of a chart. */
export function shortMoney(amount: number, currency: CurrencyCode): string {
  const units = amount / 10 ** digitsOf(currency)
  const size = Math.abs(units)
  const text = size >= 10_000 ? `${Math.round(size / 100) / 10}k` : count(Math.round(size))
  return `${units < 0 ? '−' : ''}${signInFront(currency)}${text}`
}

/** `¥`, `$` or `KWD`, in front of an input. */
export const currencySign = (currency: CurrencyCode): string => signOf(currency).trim()

/** Without currency sign and separators, for an input. */
export const amountText = (amount: number, currency: CurrencyCode): string => decimalOf(amount, digitsOf(currency))

/** The total of an order, run or checkout session. */
export const totalOf = (totals: readonly { readonly type: string; readonly amount: number }[]): number =>
  totals.find(({ type }) => type === 'total')?.amount ?? totals.reduce((sum, { amount }) => sum + amount, 0)

/** Both languages format numbers alike, so this avoids `Intl.NumberFormat`, which is slow to construct. */
export const count = (n: number): string => groupThousands(String(n))

/** At most one decimal; small rates keep two. */
export const decimal = (n: number): string =>
  count(n !== 0 && Math.abs(n) < 0.1 ? Math.round(n * 100) / 100 : Math.round(n * 10) / 10)

/** Always with a decimal, so that the rates of a column line up. */
export const rate = (n: number): string => decimal(n).replace(/^[^.]+$/, '$&.0')

export const percent = (share: number): string => `${Math.round(share * 100)}%`
export function signedPercent(share: number): string {
  const rounded = Math.round(Math.abs(share) * 100)
  return `${rounded === 0 ? '' : share > 0 ? '+' : '−'}${rounded}%`
}

// Times. Every timestamp of the API carries the operator's offset, so it contains the operator's local time.

const OFFSET = /(Z|[+-]\d{2}:\d{2})$/

function offsetMs(timestamp: string): number {
  const text = OFFSET.exec(timestamp)?.[1]
  if (text === undefined || text === 'Z') return 0
  const [hours, minutes] = text.slice(1).split(':').map(Number)
  return (text.startsWith('-') ? -1 : 1) * ((hours ?? 0) * HOUR + (minutes ?? 0) * MINUTE)
}

/** The operator's offset as last received; the browser's own until then. */
let zoneOffsetMs = Number(readSetting('zone') ?? -new Date().getTimezoneOffset() * MINUTE)
/** How far the service's clock is ahead of this browser's, as last seen: a start without a network cannot ask. */
let aheadMs = Number(readSetting('ahead') ?? 0)

export function learnZone(timestamp: string): void {
  const offset = offsetMs(timestamp)
  if (offset === zoneOffsetMs) return
  zoneOffsetMs = offset
  saveSetting('zone', String(offset))
}

/** Every response carries the service's time. Differences under 5 s are network delay and rounding. */
export function learnClock(serviceMs: number): void {
  if (Number.isNaN(serviceMs)) return
  const ahead = serviceMs - Date.now()
  if (Math.abs(ahead - aheadMs) <= 5000) return
  aheadMs = ahead
  saveSetting('ahead', String(ahead))
}

export const nowMs = (): number => Date.now() + aheadMs

/** Now as a timestamp of the operator's zone, for what is kept on this device. */
export const nowTimestamp = (): string => timestampOf(nowMs())

/** In the operator's zone. */
export const timestampOf = (ms: number): string =>
  `${new Date(ms + zoneOffsetMs).toISOString().slice(0, -1)}${offsetText()}`

function offsetText(): string {
  const minutes = Math.abs(zoneOffsetMs) / MINUTE
  return `${zoneOffsetMs < 0 ? '-' : '+'}${pad2(minutes / 60)}:${pad2(minutes % 60)}`
}

const pad2 = (n: number): string => String(Math.floor(n)).padStart(2, '0')
const clockOf = (at: Date): string => `${pad2(at.getUTCHours())}:${pad2(at.getUTCMinutes())}`
const dateOf = (at: Date, year: boolean): string =>
  texts().time.date(at.getUTCDate(), at.getUTCMonth(), year ? at.getUTCFullYear() : undefined)

/** A date whose UTC fields are the local time at the timestamp's offset. */
const wallTime = (timestamp: string): Date => new Date(Date.parse(timestamp) + offsetMs(timestamp))

export function dateTime(timestamp: string): string {
  const at = wallTime(timestamp)
  return texts().time.at(dateOf(at, true), clockOf(at))
}

/** `Tue 10 Sept`; with the year if it is not the current one. */
export function weekday(timestamp: string): string {
  const at = wallTime(timestamp)
  const here = new Date(nowMs() + offsetMs(timestamp))
  return texts().time.weekday(at.getUTCDay(), dateOf(at, at.getUTCFullYear() !== here.getUTCFullYear()))
}

/** `10 Sept, 08:12`; with the year if it is not the current one. */
export function shortTime(timestamp: string): string {
  const at = wallTime(timestamp)
  const here = new Date(nowMs() + offsetMs(timestamp))
  return texts().time.at(dateOf(at, at.getUTCFullYear() !== here.getUTCFullYear()), clockOf(at))
}

export const dayText = (day: string): string => dateOf(new Date(`${day}T00:00:00Z`), false)

/** With the year: a day that an operator entered. */
export const fullDay = (day: string): string => dateOf(new Date(`${day}T00:00:00Z`), true)

/** The operator's day, as `2026-09-10`. */
export const today = (): string => new Date(nowMs() + zoneOffsetMs).toISOString().slice(0, 10)

/** The start of an operator's day as an RFC 3339 timestamp. */
export const startOfDay = (day: string): string => `${day}T00:00:00${offsetText()}`

export const nextDay = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10)

/** `5 min ago`, `in 2 days`. */
export function fromNow(timestamp: string): string {
  const ms = Date.parse(timestamp) - nowMs()
  const size = Math.abs(ms)
  const t = texts().time
  if (size < MINUTE) return t.now
  const [unit, name] =
    size < HOUR ? ([MINUTE, 'minute'] as const) : size < DAY ? ([HOUR, 'hour'] as const) : ([DAY, 'day'] as const)
  const text = t.units[name](Math.round(size / unit))
  return ms < 0 ? t.ago(text) : t.ahead(text)
}
