/**
 * Runs in a worker thread: examines one list, then hands the result over in parts, each when it is asked for. The thread that
 * serves requests takes one part in each turn of its event loop; a list of 200,000 products at once would stop it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { UnreadableRow } from '../../contract.ts'
import { type ListToExamine, examineList, unpackProducts } from './examine-list.ts'
import type { ExaminedList } from './examine-list.ts'
import type { ListedProduct } from './listed-products.ts'

export type Task = { readonly examine: ListToExamine } | { readonly unpack: string }

type Parts = { readonly products: readonly ListedProduct[] } | { readonly unreadable: readonly UnreadableRow[] }

/** Parts follow until the last message. */
export type Message = { readonly part: Parts } | { readonly last: ExaminedList }

/** Products copied in one turn of the event loop. */
const PART_SIZE = 250

function* messagesOf(task: Task): Generator<Message> {
  const list: ExaminedList =
    'unpack' in task
      ? { kind: 'accepted', products: unpackProducts(task.unpack), unreadable: [], notices: [] }
      : examineList(task.examine)
  if (list.kind !== 'accepted') {
    yield { last: list }
    return
  }
  const { products, unreadable } = list
  for (let i = 0; i < products.length; i += PART_SIZE) yield { part: { products: products.slice(i, i + PART_SIZE) } }
  for (let i = 0; i < unreadable.length; i += PART_SIZE)
    yield { part: { unreadable: unreadable.slice(i, i + PART_SIZE) } }
  yield { last: { ...list, products: [], unreadable: [] } }
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
