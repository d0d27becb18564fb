/**
 * Runs in a worker thread: examines one list, then hands the result over in parts, each when it is asked for. The thread that
 * serves requests takes one part in each turn of its event loop; a list of 200,000 products at once would stop it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { chunk } from '../../../lib/concurrency.ts'
import type { UnreadableRow } from '../../contract.ts'
import type { AskedPack } from '../../packs.ts'
import { type ListToExamine, examineList, unpackProducts } from './examine-list.ts'
import type { ExaminedList } from './examine-list.ts'
import type { ListedProduct } from './listed-products.ts'
import { type FileToPropose, type ListProposal, type NoProposal, proposeList } from './propose-list.ts'

export type Task =
  | { readonly examine: ListToExamine }
  | { readonly unpack: string }
  | { readonly propose: FileToPropose }

/** The lists of a result that may be long. */
export interface Lists {
  readonly products: ListedProduct[]
  readonly unreadable: UnreadableRow[]
  readonly asked: AskedPack[]
}

/** Parts follow until the last message. */
export type Message =
  | { readonly part: Partial<Readonly<Lists>> }
  | { readonly last: ExaminedList }
  | { readonly proposal: ListProposal | NoProposal }

/** Products copied in one turn of the event loop. */
const PART_SIZE = 250

function* messagesOf(task: Task): Generator<Message> {
  if ('propose' in task) {
    yield { proposal: proposeList(task.propose) }
    return
  }
  const list: ExaminedList =
    'unpack' in task
      ? { kind: 'accepted', products: unpackProducts(task.unpack), unreadable: [], asked: [], notices: [] }
      : examineList(task.examine)
  if (list.kind !== 'accepted') {
    yield { last: list }
    return
  }
  const { products, unreadable, asked } = list
  for (const [name, entries] of Object.entries({ products, unreadable, asked }))
    for (const part of chunk<unknown>(entries, PART_SIZE)) yield { part: { [name]: part } }
  yield { last: { ...list, products: [], unreadable: [], asked: [] } }
}

const messages = messagesOf(workerData as Task)
const sendNext = (): void => {
  const next = messages.next()
  if (next.done) return parentPort?.close()
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage(next.value)
}
parentPort?.on('message', sendNext)
sendNext()
