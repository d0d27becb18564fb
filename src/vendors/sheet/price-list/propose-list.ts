/**
 * What a file would be as the price list of a supplier, for whoever adds it: the console, REST and `vendops connect`.
 *
 * In go the bytes of the file and the answers that were given so far; out come settings of `catalog`, three example products, how
 * much of the list is understood, and the questions that stay open. A choice of a question has answers; merged into those given
 * (`mergeAnswers`) and proposed again, they change that one thing and keep the rest. Nothing is stored.
 *
 * Pure and synchronous; for the thread that serves requests there is `proposeAside` (examine-aside.ts), which does the same in the
 * thread that reads lists.
 */
import { formatAmount } from '../../../kernel/currency.ts'
import { count } from '../../../kernel/text.ts'
import { describeProduct } from '../../describe-product.ts'
import { decodeText, parseRows } from '../documents/csv/csv-text.ts'
import type { CatalogSettings } from '../settings.ts'
import { EnoughRows, isWorkbook, oldWorkbookProblem, readWorkbook } from '../workbook/workbook.ts'
import { problemOf, readList, wholeLines } from './examine-list.ts'
import { guessEncoding } from './guess-encoding.ts'
import {
  type GuessedList,
  type ListAnswers,
  type ListQuestion,
  ROWS_GUESSED_FROM,
  type Rows,
  guessList,
} from './guess-list.ts'
import { sizeProblem } from './list-file.ts'
import { type ReadList, type Remark, byProduct, isWaiting } from './listed-products.ts'
import { unitPriceOf } from './price-jumps.ts'

export interface FileToPropose {
  readonly bytes: Uint8Array
  /** ISO 4217, of the deployment. */
  readonly currency: string
  /** `2026-11-17` */
  readonly today: string
  /** See ProposalFile. */
  readonly sellingPrices?: ReadonlyMap<string, number>
  /** What was said so far; at first nothing. */
  readonly answers?: ListAnswers
}

export interface ListProposal {
  readonly kind: 'csv' | 'xlsx' | 'ods' | 'ubl-catalogue' | 'x12-catalogue'
  /** For the connection: all members of `catalog` but the file. Only what differs from its default. */
  readonly settings: Omit<CatalogSettings, 'file'>
  /** As spreadsheets count, from 1. */
  readonly headerRow: number
  /** Header texts, for whoever changes a column. */
  readonly header: readonly string[]
  /** The visible sheets of a workbook. */
  readonly sheets: readonly string[]
  /** `Coca-Cola 12oz: case of 24 $13.49 = $0.56 each`; at most three. */
  readonly examples: readonly string[]
  readonly reading: ListReading
  /** What stays open. The list may be used all the same: the first choice of each is what the settings have. */
  readonly questions: readonly ListQuestion[]
}

/** What the settings make of the list. */
export type ListReading =
  | {
      readonly ok: true
      /** Those that are for sale. */
      readonly products: number
      readonly notForSale: number
      /** Articles whose pack needs a word, and the first of their texts with the number of articles. */
      readonly waiting: number
      readonly packs: readonly { readonly text: string; readonly articles: number }[]
      /** Products that cannot be read, the first of them, and rows that are none: headings, sums. */
      readonly leftOut: number
      readonly examplesLeftOut: readonly { readonly where: string; readonly reason: string }[]
      readonly otherRows: number
      readonly notes: readonly string[]
    }
  | { readonly ok: false; readonly problem: string }

export interface NoProposal {
  /** Why the file cannot be a list, as a sentence. */
  readonly problem: string
}

/** Later answers come before earlier ones, column by column. */
export const mergeAnswers = (said: ListAnswers, more: ListAnswers): ListAnswers => ({
  ...said,
  ...more,
  ...((said.columns ?? more.columns) && { columns: { ...said.columns, ...more.columns } }),
})

const EXAMPLES = 3
const PACKS_SHOWN = 20
const LEFT_OUT_SHOWN = 50
const SHEETS_TRIED = 8
const DELIMITERS = [',', ';', '\t', '|']
const CHARACTERS_LOOKED_AT = 256 * 1024
const NO_LIST =
  'this is no price list: it should be an Excel (.xlsx), OpenDocument (.ods) or CSV file, a UBL catalogue or an X12 832'
const NO_HEADER = 'no row of the list looks like a header above articles and prices'

export function proposeList({
  bytes,
  answers = {},
  sellingPrices,
  ...facts
}: FileToPropose): ListProposal | NoProposal {
  const problem = sizeProblem(bytes.length) ?? oldWorkbookProblem(bytes)
  if (problem !== undefined) return { problem }
  const found = isWorkbook(bytes) ? inWorkbook(bytes, answers) : (documentIn(bytes) ?? inText(bytes, answers))
  if ('problem' in found) return found
  const { whole } = wholeLines(bytes, { file: '', ...found.settings })
  const first = readList(whole, { file: '', ...found.settings }, facts)
  const [remark] = first.ok && answers.columns?.on_shelf === undefined ? (first.remarks ?? []) : []
  const settings = remark ? withShelf(found.settings, remark.header) : found.settings
  const list = remark ? readList(whole, { file: '', ...settings }, facts) : first
  if (!list.ok && found.kind === found.settings.format) return { problem: list.problem }
  return {
    ...found,
    settings,
    questions: [...found.questions, ...(remark ? [askAboutRemark(remark)] : [])],
    examples: list.ok ? examplesOf(list, facts.currency) : [],
    reading: list.ok
      ? describeReading(list, dearArticles(list, sellingPrices, facts.currency))
      : { ok: false, problem: list.problem },
  }
}

const withShelf = (settings: Found['settings'], header: string): Found['settings'] => ({
  ...settings,
  columns: { ...settings.columns, on_shelf: header },
})

/** A column of remarks may say more than that, so a person decides. */
const askAboutRemark = ({ header, rows, example }: Remark): ListQuestion => ({
  code: 'on_shelf',
  text: `The column "${header}" says of ${count(rows, 'article')} that ${rows === 1 ? 'it is' : 'they are'} not to be had ("${example}"). Leave ${rows === 1 ? 'it' : 'them'} out?`,
  choices: [
    {
      label: rows === 1 ? 'yes, it is not ordered' : 'yes, they are not ordered',
      answers: { columns: { on_shelf: header } },
    },
    { label: 'no, the column says nothing about that', answers: { columns: { on_shelf: null } } },
  ],
})

type Found = Omit<ListProposal, 'examples' | 'reading'>

const catalogue = (kind: 'ubl-catalogue' | 'x12-catalogue'): Found => ({
  kind,
  settings: { format: kind },
  headerRow: 0,
  header: [],
  sheets: [],
  questions: [],
})

/** A document whose format says where everything is. */
const documentIn = (bytes: Uint8Array): Found | undefined =>
  isXml(bytes) ? catalogue('ubl-catalogue') : isX12(bytes) ? catalogue('x12-catalogue') : undefined

const isX12 = (bytes: Uint8Array): boolean => /^\s*ISA[^\w\s]/.test(new TextDecoder().decode(bytes.subarray(0, 20)))

const isXml = (bytes: Uint8Array): boolean =>
  /^\s*<(?:\?xml|[\w:]*Catalogue)/.test(new TextDecoder().decode(bytes.subarray(0, 200)))

/** Only what differs from its default is written; a header text that is no column is left out. */
function settingsOf(
  { headerRow, columns, decimal, prices }: GuessedList,
  more: Pick<ListAnswers, 'sheet' | 'encoding' | 'delimiter'>,
): Found['settings'] {
  return {
    format: 'table',
    ...(more.sheet !== undefined && { sheet: more.sheet }),
    ...(more.encoding !== undefined && more.encoding !== 'utf-8' && { encoding: more.encoding }),
    ...(more.delimiter !== undefined && more.delimiter !== ',' && { delimiter: more.delimiter }),
    ...(decimal !== '.' && { decimal }),
    ...(headerRow > 1 && { skip_rows: headerRow - 1 }),
    columns,
    ...(prices && { prices }),
  }
}

/** The first rows of a sheet, each in its place. */
function firstRows(bytes: Uint8Array, sheet: string | undefined) {
  const rows: (readonly string[])[] = []
  const report = readWorkbook(bytes, { sheet, decimal: '.' }, (cells, row) => {
    if (row > ROWS_GUESSED_FROM) throw new EnoughRows()
    while (rows.length < row - 1) rows.push([])
    rows.push(cells)
  })
  return { rows, report }
}

function inWorkbook(bytes: Uint8Array, said: ListAnswers): Found | NoProposal {
  const { report, rows } = firstRows(bytes, said.sheet)
  if ('problem' in report) return report
  const { sheets, kind } = report
  const tried = [{ name: report.sheet, rows }]
  if (said.sheet === undefined)
    for (const name of sheets.filter((each) => each !== report.sheet).slice(0, SHEETS_TRIED - 1))
      tried.push({ name, rows: firstRows(bytes, name).rows })
  const guessed = tried
    .flatMap(({ name, rows: some }) => {
      const guess = guessList(some, said, { isWorkbook: true })
      return guess ? [{ name, guess }] : []
    })
    .filter(({ guess }, _, all) => guess.known >= 2 || all.length === 1)
    .toSorted((a, b) => b.guess.known - a.guess.known)
  const [best] = guessed
  if (!best) return { problem: NO_HEADER }
  const question: ListQuestion = {
    code: 'sheet',
    text: 'Which sheet is the price list?',
    choices: guessed.map(({ name }) => ({ label: name, answers: { sheet: name } })),
  }
  return {
    kind,
    settings: settingsOf(best.guess, best.name === sheets[0] ? {} : { sheet: best.name }),
    headerRow: best.guess.headerRow,
    header: best.guess.header,
    sheets,
    questions: [...(guessed.length > 1 ? [question] : []), ...best.guess.questions],
  }
}

function inText(bytes: Uint8Array, said: ListAnswers): Found | NoProposal {
  const encoding = said.encoding ?? guessEncoding(bytes)
  if (encoding === undefined) return { problem: NO_LIST }
  const text = decodeText(bytes, encoding)
  if (text === undefined) return { problem: `the file is not ${encoding} text` }
  const start = text.slice(0, CHARACTERS_LOOKED_AT)
  const lines = start.length < text.length ? start.slice(0, start.lastIndexOf('\n') + 1) : start
  const delimiters = said.delimiter === undefined ? DELIMITERS : [said.delimiter]
  const [best] = delimiters
    .flatMap((delimiter) => {
      const parsed = parseRows(lines, delimiter)
      const rows: Rows = parsed.ok ? parsed.rows.slice(0, ROWS_GUESSED_FROM) : []
      const guess = guessList(rows, said)
      return guess ? [{ delimiter, guess }] : []
    })
    .toSorted((a, b) => b.guess.known - a.guess.known || b.guess.header.length - a.guess.header.length)
  if (!best) return { problem: NO_HEADER }
  return {
    kind: 'csv',
    settings: settingsOf(best.guess, { encoding, delimiter: best.delimiter }),
    headerRow: best.guess.headerRow,
    header: best.guess.header,
    sheets: [],
    questions: best.guess.questions,
  }
}

/** Packs first: their prices are the ones that are misread. From all over the list. */
function examplesOf({ products }: ReadList, currency: string): readonly string[] {
  const forSale = products.filter(({ isForSale }) => isForSale)
  const packs = forSale.filter(({ units }) => units !== 'each')
  const chosen = packs.length >= EXAMPLES ? packs : [...packs, ...forSale.filter(({ units }) => units === 'each')]
  const places = [0, Math.floor(chosen.length / 2), chosen.length - 1]
  const examples = new Set(places.flatMap((place) => chosen[place] ?? []))
  return [...examples].map((product) => describeProduct(product, currency))
}

const DEAR_NAMED = 5

/** Articles that cost more than their product sells for: most likely a pack that was read for one item. Nothing is changed. */
function dearArticles(
  { products }: ReadList,
  sellingPrices: FileToPropose['sellingPrices'] = new Map(),
  currency: string,
): readonly string[] {
  const dear = products.flatMap((product) => {
    const soldFor = sellingPrices.get(product.vendorSku)
    const cost = unitPriceOf(product)
    return soldFor !== undefined && soldFor > 0 && cost > soldFor ? [{ product, soldFor, cost }] : []
  })
  const amount = (minor: number) => formatAmount(Math.round(minor), currency)
  const named = dear
    .toSorted((a, b) => b.cost / b.soldFor - a.cost / a.soldFor)
    .slice(0, DEAR_NAMED)
    .map(
      ({ product, soldFor, cost }) =>
        `${product.title} (${product.vendorSku}): one costs ${amount(cost)} in this list and sells for ${amount(soldFor)}. Is the size of its pack right?`,
    )
  const more = dear.length - named.length
  return more > 0 ? [...named, `${count(more, 'more article')} cost more than they sell for`] : named
}

function describeReading(
  { products, asked, leftOut, unreadable, notes = [] }: ReadList,
  questions: readonly string[],
): ListReading {
  const waiting = asked.filter(({ contains }) => contains === undefined)
  const forSale = products.filter(({ isForSale }) => isForSale).length
  // One that is asked about and has another row that cannot be read waits.
  const asking = new Set(waiting.map(({ vendorSku }) => vendorSku))
  const unread = byProduct(unreadable).filter((entry) => !isWaiting(entry) && !asking.has(entry.vendorSku ?? ''))
  const off = leftOut.find(({ reason }) => reason === 'not_for_sale')?.count ?? 0
  const byText = Map.groupBy(waiting, ({ text }) => text)
  return {
    ok: true,
    products: forSale,
    notForSale: products.length - forSale + off,
    waiting: waiting.length,
    packs: [...byText]
      .map(([text, packs]) => ({ text, articles: packs.length }))
      .toSorted((a, b) => b.articles - a.articles)
      .slice(0, PACKS_SHOWN),
    leftOut: unread.length,
    examplesLeftOut: unread.slice(0, LEFT_OUT_SHOWN).map((entry) => ({
      where: [`row ${entry.row}`, entry.vendorSku].filter(Boolean).join(', '),
      reason: problemOf(entry),
    })),
    otherRows: leftOut.reduce((sum, entry) => sum + entry.count, 0) - unreadable.length - off,
    notes: [...questions, ...notes],
  }
}

/** `298 products; 9 not for sale; 12 wait for the size of their pack; 4 products left out; 20 rows without a product` */
export const describeProposal = (reading: ListReading): string =>
  reading.ok
    ? [
        count(reading.products, 'product'),
        ...(reading.notForSale > 0 ? [`${reading.notForSale} not for sale`] : []),
        ...(reading.waiting > 0 ? [`${reading.waiting} wait for the size of their pack`] : []),
        ...(reading.leftOut > 0 ? [`${count(reading.leftOut, 'product')} left out`] : []),
        ...(reading.otherRows > 0 ? [`${count(reading.otherRows, 'row')} without a product`] : []),
      ].join('; ')
    : `it cannot be read yet: ${reading.problem}`
