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
import type { ReadTask } from './read-task.ts'
import { type ReadFile, type ReplyFileSettings, readReplyFile } from '../sheet/inbox/read-reply-file.ts'
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

/** Two files at once would take twice the memory. */
let last: Promise<unknown> = Promise.resolve()
function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work, work)
  last = next
  return next
}

async function runThread<T>(task: ReadTask, refused: (problem: string) => T): Promise<T> {
  const worker = new Worker(THREAD, { workerData: task, resourceLimits: MEMORY })
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => resolve(refused(TOO_LONG)), TIME_MS)
  worker.on('message', resolve)
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
