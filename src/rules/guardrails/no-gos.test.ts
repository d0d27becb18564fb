import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ProductDescription, compileNoGos, noGoMatch, findUnmatchedNoGos } from './no-gos.ts'

const redBull: ProductDescription = {
  skuId: 'acme-supply:SP9009',
  title: 'Red Bull 250ml',
  brand: 'RedBull',
  category: '能量饮料',
}
const named = (title: string): ProductDescription => ({ skuId: 'acme-supply:1', title })
const isBlocked = (entry: string, product: ProductDescription) =>
  noGoMatch({ noGos: compileNoGos([entry]) }, product) !== undefined

describe('hardNoGos by text: contained in title, brand or category, however it is written', () => {
  test.each([
    ['red bull', 'Red\u200bBull 250ml', 'a zero-width space'],
    ['red bull', 'R\u200ce\u200dd\u2060 B\ufeffull', 'joiners, a word joiner, a byte order mark'],
    ['tobacco', 'to\u00adbac\u00adco', 'soft hyphens'],
    ['tobacco', 't\ufe0fob\ufe00acco\u{e0101}', 'variation selectors'],
    ['tobacco', 'to\u3164bac\u115fco', 'Hangul fillers, which are letters that show nothing'],
    ['tobacco', '\u202eto\u202cbacco', 'direction marks'],
    ['tobacco', 't\u0336o\u0336b\u0336a\u0336c\u0336c\u0336o\u0336', 'struck-through letters'],
    ['tobacco', 'T.o.b.a.c.c.o', 'dots between letters'],
    ['tobacco', 't o b a c c o', 'blanks between letters'],
    ['tobacco', 'to_bac-co', 'punctuation between letters'],
    ['tobacco', 'to★bac|co', 'signs between letters'],
    ['tobacco', 'xtoba ccox', 'a word broken up inside another'],
    ['gin', 'G I N 700ml', 'a short word, spelt out'],
    ['gin', 'g.i.n700ml', 'a short word, spelt out before a number'],
    ['gin', '金酒g.i.n', 'a short word, spelt out behind another script'],
    ['redbull', 'Red Bull', 'two words for one'],
    ['red bull', 'RedBull', 'one word for two'],
    ['烟草', '烟 草制品', 'a blank between characters'],
    ['烟草', '烟·草制品', 'a middle dot between characters'],
    ['烟草', '煙草製品', 'traditional characters'],
    ['烟草', '菸草', 'a Taiwanese variant'],
    ['煙草', '烟草', 'an entry in traditional characters'],
    ['电子烟', '電子煙', 'traditional characters'],
    ['雞尾酒', '鸡尾酒', 'an entry in traditional characters'],
    ['tobacco', 'tоbассо', 'Cyrillic letters'],
    ['TOBACCO', 'ΤΟΒΑϹϹΟ', 'Greek capitals'],
    ['hennessy', 'Ηeηηessy', 'Greek Eta, large and small'],
    ['vodka', 'vοdkα', 'Greek small letters'],
    ['tobacco', 'tóbäccô', 'accents'],
    ['jäger', 'Jager', 'an accent in the entry'],
    ['tobacco', 'ｔｏｂａｃｃｏ', 'full-width letters'],
    ['tobacco', '𝐭𝐨𝐛𝐚𝐜𝐜𝐨', 'mathematical letters'],
    ['tobacco', 'ⓣⓞⓑⓐⓒⓒⓞ', 'letters in circles'],
    ['tobacco', '🆃🅾🅱🅰🅲🅲🅾', 'letters in boxes'],
    ['tobacco', 'ᴛᴏʙᴀᴄᴄᴏ', 'small capitals'],
    ['cola', 'CoIa', 'a capital I for an l'],
    ['IPA', 'lPA 330ml', 'a small l for an I'],
    ['straße', 'STRASSE', 'case folding beyond lower case'],
    ['ВОДКА', 'водка', 'Cyrillic words without case'],
    ['ΟΥΖΟ', 'ούζο', 'Greek words without case'],
    ['소주', '소\u200b주 360ml', 'Hangul syllables'],
    ['🚬', 'Filter 🚬\ufe0f', 'an entry without letters'],
    ['cola', 'Chocolate', 'contained is contained: an entry of four letters is the owner’s choice'],
  ])('%j forbids %j (%s)', (entry, title) => expect(isBlocked(entry, named(title))).toBe(true))

  test.each([
    ['cola', '农夫山泉 饮用天然水 550ml'],
    ['gin', 'Oolong in a can'],
    ['rum', 'Super umami crisps'],
    ['tea', 'Latte almond'],
    ['ale', 'Cola lemon'],
    ['7up', 'Box of 7 upright bottles'],
    ['红牛', '蒙牛 红枣酸奶'],
    ['白酒', '白桃果酒'],
    ['소주', '소금 사이다'],
    ['🚬', 'Filter coffee'],
    ['☕', '🚬'],
    ['AI', 'Natural mineral water'],
    ['', 'anything'],
    ['   ', 'anything'],
    ['\u200b', 'anything'],
  ])('%j leaves %j alone', (entry, title) => expect(isBlocked(entry, named(title))).toBe(false))

  test('brand and category count like the title; what is absent counts for nothing', () => {
    expect(['REDBULL', '能量', 'red bull', ' red bull '].map((entry) => isBlocked(entry, redBull))).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(isBlocked('undefined', named('tea'))).toBe(false)
  })

  /** All that folding takes away, drawn into any place of a title. */
  const one = (signs: string) => fc.constantFrom(...Array.from(signs))
  const invisible = one(
    '\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2064\u2066' +
      '\u206f\u3164\ufe00\ufe0f\ufeff\uffa0\u0300\u0336\u20dd\u{e0001}\u{e0020}\u{e0100}',
  )
  const separator = one(' .,-_*/|~·・。、\u00a0\u2003\u3000\t\u2800★+=()[]\'"“”：')
  const scatter = (title: string, signs: readonly (readonly [number, string])[]): string => {
    const characters = Array.from(title)
    for (const [at, sign] of signs) characters.splice(at % (characters.length + 1), 0, sign)
    return characters.join('')
  }
  const signs = (sign: fc.Arbitrary<string>) => fc.array(fc.tuple(fc.nat(1000), sign), { maxLength: 30 })
  const FORBIDDEN = [
    ['tobacco', 'Fine Tobacco 50g'],
    ['red bull', '红牛 Red Bull 250ml'],
    ['烟草', '云南烟草制品'],
    ['電子煙', '电子烟 充电款'],
    ['vodka', 'Absolut Vodka'],
  ] as const

  test('property: no invisible or separating sign, wherever it is put, lifts a ban', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FORBIDDEN), signs(fc.oneof(invisible, separator)), ([entry, title], drawn) => {
        expect(isBlocked(entry, named(scatter(title, drawn)))).toBe(true)
      }),
    )
  })

  test('property: a short word stays forbidden under invisible signs, and broken up as long as it is a separate word', () => {
    fc.assert(
      fc.property(signs(invisible), (drawn) => {
        expect(isBlocked('gin', named(scatter('Original', drawn)))).toBe(true)
      }),
    )
    fc.assert(
      fc.property(signs(fc.oneof(invisible, separator)), (drawn) => {
        expect(isBlocked('gin', named(scatter('Dry gin 700ml', drawn)))).toBe(true)
      }),
    )
  })

  test('property: a text always forbids itself, in any case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), (text) => {
        fc.pre(isBlocked(text, named(text)) || /[\p{L}\p{N}\p{So}]/u.test(text))
        expect(isBlocked(text, named(text))).toBe(true)
        expect(isBlocked(text, named(`a ${text} b`))).toBe(true)
      }),
    )
  })
})

describe('hardNoGos by id: sku_id, the vendor’s SKU or barcode, also of a confirmed alias', () => {
  const coded: ProductDescription = {
    ...named('Water'),
    skuId: 'acme-supply:SP1001',
    barcode: '036000291452',
    aliases: [{ skuId: 'acme-machine:G-0001', barcode: '6921168509256' }],
  }
  test.each([
    ['acme-supply:SP1001', true, 'the sku_id'],
    ['acme-supply:SP100', false, 'part of a sku_id is another sku_id'],
    ['ACME-SUPPLY:SP1001', false, 'ids are compared as exact strings'],
    ['SP1001', true, 'the bare SKU of the vendor'],
    ['sp1001', false, 'ids are compared as exact strings'],
    ['036000291452', true, 'the barcode'],
    ['0036000291452', true, 'the same barcode as EAN-13'],
    ['０３６０００２９１４５２', true, 'the same barcode in full-width digits'],
    ['36000291452', true, 'without its leading zero'],
    ['acme-machine:G-0001', true, 'the machine SKU it is an alias of'],
    ['G-0001', true, 'the bare machine SKU'],
    ['6921168509256', true, 'the barcode on the machine'],
    ['acme-machine:G-0002', false, 'another machine SKU'],
    ['other-supply:SP1001', false, 'the same code at another vendor is another SKU'],
  ])('entry %j: %s (%s)', (entry, blocked) => expect(isBlocked(entry, coded)).toBe(blocked))
})

test('entries that match nothing known are found, and the search ends when none is left', async () => {
  let read = 0
  async function* products() {
    for (const product of [redBull, named('烟草'), named('never read')]) {
      read += 1
      yield product
    }
  }
  expect(await findUnmatchedNoGos(compileNoGos(['red bull', '煙草', 'tabacco', 'SP9009', ' ']), products())).toEqual([
    'tabacco',
    ' ',
  ])
  read = 0
  expect(await findUnmatchedNoGos(compileNoGos(['SP9009', '煙草']), products())).toEqual([])
  expect(read).toBe(3)
  expect(await findUnmatchedNoGos(compileNoGos(['tabacco']), (async function* () {})())).toEqual(['tabacco'])
})
