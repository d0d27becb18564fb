/** The words with which price lists say that an article is for sale, or is not. */

const setOf = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.flatMap((list) => list.split(' | ')))

/** Off in whatever column they stand alone. */
const OFF_WORDS = setOf(
  'disc | disco | discon | discont | disc’d | d/c | oos | o/s | out | temp out | out/stock | no stock | not in stock | eol | b/o',
  'nicht da | ausgel | gesperrt | rupture | en rupture | arrêté | supprimé | sin stock | de baja | 停 | 缺 | 断',
)
/** Off where the column is known to say whether an article is for sale. */
const OFF = setOf('0 | n | no | false | inactive | nein | non | nee | n/a | na | dc | bo | nla | obs | 否 | 无')
const ON = setOf(
  ' | 1 | y | yes | true | active | available | avail | in | in stock | stock | ok | ltd | limited | new',
  'ja | lieferbar | oui | en stock | si | sí | sì | disponible | disponibile',
  '是 | 有 | 在售 | 上架 | 有货 | 正常',
)
/** Also as part of a longer text: `DISCONTINUED 11/26`. */
const UNAVAILABLE =
  /\b(?:discontinued|disc'd|out[ -]of[ -]stock|sold[ -]out|not available|unavailable|no longer available|delisted|obsolete|back[ -]?ordered|on back[ -]?order)\b|\b(?:nicht (?:mehr )?lieferbar|ausverkauft|ausgelistet|nicht (?:mehr )?verfügbar|vergriffen|auslaufartikel|nicht vorrätig)\b|en rupture|rupture de stock|épuisé|plus disponible|article supprimé|\b(?:indisponible|non disponible|no disponible|non disponibile|agotado|descatalogado|descontinuado|discontinuado|esaurito|fuori produzione|sin existencias|fuera de stock|non più disponibile)\b|停产|停售|停供|下架|缺货|暂缺|断货|无货|售罄|售完/iu

/** Of a text that may say so beside other things, such as a title. */
export const saysUnavailable = (text: string): boolean => UNAVAILABLE.test(text.normalize('NFKC'))

const wordOf = (text: string): string =>
  text
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replaceAll("'", '’')
    .replace(/[ .!*]+$/, '')

/** A word that says by itself that the article is not to be had: `DISC`, `OUT`. */
export const isOffWord = (text: string): boolean => OFF_WORDS.has(wordOf(text))

/** Of the column that says whether an article is for sale. */
export const isOffShelf = (text: string): boolean => OFF.has(wordOf(text)) || isOffWord(text) || saysUnavailable(text)

export const isKnownStatus = (text: string): boolean => isOffShelf(text) || ON.has(wordOf(text))
