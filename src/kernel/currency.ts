/**
 * Currencies by ISO 4217. Amounts are whole minor units everywhere; how many decimal digits a currency has is needed only
 * where people or suppliers write them. The table is our own, because `Intl` costs 8 MB in the service (ADR 20).
 */
import { decimalOf } from './minor-units.ts'
import { groupThousands } from './text.ts'

/** Letters of a currency: `CNY`, `USD`. */
export type CurrencyCode = string

const NO_DIGITS = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '))
const THREE_DIGITS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

/** Currencies in circulation; funds, metals and test codes are none. */
const KNOWN = new Set(
  `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP
  CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD
  IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR
  MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
  SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER
  ZAR ZMW ZWG`
    .trim()
    .split(/\s+/),
)

export const isCurrency = (text: string): boolean => KNOWN.has(text)

export const digitsOf = (currency: CurrencyCode): number =>
  NO_DIGITS.has(currency) ? 0 : THREE_DIGITS.has(currency) ? 3 : 2

/** An amount with its currency, on the wire and as a value of a text. */
export interface Money {
  readonly amount: number
  readonly currency: CurrencyCode
}

export const money = (amount: number, currency: CurrencyCode): Money => ({ amount, currency })

/** Signs that people read at once and that mean one currency in the sentences we write; others are written with their letters. */
const SIGNS: Readonly<Record<CurrencyCode, string>> = {
  CNY: '¥',
  EUR: '€',
  GBP: '£',
  INR: '₹',
  JPY: 'JP¥',
  KRW: '₩',
  USD: '$',
}

/** What is written before an amount: `¥`, `$`, `KWD `. */
export const signOf = (currency: CurrencyCode): string => SIGNS[currency] ?? `${currency} `

/**
 * `123456` as `¥1,234.56`, for sentences of the service and tables of the command line. What is written here can be typed
 * back; surfaces with a reader's language format for themselves.
 */
export function formatAmount(amount: number, currency: CurrencyCode): string {
  const text = decimalOf(Math.abs(amount), digitsOf(currency))
  return `${amount < 0 ? '-' : ''}${signOf(currency)}${groupThousands(text)}`
}
