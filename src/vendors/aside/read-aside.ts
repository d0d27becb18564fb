/** Reads files beside the requests: a large one in a thread with bounded memory and time, one after the other. */
import { Worker } from 'node:worker_threads'
import { MINUTE } from '../../kernel/clock.ts'
import { programFile } from '../../lib/program-file.ts'
import {
  type AdapterModule,
  type AdapterNeeds,
  type Preview,
  type PreviewFile,
  refusedPreview,
} from '../adapter-module.ts'
import type { Result, UnreadableRow } from '../contract.ts'
import { type DexFile, type FileSettings, type ReadingOutcome, readDexFile } from '../eva-dts/file-reading.ts'
import {
  type PlannedSelection,
  type PlanogramFormat,
  type PlanogramResult,
  readPlanogram,
} from '../eva-dts/planogram.ts'
import type { LaneSlot } from '../lanes.ts'
import { fail, succeed } from '../result.ts'
import type { MachinePlanogram, Planogram } from '../sheet-machines/planogram.ts'
import { type ExportToRead, readPlanogramFile } from '../sheet-machines/read-planogram-file.ts'
import { type SalesToRead, readSalesExport } from '../sheet-machines/read-sales-export.ts'
import type { SalesFile } from '../sheet-machines/sales.ts'
import type { ReadMessage, ReadTask } from './read-task.ts'
import { type ReadFile, type ReplyFileSettings, readReplyFile } from '../sheet/inbox/read-reply-file.ts'
import { type ReadTable, readTable } from '../sheet/workbook/read-table.ts'
import { isWorkbook } from '../sheet/workbook/workbook.ts'

/** Smaller files are read within a few milliseconds, faster than a thread starts. */
const ASIDE_BYTES = 16 * 1024
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }
const TIME_MS = MINUTE
const TOO_MUCH = `reading it takes more than ${MEMORY.maxOldGenerationSizeMb} MB`
const TOO_LONG = 'reading it takes too long'

const THREAD = programFile('read-thread', import.meta.url)

/** A workbook of any size may become large when it is unpacked. */
const isSmall = (bytes: Uint8Array): boolean => bytes.length < ASIDE_BYTES && !isWorkbook(bytes)

/** What a file would become. */
export async function previewAside(
  { adapter, preview }: Pick<AdapterModule, 'adapter'> & { readonly preview: NonNullable<AdapterModule['preview']> },
  file: PreviewFile,
  settings: unknown,
  needs: AdapterNeeds,
): Promise<Preview> {
  if (isSmall(file.bytes)) return preview(file, settings, needs)
  const { connection, clock, timeoutMs } = needs
  const task = { preview: { adapter, file, settings, connection, now: clock.now(), timeoutMs } }
  return oneAtATime(() => runThread(task, (problem) => refusedPreview(`The file is refused: ${problem}`)))
}

/** What a supplier's file says about orders and invoices. */
export const readReplyAside = async (bytes: Uint8Array, settings: ReplyFileSettings): Promise<ReadFile> =>
  isSmall(bytes)
    ? readReplyFile(bytes, settings)
    : oneAtATime(() => runThread<ReadFile>({ reply: { bytes, settings } }, (problem) => ({ ok: false, problem })))

/** A file of one reading has some 20 KB, and a thread for each of a folder would take longer than reading them. */
const DEX_ASIDE_BYTES = 64 * 1024

/** The readings of a file of a machine. */
export async function readDexAside(file: DexFile, settings: FileSettings): Promise<readonly ReadingOutcome[]> {
  if (file.bytes.length < DEX_ASIDE_BYTES) return readDexFile(file, settings)
  const outcomes: ReadingOutcome[] = []
  const refused = (problem: string): readonly ReadingOutcome[] => [{ ok: false, location: undefined, problem }]
  const last = await oneAtATime(() =>
    runThread({ dex: { file, settings } }, refused, (part) => outcomes.push(...(part as readonly ReadingOutcome[]))),
  )
  return last.length > 0 ? last : outcomes
}

/** What lies behind the selections of machines. */
export async function readPlanogramAside(bytes: Uint8Array, format: PlanogramFormat): Promise<PlanogramResult> {
  if (isSmall(bytes)) return readPlanogram(bytes, format)
  const planogram = new Map<string, Map<string, PlannedSelection>>()
  interface Part {
    readonly location: string
    readonly selections: readonly PlannedSelection[]
  }
  const last = await oneAtATime(() =>
    runThread<PlanogramResult>(
      { planogram: { bytes, format } },
      (problem) => ({ ok: false, problem }),
      (part) => {
        const { location, selections } = part as Part
        const machine = planogram.getOrInsertComputed(location, () => new Map<string, PlannedSelection>())
        for (const one of selections) machine.set(one.selection, one)
      },
    ),
  )
  return last.ok ? { ...last, planogram } : last
}

/** The slots of machines, as a platform exports them. */
export async function readExportAside(read: ExportToRead): Promise<Result<Planogram>> {
  if (isSmall(read.file.bytes)) return readPlanogramFile(read)
  const machines = new Map<string, { readonly slots: LaneSlot[]; readonly unreadable: UnreadableRow[] }>()
  const last = await oneAtATime(() =>
    runThread<Result<Planogram>>(
      { machineExport: read },
      (problem) => fail('unknown', problem, { raw: 'unreadable file' }),
      (part) => {
        const { machine, slots, unreadable } = part as { readonly machine: string } & MachinePlanogram
        const known = machines.getOrInsertComputed(machine, () => ({ slots: [], unreadable: [] }))
        known.slots.push(...slots)
        known.unreadable.push(...unreadable)
      },
    ),
  )
  return last.ok ? { ...last, value: { ...last.value, machines } } : last
}

/** The sales of machines, as a platform exports them. */
export async function readSalesAside(read: SalesToRead): Promise<Result<SalesFile>> {
  if (isSmall(read.file.bytes)) return readSalesExport(read)
  const groups: (readonly [string, SalesGroup])[] = []
  const unreadable: UnreadableRow[] = []
  interface Part {
    readonly groups: readonly (readonly [string, SalesGroup])[]
    readonly unreadable: readonly UnreadableRow[]
  }
  const last = await oneAtATime(() =>
    runThread<Result<SalesFile>>(
      { sales: read },
      (problem) => fail('unknown', problem, { raw: 'unreadable file' }),
      (part) => {
        groups.push(...(part as Part).groups)
        unreadable.push(...(part as Part).unreadable)
      },
    ),
  )
  return last.ok ? succeed({ ...last.value, groups: new Map(groups) }, unreadable) : last
}

/** The rows of a workbook. */
export const readTableAside = async (bytes: Uint8Array): Promise<ReadTable> =>
  isWorkbook(bytes)
    ? oneAtATime(() => runThread<ReadTable>({ table: { bytes } }, (problem) => ({ problem })))
    : readTable(bytes)

type SalesGroup = SalesFile['groups'] extends ReadonlyMap<string, infer Group> ? Group : never

/** Two files at once would take twice the memory. */
let last: Promise<unknown> = Promise.resolve()
function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work, work)
  last = next
  return next
}

async function runThread<T>(
  task: ReadTask,
  refused: (problem: string) => T,
  onPart: (part: unknown) => void = () => {},
): Promise<T> {
  const worker = new Worker(THREAD, { workerData: task, resourceLimits: MEMORY })
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => resolve(refused(TOO_LONG)), TIME_MS)
  worker.on('message', (message: ReadMessage<T>) => {
    if ('last' in message) return resolve(message.last)
    onPart(message.part)
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    return worker.postMessage('next')
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(refused(TOO_MUCH))
    else reject(error)
  })
  worker.on('exit', () => reject(new Error('the thread that reads a file ended')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    void worker.terminate()
  }
}
