/**
 * Runs in a worker thread: reads a mailbox or an SFTP folder once. The libraries for both are loaded here only, and whatever a
 * server sends can stop or break this thread, never the service.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { FetchTask, FetchedItem, FromThread } from './fetch-messages.ts'
import { describeFailure } from './problems.ts'

const task = workerData as FetchTask
let stored: (() => void) | undefined
parentPort?.on('message', () => stored?.())

// eslint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
const send = (message: FromThread): void => parentPort?.postMessage(message)
const begin = (key: string, label: string): void => send({ begin: { key, label } })
const take = (item: FetchedItem): Promise<void> =>
  new Promise((resolve) => {
    stored = resolve
    send({ item })
  })

async function run(): Promise<void> {
  if (task.settings.via === 'mailbox') {
    const { fetchMailbox, testMailbox } = await import('./mailbox.ts')
    if (task.mode === 'test') send({ tested: await testMailbox(task) })
    else await fetchMailbox(task, begin, take)
  } else {
    const { fetchSftp, testSftp } = await import('./sftp-folder.ts')
    if (task.mode === 'test') send({ tested: await testSftp(task) })
    else await fetchSftp(task, begin, take)
  }
  send({ done: true })
}

try {
  await run()
} catch (failure) {
  send({ failed: describeFailure(failure, task.settings.host) })
}
parentPort?.close()
