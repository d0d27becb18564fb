/**
 * The catalog of a `price-list` supplier: its newest price list. The file is read again when it has changed. A list that cannot
 * be read fails the read; one that is still being written, or has lost most of its products, leaves the earlier list in use.
 */
import { basename } from 'node:path'
import { MINUTE } from '../../../kernel/clock.ts'
import { SingleFlight } from '../../../lib/concurrency.ts'
import type { AdapterNeeds } from '../../adapter-module.ts'
import type { UnreadableRow, Result } from '../../contract.ts'
import type { AskedPack, StatedPack } from '../../packs.ts'
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

type Needs = Pick<AdapterNeeds, 'connection' | 'memory' | 'statedPacks' | 'clock' | 'notice' | 'resolvePath'>

interface ListInUse {
  readonly products: readonly ListedProduct[]
  readonly unreadable: readonly UnreadableRow[]
  readonly asked: readonly AskedPack[]
}

export function listCatalog(settings: CatalogSettings, sites: readonly SupplySite[], needs: Needs) {
  const { connection, memory, clock, notice } = needs
  const path = needs.resolvePath(settings.file)
  const reading = new SingleFlight<string, Result<SupplyCatalog>>()
  let inUse: ListInUse | undefined
  let rates: ReadonlyMap<string, number> | undefined
  let examined: { readonly key: string; readonly result: Result<SupplyCatalog> } | undefined

  const offer = (list: ListInUse): Result<SupplyCatalog> => {
    if (settings.columns?.['tax'] !== undefined && list !== inUse)
      rates = new Map(
        list.products.flatMap(({ vendorSku, taxRate }) => (taxRate === undefined ? [] : [[vendorSku, taxRate]])),
      )
    inUse = list
    return succeed({ products: list.products, sites }, list.unreadable)
  }

  async function read(stated: readonly StatedPack[]): Promise<Result<SupplyCatalog>> {
    let file: FoundFile | undefined
    let bytes: Uint8Array | undefined
    let key: string
    const today = todayIn(connection.timeZone, clock.now())
    try {
      file = await findNewest(path)
      if (!file) return fail('unsent', 'The price list of the supplier is missing', { raw: 'no such file' })
      key = JSON.stringify([file, today, stated])
      if (examined?.key === key) return examined.result
      bytes = await readSettled(file)
    } catch (error) {
      const raw = (error as NodeJS.ErrnoException).code ?? 'unreadable file'
      return fail('unsent', 'The price list of the supplier cannot be opened', { raw })
    }
    if (!bytes) return keepEarlier()
    const result = await checkList(file, bytes, { today, stated })
    if (!result) return keepEarlier()
    examined = { key, result }
    return result
  }

  /** While a new file is being written. */
  async function keepEarlier(): Promise<Result<SupplyCatalog>> {
    const earlier = await earlierList()
    if (earlier) return offer(earlier)
    return fail('unsent', 'The price list of the supplier is still being written', { raw: 'file is growing' })
  }

  async function earlierList(): Promise<ListInUse | undefined> {
    if (inUse) return inUse
    const remembered = await recallList(memory)
    return remembered && { products: await unpackAside(remembered.packed), unreadable: [], asked: [] }
  }

  /** Undefined while its last line is being written. */
  async function checkList(
    file: FoundFile,
    bytes: Uint8Array,
    { today, stated }: { readonly today: string; readonly stated: readonly StatedPack[] },
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
      now: clock.now(),
      statedPacks: stated,
    })
    if (list.kind === 'unfinished') return undefined
    if (list.kind === 'unreadable') {
      notice?.(`Price list ${name} cannot be read: ${list.problem}`)
      return fail('unknown', 'The price list of the supplier cannot be read', { raw: sanitizeText(list.problem) })
    }
    if (list.kind === 'shrunk' || list.kind === 'jumped') {
      const problem =
        list.kind === 'jumped'
          ? `${list.products} of ${list.compared} prices are more than three times or less than a third of those of the earlier list, which stays in use`
          : `the new list has ${list.products} products and lacks too many of the ${list.before} of the earlier one, which stays in use`
      notice?.(`Price list ${name} is refused: ${problem}`)
      const earlier = await earlierList()
      return offer({
        products: earlier?.products ?? [],
        unreadable: [{ kind: 'product', id: 'price-list', problem, detail: name }],
        asked: earlier?.asked ?? [],
      })
    }
    for (const text of list.notices) notice?.(`Price list ${name}: ${text}`)
    if (list.remember) await rememberList(memory, list.remember)
    return offer(list)
  }

  return {
    async read() {
      const stated = (await needs.statedPacks?.()) ?? []
      // What was just said is not in a reading that began before.
      return reading.run(JSON.stringify(stated), () => read(stated))
    },
    askedPacks: () => inUse?.asked,
    /** In percent, of the list as it was last read; undefined: its row states none. */
    taxRateOf: (vendorSku: string): number | undefined => rates?.get(vendorSku),
  }
}

export const todayIn = (timeZone: string, now: number): string =>
  Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate().toString()
