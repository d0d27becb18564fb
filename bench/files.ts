/** What reading price lists and DEX files costs. */
import { NODE_FLAGS } from '../scripts/process-flags.mjs'
import { median, startSubject, table, verdict } from './harness.ts'

/** Import of a wholesaler's price list: time and memory, the first time, when it changed, and when it did not. */
const ROWS = 10_000
const ROUNDS = 10
const TARGET_CPU_MS = 600
const LIST_MB_MAX = 60

interface Read {
  readonly ms: number
  readonly products: number
}

export async function priceList(): Promise<void> {
  const file = new URL('./subjects/price-list.ts', import.meta.url)
  const subject = await startSubject(file, { rows: ROWS }, ['--expose-gc', ...NODE_FLAGS])
  const measure = async (question: 'import' | 'unchanged') => {
    const before = await subject.cpuUs()
    const read = await subject.ask<Read>(question)
    return { ...read, cpuMs: ((await subject.cpuUs()) - before) / 1000 }
  }
  try {
    const before = await subject.memoryMb()
    const first = await measure('import')
    const changed: { readonly ms: number; readonly cpuMs: number }[] = []
    for (let i = 0; i < ROUNDS; i += 1) changed.push(await measure('import'))
    const unchanged = await measure('unchanged')
    const grown = (await subject.memoryMb()) - before
    const cpu = median(changed.map(({ cpuMs }) => cpuMs))
    table(
      `price list of ${ROWS.toLocaleString('en')} rows, ${first.products.toLocaleString('en')} products`,
      ['', 'CPU', 'elapsed', 'target'],
      [
        ['first import', `${first.cpuMs.toFixed(0)} ms`, `${first.ms.toFixed(0)} ms`, ''],
        [
          'changed list',
          `${cpu.toFixed(0)} ms`,
          `${median(changed.map(({ ms }) => ms)).toFixed(0)} ms`,
          verdict(cpu, TARGET_CPU_MS, ' ms'),
        ],
        ['unchanged list', '', `${unchanged.ms.toFixed(2)} ms`, ''],
        ['memory afterwards', '', `${grown.toFixed(0)} MB more`, verdict(grown, LIST_MB_MAX, ' MB')],
      ],
    )
  } finally {
    await subject.stop()
  }
}

/**
 * Import of DEX files from a folder: a route with a month of daily files, the first time, with the files of one more day,
 * and when nothing is new. `DEX_MACHINES=1000 npm run bench -- dex-folder` measures a large route; it takes minutes.
 */
const MACHINES = Number(process.env['DEX_MACHINES'] ?? 100)
const DAYS = 30
/** Per file, so that the target holds for every size. */
const TARGET_CPU_MS_PER_FILE = 3
/** For 1,000 machines and 30 days: what is stored of them is held in memory. */
const FOLDER_MB_MAX = 250

interface Read {
  readonly ms: number
  readonly files: number
  readonly sales: number
}

export async function dexFolder(): Promise<void> {
  const file = new URL('./subjects/dex-folder.ts', import.meta.url)
  const subject = await startSubject(file, { machines: MACHINES, days: DAYS }, ['--expose-gc', ...NODE_FLAGS])
  const measure = async (question: 'import' | 'unchanged') => {
    const before = await subject.cpuUs()
    const read = await subject.ask<Read>(question)
    return { ...read, cpuMs: ((await subject.cpuUs()) - before) / 1000 }
  }
  try {
    await subject.ask('write')
    const before = await subject.memoryMb()
    const first = await measure('import')
    const grown = (await subject.memoryMb()) - before
    await subject.ask('write-day')
    const day = await measure('import')
    const unchanged = await measure('unchanged')
    const perFile = first.cpuMs / first.files
    const time = (ms: number) => (ms < 10_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`)
    table(
      `${first.files.toLocaleString('en')} DEX files of ${MACHINES.toLocaleString('en')} machines, ${first.sales.toLocaleString('en')} sales records`,
      ['', 'CPU', 'elapsed', 'target'],
      [
        ['first import', time(first.cpuMs), time(first.ms), ''],
        ['  per file', `${perFile.toFixed(2)} ms`, '', verdict(perFile, TARGET_CPU_MS_PER_FILE, ' ms')],
        [`one more day (${day.files.toLocaleString('en')} files)`, time(day.cpuMs), time(day.ms), ''],
        ['nothing new', time(unchanged.cpuMs), time(unchanged.ms), ''],
        ['memory afterwards', '', `${grown.toFixed(0)} MB more`, verdict(grown, FOLDER_MB_MAX, ' MB')],
      ],
    )
  } finally {
    await subject.stop()
  }
}
