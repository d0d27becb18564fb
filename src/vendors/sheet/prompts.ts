/** What `vendops connect` asks for a `price-list` supplier. */
import { type SettingPrompt, TIME_ZONE_PROMPT } from '../adapter-module.ts'
import { ENCODINGS } from './documents/csv/csv-text.ts'

const tableOnly = { path: 'catalog.format', isOneOf: ['table', 'csv'] }
const orders = { path: 'order.via', isOneOf: ['hand', 'folder', 'email', 'http'] }
const sentBy = (...isOneOf: readonly string[]) => ({ path: 'order.via', isOneOf })

const column = (name: string, holds: string, isOptional = true): SettingPrompt => ({
  path: `catalog.columns.${name}`,
  question: `Price list: header of the column with the ${holds}`,
  ...(isOptional && { isOptional }),
  onlyIf: tableOnly,
  isInGuess: true,
})

const onRequest = (name: string, question: string, rest: Partial<SettingPrompt>): SettingPrompt => ({
  path: `catalog.${name}`,
  question,
  ...rest,
  onlyIf: tableOnly,
  isOnRequest: true,
})

export const PROMPTS: readonly SettingPrompt[] = [
  { path: 'catalog.file', question: 'Path of the price list; with * the newest counts' },
  {
    path: 'catalog.format',
    question: 'Format of the price list',
    choices: ['table', 'csv', 'ubl-catalogue', 'x12-catalogue'],
    default: 'table',
    isInGuess: true,
  },
  column('sku', 'article number'),
  column('title', 'name', false),
  column('pack', 'pack text, such as 24/CS'),
  column('pack_size', 'number of items in a pack'),
  column('pack_price', 'price of a pack'),
  column('each_price', 'price of one item'),
  column('barcode', 'barcode'),
  ...(['tax', 'brand', 'category', 'stock', 'on_shelf'] as const).map((name) => ({
    ...column(name, name),
    isOnRequest: true,
  })),
  onRequest('sheet', 'Workbook: name of the sheet; empty: the first one that is visible', { isOptional: true }),
  onRequest('encoding', 'Price list: encoding', { choices: ENCODINGS, default: 'utf-8' }),
  onRequest('delimiter', 'Price list: sign between two cells, or tab', {
    default: ',',
    // A tab alone is trimmed away.
    parse: (answer) => (answer === '' || answer === 'tab' ? '\t' : answer),
  }),
  onRequest('decimal', 'Price list: decimal sign', { choices: ['.', ','], default: '.' }),
  onRequest('skip_rows', 'Price list: rows above the header', { kind: 'number', default: '0' }),
  {
    path: 'catalog.prices',
    question: 'Prices without tax or with it',
    choices: ['net', 'gross'],
    default: 'net',
    isInGuess: true,
  },
  { path: 'catalog.tax_rate', question: 'Tax rate in percent', kind: 'number', isOptional: true },
  {
    path: 'order.via',
    question: 'How do you send orders to this supplier? Empty: you only compare its prices and order nothing here',
    choices: ['hand', 'folder', 'email', 'http'],
    isOptional: true,
  },
  { path: 'order.out', question: 'Folder for order files', isFolder: true, onlyIf: sentBy('folder') },
  { path: 'order.to', question: 'E-mail addresses of the supplier', kind: 'list', onlyIf: sentBy('email') },
  { path: 'order.from', question: 'E-mail address of the sender', onlyIf: sentBy('email') },
  { path: 'order.smtp', question: 'URL of the mail server, smtp://user:password@host', onlyIf: sentBy('email') },
  { path: 'order.url', question: 'Address that takes cXML orders', onlyIf: sentBy('http') },
  {
    path: 'order.format',
    question: 'Format of orders',
    choices: ['csv', 'ubl', 'x12', 'cxml'],
    default: 'csv',
    onlyIf: sentBy('hand', 'folder', 'email'),
  },
  { path: 'order.format', question: 'Format of orders', choices: ['cxml'], default: 'cxml', onlyIf: sentBy('http') },
  {
    path: 'order.cxml.shared_secret',
    question: 'Shared secret of cXML',
    isOptional: true,
    onlyIf: { path: 'order.format', isOneOf: ['cxml'] },
  },
  { path: 'order.buyer.name', question: 'Your name as the supplier knows it', onlyIf: orders },
  { path: 'order.buyer.account', question: 'Your customer number', isOptional: true, onlyIf: orders },
  {
    path: 'order.inbox',
    question: 'Folder for replies of the supplier',
    isOptional: true,
    isFolder: true,
    onlyIf: orders,
  },
  { path: 'order.cutoff', question: 'Orders must be in by, such as Tue 12:00', isOptional: true, onlyIf: orders },
  { path: 'order.lead_days', question: 'Days until delivery', kind: 'number', isOptional: true, onlyIf: orders },
  TIME_ZONE_PROMPT,
]
