/**
 * The catalog of a `sheet` supplier: its newest price list. The file is read again when it has changed. A list that cannot
 * be read fails the read; one that is still being written, or has lost most of its products, leaves the earlier list in use.
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { MINUTE } from '../../kernel/clock.ts'
import { count } from '../../kernel/text.ts'
import { SingleFlight } from '../../lib/single-flight.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import type { UnreadableRow, Result } from '../contract.ts'
import type { SupplyCatalog, SupplySite } from '../supply-vendor.ts'
import { fail, succeed } from '../result.ts'
import { digitsOf, isCurrency } from '../../kernel/currency.ts'
import { sanitizeText } from '../upstream/sanitize-text.ts'
import { decodeText, endsMidLine } from './csv-text.ts'
import { type FoundFile, findNewest, isAtRest, readSettled } from './list-file.ts'
import { losesTooMuch } from './listed-products.ts'
import type { LeftOut, LeftOutReason, ListedProduct, ProductList, UnreadableListRow } from './listed-products.ts'
import { readPriceList } from './price-list.ts'
import { recallList, rememberList } from './remembered-list.ts'
import type { CatalogSettings } from './settings.ts'
import { readCatalogue } from './ubl-catalogue.ts'

/** A last line without an end may still be being written. After this time it counts as cut off. */
const UNFINISHED_MS = MINUTE
const MAX_LOSS_PERCENT = 50

type Needs = Pick<AdapterNeeds, 'connection' | 'memory' | 'clock' | 'notice' | 'resolvePath'>

export function listCatalog(settings: CatalogSettings, sites: readonly SupplySite[], needs: Needs) {
  const { connection, memory, clock, notice } = needs
  const path = needs.resolvePath(settings.file)
  const reading = new SingleFlight<'list', Result<SupplyCatalog>>()
  let inUse: { readonly products: readonly ListedProduct[]; readonly unreadable: readonly UnreadableRow[] } | undefined
  let examined: { readonly key: string; readonly result: Result<SupplyCatalog> } | undefined

  const offer = (products: readonly ListedProduct[], unreadable: readonly UnreadableRow[]): Result<SupplyCatalog> => {
    inUse = { products, unreadable }
    return succeed({ products, sites }, unreadable)
  }

  async function read(): Promise<Result<SupplyCatalog>> {
    let file: FoundFile | undefined
    let bytes: Uint8Array | undefined
    const today = todayIn(connection.timeZone, clock.now())
    try {
      file = await findNewest(path)
      if (!file) return fail('unsent', 'The price list of the supplier is missing', { raw: 'no such file' })
      const key = JSON.stringify([file, today])
      if (examined?.key === key) return examined.result
      bytes = await readSettled(file)
    } catch (error) {
      const raw = (error as NodeJS.ErrnoException).code ?? 'unreadable file'
      return fail('unsent', 'The price list of the supplier cannot be opened', { raw })
    }
    if (!bytes) return keepEarlier()
    const { whole, isCut } = wholeLines(bytes, settings)
    if (isCut && !isAtRest(file, UNFINISHED_MS)) return keepEarlier()
    const result = await checkList(file, whole, { isCut, today })
    examined = { key: JSON.stringify([file, today]), result }
    return result
  }

  /** While a new file is being written. */
  async function keepEarlier(): Promise<Result<SupplyCatalog>> {
    if (inUse) return offer(inUse.products, inUse.unreadable)
    const remembered = await recallList(memory)
    if (remembered) return offer(remembered.products(), [])
    return fail('unsent', 'The price list of the supplier is still being written', { raw: 'file is growing' })
  }

  async function checkList(
    file: FoundFile,
    bytes: Uint8Array,
    { isCut, today }: { readonly isCut: boolean; readonly today: string },
  ): Promise<Result<SupplyCatalog>> {
    const name = basename(file.path)
    const list = readList(bytes, settings, { currency: connection.currency, today })
    if (!list.ok) {
      notice?.(`Price list ${name} cannot be read: ${list.problem}`)
      return fail('unknown', 'The price list of the supplier cannot be read', { raw: sanitizeText(list.problem) })
    }
    const hash = createHash('sha256').update(bytes).digest('hex')
    const remembered = await recallList(memory)
    const before = inUse?.products ?? remembered?.products() ?? []
    if (remembered?.hash !== hash && losesTooMuch(before, list, settings.max_loss ?? MAX_LOSS_PERCENT)) {
      const problem = `the new list has ${list.products.length} products and lacks too many of the ${before.length} of the earlier one, which stays in use`
      notice?.(`Price list ${name} is refused: ${problem}`)
      return offer(before, [{ kind: 'product', id: 'price-list', problem, detail: name }])
    }
    for (const text of [...describeLeftOut(list.leftOut), ...(list.notes ?? [])])
      notice?.(`Price list ${name}: ${text}`)
    if (isCut) notice?.(`Price list ${name}: the last line has no line end and is left out, it may be incomplete`)
    if (remembered?.hash !== hash) await rememberList(memory, { hash, products: list.products })
    return offer(list.products, toUnreadableRows(list.unreadable))
  }

  return { read: () => reading.run('list', read) }
}

export const todayIn = (timeZone: string, now: number): string =>
  Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate().toString()

/** Bytes of a file to products by the settings of a connection; also for a trial before the file is used. */
export function readList(
  bytes: Uint8Array,
  settings: CatalogSettings,
  { currency, today }: { readonly currency: string; readonly today: string },
): ProductList {
  if (!isCurrency(currency)) return { ok: false, problem: `${currency} is not a currency of ISO 4217` }
  const digits = digitsOf(currency)
  if (settings.format === 'ubl-catalogue') return readCatalogue(bytes, { currency, digits, today })
  const { encoding = 'utf-8', delimiter = ',', decimal = '.', skip_rows: skipRows = 0, columns = {} } = settings
  return readPriceList(bytes, { encoding, delimiter, decimal, skipRows, columns, currency, digits })
}

/** Without a last line that has no end: its price may be cut off. */
export function wholeLines(
  bytes: Uint8Array,
  { format, encoding = 'utf-8' }: CatalogSettings,
): { readonly whole: Uint8Array; readonly isCut: boolean } {
  const text = format === 'ubl-catalogue' ? undefined : decodeText(bytes, encoding)
  const isCut = text !== undefined && endsMidLine(text)
  return { whole: isCut ? withoutLastLine(bytes) : bytes, isCut }
}

/** In all encodings that are read, these two bytes are never part of another character. */
function withoutLastLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.findLastIndex((byte) => byte === 0x0a || byte === 0x0d)
  return bytes.subarray(0, end + 1)
}

export const LEFT_OUT: Readonly<Record<LeftOutReason, string>> = {
  no_sku: 'without a code',
  no_title: 'without a title',
  no_price: 'without a price',
  unusable_sku: 'whose code has a blank or a colon',
  conflicting: 'that contradict another row with the same code',
  extra_cells: 'with more cells than the header',
  missing_cells: 'with fewer cells than the header',
  unreadable_price: 'whose price cannot be read',
  unreadable_quantity: 'whose order quantity cannot be read',
  unknown_pack: 'whose pack states no certain number of items',
  prices_disagree: 'whose price of a pack is not that of its items',
  long_cell: 'with more than 1,000 characters in a cell',
  other_currency: 'in another currency',
  unknown_unit: 'in a unit that is neither an item nor a pack',
  withdrawn: 'that are withdrawn',
}

const describeLeftOut = (leftOut: readonly LeftOut[]): readonly string[] =>
  leftOut.map((entry) => {
    const rows = `row${entry.rows.length === 1 ? '' : 's'} ${entry.rows.join(', ')}${entry.count > entry.rows.length ? ', …' : ''}`
    return `${count(entry.count, 'row')} ${LEFT_OUT[entry.reason]} left out (${rows})`
  })

const PROBLEMS: Readonly<Partial<Record<LeftOutReason, string>>> = {
  conflicting: 'its rows contradict each other',
  extra_cells: 'its cells cannot be read',
  missing_cells: 'its cells cannot be read',
  unreadable_quantity: 'its order quantity cannot be read',
  long_cell: 'its cells cannot be read',
  other_currency: 'its price is in another currency',
}
const ID_MAX = 100

/** One entry for each product: contradicting rows name the same one. */
function toUnreadableRows(unreadable: readonly UnreadableListRow[]): readonly UnreadableRow[] {
  const rows = unreadable.map(({ row, reason, vendorSku = '', text }): UnreadableRow => {
    const id = vendorSku.length <= ID_MAX ? sanitizeText(vendorSku) || undefined : undefined
    const problem = packProblem(reason, text) ?? PROBLEMS[reason] ?? 'its price cannot be read'
    return { kind: 'product', id, problem, detail: `row ${row}: ${reason}` }
  })
  return [...new Map(rows.map((row) => [row.id ?? row.detail, row])).values()]
}

const PACK_TEXT_MAX = 100

/** What somebody has to say before the article can be ordered. */
function packProblem(reason: LeftOutReason, text = ''): string | undefined {
  const pack = text === '' ? 'no pack text' : `"${sanitizeText(text).slice(0, PACK_TEXT_MAX)}"`
  if (reason === 'unknown_pack') return `needs your word: how many items are in its pack (${pack})`
  if (reason === 'prices_disagree')
    return `needs your word: its pack price divided by its price each is not the size of its pack (${pack})`
  return undefined
}
