/**
 * How many items a pack holds, read from the text in a price list. Only notations that mean one thing are read: a wrong size
 * divides a price wrongly and orders a multiple of what is needed. Undefined means unknown, and the pack is then not offered.
 * Two numbers with a hyphen between them are a range in one list and a product in another, so they are never a size.
 */
import { type DecimalSign, minorOf } from '../../../kernel/minor-units.ts'
import { PACK_SIZE_MAX } from '../../../kernel/pack.ts'

const N = String.raw`([1-9]\d{0,5})`
const TIMES = ' ?[x*×✕] ?'
/** A quantity of volume or weight: never a count. */
const AMOUNT = String.raw`(\d+(?:[.,]\d+)?) ?(?:ml|cl|dl|l|lt|ltr|lit(?:er|re)s?|litros?|litri|fl\.? ?oz|oz|ounces?|mg|g|gr|grs|gm|grams?|kg|kgs|kilos?|lbs?|gal|gallons?|qt|pt|毫升|升|公升|克|千克|公斤)`

/** Patterns of words, separated by blanks. */
const oneOf = (...lists: readonly string[]): string => `(?:${lists.join(' ').split(' ').join('|')})`

/** What holds the items. */
const CASE = oneOf(
  'cs cse cases? bx box(?:es)? bl bales? ctn ctns cartons? pk pks pkg packs? trays? ct',
  've vpe kartons? ktn krt kisten? kasten gebinde packung(?:en)?',
  'colis caisses? boîtes? boites? paquets? lots?',
  'cajas? cj paquetes? bandejas?',
  'carton[ei] confezion[ei] conf scatol[ae] cass[ae]',
  '箱 件 盒 包 提 组',
)
/** Those that stand before their number: `CS 24`. `CT 24` and `PACK 24` may be anything. */
const LEADING_CASE = oneOf(
  String.raw`cs cases? case\s?(?:pack|qty) bx box ctn carton pk pkg ve vpe karton ktn`,
  'colis caisse caja cartone confezione 箱',
)
/** What is sold one by one. */
const ITEM = oneOf(
  'ct cts cnt counts? ea each pcs? pces? pieces? units? cans? bottles? btls? bags? bars? jars? pouches cups?',
  'er stück stueck stk st flaschen? dosen? beutel riegel becher',
  'pièces? unités? bouteilles? canettes? sachets? barres? briques?',
  'unidad(?:es)? uds? unds? piezas? pzas? botellas? latas? bolsas?',
  'pezz[oi] pz unità bottigli[ae] lattin[ae] barrette',
  '瓶 听 罐 支 个 只 入 枚',
)
/** Items only where their amount stands beside them: `250ml*24盒` is 24 cartons of milk, `24盒` may be 24 boxes of them. */
const SOFT_ITEM = oneOf(ITEM, '盒 包 袋 条 杯 桶 片')
const PER = String.raw`(?: ?\/ ?| (?:per|a|an|pro|je|im|par|por|al|in a|in) | ?每 ?| ?一 ?)`
const OF = '(?: of | mit | à | a | zu | de | con | da | di | 含 | ?[:=] ?)'

const PER_CASE = `(?:${PER}${CASE})?`
const ITEMS_PER_CASE = `(?: ?${ITEM})?${PER_CASE}`
/** `12 oz cans per case`, `330 ml Dose` */
const AMOUNT_AND_ITEM = `${AMOUNT}(?: ?${SOFT_ITEM})?${PER_CASE}`

/** Each with the groups that are multiplied, and the group of the amount that `/` could make a fraction of. */
const SHAPES: readonly { readonly shape: RegExp; readonly counts: readonly number[]; readonly below?: number }[] = [
  // 24/CS, 24 per case, 24/箱
  { shape: whole(`${N}${PER}${CASE}`), counts: [1] },
  // 24 ct, 24ct, 24-ct, 24/ea, 24 cans, 24瓶/箱, 24 Stück pro Karton, 24瓶装
  { shape: whole(`${N}[ -]?${ITEM}${PER_CASE}装?`), counts: [1] },
  { shape: whole(String.raw`${N} ?\/ ?${ITEM}`), counts: [1] },
  // 24-pack, 24 pk, 24pack, 24er Tray, 24er-Pack
  { shape: whole(`${N}[ -]?(?:pk|pack|pck)`), counts: [1] },
  { shape: whole(`${N}er[ -]${CASE}`), counts: [1] },
  // 24x, x24, 24*, 1*24, 1x24瓶/箱
  { shape: whole(`${N} ?[x*×✕]`), counts: [1] },
  { shape: whole(`1?${TIMES}${N}${ITEMS_PER_CASE}`), counts: [1] },
  // CS 24, VE 24 Stück, VE: 24, case pack 24
  { shape: whole(String.raw`${LEADING_CASE}(?: ?[/:=]? ?)${N}(?: ?${ITEM})?`), counts: [1] },
  // case of 24, 1 box of 24 bars, carton de 24, Karton mit 24 Flaschen, caja con 24, confezione da 24
  { shape: whole(`(?:1 )?${CASE}${OF}${N}(?: ?${ITEM})?`), counts: [1] },
  // 每箱24瓶, 一箱24瓶, 1箱24瓶, 整箱24瓶, 24瓶一箱
  { shape: whole(`(?:每|一|整|1 ?)箱 ?[=:]? ?${N} ?${ITEM}?`), counts: [1] },
  // 24x12oz, 24 x 330ml, 12 x 16 oz jars per case, Karton 6x1L
  { shape: whole(`(?:${LEADING_CASE} )?${N}${TIMES}${AMOUNT_AND_ITEM}`), counts: [1] },
  // 24/12oz, 24 / 7.2 oz cans
  { shape: whole(String.raw`${N} ?\/ ?${AMOUNT_AND_ITEM}`), counts: [1], below: 2 },
  // 60ct 1oz, 24瓶*500ml, 24 cans x 12 oz
  { shape: whole(`${N}[ -]?${oneOf(ITEM, 'pk pack')}(?:${TIMES}| ?[/,] ?| )${AMOUNT_AND_ITEM}`), counts: [1] },
  // 330ml*24, 12oz x 24, 330ml×24瓶/箱
  { shape: whole(`${AMOUNT}${TIMES}${N}(?: ?${SOFT_ITEM})?${PER_CASE}`), counts: [2] },
  // 12oz 24ct, 12 oz/24 pk, 12 oz, 24 cans
  { shape: whole(`${AMOUNT}(?: ?[/,] ?| )${N}[ -]?${oneOf(ITEM, 'pk pack')}${PER_CASE}`), counts: [2] },
  // 4/6pk, 4 x 6-pack, 4/6pk 12oz
  {
    shape: whole(String.raw`${N}(?: ?\/ ?|${TIMES})${N}[ -]?(?:pk|pack|pck)s?(?: ${AMOUNT_AND_ITEM})?`),
    counts: [1, 2],
  },
  // 4x6x330ml
  { shape: whole(`${N}${TIMES}${N}${TIMES}${AMOUNT_AND_ITEM}`), counts: [1, 2] },
]

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'u')
}

/** What a price is for: `15.93/cs`. A box or a pack may be one of several in the case, and `ct` may be either. */
const OUTER_CASE = whole(oneOf('cs cse cases? ctn ctns cartons? kartons? ktn colis caisses? cajas? carton[ei] 箱 件'))
const ONE_ITEM = whole(
  oneOf('ea each pcs? pieces? units? cans? bottles?', 'stück stueck stk pièce unité pieza unidad pezzo 个 瓶 听 罐 支'),
)
export const isCaseWord = (word: string): boolean => OUTER_CASE.test(plainOf(word))
export const isItemWord = (word: string): boolean => ONE_ITEM.test(plainOf(word))

const SINGLE = whole(
  `(?:1 ?)?${oneOf('ea each singles? pcs? pces? pieces?', 'stück stueck stk st pièce pieza pza pezzo pz', '个 瓶 听 罐 支')}`,
)

/** One form for what is written in many: case, width, blanks, full stops behind words and at the end. */
const plainOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\p{L})\./gu, '')
    .replace(/[ .,;]+$/, '')
    .trim()

/** Marks of footnotes: in one form with the digits they would be part of the number. */
const FOOTNOTE = /[\u00B2\u00B3\u00B9\u2070-\u209C]/u

export function packSizeOf(text: string): number | undefined {
  if (FOOTNOTE.test(text)) return undefined
  const plain = plainOf(text)
  for (const { shape, counts, below } of SHAPES) {
    const match = shape.exec(plain)
    if (!match) continue
    const factors = counts.map((group) => Number(match[group]))
    const size = factors.reduce((product, factor) => product * factor, 1)
    if (below !== undefined && isFraction(factors[0] ?? 0, match[below] ?? '')) return undefined
    // `1/2 pk` is half a pack; `1*24` has no factor of one here.
    if (size < 2 || (counts.length > 1 && plain.includes('/') && factors[0] === 1)) return undefined
    return size <= PACK_SIZE_MAX ? size : undefined
  }
  return undefined
}

/** Denominators of the measures that labels state as fractions: `3/4 oz`, `1/2 gal`. */
const DENOMINATORS: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 8, 16, 32, 64])

/** `12/16 oz` is no fraction that anybody writes. */
function isFraction(above: number, belowText: string): boolean {
  const below = Number(belowText)
  return DENOMINATORS.has(below) && above < below && gcd(above, below) === 1
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

/** Whether the text says that the price is that of one item. A bare `1` does not: it may be one case. */
export const isSingleItem = (text: string): boolean => SINGLE.test(plainOf(text))

/** The size in a column of pack texts, where a bare whole number is one. */
export const packTextSize = (text: string): number | undefined =>
  /^\d+$/.test(text.trim()) ? usableSize(Number(text)) : packSizeOf(text)

/** A column that holds the size itself as a number, otherwise its pack text. */
export function packCountOf(text: string, decimal: DecimalSign): number | undefined | 'unreadable' {
  if (!/^-?[\d.,'’\s]+$/.test(text.trim())) return packSizeOf(text)
  const size = countOf(text, decimal)
  if (size === undefined || size < 0) return 'unreadable'
  return usableSize(size)
}

const usableSize = (size: number): number | undefined => (size >= 2 && size <= PACK_SIZE_MAX ? size : undefined)

/**
 * A whole number by the rules of amounts: with the decimal sign `.`, `24.0` as spreadsheets export counts is 24, and `2,000`
 * is 2000. Exactly three digits after the decimal sign are not read: they are as likely thousands.
 */
export function countOf(text: string, decimal: DecimalSign): number | undefined {
  const plain = text.trim()
  const place = plain.lastIndexOf(decimal)
  return place !== -1 && plain.length - place === 4 ? undefined : minorOf(plain, 0, decimal)
}
