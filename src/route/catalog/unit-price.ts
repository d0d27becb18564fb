/**
 * The price per 100 ml or 100 g, from the size in title and spec. An ambiguous text gives none: a wrong comparison
 * is worse than no comparison. Pure.
 */
import type { UnitPrice } from '../../contract/shapes/catalog.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import type { Fen } from '../../kernel/fen.ts'

/** UN/ECE Rec 20 codes. */
type MeasureUnit = 'MLT' | 'GRM'

export interface Size {
  readonly unit: MeasureUnit
  readonly value: number
}

interface Reading extends Size {
  /** Above 1 in `6×330ml` and `330ml×6`. */
  readonly count: number
  readonly isCountFirst: boolean
}

const UNITS: Readonly<Record<string, readonly [unit: MeasureUnit, factor: number]>> = {
  ml: ['MLT', 1],
  毫升: ['MLT', 1],
  l: ['MLT', 1000],
  升: ['MLT', 1000],
  g: ['GRM', 1],
  克: ['GRM', 1],
  kg: ['GRM', 1000],
  千克: ['GRM', 1000],
  公斤: ['GRM', 1000],
}
const DISPLAY: Readonly<Record<MeasureUnit, string>> = { MLT: 'ml', GRM: 'g' }
const REFERENCE = 100
/** A smaller number is probably a code (`5G`), a larger one a box. */
const [SMALLEST, LARGEST] = [10, 25_000]

const TIMES = '\\s*[x*×✕]\\s*'
/** Not the tail of another number, of a code, or of a fraction (`/100ml`). */
const START = '(?<![\\d.,a-z/])'
const UNIT = '(毫升|千克|公斤|ml|kg|l|g|升|克)(?!(?![x*×✕])[a-z\\d])'
const SIZE = new RegExp(
  `${START}(?:(\\d{1,3})${TIMES})?(\\d{1,5}(?:\\.\\d{1,3})?)\\s*${UNIT}(?:${TIMES}(\\d{1,3})(?![\\d.,]))?`,
  'gu',
)
const COUNTED =
  /(?<![\d.,a-z])(\d{1,4})\s*(?:瓶|罐|听|包|袋|盒|支|条|枚|片|个|只|粒|杯|桶|联|连|件|pcs|packs?|cans?|bottles?)/gu
/** Ranges, tolerances, additions and gifts. */
const UNCERTAIN = /\d\s*(?:[-~–—至到]|[a-z毫升千克公斤]+\s*[-~–—至到])\s*\d|[±≈+约赠送]/u

/** The content of one unit of sale; undefined where title and spec are ambiguous. */
export function sizeOf(texts: readonly (string | undefined)[], packSize: number): Size | undefined {
  const all = texts.flatMap((text) => (text === undefined ? [] : [text.normalize('NFKC').toLowerCase()]))
  if (all.some((text) => UNCERTAIN.test(text))) return undefined
  const readings = all.flatMap(readSizes)
  const [first] = readings
  if (!first || readings.some(({ unit, value }) => unit !== first.unit || value !== first.value)) return undefined
  const counts = new Set([
    ...readings.flatMap(({ count }) => (count > 1 ? [count] : [])),
    ...all.flatMap((text) =>
      [...text.matchAll(COUNTED)].map(([, count]) => Number(count)).filter((count) => count > 1),
    ),
  ])
  const value = contentOf(first, readings, [...counts], packSize)
  return value !== undefined && Number.isInteger(value) && value >= SMALLEST && value <= LARGEST
    ? { unit: first.unit, value }
    : undefined
}

const readSizes = (text: string): readonly Reading[] =>
  [...text.matchAll(SIZE)].flatMap(([, before, number, name = '', after]) => {
    const [unit, factor] = UNITS[name] ?? []
    if (unit === undefined || factor === undefined) return []
    // Rounded to thousandths: 0.33 × 1000 is not exact in floating point.
    const value = Math.round(Number(number) * factor * 1000) / 1000
    const count = Number(before ?? 1) * Number(after ?? 1)
    return [{ unit, value, count, isCountFirst: before !== undefined && after === undefined }]
  })

/**
 * A count equal to the pack size describes the box. Any other count belongs to the unit only where it precedes the size
 * (`6×330ml`) and is the only count in the texts.
 */
function contentOf(
  { value, count }: Reading,
  readings: readonly Reading[],
  counts: readonly number[],
  packSize: number,
): number | undefined {
  if (counts.length === 0) return value
  if (counts.length > 1) return undefined
  if (counts[0] === packSize) return readings.some((reading) => reading.count === 1) ? value : undefined
  return readings.every(({ isCountFirst }) => isCountFirst) && counts[0] === count ? value * count : undefined
}

export function unitPriceOf(priceFen: Fen, currency: CurrencyCode, { unit, value }: Size): UnitPrice {
  const [text, twice] = [DISPLAY[unit], 2 * value]
  return {
    // Rounds half a minor unit up, in integer arithmetic.
    amount: Math.floor((2 * REFERENCE * priceFen + value) / twice),
    currency,
    measure: { value, unit, display_text: text },
    reference: { value: REFERENCE, unit, display_text: text },
  }
}
