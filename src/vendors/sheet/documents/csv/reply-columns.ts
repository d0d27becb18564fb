/**
 * Which column of a supplier's table says what about our order. Suppliers send their own headers, so they are recognized as
 * those of price lists are; where two columns may be meant a person is asked, and the settings say which one counts.
 */
import { UnreadableReply } from '../../../upstream/read-json.ts'
import { mapWordsToGroups } from '../../../../lib/words.ts'
import { SKU_HEADER, plainHeader } from '../../price-list/guess-list.ts'
import { sanitizeText } from '../../../upstream/sanitize-text.ts'
import { AskedReply } from '../order-reply.ts'
import { headerText } from './csv-text.ts'

export const REPLY_COLUMNS = [
  'po',
  'line',
  'sku',
  'status',
  'ordered',
  'qty',
  'shipped',
  'backordered',
  'unit',
] as const
export type ReplyColumn = (typeof REPLY_COLUMNS)[number]

export const REPLY_STATUSES = ['accepted', 'changed', 'rejected', 'shipped'] as const
export type ReplyStatus = (typeof REPLY_STATUSES)[number]

/** What a person said about the tables of a supplier; it comes before every guess. */
export interface ReplyAnswers {
  /** Header texts. */
  readonly columns?: Readonly<Partial<Record<ReplyColumn, string>>> | undefined
  /** The supplier's words for a status. */
  readonly words?: Readonly<Record<string, ReplyStatus>> | undefined
}

/** Header texts by column, the surest first: a later pattern counts only where no header fits an earlier one. */
const HEADERS: Readonly<Record<ReplyColumn, readonly RegExp[]>> = {
  po: [
    /^(?:po|p o|po (?:no|nr|num|number|id|ref|reference)|purchase order(?: (?:no|nr|number|id))?|(?:customer|cust|your|buyer) (?:po|order|ref|reference|order (?:no|number|ref))(?: (?:no|nr|number))?|ihre (?:bestellung|bestellnummer|bestell nr|referenz)|votre (?:commande|reference)|su (?:pedido|referencia)|vostro (?:ordine|riferimento)|采购单号|采购订单号|客户订单号|客户单号)$/,
    /^(?:order (?:no|nr|num|number|id|ref|reference)|bestell ?(?:nr|nummer)|bestellung|numero (?:de )?(?:commande|pedido|ordine)|commande|pedido|n (?:commande|ordine)|订单号|订单编号)$/,
  ],
  line: [/^(?:line|line (?:no|nr|number|item)|ln|pos|position|zeile|ligne|linea|riga|行号|序号)$/],
  sku: [SKU_HEADER],
  status: [
    /^(?:status|(?:line|item|order|confirmation) status|state|statut|estado|stato|状态|订单状态|确认状态|行状态)$/,
  ],
  ordered: [
    /^(?:ordered|(?:qty|quantity) ordered|ordered (?:qty|quantity)|order (?:qty|quantity)|bestellt|bestellte menge|bestellmenge|commandee?|(?:quantite|qte) commandee|cantidad pedida|quantita ordinata|订购数量|订货数量|订单数量|采购数量)$/,
  ],
  qty: [
    /^(?:confirmed|accepted|allocated|(?:qty|quantity) (?:confirmed|accepted|allocated)|(?:confirmed|accepted|allocated) (?:qty|quantity)|bestatigt|bestatigte menge|confirmee?|(?:quantite|qte) confirmee|cantidad confirmada|quantita confermata|确认数量|可供数量)$/,
    /^(?:qty|quantity|menge|anzahl|quantite|qte|cantidad|quantita|数量)$/,
  ],
  shipped: [
    /^(?:shipped|(?:qty|quantity) (?:shipped|delivered)|(?:shipped|ship|delivered) (?:qty|quantity)|geliefert|liefermenge|gelieferte menge|versandt|expediee?|(?:quantite|qte) (?:expediee|livree)|cantidad enviada|quantita spedita|发货数量|实发数量|出库数量|已发数量)$/,
  ],
  backordered: [
    /^(?:back ?order(?:ed)?|(?:qty|quantity) back ?ordered|back ?order(?:ed)? (?:qty|quantity)|b o|bo|bo qty|ruckstand|ruckstandsmenge|reliquat|欠货数量|待补数量)$/,
  ],
  unit: [/^(?:uom|u ?m|unit|unit of measure|einheit|unite|unidad|单位)$/],
}

/** Only words that can mean nothing else. What is not here is refused, until the settings say what it means. */
const STATUS_WORDS = mapWordsToGroups<ReplyStatus>({
  accepted: [
    'accepted',
    'confirmed',
    'ok',
    'in full',
    'bestatigt',
    'confirme',
    'confirmado',
    'confermato',
    '已确认',
    '确认',
    '接受',
    '已接受',
  ],
  changed: [
    'changed',
    'partial',
    'partially confirmed',
    'reduced',
    'geandert',
    'teilweise',
    'modifie',
    'partiel',
    'modificado',
    'parcial',
    'modificato',
    'parziale',
    '已变更',
    '变更',
    '部分确认',
  ],
  rejected: [
    'rejected',
    'declined',
    'refused',
    'cancelled',
    'canceled',
    'out of stock',
    'oos',
    'not available',
    'unavailable',
    'discontinued',
    'abgelehnt',
    'storniert',
    'nicht lieferbar',
    'ausverkauft',
    'refuse',
    'annule',
    'rupture',
    'rupture de stock',
    'rechazado',
    'cancelado',
    'agotado',
    'rifiutato',
    'annullato',
    'esaurito',
    '缺货',
    '无货',
    '拒绝',
    '已拒绝',
    '取消',
    '已取消',
    '停产',
  ],
  shipped: [
    'shipped',
    'dispatched',
    'in transit',
    'on the way',
    'versandt',
    'versendet',
    'unterwegs',
    'expedie',
    'enviado',
    'spedito',
    '已发货',
    '已发出',
    '运输中',
  ],
})

export function statusOf(text: string, { words }: ReplyAnswers): ReplyStatus | undefined {
  const plain = plainHeader(text)
  // A sign such as `-` has no plain form, and must not stand for cells that say nothing.
  const own = Object.entries(words ?? {}).find(([word]) => (plain === '' ? word === text : plainHeader(word) === plain))
  return own?.[1] ?? STATUS_WORDS.get(plain)
}

const MEANINGS: Readonly<Record<ReplyStatus, string>> = {
  accepted: 'Confirmed as ordered',
  changed: 'Changed: the quantity in the file stands',
  rejected: 'Rejected: none of it comes',
  shipped: 'Shipped',
}

const WORD_MAX = 60

/** A cell that is no word, such as half of the file in one cell, is not asked about. */
export function unknownStatus(text: string, row: number): UnreadableReply {
  const word = sanitizeText(text)
  const isAsked = word.length <= WORD_MAX && statusOf(text, { words: { [word]: 'accepted' } }) !== undefined
  if (!isAsked) return new UnreadableReply(`row ${row} has no status that we know (${word.slice(0, WORD_MAX)})`)
  return new AskedReply({
    code: 'reply_word',
    text: `Row ${row}: what does “${word}” mean?`,
    choices: REPLY_STATUSES.map((status) => ({
      label: MEANINGS[status],
      answers: { order: { reply_words: { [word]: status } } },
    })),
  })
}

/** As a question calls them. */
const COLUMN_NAMES: Readonly<Record<ReplyColumn, string>> = {
  po: 'order number',
  line: 'line number',
  sku: 'article number',
  status: 'status',
  ordered: 'ordered quantity',
  qty: 'confirmed quantity',
  shipped: 'shipped quantity',
  backordered: 'back-ordered quantity',
  unit: 'unit',
}

const askColumn = (column: ReplyColumn, names: readonly string[]): AskedReply =>
  new AskedReply({
    code: 'reply_column',
    text: `Which column is the ${COLUMN_NAMES[column]}: ${names.map((name) => `“${sanitizeText(name)}”`).join(' or ')}?`,
    choices: names.map((name) => ({ label: name, answers: { order: { reply_columns: { [column]: name } } } })),
  })

export interface ReplyHeader {
  /** By column: its place in a row. */
  readonly places: ReadonlyMap<ReplyColumn, number>
  /** `qty` says what stands, also where no status does: its header says so. */
  readonly isConfirmed: boolean
  readonly cells: number
}

const TWICE = 'the header has to name the columns, each once'

/** Undefined: this row is no header. Throws where it is one that cannot be understood. */
export function readReplyHeader(row: readonly string[], { columns = {} }: ReplyAnswers): ReplyHeader | undefined {
  const names = row.map(headerText)
  const filled = names.filter((name) => name !== '').map((name) => name.toLowerCase())
  const places = new Map<ReplyColumn, number>()
  let isConfirmed = columns.qty !== undefined
  for (const column of REPLY_COLUMNS) {
    const stated = columns[column]
    const found =
      stated === undefined
        ? guessColumn(names, HEADERS[column])
        : { rank: 0, at: names.flatMap((name, i) => (name === headerText(stated) ? [i] : [])) }
    const [place, second] = found.at
    if (place === undefined) continue
    if (second !== undefined && names[place] === names[second]) throw new UnreadableReply(TWICE)
    if (second !== undefined) throw askColumn(column, [...new Set(found.at.map((at) => names[at] ?? ''))])
    places.set(column, place)
    if (column === 'qty' && found.rank === 0) isConfirmed = true
  }
  // Beside what was shipped, a plain quantity is the one that was ordered.
  const plain = isConfirmed ? undefined : places.get('qty')
  if (plain !== undefined && places.has('shipped')) {
    places.delete('qty')
    if (!places.has('ordered')) places.set('ordered', plain)
  }
  if (places.size < 2) return undefined
  if (new Set(filled).size !== filled.length) throw new UnreadableReply(TWICE)
  return { places, isConfirmed, cells: names.length }
}

function guessColumn(names: readonly string[], patterns: readonly RegExp[]) {
  for (const [rank, pattern] of patterns.entries()) {
    const at = names.flatMap((name, i) => (name !== '' && pattern.test(plainHeader(name)) ? [i] : []))
    if (at.length > 0) return { rank, at }
  }
  return { rank: 0, at: [] }
}

/** The number of the order in the rows above the header: `PO number: po_1`, or in the cell beside it. */
export function findOrderNumber(above: readonly (readonly string[])[]): string | undefined {
  const isPo = (text: string) => HEADERS.po.some((pattern) => pattern.test(plainHeader(text)))
  const found = above.flatMap((row) =>
    row.flatMap((cell, i) => {
      const [, label = '', value = ''] = /^([^:：#]+)[:：#]\s*(\S+)$/u.exec(headerText(cell)) ?? []
      if (isPo(label)) return [value]
      const beside = row.slice(i + 1).find((other) => other.trim() !== '')
      return isPo(cell.replace(/[:：#]\s*$/u, '')) && beside !== undefined ? [beside.trim()] : []
    }),
  )
  if (new Set(found).size > 1) throw new UnreadableReply('it names two order numbers above the table')
  return found[0]
}

export const HEADER_NEEDS =
  'the header has to name the order number (po), the product (sku), a status and a quantity (qty)'

/** Why a table with this header cannot be read; undefined when it can. */
export function headerProblem({ places, isConfirmed }: ReplyHeader, hasNumberAbove: boolean): string | undefined {
  const has = (...columns: readonly ReplyColumn[]) => columns.some((column) => places.has(column))
  if (!has('po') && !hasNumberAbove) return HEADER_NEEDS
  if (has('sku', 'line') !== has('ordered', 'qty', 'shipped', 'backordered')) return HEADER_NEEDS
  if (!has('status') && !has('shipped') && !(has('qty') && (isConfirmed || has('ordered')))) return HEADER_NEEDS
  return undefined
}
