/** Import of a wholesaler's price list: time and memory, the first time, when it changed, and when it did not. */
import { NODE_FLAGS } from '../scripts/process-flags.mjs'
import { median, startSubject, table, verdict } from './harness.ts'

const ROWS = 10_000
const ROUNDS = 10
const TARGET_CPU_MS = 600
const TARGET_MB = 60

interface Read {
  readonly ms: number
  readonly products: number
}

export async function priceList(): Promise<void> {
  const file = new URL('price-list-subject.ts', import.meta.url)
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
        ['memory afterwards', '', `${grown.toFixed(0)} MB more`, verdict(grown, TARGET_MB, ' MB')],
      ],
    )
  } finally {
    await subject.stop()
  }
}
