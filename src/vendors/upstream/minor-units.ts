/**
 * Decimal amounts as others write them, to whole minor units (cents, fen, yen) and back, digit by digit: no float ever
 * holds an amount. What cannot be read exactly is undefined, never rounded.
 */

export type DecimalSign = '.' | ','

/** Blanks (also the ones that do not break), apostrophes, and whichever of `.` and `,` is not the decimal sign. */
const GROUP_SIGNS: Readonly<Record<DecimalSign, string>> = {
  '.': ",' ’\u00A0\u2009\u202F",
  ',': ".' ’\u00A0\u2009\u202F",
}

/** Groups of exactly three digits with one and the same sign between them, or no groups; `.95` has no whole digits. */
const patternOf = (decimal: DecimalSign): RegExp =>
  new RegExp(`^(-?)(\\d{1,3}(?:([${GROUP_SIGNS[decimal]}])\\d{3}(?:\\3\\d{3})*)|\\d*)(?:\\${decimal}(\\d+))?$`)

const PATTERNS: Readonly<Record<DecimalSign, RegExp>> = { '.': patternOf('.'), ',': patternOf(',') }

/**
 * `1,234.5` with two digits and `.` is 123450. More digits than the currency has must be zeros. `1,23` with the decimal
 * sign `.` is unreadable: its group is too short to be thousands, so the sign is probably configured wrong.
 */
export function minorOf(text: string, digits: number, decimal: DecimalSign): number | undefined {
  const match = PATTERNS[decimal].exec(text)
  if (!match) return undefined
  const [, sign = '', whole = '', , fraction = ''] = match
  if (whole === '' && fraction === '') return undefined
  const kept = fraction.slice(0, digits).padEnd(digits, '0')
  if (/[^0]/.test(fraction.slice(digits))) return undefined
  const amount = Number(whole.replaceAll(/\D/g, '') + kept)
  if (!Number.isSafeInteger(amount)) return undefined
  return sign && amount ? -amount : amount
}

/** From here on two amounts can be the same float, so the number no longer tells which one was sent. */
const EXACT_BELOW = 1e15

/** A JSON number by its shortest text, which is what the sender wrote as long as it has at most 15 digits. */
export function minorOfNumber(value: number, digits: number): number | undefined {
  const amount = minorOf(String(value), digits, '.')
  return amount !== undefined && Math.abs(amount) < EXACT_BELOW ? amount : undefined
}

/** `123450` with two digits is `1234.50`: a point, all digits of the currency, no groups. For documents, not for people. */
export function decimalOf(amount: number, digits: number): string {
  const text = String(Math.abs(amount)).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  return `${amount < 0 ? '-' : ''}${digits === 0 ? whole : `${whole}.${text.slice(-digits)}`}`
}

/**
 * Digits by ISO 4217 (list one, 2026). A table, because Intl follows CLDR, which states what people use in shops: there
 * HUF, IDR, COP and 14 more have no digits, and it may change with the runtime. A hundredfold price would be the result.
 */
const OTHER_DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, Number(digits)] as const)),
)

const TWO_DIGITS = new Set(
  (
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW ' +
    'CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ' +
    'ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV ' +
    'MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD ' +
    'SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG'
  ).split(' '),
)

/** Digits after the decimal sign; undefined for what is no currency of ISO 4217. */
export const currencyDigits = (currency: string): number | undefined =>
  TWO_DIGITS.has(currency) ? 2 : OTHER_DIGITS.get(currency)
