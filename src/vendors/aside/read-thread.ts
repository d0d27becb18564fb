/** Runs in a worker thread: reads one file as a connection would, and hands over what is shown or kept of it. */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../kernel/clock.ts'
import { chunk } from '../../lib/concurrency.ts'
import type { Preview } from '../adapter-module.ts'
import { ADAPTERS } from '../adapters.ts'
import { processMemory } from '../process-memory.ts'
import { readDexFile } from '../eva-dts/file-reading.ts'
import { readPlanogram } from '../eva-dts/planogram.ts'
import { readTable } from '../sheet/workbook/read-table.ts'
import { readPlanogramFile } from '../sheet-machines/read-planogram-file.ts'
import { readSalesExport } from '../sheet-machines/read-sales-export.ts'
import type { PreviewTask, ReadMessage, ReadTask } from './read-task.ts'
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

/** Taken in one turn of the event loop. */
const PART_SIZE = 250
const READINGS_AT_ONCE = 5

async function* messagesOf(task: ReadTask): AsyncGenerator<ReadMessage<unknown>> {
  if ('preview' in task) yield { last: await previewOf(task.preview) }
  else if ('reply' in task) yield { last: readReplyFile(task.reply.bytes, task.reply.settings) }
  else if ('table' in task) yield { last: readTable(task.table.bytes) }
  else if ('dex' in task) {
    const outcomes = readDexFile(task.dex.file, task.dex.settings)
    for (const part of chunk(outcomes, READINGS_AT_ONCE)) yield { part }
    yield { last: [] }
  } else if ('planogram' in task) {
    const read = readPlanogram(task.planogram.bytes, task.planogram.format)
    if (read.ok)
      for (const [location, selections] of read.planogram)
        for (const part of chunk([...selections.values()], PART_SIZE)) yield { part: { location, selections: part } }
    yield { last: read.ok ? { ...read, planogram: new Map() } : read }
  } else if ('sales' in task) {
    const read = readSalesExport(task.sales)
    if (read.ok) {
      for (const groups of chunk([...read.value.groups], PART_SIZE)) yield { part: { groups, unreadable: [] } }
      for (const unreadable of chunk([...(read.unreadable ?? [])], PART_SIZE))
        yield { part: { groups: [], unreadable } }
    }
    yield { last: read.ok ? { ok: true, value: { ...read.value, groups: new Map() } } : read }
  } else {
    const read = readPlanogramFile(task.machineExport)
    if (read.ok)
      for (const [machine, { slots, unreadable }] of read.value.machines) {
        yield { part: { machine, slots: [], unreadable } }
        for (const part of chunk(slots, PART_SIZE)) yield { part: { machine, slots: part, unreadable: [] } }
      }
    yield { last: read.ok ? { ...read, value: { ...read.value, machines: new Map() } } : read }
  }
}

if (parentPort)
  for await (const message of messagesOf(workerData as ReadTask)) {
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    parentPort.postMessage(message)
    if ('part' in message) await once(parentPort, 'message')
  }
