/**
 * How a price list is written, guessed from its bytes: encoding, separator, decimal sign, the row of the header and what its
 * columns hold. Only proposed to a person, with example products; nothing is read by a guess that nobody confirmed.
 */
import { type Encoding, ENCODINGS, decodeText, headerText, isBlankRow, parseRows } from '../documents/csv/csv-text.ts'
import { barcodeOf } from './listed-products.ts'
import { EnoughRows, isWorkbook, oldWorkbookProblem, readWorkbook } from '../workbook/workbook.ts'
import type { Column } from './price-list.ts'

export interface GuessedList {
  readonly encoding: Encoding
  readonly delimiter: string
  readonly decimal: '.' | ','
  readonly skipRows: number
  readonly header: readonly string[]
  readonly columns: Readonly<Partial<Record<Column, string>>>
}

const DELIMITERS = [',', ';', '\t', '|']
/** Rows above the header are titles and addresses. */
const HEADER_WITHIN = 30
const ROWS_LOOKED_AT = 200
const BYTES_LOOKED_AT = 256 * 1024

/** Header texts by column, the surest first. Compared in small letters, without signs. */
const NAMES: readonly (readonly [Column, RegExp])[] = [
  [
    'barcode',
    /^(?:upc|ean|gtin|upc code|ean code|bar ?code|strichcode|code barres?|codigo de barras|codice a barre|条码|条形码)$/,
  ],
  [
    'sku',
    /^(?:sku|item|item (?:no|nr|number|code|id)|article|article (?:no|number|code)|art (?:nr|no)|artikel ?(?:nr|nummer)|product (?:no|code|id|number)|code|ref|reference|codigo|codice|货号|编号|编码|商品编码|商品编号|商品代码)$/,
  ],
  [
    'title',
    /^(?:title|name|description|product|product (?:name|description)|item (?:name|description)|artikel|artikelbezeichnung|bezeichnung|beschreibung|produkt|designation|libelle|produit|article name|descripcion|producto|nombre|descrizione|prodotto|articolo|品名|名称|商品名称|产品名称|商品)$/,
  ],
  [
    'each_price',
    /^(?:each|each price|price each|unit price|price (?:per )?unit|price ea|ea price|single price|stuckpreis|preis (?:pro|je) stuck|einzelpreis|prix unitaire|precio unitario|precio unidad|prezzo unitario|单价|单瓶价|零售单价)$/,
  ],
  [
    'pack_price',
    /^(?:case|case price|price (?:per )?case|case cost|cs price|box price|carton price|pack price|price (?:per )?pack|kartonpreis|ve preis|preis (?:pro|je) (?:ve|karton)|prix (?:du )?(?:carton|colis)|precio (?:por )?caja|prezzo (?:a )?(?:cartone|confezione)|箱价|整箱价|每箱价格|件价)$/,
  ],
  [
    'pack_size',
    /^(?:(?:qty|units|pcs|count|quantity|items|bottles)(?: per| a)? (?:case|cs|box|carton|ctn|pack)|case (?:qty|count|pack|size)|pack qty|stuck (?:pro |je )?(?:ve|karton)|inhalt ve|uds caja|unidades (?:por )?caja|pezzi (?:per )?cartone|入数|装箱数|箱规|每箱数量)$/,
  ],
  [
    'pack',
    /^(?:pack|pack ?size|packing|packaging|package|uom|unit|unit of measure|size|ve|verpackung|verpackungseinheit|gebinde|einheit|conditionnement|colisage|envase|formato|presentacion|confezione|规格|包装|包装规格|单位)$/,
  ],
  ['brand', /^(?:brand|manufacturer|marke|marque|marca|品牌)$/],
  ['category', /^(?:category|department|group|kategorie|warengruppe|categorie|categoria|familia|类别|分类)$/],
  ['stock', /^(?:stock|on hand|qty on hand|inventory|bestand|lagerbestand|existencias|giacenza|库存)$/],
  ['on_shelf', /^(?:status|active|available|availability|verfugbar|statut|disponibilite|estado|stato|状态|上架)$/],
]
/** `Price` alone: that of the pack where another column holds packs. */
const PRICE =
  /^(?:price|net price|list price|cost|your (?:price|cost)|preis|nettopreis|ek|prix|prix ht|tarif|precio|prezzo|价格|进价|批发价|供货价)$/

const plainHeader = (text: string): string =>
  headerText(text)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

export function guessList(bytes: Uint8Array): GuessedList | { readonly problem: string } {
  const problem = oldWorkbookProblem(bytes)
  if (problem !== undefined) return { problem }
  if (isWorkbook(bytes)) {
    const rows: (readonly string[])[] = []
    const read = readWorkbook(bytes, { decimal: '.' }, (cells, row) => {
      while (rows.length < row - 1) rows.push([])
      rows.push(cells)
      if (row > HEADER_WITHIN + ROWS_LOOKED_AT) throw new EnoughRows()
    })
    return 'problem' in read ? read : describe(findHeader(rows, ','), 'utf-8')
  }
  const encoding = ENCODINGS.find((each) => each !== 'windows-1252' && decodeText(bytes, each) !== undefined)
  const written = encoding === 'gb18030' && !hasHan(bytes) ? 'windows-1252' : (encoding ?? 'windows-1252')
  const text = decodeText(bytes, written)
  if (text === undefined) return { problem: 'the file is no text: save the list as CSV UTF-8' }
  const start = text.slice(0, BYTES_LOOKED_AT)
  const lines = start.length < text.length ? start.slice(0, start.lastIndexOf('\n') + 1) : start
  const found = DELIMITERS.flatMap((delimiter) => {
    const parsed = parseRows(lines, delimiter)
    return parsed.ok ? [findHeader(parsed.rows, delimiter)] : []
  }).reduce((best, each) => (each.known > best.known ? each : best), NOTHING)
  return describe(found, written)
}

function describe(found: FoundHeader, encoding: Encoding): GuessedList | { readonly problem: string } {
  if (found.known < 2)
    return { problem: 'no row of the list looks like a header with an article number, a name and a price' }
  const columns = completeColumns(found)
  const prices = cellsOf(found, columns.pack_price ?? columns.each_price)
  const commas = prices.filter((cell) => /,\d{2}(?!\d)/.test(cell)).length
  const points = prices.filter((cell) => /\.\d{2}(?!\d)/.test(cell)).length
  return {
    encoding,
    delimiter: found.delimiter,
    decimal: commas > points ? ',' : '.',
    skipRows: found.skipRows,
    header: found.header,
    columns,
  }
}

const hasHan = (bytes: Uint8Array): boolean => /\p{Script=Han}{2}/u.test(decodeText(bytes, 'gb18030') ?? '')

interface FoundHeader {
  readonly delimiter: string
  /** Columns that the header names. */
  readonly known: number
  readonly skipRows: number
  readonly header: readonly string[]
  readonly columns: Partial<Record<Column, string>>
  readonly rows: readonly (readonly string[])[]
}

const NOTHING: FoundHeader = { delimiter: ',', known: 0, skipRows: 0, header: [], columns: {}, rows: [] }

function findHeader(rows: readonly (readonly string[])[], delimiter: string): FoundHeader {
  return rows
    .slice(0, HEADER_WITHIN)
    .map((header, skipRows): FoundHeader => {
      const columns = columnsOf(header)
      const known = Object.keys(columns).length + (header.some((cell) => PRICE.test(plainHeader(cell))) ? 1 : 0)
      const below = rows.slice(skipRows + 1, skipRows + 1 + ROWS_LOOKED_AT).filter((row) => !isBlankRow(row))
      return { delimiter, known, skipRows, header: header.map(headerText), columns, rows: below }
    })
    .reduce((best, each) => (each.known > best.known ? each : best), NOTHING)
}

function columnsOf(header: readonly string[]): Partial<Record<Column, string>> {
  const columns: Partial<Record<Column, string>> = {}
  const taken = new Set<string>()
  for (const [column, pattern] of NAMES) {
    const name = header.map(headerText).find((cell) => !taken.has(cell) && pattern.test(plainHeader(cell)))
    if (name === undefined) continue
    columns[column] = name
    taken.add(name)
  }
  return columns
}

const cellsOf = ({ header, rows }: FoundHeader, name: string | undefined): readonly string[] => {
  const place = name === undefined ? -1 : header.indexOf(name)
  return place === -1 ? [] : rows.map((row) => row[place] ?? '').filter((cell) => cell !== '')
}

const isMostly = (cells: readonly string[], test: (cell: string) => boolean): boolean =>
  cells.length > 0 && cells.filter(test).length * 2 > cells.length

/**
 * With a price whose header says no more than that: it is that of the pack wherever a column may hold packs, because the
 * price of a case taken for that of one item costs most. What is no barcode by its cells is left out.
 */
function completeColumns(found: FoundHeader): Partial<Record<Column, string>> {
  const { barcode, ...columns } = found.columns
  const isBarcode = isMostly(cellsOf(found, barcode), (cell) => barcodeOf(cell) !== undefined)
  const price = found.header.find((cell) => PRICE.test(plainHeader(cell)))
  const isPriced = columns.pack_price !== undefined || columns.each_price !== undefined
  const hasPack = columns.pack !== undefined || columns.pack_size !== undefined
  return {
    ...columns,
    ...(barcode !== undefined && isBarcode && { barcode }),
    ...(price !== undefined && !isPriced && (hasPack ? { pack_price: price } : { each_price: price })),
  }
}
