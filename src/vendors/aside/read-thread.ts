/** Runs in a worker thread: reads one file as a connection would, and hands over what is shown or kept of it. */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../kernel/clock.ts'
import type { Preview } from '../adapter-module.ts'
import { ADAPTERS } from '../adapters.ts'
import { processMemory } from '../process-memory.ts'
import type { PreviewTask, ReadTask } from './read-task.ts'
import { readReplyFile } from '../sheet/inbox/read-reply-file.ts'

/** More is not shown; a table of all rows would stop the thread that takes it. */
const ROWS_SHOWN = 100

async function previewOf(task: PreviewTask): Promise<Preview> {
  const { adapter, file, settings, connection, now, timeoutMs } = task
  const module = ADAPTERS.find(
    (each) => each.adapter === adapter && connection.namespace.endsWith(`-${each.role}`) && each.preview !== undefined,
  )
  if (!module?.preview) throw new Error(`${adapter} reads no files`)
  const preview = await module.preview(file, settings, {
    connection,
    timeoutMs,
    memory: processMemory(),
    clock: { ...systemClock, now: () => now },
    resolvePath: (path) => path,
    reportOlderSales: () => {},
  })
  return {
    ...preview,
    tables: preview.tables.map((table) => ({
      ...table,
      rows: table.rows.slice(0, ROWS_SHOWN),
      total: table.rows.length,
    })),
    leftOut: preview.leftOut.slice(0, ROWS_SHOWN),
  }
}

const task = workerData as ReadTask
const read = 'preview' in task ? await previewOf(task.preview) : readReplyFile(task.reply.bytes, task.reply.settings)
// eslint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
parentPort?.postMessage(read)
