/**
 * What the rows of a price list hold: the row of the header, the columns, the decimal sign, and the questions that only a person
 * can answer. Pure. Only proposed, with example products (propose-list.ts); nothing is read by a guess that nobody confirmed.
 */
import type { DecimalSign } from '../../../kernel/minor-units.ts'
import { type Encoding, headerText, isBlankRow } from '../documents/csv/csv-text.ts'
import { barcodeOf, isUsableSku } from './listed-products.ts'
import { packTextSize } from './pack-size.ts'
import type { Column } from './price-list.ts'

/** What a person said about a list; it comes before every guess. The names are those of the settings of `catalog`. */
export interface ListAnswers {
  readonly sheet?: string
  readonly encoding?: Encoding
  readonly delimiter?: string
  readonly decimal?: DecimalSign
  readonly skip_rows?: number
  /** Header texts. Null: the list has no such column. */
  readonly columns?: Readonly<Partial<Record<Column, string | null>>>
  readonly prices?: 'net' | 'gross'
}

export type QuestionCode = 'sheet' | 'title' | 'price' | 'price_unit' | 'sku' | 'decimal' | 'prices' | 'on_shelf'

/** One question of a list. Each choice has the answers to add to those that were given before; then the list is proposed again. */
export interface ListQuestion {
  readonly code: QuestionCode
  readonly text: string
  /** Not empty. The first is the one that is proposed. */
  readonly choices: readonly { readonly label: string; readonly answers: ListAnswers }[]
}

export interface GuessedList {
  /** As spreadsheets count, from 1. */
  readonly headerRow: number
  readonly header: readonly string[]
  readonly columns: Readonly<Partial<Record<Column, string>>>
  readonly decimal: DecimalSign
  readonly prices?: 'net' | 'gross'
  readonly questions: readonly ListQuestion[]
  /** Columns that the header names: how sure the guess is. */
  readonly known: number
}

export type Rows = readonly (readonly string[])[]

/** Rows above the header are titles and addresses. */
const HEADER_WITHIN = 30
const ROWS_LOOKED_AT = 200
/** As many rows as the guess looks at. */
export const ROWS_GUESSED_FROM = HEADER_WITHIN + ROWS_LOOKED_AT
const CHOICES_MAX = 12

/** Header texts by column, the surest first. Compared in small letters, without signs. */
const NAMES: readonly (readonly [Column, RegExp])[] = [
  [
    'barcode',
    /^(?:upc|ean|gtin|upc (?:code|no)|unit upc|ean code|ean ?13|gtin ?1[34]|bar ?code|strichcode|code ?barres?|codigo de barras|codice a barre|条码|条形码|商品条码)$/,
  ],
  [
    'sku',
    /^(?:sku|sku (?:no|number|code)|id|item|itm|item (?:no|nr|num|number|code|id)|itm (?:no|nr)|prod (?:no|code|id)|article|article (?:no|number|code)|art(?:ikel)? ?(?:nr|no|nummer)|product (?:no|code|id|number)|stock (?:code|no)|code|code article|ref|reference|codigo|cod|codice|codice articolo|referencia|plu|货号|编号|编码|商品编码|商品编号|商品代码|商品货号|产品编号|产品编码)$/,
  ],
  [
    'title',
    /^(?:title|name|description|desc|descr|product|product (?:name|description|desc)|item (?:name|description|desc)|prod desc|artikel|artikelbezeichnung|artikelname|bezeichnung|beschreibung|produkt|produktname|designation|libelle|produit|article name|descripcion|producto|nombre|descrizione|prodotto|articolo|品名|名称|商品名称|产品名称|商品|产品)$/,
  ],
  [
    'each_price',
    /^(?:each|ea|each (?:price|cost)|price each|price ea|ea (?:price|cost)|single price|price per (?:item|piece|can|bottle|each)|stuckpreis|stk preis|preis (?:pro |je )?(?:stk|stuck|flasche|dose)|prix (?:a la |par )?piece|precio (?:por )?(?:ud|unidad|pieza)|prezzo (?:al )?pezzo|单瓶价|单支价|单听价|每瓶价格|零售单价)$/,
  ],
  [
    'pack_price',
    /^(?:case|case price|price (?:per )?case|case cost|cost (?:per )?(?:case|cs)|(?:cs|ctn|bx) (?:price|cost)|price (?:per )?(?:cs|ctn|bx)|box (?:price|cost)|carton (?:price|cost)|pack (?:price|cost)|price (?:per )?(?:pack|box|carton)|kartonpreis|kollipreis|(?:vp?e|kolli) preis|preis (?:(?:pro|je) )?(?:vp?e|karton|kolli|gebinde)|prix (?:du |par |au )?(?:carton|colis)(?: ht| ttc| net)?|precio (?:por )?caja|prezzo (?:a )?(?:cartone|confezione)|箱价|整箱价|每箱价格|件价|整件价|每件价格)$/,
  ],
  [
    'pack_size',
    /^(?:(?:qty|units|pcs|count|quantity|items|bottles)(?: per| a)? (?:case|cs|box|carton|ctn|pack)|(?:case|cs) (?:qty|count|ct|pack|pk|size|sz)|(?:pack|pk) qty|pcb|par combien|stuck (?:pro |je )?(?:vp?e|karton)|inhalt vp?e|(?:unites|uvc) par (?:carton|colis)|uds (?:por )?caja|u caja|unidades (?:por )?caja|pezzi (?:per )?cartone|入数|装箱数|装箱量|箱规|件装数|每箱数量|每件数量)$/,
  ],
  [
    'pack',
    /^(?:pack|pack ?(?:size|sz)|pk ?(?:size|sz)?|(?:pack|pk) unit|size pack|pkg|pkg size|packing|packaging|package|uom|um|unit|unit size|unit of measure|size|sz|vp?e|kolli|verpackung|verpackungseinheit|gebinde|gebindegro(?:ss|ß)e|einheit|conditionnement|condt?|colisage|colis|unite|envase|formato|presentacion|confezione|imballo|规格|包装|包装规格|装箱规格|单位)$/,
  ],
  [
    'tax',
    /^(?:tax|tax rate|vat|vat rate|vat percent|sales tax|mwst|mwst satz|ust|steuer|tva|taux tva|iva|tipo iva|aliquota iva|税率|增值税)$/,
  ],
  ['brand', /^(?:brand|manufacturer|marke|hersteller|marque|marca|品牌)$/],
  ['category', /^(?:category|department|group|kategorie|warengruppe|categorie|famille|categoria|familia|类别|分类)$/],
  ['stock', /^(?:stock|on hand|qty on hand|inventory|bestand|lagerbestand|existencias|giacenza|库存)$/],
  [
    'on_shelf',
    /^(?:status|stat|active|available|avail|availability|in stock|stock status|item status|on sale|verfugbar|verfugbarkeit|statut|disponibilite|disponibilidad|estado|stato|状态|上架|是否有货|供货状态)$/,
  ],
]
/** Of one unit, which may be one item or one pack. */
const PRICE =
  /^(?:price|net price|list price|cost|unit price|price (?:per )?unit|your (?:price|cost)|wholesale price|preis|nettopreis|einzelpreis|ek|ek preis|prix|prix ht|prix ttc|prix unitaire|prix net|tarif|precio|precio unitario|precio neto|prezzo|prezzo unitario|prezzo netto|价格|单价|进价|批发价|供货价|含税价|不含税价|含税单价)$/
/** Beside the price of a pack it is that of one item. */
const UNIT_PRICE =
  /^(?:unit|units|unit (?:price|cost)|(?:price|cost) (?:per )?unit|einzelpreis|prix unitaire|precio unitario|prezzo unitario|单价)$/
/** Of two prices the one that is paid. */
const OWN_PRICE = /\b(?:your|net|netto|nettopreis|neto|ht)\b|进价|供货价|批发价/
/** In the header of a price, and beside the word for tax above it. */
const NET = /\b(?:net|netto|nettopreis|neto|ht|excl)\b|不含税|未税/u
const GROSS = /\b(?:gross|brutto|bruttopreis|ttc|incl|inkl)\b|(?<!不)含税/u
const TAX = String.raw`(?:tax|taxes|vat|mwst|ust|steuer|mehrwertsteuer|tva|taxes?|iva)`
const NET_NOTE = new RegExp(
  String.raw`\b(?:excl|excluding|exclusive|without|net of|plus|zzgl|zuzüglich|ohne|hors|sin|più|esclusa)\b.{0,20}\b${TAX}\b|\b${TAX} (?:esclusa|extra)\b|不含税|未税`,
  'u',
)
const GROSS_NOTE = new RegExp(
  String.raw`\b(?:incl|including|inclusive|with|inkl|einschließlich|mit|ttc|toutes|con)\b.{0,20}\b${TAX}\b|\b${TAX} (?:incluido|incluida|inclusa|comprise)\b|(?<!不)含税`,
  'u',
)

/** Of article numbers, in plain letters. */
export const SKU_HEADER: RegExp = new Map(NAMES).get('sku') ?? /^sku$/

/** `Price (USD)` and `Price $` are the same column as `Price`; `Case $` is a price, too. */
export const plainHeader = (text: string): string => {
  const plain = plainWords(text)
  return /\p{Sc}/u.test(text) && plain !== '' && !SAYS_PRICE.test(plain) ? `${plain} price` : plain
}
const SAYS_PRICE = /price|cost|preis|prix|precio|prezzo|tarif|价|each|\bek\b/

const plainWords = (text: string): string =>
  headerText(text)
    .replaceAll(/\(.*?\)|（.*?）/gu, ' ')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/\b(?:usd|eur|gbp|cny|rmb|chf)\b/g, ' ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

interface GuessOptions {
  /** Its numbers are numbers, written here with a point: only texts tell of a decimal sign. */
  readonly isWorkbook?: boolean
}

/** Undefined: no row can be the header. */
export function guessList(
  rows: Rows,
  said: ListAnswers = {},
  { isWorkbook = false }: GuessOptions = {},
): GuessedList | undefined {
  const found = said.skip_rows === undefined ? findHeader(rows) : headerAt(rows, said.skip_rows)
  if (!found) return undefined
  const questions: ListQuestion[] = []
  const columns = columnsBySaid(found, said)
  askForTitle(found, columns, said, questions)
  askForPrice(found, columns, said, questions)
  askForNumber(found, columns, said, questions)
  const decimal = said.decimal ?? guessDecimal(found, columns, questions, isWorkbook)
  const prices = said.prices ?? guessTax(rows, found, columns)
  if (prices === undefined)
    questions.push({
      code: 'prices',
      text: 'Are the prices without tax or with it?',
      choices: [
        { label: 'without tax (net)', answers: { prices: 'net' } },
        { label: 'with tax (gross)', answers: { prices: 'gross' } },
      ],
    })
  return {
    headerRow: found.skipRows + 1,
    header: found.header,
    columns,
    decimal,
    prices: prices ?? 'net',
    questions,
    known: found.known,
  }
}

interface FoundHeader {
  readonly known: number
  readonly skipRows: number
  readonly header: readonly string[]
  readonly rows: Rows
}

type Columns = Partial<Record<Column, string>>

function headerAt(rows: Rows, skipRows: number): FoundHeader | undefined {
  const cells = rows[skipRows]
  if (!cells || isBlankRow(cells)) return undefined
  const header = cells.map(headerText)
  const below = rows.slice(skipRows + 1, skipRows + 1 + ROWS_LOOKED_AT).filter((row) => !isBlankRow(row))
  const known = Object.keys(namedColumns({ header, rows: below })).length + (header.some(isPrice) ? 1 : 0)
  return { known, skipRows, header, rows: below }
}

const isPrice = (cell: string): boolean => PRICE.test(plainHeader(cell))

/** The row that names most columns; where none names two, the first one with words above rows with numbers. */
function findHeader(rows: Rows): FoundHeader | undefined {
  const candidates = rows.slice(0, HEADER_WITHIN).flatMap((_, i) => headerAt(rows, i) ?? [])
  const best = candidates.reduce<FoundHeader | undefined>(
    (found, each) => (found && found.known >= each.known ? found : each),
    undefined,
  )
  if (best && best.known >= 2) return best
  return candidates.find(({ header, rows: below }) => {
    const words = header.filter((cell) => cell !== '')
    const numbered = below.slice(0, 5).filter((row) => row.filter((cell) => /\d/.test(cell)).length >= 1)
    return words.length >= 2 && words.every((cell) => !/\d/.test(cell)) && numbered.length >= 1
  })
}

type Table = Pick<FoundHeader, 'header' | 'rows'>

/** `$0.77`, `0.7917`: no size of a pack. `24.00` is a count as spreadsheets export it. */
const isMoney = (cell: string): boolean =>
  /^\p{Sc} ?\d|\d ?\p{Sc}$/u.test(cell) || (/^\d*[.,]\d{2,4}$/.test(cell) && !/[.,]0+$/.test(cell))
const isNumber = (cell: string): boolean => /^\d+(?:[.,]\d+)?$/.test(cell)
/** Beside a column that is called price they may hold how many are in a case. */
const BARE = /^(?:case|each|ea|cs|unit|units)$/

/** Whether the cells may be what the header says. */
function fits(table: Table, name: string, column: Column): boolean {
  const cells = cellsOf(table, name)
  const areMoney = isMostly(cells, isMoney)
  if (column === 'pack' || column === 'pack_size') return !areMoney
  if (column === 'pack_price' || column === 'each_price')
    return !(
      BARE.test(plainHeader(name)) &&
      table.header.some(isPrice) &&
      isMostly(cells, (cell) => /^\d{1,3}$/.test(cell))
    )
  return column !== 'on_shelf' || !isMostly(cells, (cell) => isNumber(cell) && cell !== '0' && cell !== '1')
}

/** A header that is there twice names nothing: two tables stand side by side. Of several for packs, the one with most sizes counts. */
function namedColumns(table: Table): Columns {
  const { header } = table
  const columns: Columns = {}
  const taken = new Set<string>()
  for (const [column, pattern] of NAMES) {
    const names = header.filter(
      (cell) => cell !== '' && !taken.has(cell) && pattern.test(plainHeader(cell)) && fits(table, cell, column),
    )
    const sizes = (name: string) => cellsOf(table, name).filter((cell) => packTextSize(cell) !== undefined).length
    const [name] = column === 'pack' && names.length > 1 ? names.toSorted((a, b) => sizes(b) - sizes(a)) : names
    if (name === undefined || header.indexOf(name) !== header.lastIndexOf(name)) continue
    columns[column] = name
    taken.add(name)
  }
  const unit = header.find(
    (cell) =>
      cell !== '' &&
      !taken.has(cell) &&
      UNIT_PRICE.test(plainHeader(cell)) &&
      header.indexOf(cell) === header.lastIndexOf(cell),
  )
  if (unit !== undefined && columns.pack_price !== undefined && columns.each_price === undefined) {
    if (isMostly(cellsOf(table, unit), (cell) => isMoney(cell) || isNumber(cell))) columns.each_price = unit
  }
  return columns
}

/** The named columns, changed by what was said. What is no barcode by its cells is none. */
function columnsBySaid(found: FoundHeader, said: ListAnswers): Columns {
  const columns = namedColumns(found)
  const isBarcode = (cell: string) => barcodeOf(cell) !== undefined
  if (columns.barcode !== undefined && !isMostly(cellsOf(found, columns.barcode), isBarcode)) delete columns.barcode
  const barcode = freeHeaders(found, columns).find((name) => isMostly(cellsOf(found, name), isBarcode))
  if (columns.barcode === undefined && barcode !== undefined && !isPrice(barcode)) columns.barcode = barcode
  const answers = Object.entries(said.columns ?? {}) as (readonly [Column, string | null])[]
  for (const [, name] of answers)
    for (const column of Object.keys(columns) as Column[]) if (columns[column] === name) delete columns[column]
  for (const [column, name] of answers) {
    if (name === null) delete columns[column]
    else columns[column] = name
  }
  return columns
}

/** Headers that no column has. One that is there twice cannot be named. */
const freeHeaders = ({ header }: FoundHeader, columns: Columns): readonly string[] => {
  const taken = new Set(Object.values(columns))
  return header.filter((name) => name !== '' && !taken.has(name) && header.indexOf(name) === header.lastIndexOf(name))
}

const cellsOf = ({ header, rows }: Table, name: string | undefined): readonly string[] => {
  const place = name === undefined ? -1 : header.indexOf(name)
  return place === -1 ? [] : rows.map((row) => row[place] ?? '').filter((cell) => cell !== '')
}

const isMostly = (cells: readonly string[], test: (cell: string) => boolean): boolean =>
  cells.length > 0 && cells.filter(test).length * 2 > cells.length

const byScore = <T>(entries: readonly T[], scoreOf: (entry: T) => number): readonly T[] =>
  entries.toSorted((a, b) => scoreOf(b) - scoreOf(a)).slice(0, CHOICES_MAX)

type Ask = (found: FoundHeader, columns: Columns, said: ListAnswers, questions: ListQuestion[]) => void

/** The column with the longest words is proposed. */
const askForTitle: Ask = (found, columns, said, questions) => {
  if (columns.title !== undefined) return
  const letters = (name: string) =>
    cellsOf(found, name).reduce((sum, cell) => sum + (cell.match(/\p{L}/gu)?.length ?? 0), 0)
  const [first, ...others] = byScore(freeHeaders(found, columns), letters)
  if (first === undefined) return
  columns.title = first
  questions.push({
    code: 'title',
    text: 'Which column has the names of the products?',
    choices: [first, ...others].map((name) => ({ label: name, answers: { columns: { title: name } } })),
  })
}

const looksLikePrice = (cell: string): boolean => /^\D{0,4}\d[\d., ]*[.,]\d{2}\D{0,4}$/.test(cell)

/** A price whose header says no more than that: it is that of a pack wherever a column may hold packs. */
const askForPrice: Ask = (found, columns, said, questions) => {
  if (columns.pack_price !== undefined || columns.each_price !== undefined) return
  const free = freeHeaders(found, columns)
  const named = free.filter(isPrice)
  const amounts = (name: string) => cellsOf(found, name).filter(looksLikePrice).length
  const candidates =
    named.length > 0
      ? named.toSorted((a, b) => Number(OWN_PRICE.test(plainHeader(b))) - Number(OWN_PRICE.test(plainHeader(a))))
      : byScore(free, amounts)
  const [price] = candidates
  if (price === undefined) return
  const pack = columns.pack ?? columns.pack_size
  const asPack = (name: string): ListAnswers => ({ columns: { pack_price: name, each_price: null } })
  const asOne = (name: string): ListAnswers => ({ columns: { each_price: name, pack_price: null } })
  const ofOne = (name: string) => ({ label: `"${name}", the price of one item`, answers: asOne(name) })
  const ofPack = (name: string) =>
    pack === undefined
      ? []
      : [{ label: `"${name}", the price of a pack (its size is in "${pack}")`, answers: asPack(name) }]
  const withSize = free
    .filter((name) => pack === undefined && name !== price)
    .map((name) => ({
      label: `"${price}", the price of a pack (its size is in "${name}")`,
      answers: { columns: { pack_price: price, each_price: null, pack: name } },
    }))
  columns[pack === undefined ? 'each_price' : 'pack_price'] = price
  questions.push({
    code: named.length === 1 ? 'price_unit' : 'price',
    text: 'Which price counts, and for what: one item or a pack?',
    choices: [...candidates.flatMap((name) => [...ofPack(name), ofOne(name)]), ...withSize].slice(0, CHOICES_MAX),
  })
}

/** Only where a column may hold article numbers: a list may have none. */
const askForNumber: Ask = (found, columns, said, questions) => {
  if (columns.sku !== undefined || said.columns?.sku === null) return
  const isNumber = (name: string): boolean => {
    const cells = cellsOf(found, name)
    return (
      cells.length > 0 &&
      cells.filter(isUsableSku).length * 10 >= cells.length * 9 &&
      new Set(cells).size * 20 >= cells.length * 19 &&
      !isMostly(cells, looksLikePrice)
    )
  }
  const names = freeHeaders(found, columns).filter(isNumber).slice(0, CHOICES_MAX)
  if (names.length === 0) return
  const none = {
    label: `none: ${columns.barcode === undefined ? 'the name' : 'the barcode'} stands for it`,
    answers: { columns: { sku: null } },
  }
  questions.push({
    code: 'sku',
    text: 'Which column has the article numbers?',
    choices: [none, ...names.map((name) => ({ label: `"${name}"`, answers: { columns: { sku: name } } }))],
  })
}

/** By one or two digits behind a sign; three may be thousands. */
function guessDecimal(
  found: FoundHeader,
  columns: Columns,
  questions: ListQuestion[],
  isWorkbook: boolean,
): DecimalSign {
  const cells = [columns.pack_price, columns.each_price].flatMap((name) => cellsOf(found, name))
  const having = (pattern: RegExp) => cells.filter((cell) => pattern.test(cell)).length
  const commas = having(/\d,\d{1,2}(?!\d)(?!.*\.\d)/)
  const points = isWorkbook ? 0 : having(/\d\.\d{1,2}(?!\d)(?!.*,\d)|^\D*\.\d{1,2}(?!\d)/)
  const open = isWorkbook ? 0 : having(/\d[.,]\d{3}(?!\d)/)
  const decimal = commas > points ? ',' : '.'
  if (Math.min(commas, points) > 0 || (commas + points === 0 && open > 0)) {
    const example = cells.find((cell) => /\d[.,]\d/.test(cell)) ?? ''
    const choice = (sign: DecimalSign) => ({
      label: sign === '.' ? 'a point, as in 13.49' : 'a comma, as in 13,49',
      answers: { decimal: sign },
    })
    questions.push({
      code: 'decimal',
      text: `What is the decimal sign of the prices (such as ${example.slice(0, 20)})?`,
      choices: decimal === '.' ? [choice('.'), choice(',')] : [choice(','), choice('.')],
    })
  }
  return decimal
}

/** By the headers of the prices, and what stands above the header. */
function guessTax(rows: Rows, { skipRows }: FoundHeader, columns: Columns): 'net' | 'gross' | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
  const headers = [columns.pack_price ?? '', columns.each_price ?? ''].map(plain)
  const above = rows.slice(0, skipRows).flat().map(plain)
  const says = (inHeader: RegExp, inNote: RegExp) =>
    headers.some((text) => inHeader.test(text)) || above.some((text) => inNote.test(text))
  const [isNet, isGross] = [says(NET, NET_NOTE), says(GROSS, GROSS_NOTE)]
  return isNet === isGross ? undefined : isNet ? 'net' : 'gross'
}
