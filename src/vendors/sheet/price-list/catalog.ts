/**
 * The catalog of a `price-list` supplier: its newest price list. The file is read again when it has changed. A list that cannot
 * be read fails the read; one that is still being written, or has lost most of its products, leaves the earlier list in use.
 */
import { basename } from 'node:path'
import { MINUTE } from '../../../kernel/clock.ts'
import { SingleFlight } from '../../../lib/single-flight.ts'
import type { AdapterNeeds } from '../../adapter-module.ts'
import type { UnreadableRow, Result } from '../../contract.ts'
import type { SupplyCatalog, SupplySite } from '../../supply-vendor.ts'
import { fail, succeed } from '../../result.ts'
import { sanitizeText } from '../../upstream/sanitize-text.ts'
import { examineAside, unpackAside } from './examine-aside.ts'
import { type FoundFile, findNewest, isAtRest, readSettled } from './list-file.ts'
import type { ListedProduct } from './listed-products.ts'
import { recallList, rememberList } from './remembered-list.ts'
import type { CatalogSettings } from '../settings.ts'

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
    const result = await checkList(file, bytes, today)
    if (!result) return keepEarlier()
    examined = { key: JSON.stringify([file, today]), result }
    return result
  }

  /** While a new file is being written. */
  async function keepEarlier(): Promise<Result<SupplyCatalog>> {
    const earlier = await earlierList()
    if (earlier) return offer(earlier.products, earlier.unreadable)
    return fail('unsent', 'The price list of the supplier is still being written', { raw: 'file is growing' })
  }

  async function earlierList() {
    if (inUse) return inUse
    const remembered = await recallList(memory)
    return remembered && { products: await unpackAside(remembered.packed), unreadable: [] }
  }

  /** Undefined while its last line is being written. */
  async function checkList(
    file: FoundFile,
    bytes: Uint8Array,
    today: string,
  ): Promise<Result<SupplyCatalog> | undefined> {
    const name = basename(file.path)
    const list = await examineAside({
      bytes,
      settings,
      currency: connection.currency,
      today,
      mayBeUnfinished: !isAtRest(file, UNFINISHED_MS),
      remembered: await recallList(memory),
      maxLossPercent: settings.max_loss ?? MAX_LOSS_PERCENT,
    })
    if (list.kind === 'unfinished') return undefined
    if (list.kind === 'unreadable') {
      notice?.(`Price list ${name} cannot be read: ${list.problem}`)
      return fail('unknown', 'The price list of the supplier cannot be read', { raw: sanitizeText(list.problem) })
    }
    if (list.kind === 'shrunk') {
      const problem = `the new list has ${list.products} products and lacks too many of the ${list.before} of the earlier one, which stays in use`
      notice?.(`Price list ${name} is refused: ${problem}`)
      const earlier = await earlierList()
      return offer(earlier?.products ?? [], [{ kind: 'product', id: 'price-list', problem, detail: name }])
    }
    for (const text of list.notices) notice?.(`Price list ${name}: ${text}`)
    if (list.remember) await rememberList(memory, list.remember)
    return offer(list.products, list.unreadable)
  }

  return { read: () => reading.run('list', read) }
}

export const todayIn = (timeZone: string, now: number): string =>
  Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate().toString()
