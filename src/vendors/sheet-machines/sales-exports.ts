/**
 * The sales of all exports of a connection. Exports cover one window after the other and overlap; each file is read again
 * when it has changed. The service asks for recent sales, so the adapter reports when older ones appear.
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { digitsOf } from '../../kernel/currency.ts'
import { SingleFlight } from '../../lib/concurrency.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import { readSalesAside } from '../aside/read-aside.ts'
import type { UnreadableRow, Result } from '../contract.ts'
import type { LedgerRecord } from '../machine-vendor.ts'
import { fail, succeed } from '../result.ts'
import { currencySigns } from '../sheet/price-list/currency-signs.ts'
import { type FoundFile, findFiles, isNewer } from '../sheet/price-list/list-file.ts'
import { isFields } from '../upstream/read-json.ts'
import { sanitizeText } from '../upstream/sanitize-text.ts'
import { type ExportFile, readExport } from './export-file.ts'
import { type SalesFile, type SalesSheet, type SheetSales, mergeSales } from './sales.ts'
import type { SalesSettings } from './settings.ts'

/** Hashes of the files whose sales were announced. */
const ANNOUNCED = 'sales-files'
/** Of more files than these, the oldest are announced again after a restart. */
const ANNOUNCED_MAX = 1_000

export interface ExportedSales extends SheetSales {
  readonly unreadable: readonly UnreadableRow[]
}

interface ReadFile {
  readonly state: string
  readonly hash: string
  readonly result: Result<SalesFile>
}

export function salesExports(settings: SalesSettings, needs: AdapterNeeds): () => Promise<Result<ExportedSales>> {
  const { connection, memory, notice } = needs
  const path = needs.resolvePath(settings.file)
  const reading = new SingleFlight<'sales', Result<ExportedSales>>()
  const filesRead = new Map<string, ReadFile>()
  let current: { readonly key: string; readonly sales: ExportedSales } | undefined

  const sheet = salesSheet(settings, connection)

  async function readFile(name: string, file: ExportFile): Promise<Result<SalesFile>> {
    const read = await readSalesAside({ file, settings, sheet })
    if (!read.ok) {
      const problem = sanitizeText(read.message)
      notice?.(`Sales export ${name} cannot be read: ${problem}`)
      return fail('unknown', `The sales export ${sanitizeText(name)} cannot be read: ${problem}`, { raw: read.raw })
    }
    for (const text of read.value.notices) notice?.(`Sales export ${name}: ${text}`)
    if (file.isCut)
      notice?.(`Sales export ${name}: the last line has no line end and is left out, it may be incomplete`)
    return read
  }

  /** Undefined while a file that was never read is being written; one that was stays as it was. */
  async function readChanged(file: FoundFile): Promise<ReadFile | undefined> {
    const known = filesRead.get(file.path)
    const state = `${file.size} ${file.mtimeMs}`
    if (known?.state === state) return known
    const opened = await readExport(file, settings)
    if (!opened) return known
    const hash = createHash('sha256').update(opened.bytes).digest('hex')
    const read = { state, hash, result: await readFile(basename(file.path), opened) }
    filesRead.set(file.path, read)
    return read
  }

  async function readAll(): Promise<Result<ExportedSales>> {
    const files: ReadFile[] = []
    let found: readonly FoundFile[]
    try {
      found = (await findFiles(path)).toSorted((a, b) => (isNewer(a, b) ? 1 : -1))
      for (const file of found) {
        const read = await readChanged(file)
        if (read) files.push(read)
      }
    } catch (error) {
      const raw = (error as NodeJS.ErrnoException).code ?? 'unreadable file'
      return fail('unsent', 'The sales exports cannot be opened', { raw })
    }
    if (found.length === 0) return fail('unsent', 'There is no sales export', { raw: 'no such file' })
    if (files.length === 0) return fail('unsent', 'The sales export is still being written', { raw: 'file is growing' })
    const present = new Set(found.map((file) => file.path))
    for (const known of filesRead.keys()) if (!present.has(known)) filesRead.delete(known)
    return merge(files)
  }

  async function merge(files: readonly ReadFile[]): Promise<Result<ExportedSales>> {
    const unreadable: UnreadableRow[] = []
    const readable: { readonly hash: string; readonly sales: SalesFile }[] = []
    for (const { hash, result } of files) {
      // Without this file the ledger would only look complete.
      if (!result.ok) return result
      readable.push({ hash, sales: result.value })
      unreadable.push(...(result.unreadable ?? []))
    }
    const key = readable.map(({ hash }) => hash).join(' ')
    if (current?.key === key) return succeed(current.sales, current.sales.unreadable)
    const { records, completeFrom } = mergeSales(readable.map(({ sales }) => sales))
    const sales = {
      // Newest first, so that cutting pages from it costs no sorting.
      records: records.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0)),
      completeFrom,
      // Overlapping exports hold the same row.
      unreadable: [...new Map(unreadable.map((row) => [row.id ?? row.detail, row])).values()],
    }
    await announce(readable, sales.records)
    current = { key, sales }
    return succeed(sales, sales.unreadable)
  }

  /** Compares with the last reading; after a restart, with what the files known by then hold. */
  async function announce(
    files: readonly { readonly hash: string; readonly sales: SalesFile }[],
    records: readonly LedgerRecord[],
  ): Promise<void> {
    const entry = await memory.get(ANNOUNCED)
    const announced = hashesOf(entry?.value)
    const before =
      current?.sales.records ??
      mergeSales(files.flatMap(({ hash, sales }) => (announced.includes(hash) ? [sales] : []))).records
    const from = oldestChange(before, records)
    if (from !== undefined) needs.reportOlderSales(from)
    const hashes = files.map(({ hash }) => hash)
    if (hashes.every((hash) => announced.includes(hash))) return
    const next = [...new Set([...announced, ...hashes])].slice(-ANNOUNCED_MAX)
    // Where another instance was faster, these files are announced once more after a restart.
    await memory.put(ANNOUNCED, { hashes: next }, entry?.version ?? 0)
  }

  return () => reading.run('sales', readAll)
}

/** How the exports are to be read. */
export function salesSheet(
  settings: SalesSettings,
  { currency, timeZone }: Pick<AdapterNeeds['connection'], 'currency' | 'timeZone'>,
): SalesSheet {
  const { qty, ...columns } = settings.columns
  return {
    columns: { ...columns, ...(qty !== undefined && { quantity: qty }) },
    digits: digitsOf(currency),
    decimal: settings.decimal,
    signs: currencySigns(currency),
    timeZone,
    dateOrder: settings.date_order,
    statuses: Object.fromEntries(
      Object.entries(settings.statuses ?? {}).map(([word, status]) => [word.toLowerCase(), status]),
    ),
  }
}

const hashesOf = (value: unknown): readonly unknown[] =>
  isFields(value) && Array.isArray(value['hashes']) ? value['hashes'] : []

/** The time of the oldest sale that is new or has changed. */
function oldestChange(before: readonly LedgerRecord[], after: readonly LedgerRecord[]): number | undefined {
  const known = new Map(before.map((record) => [record.orderNo, record]))
  let oldest: number | undefined
  for (const record of after) {
    const at = record.createdAt ?? 0
    if (oldest !== undefined && at >= oldest) continue
    const same = known.get(record.orderNo)
    if (same === undefined || (same !== record && JSON.stringify(same) !== JSON.stringify(record))) oldest = at
  }
  return oldest
}
