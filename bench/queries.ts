/** Different searches, so that cached results do not help. */
const WORDS = [
  '农夫',
  '可口',
  '乐事',
  '康师傅',
  '统一',
  '旺旺',
  '伊利',
  '蒙牛',
  '饮料',
  '550',
  '水',
  '茶',
  '奶',
  '薯片',
  '',
]
const RANGES = [undefined, { min: 50, max: 500 }, { max: 300 }, { min: 100 }, { min: 110, max: 130 }]
const CATEGORIES = [undefined, ['饮料'], ['零食'], ['饮料', '零食']]

/** 15 words × 5 price ranges × 4 categories × 40 tails. */
export function queryOf(i: number): { readonly query: string; readonly filters: object } {
  const pick = <T>(list: readonly T[], n: number) => list[n % list.length] as T
  const word = pick(WORDS, i)
  const price = pick(RANGES, Math.floor(i / WORDS.length))
  const categories = pick(CATEGORIES, Math.floor(i / (WORDS.length * RANGES.length)))
  const tail = Math.floor(i / (WORDS.length * RANGES.length * CATEGORIES.length)) % 40
  return {
    query: tail === 0 ? word : `${word}${word === '' ? '' : ' 饮料 '}${tail}`,
    filters: { ...(price && { price }), ...(categories && { categories }) },
  }
}
