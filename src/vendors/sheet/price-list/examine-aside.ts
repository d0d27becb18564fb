/**
 * Examines a price list beside the requests: a large one in a worker thread with bounded memory, one at a time. The thread
 * ends with the list, so its memory is returned.
 */
import { Worker } from 'node:worker_threads'
import { programFile } from '../../../lib/program-file.ts'
import { isWorkbook } from '../workbook/workbook.ts'
import type { Lists, Message, Task } from './examine-list-thread.ts'
import { type ExaminedList, type ListToExamine, examineList, unpackProducts } from './examine-list.ts'
import type { ListedProduct } from './listed-products.ts'
import type { FileToPropose, ListProposal, NoProposal } from './propose-list.ts'

/** Smaller lists are read within a few milliseconds, faster than a thread starts. */
const ASIDE_BYTES = 16 * 1024
/** 200,000 rows take about 300 MB. */
const MEMORY = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 32 }

const THREAD = programFile('examine-list-thread', import.meta.url)

export const examineAside = async (list: ListToExamine): Promise<ExaminedList> =>
  isSmall(list) ? examineList(list) : oneAtATime(() => runAside({ examine: list }))

/** A workbook of any size may become large when it is unpacked. */
const isSmall = ({ bytes, remembered }: ListToExamine): boolean =>
  bytes.length + (remembered?.packed.length ?? 0) < ASIDE_BYTES && !isWorkbook(bytes)

export async function unpackAside(packed: string): Promise<readonly ListedProduct[]> {
  if (packed.length < ASIDE_BYTES) return unpackProducts(packed)
  const list = await oneAtATime(() => runAside({ unpack: packed }))
  return list.kind === 'accepted' ? list.products : []
}

/** Two lists at once would take twice the memory. */
let last: Promise<unknown> = Promise.resolve()
function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work, work)
  last = next
  return next
}

/** The same as `proposeList`, beside the requests. */
export const proposeAside = (file: FileToPropose): Promise<ListProposal | NoProposal> =>
  oneAtATime(() =>
    runThread<ListProposal | NoProposal>({ propose: file }, tooMuch, (message, resolve) => {
      if ('proposal' in message) resolve(message.proposal)
    }),
  )

const tooMuch = { problem: `reading it takes more than ${MEMORY.maxOldGenerationSizeMb} MB` }

function runAside(task: Task): Promise<ExaminedList> {
  const lists: Lists = { products: [], unreadable: [], asked: [] }
  return runThread<ExaminedList>(task, { kind: 'unreadable', ...tooMuch }, (message, resolve) => {
    if ('last' in message)
      return resolve(message.last.kind === 'accepted' ? { ...message.last, ...lists } : message.last)
    if (!('part' in message)) return
    const { products = [], unreadable = [], asked = [] } = message.part
    lists.products.push(...products)
    lists.unreadable.push(...unreadable)
    lists.asked.push(...asked)
  })
}

function runThread<T>(task: Task, ifTooMuch: T, onMessage: (message: Message, resolve: (result: T) => void) => void) {
  const worker = new Worker(THREAD, { workerData: task, resourceLimits: MEMORY })
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  worker.on('message', (message: Message) => {
    onMessage(message, resolve)
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    worker.postMessage('next')
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(ifTooMuch)
    else reject(error)
  })
  worker.on('exit', () => reject(new Error('the thread that reads the price list ended')))
  return promise.finally(() => void worker.terminate())
}
