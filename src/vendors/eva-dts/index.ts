/**
 * Machines that write DEX audit files (EVA-DTS) into a folder. A file holds meters, not sales: what was sold is the
 * difference of two readings, and stock is known only where the machine counts it.
 */
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { HOUR, SECOND } from '../../kernel/clock.ts'
import { digitsOf } from '../../kernel/currency.ts'
import { fen } from '../../kernel/fen.ts'
import { count } from '../../kernel/text.ts'
import { SingleFlight, yieldRegularly } from '../../lib/concurrency.ts'
import type { AdapterModule, AdapterNeeds, OpenedAdapter } from '../adapter-module.ts'
import { readDexAside, readPlanogramAside } from '../aside/read-aside.ts'
import type { Failure, UnreadableRow, Result } from '../contract.ts'
import type { LedgerPage, MachineHealth, MachineVendor } from '../machine-vendor.ts'
import { fail, succeed, failUnsupported } from '../result.ts'
import { firstCharacters, sanitizeText } from '../upstream/sanitize-text.ts'
import { CONSTANT_CHECKSUM, findConstantChecksums } from './constant-checksum.ts'
import {
  type FileSettings,
  type MachineReading,
  type RefusedReading,
  type UnconfirmedReading,
  withNotice,
} from './file-reading.ts'
import { storeAudits } from './queue-files.ts'
import { messageQueue } from '../sqs/queue.ts'
import { QUEUE_SECRETS } from '../sqs/settings.ts'
import { ChangedFiles } from './folder.ts'
import { type MachineBook, countReading, firstNewSale, nameSales, SalesWindow } from './machine-book.ts'
import { type PackedReading, sortByTime, packReading, unpackReading } from './packed-reading.ts'
import type { Planogram } from './planogram.ts'
import { PLANOGRAM_ROWS } from './planogram-rows.ts'
import { previewDexFile, previewPlanogram } from './preview.ts'
import { PROMPTS } from './prompts.ts'
import { epochOf } from './reading-time.ts'
import { findNewMachines } from './new-machines.ts'
import { type EvaDtsSettings, checkSettings, MACHINE_KEYS } from './settings.ts'
import { matchPlanned, skuOfSelection, slotsOf } from './slots.ts'

const READ_AGAIN_AFTER_MS = 10 * SECOND
const BOOK = 'machine/'
const TRIES = 5
const PAGE_MAX = 100
const UNCONFIRMED_MAX = 500

export const evaDts: AdapterModule<EvaDtsSettings> = {
  adapter: 'eva-dts',
  role: 'machine',
  secrets: QUEUE_SECRETS,
  check: checkSettings,
  open: openEvaDts,
  prompts: PROMPTS,
  hosted: {
    files: [
      { kind: 'dex', path: 'folder', holds: 'folder' },
      { kind: 'planogram', path: 'planogram.file', holds: 'newest', onlyIfUploaded: true },
    ],
    account: () => '',
    planogram: PLANOGRAM_ROWS,
  },
  // The time of the file decides whether the machine's clock is believed, as when the service reads it.
  preview: async ({ path, bytes, kind, writtenAt: stated }, settings, { connection }) => {
    if (kind === 'planogram') return previewPlanogram(bytes, settings, digitsOf(connection.currency))
    const writtenAt = stated ?? Math.floor((await stat(path)).mtimeMs)
    return previewDexFile({ name: basename(path), bytes, writtenAt }, fileSettingsOf(settings, connection))
  },
}

const fileSettingsOf = (
  settings: EvaDtsSettings,
  { currency, timeZone }: AdapterNeeds['connection'],
): FileSettings => ({
  machines: settings.machines,
  timeZone,
  clock: settings.clock,
  acceptsBadChecksum: settings.accept_bad_checksum,
  currency,
  digits: digitsOf(currency),
})

function openEvaDts(settings: EvaDtsSettings, needs: AdapterNeeds): OpenedAdapter {
  const { connection, memory, clock, notice } = needs
  const digits = digitsOf(connection.currency)
  const fileSettings = fileSettingsOf(settings, connection)
  const machines = new Map(settings.machines.map((machine) => [machine.location, machine]))
  const files = new ChangedFiles(needs.resolvePath(settings.folder), clock)
  const planogram = planogramFile(settings, needs, digits)
  const queue = settings.queue && messageQueue(settings.queue, needs)
  const keepAudits = storeAudits(needs.resolvePath(settings.folder))
  /** Why the newest file of a machine was refused. */
  const refusals = new Map<string, string>()
  /** By path in the folder: the files that are there and cannot be used, or not whole, and why. */
  const unusable = new Map<string, readonly RefusedReading[]>()
  /** By hash: readings that wait for a second one with the same wrong checksum. */
  const unconfirmed = new Map<string, UnconfirmedReading>()
  let unreadableFiles: readonly UnreadableRow[] = []
  const reading = new SingleFlight<'folder', Failure | undefined>()
  let readAt: number | undefined
  let books: ReadonlyMap<string, MachineBook> = new Map()
  let bookVersions = ''
  let namedBy: Planogram | undefined

  /** Counts what is new in the folder, unless that was done a moment ago. */
  const refresh = (): Promise<Failure | undefined> => {
    if (readAt !== undefined && clock.elapsed() - readAt < READ_AGAIN_AFTER_MS) return Promise.resolve(undefined)
    return reading.run('folder', readFolder)
  }

  async function readFolder(): Promise<Failure | undefined> {
    const planned = await planogram()
    if (!planned.ok) return planned
    const yieldIfDue = yieldRegularly()
    const fresh = new Map<string, PackedReading[]>()
    /** Machines whose checksum was right. */
    const confirmed = new Set<string>()
    const problems: (RefusedReading & { readonly name: string })[] = []
    const use = (reading: MachineReading) => {
      fresh.getOrInsertComputed(reading.location, () => []).push(packReading(reading))
      if (reading.checksum === 'right') confirmed.add(reading.location)
      refusals.delete(reading.location)
    }
    try {
      for await (const batch of files.next())
        for (const file of batch) {
          const outcomes = await readDexAside(file, fileSettings)
          const refused = outcomes.filter((outcome) => !outcome.ok)
          if (refused.length > 0) unusable.set(file.path, refused)
          else unusable.delete(file.path)
          for (const outcome of outcomes) {
            await yieldIfDue()
            if (outcome.ok) use(outcome.value)
            else {
              problems.push({ name: file.name, ...outcome })
              if (outcome.location !== undefined) refusals.set(outcome.location, outcome.problem)
              if (outcome.unconfirmed) unconfirmed.set(outcome.unconfirmed.hash, outcome.unconfirmed)
            }
          }
        }
    } catch (failure) {
      return fail('unsent', 'The folder of the machine files cannot be read', { raw: codeOf(failure) })
    }
    const used = await takeConstantChecksums(confirmed)
    for (const reading of used) use(withNotice(reading, CONSTANT_CHECKSUM))
    const isStillRefused = (refused: RefusedReading) =>
      !refused.unconfirmed || unconfirmed.has(refused.unconfirmed.hash)
    for (const [path, refused] of unusable) {
      const left = refused.filter(isStillRefused)
      if (left.length > 0) unusable.set(path, left)
      else unusable.delete(path)
    }
    const refused = problems.filter(isStillRefused)
    if (refused.length > 0) notice?.(describeRefused(refused.map(({ name, problem }) => `${name}: ${problem}`)))
    for (const path of unusable.keys()) if (!files.has(path)) unusable.delete(path)
    unreadableFiles = toRows(unusable, unreadableFiles)
    let soldFrom: number | undefined
    try {
      for (const [location, readings] of fresh) {
        const from = await countReadings(location, readings, planned.value)
        soldFrom = Math.min(soldFrom ?? Infinity, from ?? Infinity)
      }
      const named = await nameEarlierSales(planned.value)
      soldFrom = Math.min(soldFrom ?? Infinity, named)
      const stored = await memory.list(BOOK)
      const versions = stored.map(({ key, version }) => `${key} ${version}`).join(' ')
      // The same object while nothing changed: the sales of a window are sorted once for it.
      if (versions !== bookVersions)
        books = new Map(stored.map(({ key, value }) => [key.slice(BOOK.length), value as MachineBook] as const))
      bookVersions = versions
    } catch (failure) {
      // What was read and not stored must be read again.
      files.reset()
      return fail('unknown', 'The readings could not be stored', { raw: String(failure) })
    }
    readAt = clock.elapsed()
    // The sales of a reading may be hours old.
    if (soldFrom !== undefined && soldFrom !== Infinity) needs.reportOlderSales(soldFrom)
    return undefined
  }

  /** From when on sales have got a name; Infinity where none has. Only when the planogram is another one than before. */
  async function nameEarlierSales(planned: Planogram): Promise<number> {
    if (planned === namedBy || planned.size === 0) return Infinity
    let from = Infinity
    for (const { key, value, version } of await memory.list(BOOK)) {
      const location = key.slice(BOOK.length)
      const book = value as MachineBook
      const matched = matchPlanned(
        planned.get(location),
        book.last.state.selections.map(({ code }) => code),
      )
      const named = nameSales(
        book,
        (selection) => skuOfSelection(location, new Map(), selection),
        (selection) => skuOfSelection(location, matched, selection),
      )
      if (!named) continue
      // Another instance was faster: it names them too.
      if ((await memory.put(key, named.book, version)) !== undefined) from = Math.min(from, named.from)
    }
    namedBy = planned
    return from
  }

  /** Takes out of `unconfirmed` what can be used after all. */
  async function takeConstantChecksums(confirmed: ReadonlySet<string>): Promise<readonly UnconfirmedReading[]> {
    if (unconfirmed.size === 0) return []
    const checksums = new Map<string, string | undefined>()
    for (const { key, value } of await memory.list(BOOK))
      checksums.set(key.slice(BOOK.length), (value as MachineBook).checksum)
    for (const location of confirmed) checksums.set(location, 'right')
    const constant = findConstantChecksums([...unconfirmed.values()], checksums)
    for (const { hash } of constant) unconfirmed.delete(hash)
    for (const hash of [...unconfirmed.keys()].slice(0, -UNCONFIRMED_MAX)) unconfirmed.delete(hash)
    return constant
  }

  /** The time from which on sales were counted, undefined when there were none. Another instance may count at the same time: the later writer counts again. */
  async function countReadings(
    location: string,
    readings: readonly PackedReading[],
    planned: Planogram,
  ): Promise<number | undefined> {
    const machine = machines.get(location)
    if (!machine) return undefined
    const naming = {
      namesOf: (codes: readonly string[]) => {
        const matched = matchPlanned(planned.get(location), codes)
        return (selection: string) => skuOfSelection(location, matched, selection)
      },
      epochOf: (time: Parameters<typeof epochOf>[0]) => epochOf(time, machine.time_zone ?? connection.timeZone),
    }
    const yieldIfDue = yieldRegularly()
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const known = await memory.get(BOOK + location)
      const before = known?.value as MachineBook | undefined
      let after = before
      let older = 0
      for (const one of sortByTime(readings)) {
        await yieldIfDue()
        const counted = countReading(after, unpackReading(one), naming, clock.now())
        after = counted.book
        if (counted.isOlder) older += 1
      }
      if (older > 0 && attempt === 0)
        notice?.(`Not counted, because older than the last reading: ${count(older, 'file')} of ${location}`)
      if (after === undefined || after === before) return undefined
      if ((await memory.put(BOOK + location, after, known?.version ?? 0)) !== undefined)
        return firstNewSale(before, after)
    }
    throw new Error(`the readings of ${location} could not be stored: other instances kept changing them`)
  }

  const bookOf = (location: string): MachineBook | Failure => {
    if (!machines.has(location)) return fail('rejected', 'No machine with this id is configured')
    const refusal = refusals.get(location)
    return (
      books.get(location) ??
      fail(
        'unknown',
        refusal === undefined
          ? 'There is no reading of this machine yet'
          : `The file of this machine was refused: ${refusal}`,
      )
    )
  }

  let latest: { readonly key: string; readonly books: unknown; readonly sales: SalesWindow } | undefined
  /** Pages of one window are cut from one list. */
  function salesBetweenTimes(fromMs: number, toMs: number): SalesWindow {
    const key = `${fromMs} ${toMs}`
    if (latest?.key !== key || latest.books !== books)
      latest = { key, books, sales: new SalesWindow(books, fromMs, toMs) }
    return latest.sales
  }

  let joined: readonly UnreadableRow[] = []
  /** The same list while nothing changed. */
  async function withAside(): Promise<readonly UnreadableRow[]> {
    const aside = (await queue?.aside()) ?? []
    if (aside.length === 0) return unreadableFiles
    const all = [...unreadableFiles, ...aside]
    if (JSON.stringify(all) !== JSON.stringify(joined)) joined = all
    return joined
  }

  const vendor: MachineVendor & { close(): Promise<void> } = {
    role: 'machine',
    canSeeOnline: false,
    async inventory(location) {
      const failure = await refresh()
      if (failure) return failure
      const planned = await planogram()
      if (!planned.ok) return planned
      const machine = machines.get(location)
      // One that was added by hand has what its planogram lists.
      if (machine && MACHINE_KEYS.every((key) => machine[key] === undefined))
        return succeed(slotsOf(location, planned.value.get(location), undefined))
      const book = bookOf(location)
      if ('ok' in book) return book
      return succeed(slotsOf(location, planned.value.get(location), book.last))
    },
    async ledger({ fromMs, toMs, page = 1, size = PAGE_MAX }): Promise<Result<LedgerPage>> {
      const failure = await refresh()
      if (failure) return failure
      const sales = salesBetweenTimes(fromMs, toMs)
      const perPage = Math.max(1, Math.min(size, PAGE_MAX))
      return succeed({
        records: sales.records((page - 1) * perPage, page * perPage),
        page,
        pages: Math.ceil(sales.total / perPage),
        total: sales.total,
        completeFrom: Object.fromEntries([...books].map(([location, { countedFrom }]) => [location, countedFrom])),
        completeTo: Object.fromEntries([...books].map(([location, { last }]) => [location, last.at])),
        unreadableFiles: await withAside(),
      })
    },
    /** Those of the settings, and those that files name besides. Read now: somebody has just brought a file. */
    async locations() {
      const failure = await reading.run('folder', readFolder)
      if (failure) return failure
      const strangers = [...unusable.values()].flat().flatMap(({ stranger }) => stranger ?? [])
      return succeed([
        ...[...machines].map(([id, { name, location, time_zone }]) => ({
          id,
          name: name ?? location,
          timeZone: time_zone ?? connection.timeZone,
        })),
        ...findNewMachines(strangers, new Set(machines.keys())).map(({ id, name, field, value }) => ({
          id,
          name,
          timeZone: connection.timeZone,
          entry: { location: id, [field]: value },
        })),
      ])
    },
    async health(location): Promise<Result<MachineHealth>> {
      const failure = await refresh()
      if (failure) return failure
      const machine = machines.get(location)
      if (machine && MACHINE_KEYS.every((key) => machine[key] === undefined))
        return succeed({ online: null, lastSeenAt: null, problems: [] })
      const book = bookOf(location)
      if (!('ok' in book)) return succeed(healthOf(book, refusals.get(location), settings.max_age_hours, clock.now()))
      // A machine whose every file was refused has nothing else to say than why.
      return refusals.has(location) ? succeed({ online: null, lastSeenAt: null, problems: [book.message] }) : book
    },
    async cash(location) {
      const failure = await refresh()
      if (failure) return failure
      const { cash, last } = books.get(location) ?? {}
      if (!cash || !last) return succeed(undefined)
      const taken = cash.taken.map(({ at, amount }) => ({ at, amountFen: amount === null ? null : fen(amount) }))
      return succeed({ fromMs: cash.from, untilMs: last.at, taken })
    },
    updatePrices: async () => failUnsupported('updatePrices'),
    restockRecommend: async () => failUnsupported('restockRecommend'),
    ...(queue && { receiveMessages: () => queue.receive(keepAudits) }),
    close: async () => queue?.close(),
  }
  return {
    vendor,
    capabilities: ['inventory', 'ledger', 'locations', 'health', 'cash'],
    ...(queue && { verify: () => queue.verify() }),
  }
}

function healthOf({ last }: MachineBook, refusal: string | undefined, maxAgeHours: number, now: number): MachineHealth {
  const isOld = now - last.at > maxAgeHours * HOUR
  return {
    online: null,
    lastSeenAt: last.at,
    problems: [
      ...(isOld ? [`No reading for more than ${maxAgeHours} hours`] : []),
      ...(refusal === undefined ? [] : [`The newest file was refused: ${refusal}`]),
      ...last.notices,
      ...(last.state.soldOut.length === 0 ? [] : [`Sold out: selection ${last.state.soldOut.join(', ')}`]),
    ],
  }
}

const ID_MAX = 100

/** The same list while nothing changed. */
function toRows(
  unusable: ReadonlyMap<string, readonly RefusedReading[]>,
  before: readonly UnreadableRow[],
): readonly UnreadableRow[] {
  const rows = [...unusable].map(([path, refused]): UnreadableRow => {
    const problem = refused.map((one) => one.problem).join('; ')
    const id = firstCharacters(sanitizeText(path), ID_MAX)
    return { kind: 'file', id, problem: firstCharacters(sanitizeText(problem), 200), detail: problem }
  })
  const isSame =
    rows.length === before.length &&
    rows.every(({ id, problem }, i) => before[i]?.id === id && before[i]?.problem === problem)
  return isSame ? before : rows
}

/** Without the path, which callers must not see. */
const codeOf = (failure: unknown): string => (failure as NodeJS.ErrnoException).code ?? 'unreadable'

const NAMED = 5
const describeRefused = (problems: readonly string[]): string =>
  `${problems.length} files were refused: ${problems
    .slice(0, NAMED)
    .map((problem) => firstCharacters(problem, 160))
    .join('; ')}`

/** Reads the planogram again when its file has changed. Without one every selection is a product of its own. */
function planogramFile(
  { planogram }: EvaDtsSettings,
  needs: AdapterNeeds,
  digits: number,
): () => Promise<Result<Planogram>> {
  if (!planogram) return async () => succeed(new Map())
  const path = needs.resolvePath(planogram.file)
  const reading = new SingleFlight<'planogram', Result<Planogram>>()
  let known: { readonly state: string; readonly result: Result<Planogram> } | undefined
  const read = async (): Promise<Result<Planogram>> => {
    try {
      const { size, mtimeMs } = await stat(path)
      const state = `${size} ${mtimeMs}`
      if (known?.state === state) return known.result
      const file = await readPlanogramAside(await readFile(path), { ...planogram, digits })
      if (file.ok && file.problems.length > 0)
        needs.notice?.(
          `The planogram has ${file.problems.length} rows that were left out: ${file.problems.slice(0, NAMED).join('; ')}`,
        )
      known = {
        state,
        result: file.ok ? succeed(file.planogram) : fail('unknown', `The planogram cannot be used: ${file.problem}`),
      }
      return known.result
    } catch (failure) {
      return fail('unsent', 'The planogram cannot be read', { raw: codeOf(failure) })
    }
  }
  return () => reading.run('planogram', read)
}
