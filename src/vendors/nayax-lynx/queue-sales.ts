/**
 * Sales that the platform sends through a queue, at once. Each is kept as a row like those of the last sales, so that the same
 * sale by both ways is the same record. Nothing about cards and their holders is kept.
 */
import { DAY } from '../../kernel/clock.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import type { Result } from '../contract.ts'
import type { LedgerRecord } from '../machine-vendor.ts'
import { type MessageQueue, type QueueMessage, messageQueue } from '../sqs/queue.ts'
import type { QueueSettings } from '../sqs/settings.ts'
import { type Fields, isFields } from '../upstream/read-json.ts'
import { firstCharacters, sanitizeText } from '../upstream/sanitize-text.ts'
import type { LynxAccount, Products } from './account.ts'
import { type Currency, idText } from './reply.ts'
import { readLastSales } from './sales.ts'
import { readUtc } from './utc-time.ts'

const SALES = 'queue/sales/'
/** By then a sale is in the mirror of the ledger. */
const KEPT_MS = 2 * DAY
/** The last sales may show it as settled for as long as a machine takes to sell a hundred. */
const VOID_KEPT_MS = 60 * DAY
/** Of an amount that was settled. */
const SETTLED = 255

interface QueueSale {
  /** As in the last sales of a machine. */
  readonly row: Fields
  readonly number: string
  /** When it happened, epoch milliseconds. */
  readonly at: number
  /** When the platform last changed it. */
  readonly updatedAt: number
  readonly isVoid?: true
}

type Needs = Pick<AdapterNeeds, 'clock' | 'memory' | 'timeoutMs' | 'notice' | 'observe' | 'reportOlderSales'>

export function queueSales(settings: QueueSettings, account: LynxAccount, currency: Currency, needs: Needs) {
  const { clock, memory } = needs
  const queue: MessageQueue = messageQueue(settings, needs)

  async function store(messages: readonly QueueMessage[]): Promise<ReadonlyMap<string, string>> {
    const problems = new Map<string, string>()
    const sales = messages.flatMap(({ id, text }) => {
      const read = readTransaction(text, currency)
      if (typeof read === 'string') problems.set(id, read)
      return typeof read === 'object' ? [read] : []
    })
    for (const [machine, own] of Map.groupBy(sales, ({ row }) => String(row['MachineID']))) await keep(machine, own)
    if (sales.length > 0) needs.reportOlderSales(Math.min(...sales.map(({ at }) => at)))
    return problems
  }

  async function keep(machine: string, sales: readonly QueueSale[]): Promise<void> {
    for (;;) {
      const found = await memory.get(SALES + machine)
      const known = (found?.value ?? []) as readonly QueueSale[]
      const kept = new Map<string, QueueSale>()
      for (const sale of [...known, ...sales]) kept.set(sale.number, later(kept.get(sale.number), sale))
      const value = [...kept.values()].filter(
        ({ at, isVoid }) => clock.now() - at < (isVoid ? VOID_KEPT_MS : KEPT_MS) || at > clock.now(),
      )
      if (JSON.stringify(value) === JSON.stringify(known)) return
      if ((await memory.put(SALES + machine, value, found?.version ?? 0)) !== undefined) return
    }
  }

  /** By number. A machine whose products cannot be read now is left out: it is read again with the next ledger. */
  async function records(machines: ReadonlySet<string>, products: Products): Promise<readonly LedgerRecord[]> {
    const all: LedgerRecord[] = []
    for (const { key, value } of await memory.list(SALES)) {
      const machineId = key.slice(SALES.length)
      const sales = value as readonly QueueSale[]
      if (!machines.has(machineId) || sales.length === 0) continue
      const map = await account.recentProductMap(machineId)
      if (!map.ok) continue
      const voided = new Set(sales.filter(({ isVoid }) => isVoid).map(({ number }) => number))
      for (const { row } of sales) {
        const read = readLastSales([row], { machineId, currency, lanes: map.value.lanes, products })
        if (read.ok)
          all.push(...read.value.records.map((record) => (voided.has(record.orderNo) ? toVoid(record) : record)))
      }
    }
    return all
  }

  return {
    receive: (): Promise<Result<{ readonly messages: number }>> => queue.receive(store),
    records,
    verify: () => queue.verify(),
    aside: () => queue.aside(),
    close: () => queue.close(),
  }
}

const toVoid = (record: LedgerRecord): LedgerRecord => ({
  ...record,
  status: 'VOID',
  settled: false,
  lines: record.lines.map((line) => ({ ...line, status: 'cancelled' })),
})

/** Messages come in any order: what was voided stays so, and otherwise the last change counts. */
function later(known: QueueSale | undefined, sale: QueueSale): QueueSale {
  if (!known) return sale
  const last = sale.updatedAt >= known.updatedAt ? sale : known
  return known.isVoid || sale.isVoid ? { ...last, isVoid: true } : last
}

/** Of both ways: what the platform shows now counts, unless the sale was voided. */
export function mergeSales(shown: readonly LedgerRecord[], sent: readonly LedgerRecord[]): readonly LedgerRecord[] {
  const voided = new Set(sent.filter(({ status }) => status === 'VOID').map(({ orderNo }) => orderNo))
  const known = new Set(shown.map(({ orderNo }) => orderNo))
  return [
    ...shown.filter(({ orderNo }) => !voided.has(orderNo)),
    ...sent.filter(({ orderNo }) => voided.has(orderNo) || !known.has(orderNo)),
  ]
}

/** Undefined: it is no sale. A text: why it cannot be understood. */
function readTransaction(text: string, currency: Currency): QueueSale | string | undefined {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return 'it is no JSON'
  }
  if (!isFields(message)) return 'it is no object'
  // Events of machines, such as a door that was opened.
  if (message['eventCode'] !== undefined) return undefined
  if (message['DexData'] !== undefined) return 'it is an audit file, which the adapter eva-dts reads'
  const data = message['Data']
  const [site, transaction, machine] = [
    message['SiteId'],
    idText(message['TransactionId']),
    idText(message['MachineId']),
  ]
  if (typeof site !== 'number' || !Number.isSafeInteger(site) || transaction === undefined || machine === undefined)
    return 'it names no transaction'
  if (!isFields(data)) return 'it has no Data'
  // Money that is put on a card: its sales come by themselves.
  if (data['Is Revalue Transaction'] === true) return undefined
  const code = textOf(data['Currency'])?.toUpperCase() ?? currency.code
  if (code !== currency.code) return `it is in ${firstCharacters(sanitizeText(code), 10)}, not in ${currency.code}`
  const at = readUtc(data['Authorization Time'])
  if (at === null) return 'its Authorization Time cannot be read'
  const value = data['SeValue']
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return 'its SeValue is no amount'
  const isCancelled = ![null, undefined, SETTLED].includes(data['Cancel Type'] as number | null | undefined)
  const isUnpaid = isCancelled || data['Settlment Failed'] === true
  const products = data['Products'] ?? []
  if (!Array.isArray(products) || !products.every(isFields)) return 'its Products are no list'
  const isVoid = message['Void']
  if (isVoid !== undefined && isVoid !== null && typeof isVoid !== 'boolean')
    return 'its Void is neither true nor false'
  return {
    number: `${site}-${transaction}`,
    at,
    updatedAt: readUtc(data['Updated DT']) ?? at,
    ...(isVoid && { isVoid }),
    row: omitUndefined({
      SiteID: site,
      TransactionID: message['TransactionId'],
      MachineID: machine,
      MachineName: textOf(data['Machine Name']),
      SettlementValue: isUnpaid ? 0 : value,
      CurrencyCode: textOf(data['Currency']),
      PaymentMethod: textOf(data['Payment Method Description']),
      ProductName: products.flatMap(productLines).join('\n'),
      AuthorizationDateTimeGMT: data['Authorization Time'],
    }),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** A unit for each line. Without a price, what was settled is split. */
function productLines(product: Fields): readonly string[] {
  const quantity = product['Product Quantity']
  const units =
    typeof quantity === 'number' && Number.isInteger(quantity) && quantity > 1 && quantity <= 100 ? quantity : 1
  const price = product['Product Bruto']
  const written = units === 1 && typeof price === 'number' && Number.isFinite(price) && price >= 0 ? String(price) : '?'
  const name = (textOf(product['Product Name']) ?? '').replaceAll(/[\r\n]+/g, ' ')
  const mdb = product['Product Code in Map']
  const pa = textOf(product['Product PA Code'])
  const codes = [
    typeof mdb === 'number' || typeof mdb === 'string' ? String(mdb) : '',
    ...(pa === undefined ? [] : [pa]),
  ]
  return Array.from({ length: units }, () => `${name}(${codes.join(', ')} = ${written})`)
}
