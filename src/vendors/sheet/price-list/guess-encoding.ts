/** In which encoding a text is written, by how its letters look. Only proposed: titles show whether it is right. */
import { type Encoding, decodeText } from '../documents/csv/csv-text.ts'

/** As much as shows it; a part may end inside a character. */
const BYTES_LOOKED_AT = 64 * 1024

export function guessEncoding(bytes: Uint8Array): Encoding | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const wide = guessWide(bytes.subarray(0, BYTES_LOOKED_AT))
  if (wide !== undefined) return wide
  if (decodeText(bytes, 'utf-8') !== undefined) return 'utf-8'
  const chinese = decodeText(bytes, 'gb18030')
  if (chinese !== undefined && looksChinese(chinese)) return 'gb18030'
  const scored = CODE_PAGES.flatMap((encoding) => {
    const text = decodeText(bytes.subarray(0, BYTES_LOOKED_AT), encoding)
    return text === undefined ? [] : [{ encoding, score: oddities(text) }]
  })
  // The first of equals: the most common one.
  return scored.reduce<(typeof scored)[number] | undefined>(
    (best, each) => (best && best.score <= each.score ? best : each),
    undefined,
  )?.encoding
}

/** Letters of Latin scripts have a zero beside them. */
function guessWide(bytes: Uint8Array): Encoding | undefined {
  let [even, odd] = [0, 0]
  for (const [at, byte] of bytes.entries())
    if (byte === 0) {
      if (at % 2 === 0) even += 1
      else odd += 1
    }
  if (Math.max(even, odd) * 8 < bytes.length || Math.min(even, odd) * 8 > Math.max(even, odd)) return undefined
  return odd > even ? 'utf-16le' : 'utf-16be'
}

/** Characters that lists are full of. Text of another encoding gives any characters. */
const COMMON = new Set(
  '的一价格箱瓶品名称规货号编码商单元量装水茶奶糖饮料味包盒件袋罐听条果汁可乐原香辣鲜大小红绿白黑花生面米油酒咖啡巧克力饼干薯片升毫克支入每无库存状态停产供应联系电话公司有限地址日期年月批发零售含税不备注',
)
const COMMON_ONE_IN = 5

function looksChinese(text: string): boolean {
  const han = text.slice(0, BYTES_LOOKED_AT).match(/\p{Script=Han}/gu) ?? []
  return han.length >= 2 && han.filter((sign) => COMMON.has(sign)).length * COMMON_ONE_IN >= han.length
}

const CODE_PAGES = ['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254'] as const

/** What no text has: signs inside of words, two scripts in one, capitals behind small letters, words of accents only. */
const ODD = [
  /(?<=\p{L})[^\p{L}\p{N}\p{M}\p{ASCII}\u2010-\u2026\u00B0\u00AE\u2122](?=\p{L})/gu,
  /[\u00A2-\u00A8\u00AC\u00AF-\u00BA\u00BC-\u00BE](?=\p{L})/gu,
  /[\u0080-\u009F]/gu,
  /\p{Script=Latin}(?=[\p{Script=Cyrillic}\p{Script=Greek}])|[\p{Script=Cyrillic}\p{Script=Greek}](?=\p{Script=Latin})/gu,
  /\p{Ll}\p{Lu}(?=\P{ASCII})/gu,
  /[\u00C0-\u024F]{4,}/gu,
  // Icelandic in the one, Turkish in the other.
  /[ðþÐÞýÝ]/gu,
]

const oddities = (text: string): number => ODD.reduce((sum, odd) => sum + (text.match(odd)?.join('').length ?? 0), 0)
