/**
 * The products of the world, each as the supplier lists it and as a machine lists it. The two differ as real ones do, in
 * names, codes and check digits, so that linking them is realistic.
 */
import { ENGLISH_CATEGORIES, ENGLISH_PRODUCTS, englishSize } from './english-names.ts'
import { type ProductRow, PRODUCT_TABLE } from './product-table.ts'
import { drawNormal, hash, stream } from './random.ts'

export type SimulatedProduct = Readonly<ReturnType<typeof makeProduct>>

/** Appends the check digit to 7, 11 or 12 digits: EAN-8, UPC-A and EAN-13 use the same weights from the right. */
export function withCheckDigit(digits: string): string {
  let sum = 0
  for (let i = 0; i < digits.length; i++) sum += Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 3 : 1)
  return digits + ((10 - (sum % 10)) % 10)
}

/** `count` products: the table first, then variations of it. */
export const makeProducts = (
  seed: number,
  count: number = PRODUCT_TABLE.length,
  stockLevel: number = 1,
  language: Language = 'zh',
): readonly SimulatedProduct[] =>
  Array.from({ length: count }, (_, index) => makeProduct(seed, index, stockLevel, language))

/** What things are called; the world is the same in both. */
export type Language = 'zh' | 'en'

/** Of the logarithm. */
const MINDS_PRICE_SPREAD = 0.3

function makeProduct(seed: number, index: number, stockLevel: number, language: Language) {
  const row = language === 'en' ? inEnglish(rowAt(index), index) : rowAt(index)
  const [brand, name, size, category, packNum, costFen, retailFen, oddities = [], machineName] = row
  const random = stream(seed, 'good', index)
  const odd = new Set(oddities)
  const code = barcodes(index, odd.has('upc'))
  const each = odd.has('each price') || packNum === 1
  return {
    index,
    category,
    categoryName: language === 'en' ? ENGLISH_CATEGORIES[category] : category,
    costFen,
    retailFen,
    // No upstream says how much more or less customers mind a price than with other products of the category.
    mindsPrice: Math.exp(MINDS_PRICE_SPREAD * drawNormal(stream(seed, 'minds price', index))),
    supply: {
      goodsNo: odd.has('supply only') ? 'SP9009' : supplyNo(index),
      brandName: brand,
      goodsName: `${name} ${size}`,
      spec: `${size}*${packNum}`,
      imgUrl: random.happens(0.9) ? `https://img.example/sp${index}.jpg` : '',
      packNum,
      packPriceFen: packNum === 1 ? costFen : costFen * packNum + (UNEVEN[index % UNEVEN.length] ?? 0),
      // A single costs a little more than its share of the box, unless there is no box. Null: only the box has a price.
      unitPriceFen: each ? (packNum === 1 ? costFen : Math.ceil((costFen * 1.08) / 10) * 10) : null,
      // Units, not boxes, at the start.
      stockNum: odd.has('sold out')
        ? 0
        : stockLevel * (packNum === 1 ? random.between(80, 400) : packNum * random.between(60, 320)),
      barCode: odd.has('no code')
        ? null
        : odd.has('empty code')
          ? ''
          : odd.has('bad digit')
            ? withWrongCheckDigit(code.supply)
            : code.supply,
      onShelf: !odd.has('off shelf'),
    },
    // Absent when no machine sells it.
    ...(odd.has('supply only') || index >= PRODUCT_TABLE.length
      ? {}
      : {
          machine: {
            goodsCode: `G-${String(index + 1).padStart(4, '0')}`,
            goodsName: machineName ?? `${brand} ${name} ${size}`,
            barCode: odd.has('uncoded slot') ? '' : code.machine,
            // The cost the platform reports: none, the price itself (meaningless), or the real cost.
            reportedCost: (['cost', 'cost', 'cost', 'price', 'none'] as const)[hash('cost told', index) % 5] ?? 'cost',
          },
        }),
  }
}

/** The row itself or, past the end of the table, the same product in another flavour and lot. */
function rowAt(index: number): ProductRow {
  const row = PRODUCT_TABLE[index % PRODUCT_TABLE.length]
  if (!row) throw new Error('the product table is empty')
  const round = Math.floor(index / PRODUCT_TABLE.length)
  if (round === 0) return row
  const [brand, name, size, category, packNum, costFen, retailFen, oddities = []] = row
  const flavour = FLAVOURS[round % FLAVOURS.length] ?? ''
  const kept = oddities.filter((oddity) => oddity !== 'supply only' && oddity !== 'upc')
  return [brand, `${name} ${flavour}${round}号`, size, category, packNum, costFen + (round % 7) * 10, retailFen, kept]
}

function inEnglish(row: ProductRow, index: number): ProductRow {
  const english = ENGLISH_PRODUCTS[index % ENGLISH_PRODUCTS.length]
  if (!english) return row
  const [brand, name, machineName] = english
  const [, , size, category, packNum, costFen, retailFen, oddities = []] = row
  const round = Math.floor(index / PRODUCT_TABLE.length)
  const base = [brand, round === 0 ? name : `${name} no. ${round}`, englishSize(size), category] as const
  return round === 0 && machineName !== undefined
    ? [...base, packNum, costFen, retailFen, oddities, machineName]
    : [...base, packNum, costFen, retailFen, oddities]
}

/** Boxes are rarely priced at a round number of fen each, so most prices of a single have to be rounded. */
const UNEVEN = [0, 50, -30, 10, 70]

const FLAVOURS = ['经典', '柠檬', '葡萄', '海盐', '抹茶', '蜂蜜', '荔枝', '薄荷', '香草', '山楂', '椰子']

/** 9009 is reserved for the product that the demo rules block. */
const supplyNo = (index: number): string => `SP${1001 + index + (1001 + index >= 9009 ? 1 : 0)}`

function barcodes(index: number, isAmerican: boolean): { readonly supply: string; readonly machine: string } {
  if (index === 0) return sameCode(withCheckDigit('692116850925'))
  if (isAmerican) {
    const upc = withCheckDigit(`0490${String(1000000 + index * 37).slice(0, 7)}`)
    return { supply: upc, machine: `0${upc}` }
  }
  return sameCode(
    withCheckDigit(`69${String(50000 + (index % 40000)).padStart(5, '0')}${String(10000 + index).slice(-5)}`),
  )
}

const sameCode = (code: string) => ({ supply: code, machine: code })

const withWrongCheckDigit = (code: string): string => code.slice(0, -1) + ((Number(code.at(-1)) + 3) % 10)
